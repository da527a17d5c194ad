"""The program: a bundle's path in, a verdict and an exit status out."""

import argparse
import os
import sys

from .checks import check
from .entries import MAX_FILE
from .folder import contents, packed
from .problems import Bad, Unusable


def checked_file(path: str, keys: list[str], written: str | None) -> str:
    """The results for a sound bundle, in a line. Raises Bad, Unusable or OSError."""
    data = packed(path) if os.path.isdir(path) else contents(path, MAX_FILE)
    if bytes(data[:4]) != b"PK\3\4" and bytes(data[30:43]) != b"manifest.json":
        raise Unusable("not an evidence bundle")
    return check(data, keys, written)


def printable(text: str) -> str:
    """Escape what a terminal would act on: names and places come from whoever made the file."""
    shown = (one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
    return (
        "".join(shown).encode(sys.stdout.encoding, "backslashreplace").decode(sys.stdout.encoding)
    )


def main() -> int:
    """Check the bundle that the arguments name, and say what came of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("bundle")
    parser.add_argument("--key", action="append", default=[])
    parser.add_argument("--digest")
    args = parser.parse_args()
    try:
        found = checked_file(args.bundle, args.key, args.digest)
    except Bad as bad:
        print(printable(f"{args.bundle}: NOT SOUND: {bad.args[0]}: {bad.args[1]}"))
        return 1
    except (OSError, MemoryError, Unusable) as error:
        why = error.strerror if isinstance(error, OSError) else str(error) or "too large"
        print(printable(f"{args.bundle}: {why}"), file=sys.stderr)
        return 2
    compared = "" if args.key else " in itself, but no key was compared (--key)"
    print(printable(f"{args.bundle}: sound{compared}: {found}"))
    print("Not checked here: index.html, README.txt, game.gcg, the rules' files, and the turns")
    print("against the rules; nor what nobody can: see docs/evidence.md.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
