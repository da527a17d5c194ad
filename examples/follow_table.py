"""Follow a table's event stream: ``python examples/follow_table.py http://127.0.0.1:8000``.

Prints every turn of the first table, and every turn that becomes another by a ruling or a
correction, until interrupted. While the table is away it asks again. Needs nothing but Python;
start ``tilewatch demo`` to have a table to follow.
"""

from __future__ import annotations

import http.client
import json
import sys
import time
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

AGAIN_SECONDS = 2.0
AWAY = (OSError, http.client.HTTPException)  # URLError and a broken connection are OSError


def stream(address: str, table: str, after: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each view of the table with its id, as it is sent; a view is complete in itself."""
    headers = {"Last-Event-ID": after} if after else {}
    request = Request(f"{address}/api/v1/tables/{table}/events", headers=headers)  # noqa: S310
    kind = number = ""
    with urlopen(request, timeout=60) as lines:  # noqa: S310 - the table sends its time meanwhile
        for line in lines:
            name, _, value = line.decode("utf-8").rstrip("\r\n").partition(": ")
            if name == "event":
                kind = value
            elif name == "id":
                number = value
            elif name == "data" and kind == "view":
                yield number, json.loads(value)


def views(address: str, table: str) -> Iterator[dict[str, Any]]:
    """Each view of the table, for as long as there is one: where a stream ends another begins."""
    after, away = "", False
    while True:
        try:
            for number, view in stream(address, table, after):
                if away:
                    print("the table is back", file=sys.stderr, flush=True)
                after, away = number, False
                yield view
        except HTTPError:
            raise
        except AWAY:
            pass
        if not away:
            print("the table has gone; asking again", file=sys.stderr, flush=True)
        away = True
        time.sleep(AGAIN_SECONDS)


def line(turn: dict[str, Any]) -> str:
    """A turn as it stands."""
    play = f"{turn['position']} {turn['word']}" if turn["word"] else ""
    kind = "" if turn["kind"] == "play" else turn["kind"].replace("_", " ")
    what = f"{play} {kind}".strip()
    return f"{turn['number']:3} {turn['side']:6} {what:24} {turn['score']:4} {turn['total']:5}"


def main(address: str) -> int:
    """Follow the first table at an address; 2 if there is none."""
    address = address.rstrip("/")
    try:
        with urlopen(f"{address}/api/v1/tables") as answer:  # noqa: S310
            tables = json.load(answer)["tables"]
        if not tables:
            print(f"{address}: no table there", file=sys.stderr)
            return 2
        game, shown = "", list[str]()
        for view in views(address, tables[0]["id"]):
            if view["game_id"] != game:
                game, shown = view["game_id"], []
                print(f"game {game}", flush=True)
            lines = [line(turn) for turn in view["turns"]]
            for number, now in enumerate(lines):
                if number >= len(shown):
                    print(now, flush=True)
                elif now != shown[number]:
                    print(f"{now}  corrected", flush=True)
            for number in range(len(lines), len(shown)):
                print(f"{number + 1:3} is no turn any more", flush=True)
            shown = lines
    except HTTPError as error:
        print(f"{address}: {error}", file=sys.stderr)
        return 2
    except URLError as error:
        print(f"{address}: {error.reason}; start `tilewatch demo` first", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        sys.exit(main(sys.argv[1]))
    except KeyboardInterrupt:
        sys.exit(130)
