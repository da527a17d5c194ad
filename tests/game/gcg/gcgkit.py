"""Game records for tests: a plain one, the strict form, and a game written and read back."""

from __future__ import annotations

import re

from game.gcg import check, parse, record_from_game, require_complete, write
from tests.game.gamekit import Table

HEAD = "#player1 ann Ann Lee\n#player2 bo Bo\n"
GAME = f"""{HEAD}>ann: AEGLNRT 8G TANGLER +68 68
>ann: AEGLNRT -- -68 0
>bo: ?AELNRT -ART +0 0
>ann: AEGLNRT 8H TANG +10 10
>bo: ?AELNRS 7G LEaRNS +20 20
>bo: ?AELNRS (challenge) +5 25
>ann: AEGLNRT - +0 10
"""
# Every line that macondo's reader knows, as its patterns have it: the strictest there is.
STRICT = [
    r"#player[1-2]\s+\S+\s+.+",
    r"#title\s+.*",
    r"#description\s+.*",
    r"#id\s+\S+\s+\S+",
    r"#rack[12]\s+\S+",
    r">\S+:\s+\S+\s+\w+\s+\S+\s+\+\d+\s+\d+",
    r"#note\s+.*",
    r"#lexicon\s+.+",
    r"#tile-distribution\s+.*",
    r"#incomplete.*",
    r">\S+:\s+\S+\s+--\s+-\d+\s+\d+",
    r">\S+:\s+\S+\s+-\s+\+0\s+\d+",
    r">\S+:\s+\S*\s+\(challenge\)\s+\+\d+\s+\d+",
    r">\S+:\s+\S+\s+-\S+\s+\+0\s+\d+",
    r">\S+:\s+\(\S+\)\s+\+\d+\s+-?\d+",
    r">\S+:\s+\S*\s+\(time\)\s+-\d+\s+-?\d+",
    r">\S+:\s+\S+\s+\(\S+\)\s+-\d+\s+-?\d+",
]


def assert_strict(text: str) -> None:
    lines = text.splitlines()
    assert lines[0] == "#character-encoding UTF-8"
    events = [i for i, line in enumerate(lines) if line.startswith(">")]
    for i, line in enumerate(lines[1:], start=1):
        assert any(re.fullmatch(form, line) for form in STRICT), line
        if line.startswith("#") and events:
            assert (i > events[0]) == line.startswith("#note"), line


def both_ways(table: Table) -> str:
    """Write the game, read it back the same, check it, and hold it to the strict form."""
    record = record_from_game(table.state)
    text = write(record)
    again = parse(text, "written")
    assert again == record
    assert write(again) == text
    assert check(again) == []
    require_complete(again)
    assert_strict(text)
    return text
