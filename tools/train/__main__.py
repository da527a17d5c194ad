"""``python -m tools.train tiles --seed 5``: make the weights from nothing."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Final

from game.errors import TilewatchError

_TRAININGS: Final = {
    "tiles": "the classifier",
    "locate": "the board finder",
    "change": "the network that tells whether a tile was placed",
    "pool": "how the words of two classifiers are pooled",
    "promise": "how surely a square must be read",
}
"""The modules of this package that are trainings, and what each makes."""

_EXTRA: Final = frozenset({"torch", "torchvision", "ultralytics", "onnx", "PIL"})

_USAGE: Final = "usage: python -m tools.train {" + ",".join(_TRAININGS) + "} [OPTION ...]"


def main(arguments: list[str] | None = None) -> int:
    """Run a training; return the exit status, 2 if it cannot be run."""
    what, *rest = [*(sys.argv[1:] if arguments is None else arguments), ""]
    if what in {"-h", "--help"}:
        words = [f"  {name:<8} {made}" for name, made in _TRAININGS.items()]
        more = "python -m tools.train tiles --help, and so on: their options"
        sys.stdout.write("\n".join([_USAGE, "", *words, "", more, ""]))
        return 0
    if what not in _TRAININGS:
        return _refused(f"name one of {', '.join(_TRAININGS)}")
    try:
        return int(import_module(f"tools.train.{what}").main(rest[:-1]) or 0)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _EXTRA:
            raise
        return _refused(
            f"training needs {package}, which a plain install leaves out; "
            "install it with: sh install.sh --train"
        )
    except TilewatchError as error:
        return _refused(str(error))


def _refused(reason: str) -> int:
    sys.stderr.write(f"tools.train: {reason}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main())
