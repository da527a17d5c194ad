"""The long form of the tests that tamper, kill and tear: minutes instead of seconds.

    python benchmarks/log_full.py [--tamperings 2000] [--kills 1000]

Runs tests/record/test_tampering.py and tests/record/test_crashes.py with so many of each.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tamperings", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=1000)
    args = parser.parse_args()
    names = ["tests/record/test_tampering.py", "tests/record/test_crashes.py"]
    counts = {
        "TILEWATCH_TAMPERINGS": str(args.tamperings),
        "TILEWATCH_KILLS": str(args.kills),
    }
    program = [
        sys.executable,
        "-m",
        "pytest",
        "-v",
        "--timeout",
        "7200",
        "--durations",
        "3",
        *names,
    ]
    return subprocess.run(program, cwd=ROOT, env={**os.environ, **counts}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
