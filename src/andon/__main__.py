"""`python -m andon` is the `andon` command."""

from andon.cli.main import main

main()
