"""Lets MAGPIE speak for commentators: ``[analysis] engine`` in ``table.toml`` starts it.

``python examples/engine_magpie.py MAGPIE [WORD LIST] [PLAYS]`` reads a position in CGP from its
input, starts MAGPIE, and writes its plays as lines of JSON (``analysis/engine.py`` has the form).
MAGPIE must have its data for the word list, whose name is by default the one in the position.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

MOVE = re.compile(r"^info currmove (\S+) sc (-?\d+)(.*)$")
PLACE = re.compile(r"(?:\d{1,2}[a-o]|[a-o]\d{1,2})\.(.+)", re.IGNORECASE)


def commands(cgp: str, lexicon: str, plays: int) -> str:
    """Return what is written to MAGPIE: the position, then a simulation of the best plays."""
    lines = [
        f"set -lex {lexicon} -numplays {plays} -threads 2",
        f"cgp {cgp}",
        "generate",
        "sim -plies 2 -it 400",
    ]
    return "\n".join([*lines, "quit", ""])


def play_of(move: str) -> dict[str, object]:
    """Return a move as MAGPIE writes it: ``8d.QU.z``, ``ex.QV`` or ``pass``."""
    if move.startswith("ex."):
        return {"kind": "exchange", "tiles": move[3:]}
    if (found := PLACE.fullmatch(move)) is None:
        return {"kind": "pass"}
    place, _, word = move.partition(".")
    return {"kind": "play", "position": place.upper(), "word": found[1] if word else ""}


def plays_in(output: str) -> list[dict[str, object]]:
    """Return the plays of MAGPIE's last report, best first."""
    found: dict[str, dict[str, object]] = {}
    for line in output.splitlines():
        if (known := MOVE.match(line.strip())) is None:
            continue
        move, _, rest = known.groups()
        numbers = dict(re.findall(r"\b(wp|eq) (-?\d+(?:\.\d+)?)", rest))
        play = play_of(move)
        if "eq" in numbers:
            play["equity"] = float(numbers["eq"])
        if "wp" in numbers:
            play["win"] = float(numbers["wp"]) / 100
        found.pop(move, None)
        found[move] = play
    # Only a simulation gives chances; its report replaces that of the moves alone.
    simulated = [play for play in found.values() if "win" in play]
    return sorted(
        simulated or list(found.values()),
        key=lambda play: (-float(str(play.get("win", 0))), -float(str(play.get("equity", 0)))),
    )


def main(magpie: str, lexicon: str = "", plays: str = "8") -> int:
    """Translate one position; 0 if MAGPIE gave a play."""
    cgp = sys.stdin.readline().strip()
    named = re.search(r"\blex (\S+);", cgp)
    given = commands(cgp, lexicon or (named[1] if named else "NWL23"), int(plays))
    done = subprocess.run(  # noqa: S603 - the owner's configuration names it
        [magpie], input=given, capture_output=True, text=True, check=False
    )
    found = plays_in(done.stdout)
    print(json.dumps({"engine": "MAGPIE"}))
    for play in found:
        print(json.dumps(play))
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
