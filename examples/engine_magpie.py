"""Lets MAGPIE speak for commentators: ``[analysis] engine`` in ``table.toml`` starts it.

``python examples/engine_magpie.py MAGPIE [WORD LIST] [PLAYS] [SECONDS]`` reads a position in CGP
from its input, starts MAGPIE, and writes its plays as lines of JSON (``analysis/engine.py`` has
the form). MAGPIE must have its data for the word list, by default the one that the position names.

Commands and reports are those of https://github.com/jvc56/MAGPIE: src/impl/config.c (commit
001c0afc), src/str/sim_string.c (025cbf46) and src/str/move_string.c (01a8e704).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

# "3: 8D QU(I)z AE 48 - 58.00 0.91 41.02 0.63 40.10 400 ...": its number, the move, what stays on
# the rack, points, a mark or "-"; chance to win, equity (each with its error), equity without a
# simulation. A list of moves alone has the last of these after the points.
ROW = re.compile(
    r"\b\d+:\s+(pass|\(exch [^)]*\)|(?:\d{1,2}[A-O]|[A-O]\d{1,2}) \S+)\s+(?:[^\s\d-]\S*\s+)?"
    r"-?\d+\s+(?:[-X]\s+(-?[\d.]+)\s+\S+\s+(-?[\d.]+)\s|(-?[\d.]+)\s*$)"
)
SETTINGS = "set -mode sync -savesettings false -hr false -sinfer false -threads 2"


def commands(cgp: str, plays: int, seconds: float) -> str:
    """Return what is written to MAGPIE: the four fields of a position, then what it is to do."""
    return "\n".join(
        [
            f"set -numplays {plays} -maxnumdplays {plays} -tlim {seconds:g}",
            f"cgp {' '.join(cgp.split()[:4])}",
            "generate",
            "shmoves",
            "simulate -plies 2",
            "shmoves",
            "quit",
            "",
        ]
    )


def play_of(move: str) -> dict[str, object]:
    """Return a move as MAGPIE writes it: ``8D QU(I)z``, ``(exch QV)`` or ``pass``."""
    if move.startswith("(exch "):
        return {"kind": "exchange", "tiles": move[6:-1]}
    place, _, word = move.partition(" ")
    if not word:
        return {"kind": "pass"}
    through = re.sub(r"\(([^)]*)\)", lambda one: "." * len(re.findall(r"\[.*?\]|.", one[1])), word)
    return {"kind": "play", "position": place, "word": through}


def plays_in(output: str) -> list[dict[str, object]]:
    """Return the plays of MAGPIE's reports, best first: those that it simulated, if it did."""
    found: dict[str, dict[str, object]] = {}
    for line in output.splitlines():
        if (row := ROW.search(line)) is None:
            continue
        move, win, equity, static = row.groups()
        play = play_of(move) | {"equity": float(equity or static)}
        found[move] = play | ({"win": float(win) / 100} if win else {})
    simulated = [play for play in found.values() if "win" in play]
    return sorted(
        simulated or list(found.values()),
        key=lambda play: (-float(str(play.get("win", 0))), -float(str(play["equity"]))),
    )


def main(magpie: str, lexicon: str = "", plays: str = "8", seconds: str = "3") -> int:
    """Translate one position; 0 if MAGPIE gave a play."""
    cgp = sys.stdin.readline().strip()
    named = re.search(r"\blex (\S+);", cgp)
    chosen = lexicon or (named[1] if named else "NWL23")
    done = subprocess.run(  # noqa: S603 - the owner's configuration names it
        [magpie, *SETTINGS.split(), "-lex", chosen],
        input=commands(cgp, int(plays), float(seconds)),
        capture_output=True,
        text=True,
        check=False,
    )
    found = plays_in(done.stdout)
    print(json.dumps({"engine": "MAGPIE"}))
    for play in found:
        print(json.dumps(play))
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
