import subprocess
import sys


def test_prices_are_added_up():
    done = subprocess.run([sys.executable, "-m", "shop", "1.50", "2.50"], capture_output=True, text=True)

    assert done.stdout == "4.00\n"
