"""Read the board in a photograph: ``python examples/read_photograph.py BOARD.jpg``.

Prints the board as 15 rows, then the squares that the reader is unsure about.
"""

from __future__ import annotations

import sys

from game import Square, TilewatchError
from table.calibrated_reader import board_reader
from vision.images import load_image

SURE = 0.9


def main(path: str) -> int:
    """Read one photograph; 0 if a board was found, 2 if not."""
    try:
        reading = board_reader("english").read(load_image(path))
    except TilewatchError as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 2
    print("\n".join(reading.rows))
    for row, line in enumerate(reading.rows):
        for col, symbol in enumerate(line):
            confidence = float(reading.confidence[row, col])
            if confidence < SURE:
                print(f"{Square(row, col).name}: {symbol} {confidence:.0%}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
