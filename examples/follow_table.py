"""Follow a table's event stream: ``python examples/follow_table.py http://127.0.0.1:8000``.

Prints every new turn of the first table until interrupted. Needs nothing but Python; start
``tilewatch demo`` to have a table to follow.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen


def views(address: str, table: str) -> Iterator[dict[str, Any]]:
    """Each view of the table as it is sent; a view is complete in itself."""
    kind = ""
    with urlopen(f"{address}/api/v1/tables/{table}/events") as stream:  # noqa: S310
        for line in stream:
            name, _, value = line.decode("utf-8").rstrip("\n").partition(": ")
            if name == "event":
                kind = value
            elif name == "data" and kind == "view":
                yield json.loads(value)


def main(address: str) -> int:
    """Follow the first table at an address; 2 if there is none."""
    address = address.rstrip("/")
    try:
        with urlopen(f"{address}/api/v1/tables") as answer:  # noqa: S310
            tables = json.load(answer)["tables"]
    except URLError as error:
        print(f"{address}: {error.reason}; start `tilewatch demo` first", file=sys.stderr)
        return 2
    if not tables:
        print(f"{address}: no table there", file=sys.stderr)
        return 2
    shown = 0
    for view in views(address, tables[0]["id"]):
        turns = view["turns"]
        if len(turns) < shown:
            shown = 0  # a new game
        for turn in turns[shown:]:
            play = f"{turn['position']} {turn['word']}" if turn["word"] else turn["kind"]
            print(f"{turn['number']:3} {turn['side']:6} {play:20} {turn['score']:4}", flush=True)
        shown = len(turns)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        sys.exit(main(sys.argv[1]))
    except KeyboardInterrupt:
        sys.exit(130)
