"""PreToolUse and PostToolUse on agents, SubagentStop: results have their form (C-76)."""

import sys

sys.path.insert(0, __file__.rpartition("/hooks/")[0] + "/core")
import hook

hook.run("validating")
