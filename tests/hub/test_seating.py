"""The director's hall: which round is seated, at how many tables, and over which games."""

from __future__ import annotations

import pytest

from game.events import GameEnded, to_payload
from tests.hub.hubkit import until
from tests.hub.pagekit import Pages
from tests.hub.servicekit import play

PAIRINGS = """round,table,left,right,left_score,right_score
1,1,Ann Lee,Bo,400,300
1,2,Cem,Dora,310,320
2,1,Ann Lee,Cem,,
2,2,Bo,Dora,,
3,1,Ann Lee,Dora,,
3,2,Bo,Cem,,
"""


@pytest.fixture
def pages(opened) -> Pages:
    return Pages(opened(pairings=PAIRINGS))


def seating(pages) -> dict:
    found = pages.get("/director/hall/state", director=True).get_json()["seating"]
    return {"due": found["due"], **{one.pop("round"): one for one in found["rounds"]}}


def test_the_round_that_is_due_is_chosen_and_says_whom_it_reaches(pages):
    # Nothing was installed that reads the scores of a file: the first round is due.
    assert seating(pages)["due"] == 1
    assert seating(pages)[1] == {"tables": 0, "playing": [], "others": [], "open": []}
    tables = [pages.venue.table(f"table-{number}") for number in (1, 2)]
    assert until(lambda: seating(pages)[2]["tables"] == 2)
    games = [play(tables[0], 3, turns=4, names={"left": "Ann Lee", "right": "Cem"})]
    assert until(lambda: seating(pages)["due"] == 2)
    found = seating(pages)
    assert found[2] == {"tables": 2, "playing": ["Table-1"], "others": [], "open": []}
    assert found[3] == {"tables": 2, "playing": ["Table-1"], "others": ["Table-1"], "open": []}
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


TWO_DIVISIONS = """round,table,division,left,right
1,1,A,Ann Lee,Bo
1,1,B,Cem,Dora
1,2,A,Eve,Fay
"""


def test_a_table_of_two_games_gets_no_names_until_the_director_says_its_division(opened):
    venue = opened(pairings=TWO_DIVISIONS)
    path = venue.config.pairings
    pages = Pages(venue)
    tables = [venue.table(id_) for id_ in ("b-1", "table-2")]
    assert until(lambda: seating(pages)[1]["tables"] == 1)
    (found,) = seating(pages)[1]["open"]
    assert (found["table"], [one["left"] for one in found["games"]]) == (
        "b-1",
        ["Ann Lee", "Cem"],
    )
    presence = venue.service.presence
    assert until(lambda: all(presence.state(id_) == "here" for id_ in ("b-1", "table-2")))
    sent = pages.post("/director/hall/seat", {"round": 1}).get_json()["seated"]
    assert "say which division" in sent["b-1"]
    assert sent["table-2"] == "done"
    address = "/director/hall/tables/b-1/division"
    assert "no division 'C'; they have A, B" in pages.post(address, {"division": "C"}).text
    assert pages.post(address, {"division": "b"}).get_json() == {"done": True}
    assert (seating(pages)[1]["tables"], seating(pages)[1]["open"]) == (2, [])
    sent = pages.post("/director/hall/seat", {"round": 1}).get_json()["seated"]
    assert sent == {"b-1": "done", "table-2": "done"}
    wanted = {"left": "Cem", "right": "Dora"}
    assert until(lambda: tables[0].session.state.players == wanted)
    path.write_text(TWO_DIVISIONS.replace(",B,", ",Two,"))  # which nobody has said yet
    assert [one["table"] for one in seating(pages)[1]["open"]] == ["b-1"]


def test_a_broken_row_is_told_in_the_hall_and_what_was_known_is_kept(pages):
    def reported() -> dict:
        return pages.get("/director/hall/state", director=True).get_json()["pairings"]

    assert reported() == {"fault": None, "kept": True, "doubts": [], "divisions": [], "of": {}}
    path = pages.venue.config.pairings
    path.write_text(PAIRINGS + "4,1,Ann Lee,,,\n")
    assert "pairings.csv, line 8: it needs the names of left and right" in reported()["fault"]
    assert 3 in seating(pages)
    path.unlink()
    assert "cannot be read (No such file or directory)" in reported()["fault"]
    path.write_text(PAIRINGS)
    assert reported()["fault"] is None
