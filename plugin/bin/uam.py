"""The command of the plugin. What can be measured or decided by a rule is done here, not by a model."""

import sys

sys.path.insert(0, __file__.rpartition("/bin/")[0] + "/core")
import command

sys.exit(command.main(sys.argv[1:]))
