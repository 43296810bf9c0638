"""PreToolUse: source files are written by workers (C-75). Fails closed, also when its own parts are missing."""

import sys

try:
    sys.path.insert(0, __file__.rpartition("/hooks/")[0] + "/core")
    import hook
except BaseException as error:
    print(f"uam: the write guard cannot be loaded: {error}. Nothing is written until it is whole.", file=sys.stderr)
    sys.exit(2)
hook.run("guarding", guards=True)
