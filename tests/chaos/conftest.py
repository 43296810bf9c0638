"""Makes the ordeals importable: `chaos.py` is a program of its own, started by its path."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
