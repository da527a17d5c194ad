"""The director's hall: which round is seated, at how many tables, and over which games."""

from __future__ import annotations

import pytest

from game.events import GameEnded, to_payload
from tests.hub.hubkit import until
from tests.hub.pagekit import Pages
from tests.hub.servicekit import Venue, play

PAIRINGS = """round,table,left,right,left_score,right_score
1,1,Ann Lee,Bo,400,300
1,2,Cem,Dora,310,320
2,1,Ann Lee,Cem,,
2,2,Bo,Dora,,
3,1,Ann Lee,Dora,,
3,2,Bo,Cem,,
"""


@pytest.fixture
def pages(tmp_path):
    path = tmp_path / "pairings.csv"
    path.write_text(PAIRINGS)
    venue = Venue(tmp_path, pairings=path)
    yield Pages(venue)
    venue.close()


def seating(pages) -> dict:
    found = pages.get("/director/hall/state", director=True).get_json()["seating"]
    return {"due": found["due"], **{one.pop("round"): one for one in found["rounds"]}}


def test_the_round_that_is_due_is_chosen_and_says_whom_it_reaches(pages):
    # Nothing was installed that reads the scores of a file: the first round is due.
    assert seating(pages)["due"] == 1
    assert seating(pages)[1] == {"tables": 0, "playing": [], "others": []}
    tables = [pages.venue.table(f"table-{number}") for number in (1, 2)]
    assert until(lambda: seating(pages)[2]["tables"] == 2)
    games = [play(tables[0], 3, turns=4, names={"left": "Ann Lee", "right": "Cem"})]
    assert until(lambda: seating(pages)["due"] == 2)
    found = seating(pages)
    assert found[2] == {"tables": 2, "playing": ["Table-1"], "others": []}
    assert found[3] == {"tables": 2, "playing": ["Table-1"], "others": ["Table-1"]}
    page = pages.get("/director/hall", director=True).text
    assert "<option selected>2</option>" in page
    games.append(play(tables[1], 4, turns=4, names={"left": "Bo", "right": "Dora"}))
    for table, (game, state) in zip(tables, games, strict=True):
        ended = GameEnded("shortened", state.turns[-1].press_ns)
        table.log.append(game, to_payload(ended), mono_ns=1, source="director: ann")
    assert until(lambda: seating(pages)["due"] == 3)  # the second is over at both tables
    assert seating(pages)[3]["playing"] == []


def test_a_hub_without_tables_says_how_the_first_is_let_in(pages):
    page = pages.get("/director/hall", director=True).text
    assert "No table has joined yet. Make a code" in page
    assert page.index("t-enrol") < page.index("t-slots")
    pages.venue.table("table-1")
    page = pages.get("/director/hall", director=True).text
    assert "No table has joined yet" not in page
    assert page.index("t-enrol") > page.index("t-slots")
