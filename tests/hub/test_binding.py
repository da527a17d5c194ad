"""Results count for the pairings of their own table, and no claim overwrites another's."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, replace

import pytest

from hub.binding import NO_ROUND, OPEN, UNNAMED, UNPAIRED, UNSIGNED, Decisions, bind
from hub.errors import HubError
from hub.pairings import load_pairings
from hub.result_files import as_csv, as_tsh
from hub.standings import division_standings
from hub.store import HubStore
from tests.hub.pagekit import TOURNEY, pairings_file, result


@pytest.fixture
def pairings(tmp_path):
    return load_pairings(pairings_file(tmp_path, TOURNEY))


def scores(results, pairings, decided=None) -> list[str]:
    """The scores of Aiko and Bo as TSH gets them."""
    binding = bind(results, pairings, decided)
    lines = as_tsh(results, pairings, "A", binding).splitlines()
    return [line.split(";")[1].strip() for line in lines[:2]]


HONEST = result("table-1", "Aiko Ito", "Bo", (402, 371), game_id="g1", begun=1)
HOSTILE = result("table-9", "Aiko Ito", "Bo", (1, 999), game_id="x1", begun=1)


def test_another_tables_claim_never_overwrites(pairings):
    for results in ([HONEST, HOSTILE], [HOSTILE, HONEST]):
        assert scores(results, pairings) == ["402", "371"]
        (claim,) = bind(results, pairings).claims
        assert claim.result == HOSTILE
        assert claim.why == "the pairings seat these two at table 1"
        assert claim.rounds == (1, 2)


def test_a_claim_counts_for_nothing_where_there_is_no_other_result(pairings):
    assert scores([HOSTILE], pairings) == ["", ""]


def test_the_same_name_of_a_game_at_another_table_is_another_game(pairings):
    same = result("table-9", "Bo", "Aiko Ito", (999, 1), game_id="g1", begun=1)
    assert scores([HONEST, same], pairings) == ["402", "371"]
    assert [one.result.table for one in bind([HONEST, same], pairings).claims] == ["table-9"]


def test_sides_may_be_swapped(pairings):
    swapped = result("table-1", "BO", "aiko  ito", (371, 402), game_id="g1", begun=1)
    assert scores([swapped], pairings) == ["402", "371"]


def test_two_who_meet_again_have_a_game_for_each_round(pairings):
    second = result("table-1", "Bo", "Aiko Ito", (300, 400), game_id="g2", begun=50)
    assert scores([second, HONEST], pairings) == ["402 400", "371 300"]
    third = result("table-1", "Bo", "Aiko Ito", (9, 9), game_id="g3", begun=90)
    assert scores([HONEST, second, third], pairings) == ["402 400", "371 300"]
    (claim,) = bind([HONEST, second, third], pairings).claims
    assert "a further game" in claim.why


def test_a_player_who_claims_to_meet_somebody_else_counts_for_nobody(pairings):
    strange = result("table-9", "Aiko Ito", "Zed", (1, 2), game_id="x", begun=1)
    assert scores([HONEST, strange], pairings) == ["402", "371"]
    assert scores([strange], pairings) == ["", ""]


@pytest.mark.parametrize("names", [("Left", "Right"), ("Aiko Ito", "Right"), ("Left", "Bo")])
def test_a_game_whose_players_nobody_named_is_in_question_until_they_are(pairings, names):
    unnamed = result("table-1", *names, (402, 371), game_id="g1", begun=1)
    (claim,) = bind([unnamed], pairings).claims
    assert (claim.result, claim.why, claim.rounds) == (unnamed, UNNAMED, ())
    assert scores([unnamed], pairings) == ["", ""]
    named = replace(unnamed, left="Aiko Ito", right="Bo")
    assert not bind([named], pairings).claims
    assert scores([named], pairings) == ["402", "371"]
    # Where nobody is paired there is nothing that it could count for.
    assert not bind([unnamed], None).claims


def test_of_two_tables_with_one_number_the_first_result_stays(pairings):
    other = result("spare-1", "Aiko Ito", "Bo", (1, 2), game_id="x", begun=1)
    assert scores([HONEST, other], pairings) == ["402", "371"]
    (claim,) = bind([HONEST, other], pairings).claims
    assert (claim.result, claim.against) == (other, HONEST)
    assert "has a result of these two already, from table-1" in claim.why


def test_the_director_moves_a_game_to_another_table(pairings):
    assert scores([HOSTILE], pairings, {("table-9", "x1"): 1}) == ["1", "999"]
    decided = {("table-9", "x1"): 1}
    binding = bind([HONEST, HOSTILE], pairings, decided)
    assert scores([HONEST, HOSTILE], pairings, decided) == ["1", "999"]
    assert [one.result for one in binding.claims] == [HONEST]  # not lost, and not slid on
    for_none = {("table-1", "g1"): NO_ROUND}
    assert scores([HONEST], pairings, for_none) == ["", ""]


def test_what_is_no_round_of_these_two_cannot_be_decided(pairings, tmp_path):
    store = HubStore(tmp_path / "hub")
    decisions = Decisions(store)
    with pytest.raises(HubError, match="do not meet in round 7; they meet in 1, 2"):
        decisions.decide(HONEST, 7, pairings)
    for one in (HONEST, HOSTILE):
        store.enrol(one.table, one.table, "k" + one.table, None)
        with store.write() as connection:
            connection.execute(
                "INSERT INTO results VALUES (?,?,?,?)",
                (one.table, one.game_id, 1, json.dumps(asdict(one))),
            )
    decisions.decide(HOSTILE, 1, pairings)
    decisions.decide(HONEST, 1, pairings)  # of one pair and round the last decision holds
    assert decisions.all() == {("table-1", "g1"): 1}
    decisions.decide(HONEST, None, pairings)
    decisions.decide(HOSTILE, NO_ROUND, pairings)
    assert Decisions(store).all() == {("table-9", "x1"): NO_ROUND}
    store.close()


def test_players_of_one_name_are_told_by_their_opponents(tmp_path):
    data = json.loads(json.dumps(TOURNEY))
    data["divisions"][0]["players"] += [
        {"id": 4, "name": "Bo", "rating": 1, "pairings": [5], "etc": {"board": [2], "p12": [1]}},
        {"id": 5, "name": "Cy", "rating": 1, "pairings": [4], "etc": {"board": [2], "p12": [2]}},
    ]
    pairings = load_pairings(pairings_file(tmp_path, data))
    results = [HONEST, result("table-2", "Bo", "Cy", (10, 20), game_id="g", begun=1)]
    text = as_tsh(results, pairings, "A", bind(results, pairings)).splitlines()
    assert [line.split(";")[1].strip() for line in text] == ["402", "371", "50", "10", "20"]


def test_the_csv_says_what_is_in_question(pairings):
    text = as_csv([HONEST, HOSTILE], bind([HONEST, HOSTILE], pairings))
    lines = text.splitlines()
    assert lines[0].endswith(",in_question,division")
    assert lines[1].startswith("1,1,Aiko Ito") or lines[2].startswith("1,1,Aiko Ito")
    assert sorted(line.rsplit(",", 1)[1] for line in lines[1:]) == ["", "A"]
    assert "the pairings seat these two at table 1" in text


@pytest.mark.parametrize(
    "formula", ["=1+1", " -1", "\u200b=1", "\ufeff+1", "\uff1d1+1", "\ufe63\u200d1", "\u2212 1"]
)
def test_nothing_that_a_table_says_is_a_formula_in_a_spreadsheet(formula):
    strange = result("table-9", formula, formula, (1, 2), game_id=formula, begun=1)
    (line,) = list(csv.DictReader(io.StringIO(as_csv([strange], bind([strange], None)))))
    assert {line["left"], line["right"], line["game"]} == {f"'{formula}"}


def test_two_whom_nobody_paired_count_where_the_director_takes_them(pairings):
    friendly = result("table-1", "Aiko Ito", "D. Dee", (500, 300), game_id="f", begun=5)
    (claim,) = bind([HONEST, friendly], pairings).claims
    assert (claim.result.game_id, claim.why, claim.rounds) == ("f", UNPAIRED, (1, 2))
    taken = {("table-1", "f"): 2}
    binding = bind([HONEST, friendly], pairings, taken)
    assert (binding.claims, binding.round_of(friendly)) == ((), 2)
    lines = {one.name: one for one in division_standings(pairings, "A", [friendly], binding)}
    assert [(lines[name].wins, lines[name].spread) for name in ("Aiko Ito", "D. Dee")] == [
        (1, 200), (1, -150),
    ]  # fmt: skip
    assert scores([HONEST, friendly], pairings, taken) == ["402", "371"]  # TSH paired no such game


def test_a_result_counts_once_it_is_signed_or_let_through(pairings):
    unsigned = replace(HONEST, signed=False)
    binding = bind([unsigned], pairings)
    (claim,) = binding.claims
    assert (claim.why, claim.rounds, claim.waits) == (UNSIGNED, (1,), True)
    assert binding.claim(unsigned) is None  # it has its round, and is not final there
    assert [one.provisional for one in binding.results] == [True]
    assert scores([unsigned], pairings) == ["", ""]
    assert scores([unsigned], pairings, {("table-1", "g1"): 1}) == ["402", "371"]
    assert scores([replace(unsigned, signed=True)], pairings) == ["402", "371"]
    open_one = replace(HONEST, provisional=True)
    assert bind([open_one], pairings).claims[0].why == OPEN
    assert scores([open_one], pairings, {("table-1", "g1"): 1}) == ["402", "371"]
    # Without pairings it waits in the same way.
    assert [one.waits for one in bind([unsigned], None).claims] == [True]
    assert bind([unsigned], None, {("table-1", "g1"): 1}).claims == ()
    assert bind([replace(unsigned, ruled=True)], pairings).claims == ()


@pytest.mark.parametrize("between", [";", "\t", "\r", ",", ";\u200b"])
def test_no_part_of_a_text_is_a_formula_where_another_character_ends_a_cell(between):
    name = f"Bo{between}=1+1"
    strange = result("table-9", name, "Anne-Lee @ home", (1, 2), game_id="g", begun=1)
    (line,) = list(csv.DictReader(io.StringIO(as_csv([strange], bind([strange], None)))))
    assert line["left"] == f"Bo{between[0]}'{between[1:]}=1+1"
    assert line["right"] == "Anne-Lee @ home"


def test_numbers_of_a_csv_stay_numbers():
    lost = result("table-9", "Ann", "Bo", (-3, -2), game_id="g", begun=1)
    (line,) = list(csv.DictReader(io.StringIO(as_csv([lost], bind([lost], None)))))
    assert (line["left_score"], line["right_score"]) == ("-3", "-2")
