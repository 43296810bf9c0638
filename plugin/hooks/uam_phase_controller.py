"""Stop: phases follow each other, and none ends with work left (C-78 to C-82)."""

import sys

sys.path.insert(0, __file__.rpartition("/hooks/")[0] + "/core")
import hook

hook.run("controlling")
