"""``tilewatch rulebooks``: the list, and one rulebook with its rules and notes."""

from __future__ import annotations

import json

import pytest

from game.rulebooks.loading import rulebook_ids, settings
from table.cli import main


def test_the_list_names_all(capsys):
    assert main(["rulebooks"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(rulebook_ids())
    assert len(lines) == 6


@pytest.mark.parametrize("id_", rulebook_ids())
def test_every_setting_is_shown_with_its_rule(id_, capsys):
    assert main(["rulebooks", id_, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [line["name"] for line in document["settings"]] == [
        one.name for one in settings().values()
    ]
    assert sum(line["rule"] is not None for line in document["settings"]) > 25
    assert all(line["meaning"] for line in document["settings"])


def test_where_a_text_disagrees_with_itself_it_says_so(capsys):
    assert main(["rulebooks", "sanspa-2001"]) == 0
    text = capsys.readouterr().out
    assert "overtime_limit.minutes = 10  [18.5]" in text
    assert "4.4 calls the game over at 15" in text
    assert "22.7 says 30" in text


def test_a_fault_is_shown_with_who_may_do_what_and_until_when(capsys):
    assert main(["rulebooks", "naspa-2017"]) == 0
    text = capsys.readouterr().out
    assert "off_centre  [III.G.1]" in text
    assert "opponent: challenge the whole play off the board" in text
    assert "until the first new tile is drawn" in text
