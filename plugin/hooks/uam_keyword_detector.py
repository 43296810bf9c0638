"""UserPromptSubmit: the word `uam` begins a pipeline (C-83)."""

import sys

sys.path.insert(0, __file__.rpartition("/hooks/")[0] + "/core")
import hook

hook.run("detecting", without_state=True)
