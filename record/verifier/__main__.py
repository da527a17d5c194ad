"""Checks a tilewatch evidence bundle without tilewatch: docs/evidence.md put into code.

    python verify_bundle.py BUNDLE [--key PUBLIC-KEY-OR-FINGERPRINT]... [--digest DIGEST]

Needs Python 3.11 and the package `cryptography`. Exit status: 0 sound, 1 not, 2 no bundle.
It does not know the rules of the game, so it replays nothing: it checks that the stated scores are
the sums of the stated turns, and leaves checks 9 and 10 of docs/evidence.md to `tilewatch verify`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from record.bundle.archive import Unusable
from record.seals import fingerprint, plain_digest, plain_key
from record.verifier.checks import Check


def printable(text: str) -> str:
    """Escape control characters, because names and places come from whoever made the file."""
    shown = (one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
    return (
        "".join(shown).encode(sys.stdout.encoding, "backslashreplace").decode(sys.stdout.encoding)
    )


def result(check: Check) -> str:
    """Return the line that describes a sound bundle."""
    facts, game = check.report.facts, check.manifest["game"]
    assert facts is not None
    stated = "no turns and scores are stated"
    if game is not None:
        scores = (f"{game['players'][side]} {game['scores'][side]}" for side in game["scores"])
        stated = f"stated, and not replayed here: {', '.join(scores)}"
    return (
        f"key {fingerprint(facts.key)}, digest of the last event {facts.digest}, "
        f"{facts.events} events, {facts.pictures} pictures; {stated}"
    )


def main() -> int:
    """Check the bundle that the arguments name, and print the result."""
    parser = argparse.ArgumentParser()
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--key", action="append", default=[])
    parser.add_argument("--digest")
    args = parser.parse_args()
    try:
        written = None if args.digest is None else plain_digest(args.digest)
        check = Check(args.bundle, [plain_key(key) for key in args.key], written)
        faults = check.run().faults
    except (OSError, MemoryError, ValueError, Unusable) as error:
        why = error.strerror if isinstance(error, OSError) else str(error) or "too large"
        print(printable(f"{args.bundle}: {why}"), file=sys.stderr)
        return 2
    if faults:
        print(printable(f"{args.bundle}: NOT SOUND: {faults[0]}"))
        for fault in faults[1:50]:  # who wants all asks tilewatch verify --json
            print(printable(f"  {fault}"))
        return 1
    compared = "" if args.key else " in itself, but no key was compared (--key)"
    print(printable(f"{args.bundle}: sound{compared}: {result(check)}"))
    for note in check.report.notes:
        print(printable(f"  note: {note}"))
    print("Not checked here: index.html, README.txt, game.gcg, the rules' files, and the turns")
    print("against the rules; nor what nobody can: see docs/evidence.md.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
