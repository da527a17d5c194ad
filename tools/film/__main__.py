"""``python -m tools.film STILLS OUT --variant resting+fps12 --hands FOLDER``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from game.errors import TilewatchError
from tools.film.make import make_motion
from tools.film.variants import VARIANTS, parse_variant


def main(arguments: list[str] | None = None) -> int:
    """Make a recording in motion out of a recording of stills; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.film", description=main.__doc__)
    parser.add_argument("stills", type=Path, help="a recording of stills")
    parser.add_argument("out", type=Path, help="the folder to write")
    parser.add_argument(
        "--variant",
        default="calm",
        help=f"what happens, names joined by +: {', '.join(VARIANTS)}",
    )
    parser.add_argument("--hands", type=Path, help="photographs to cut hands from; else drawn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--turns", type=int, help="use only so many turns")
    args = parser.parse_args(arguments)
    try:
        variant = parse_variant(args.variant)
        made = make_motion(
            args.stills, args.out, variant, seed=args.seed, hands=args.hands, turns=args.turns
        )
    except TilewatchError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    frames = len(list((made / "frames").iterdir()))
    sys.stdout.write(f"{made}: {frames} frames\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
