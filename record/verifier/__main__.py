"""Checks a tilewatch evidence bundle without tilewatch: docs/evidence.md put into code.

    python verify_bundle.py BUNDLE [--key PUBLIC-KEY-OR-FINGERPRINT]... [--code CODE]

Needs Python 3.11 and the package `cryptography`. Exit status: 0 sound, 1 not, 2 no bundle.
It does not know the rules of the game, so it replays nothing: it checks that the stated scores are
the sums of the stated turns, and leaves checks 9 and 10 of docs/evidence.md to `tilewatch verify`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from record.bundle.archive import Unusable
from record.seals import plain_digest, plain_key
from record.verifier.checks import Check
from record.verifier.wording import lines


def printable(text: str) -> str:
    """Escape control characters, because names and places come from whoever made the file."""
    shown = (one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
    return (
        "".join(shown).encode(sys.stdout.encoding, "backslashreplace").decode(sys.stdout.encoding)
    )


def unmade(check: Check) -> str:
    """Return what only ``tilewatch verify`` can check."""
    game = check.manifest["game"]
    stated = "that the rules' files, the page and the read-me say what the events say"
    if game is not None:
        scores = (f"{game['players'][side]} {game['scores'][side]}" for side in game["scores"])
        stated = f"that the events give what is stated, {', '.join(scores)}, and {stated}"
    return f"{stated}; tilewatch verify does that. docs/evidence.md says what nobody can check"


def main() -> int:
    """Check the bundle that the arguments name, and print the result."""
    parser = argparse.ArgumentParser()
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--key", action="append", default=[])
    parser.add_argument("--code")
    args = parser.parse_args()
    try:
        written = None if args.code is None else plain_digest(args.code)
        check = Check(args.bundle, [plain_key(key) for key in args.key], written)
        report = check.run()
    except (OSError, MemoryError, ValueError, Unusable) as error:
        why = error.strerror if isinstance(error, OSError) else str(error) or "too large"
        print(printable(f"{args.bundle}: {why}"), file=sys.stderr)
        return 2
    if report.ok:
        report.unchecked.append(unmade(check))
    for line in lines(report):
        print(printable(line))
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
