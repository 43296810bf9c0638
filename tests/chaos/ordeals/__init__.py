"""The ordeals of `make chaos`: runs whose orchestrator is killed again and again, compared with runs left in peace."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # what all tests share: chaos.py is started by its path
