"""The results of a hub's tables: kept, bound to rounds, claimed, decided on, given out as files."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from dataclasses import asdict, replace

import pytest
from werkzeug.http import parse_options_header

from dashboard.app import create_app
from dashboard.parts import install
from dashboard.responses import file_name
from hub.binding import NO_ROUND, OPEN, UNNAMED, UNPAIRED, UNSIGNED, Decisions, bind
from hub.errors import HubError
from hub.event_site import division_standings
from hub.pages import register
from hub.pairings import load_pairings
from hub.result_files import as_csv, as_tsh
from hub.run import event_of
from hub.seating import seat
from hub.service import HubService
from hub.store import HubStore
from record.seals import digest
from table.pairings.details import table_number
from tests.hub.hubkit import until
from tests.hub.pagekit import TOURNEY, Pages, keep_results, pairings_file, result, rows
from tests.hub.servicekit import no_broker, play


def test_results_are_kept_and_given_out(pages):
    from game.events import ButtonPressed, GameEnded, ResultSigned, to_payload

    table = pages.venue.table("t1")
    game, state = play(table, 5, turns=200, names={"left": "=Aiko", "right": "Bo"})
    results = pages.venue.service.event.results
    assert until(lambda: len(results.all()) == 1)
    assert pages.get("/results.csv").get_data(as_text=True).count("\r\n") == 1  # not settled yet
    (played,) = results.all()
    assert (played.settled, played.winner, played.spread) == (False, "", None)
    event = GameEnded("confirmed", state.turns[-1].press_ns)
    table.log.append(game, to_payload(event), mono_ns=1, source="director: ann")
    assert until(lambda: results.all()[0].settled)
    lines = list(csv.DictReader(io.StringIO(pages.get("/results.csv").get_data(as_text=True))))
    (line,) = lines
    assert (line["left"], line["right"]) == ("'=Aiko", "Bo")
    assert int(line["left_score"]) == results.all()[0].left_score
    assert line["winner"] in ("left", "right", "tie")
    assert line["check_code"].count("-") == 2
    assert b"Bo" in pages.get("/results").data
    # Whatever follows, the check code stays that of the signature, which the slip has.
    now_ns = state.turns[-1].press_ns + 1
    signed = table.log.append(game, to_payload(ResultSigned("both", now_ns)), mono_ns=1, source="x")
    table.log.append(game, to_payload(ButtonPressed("left", now_ns)), mono_ns=1, source="x")
    assert until(lambda: results.all()[0].seq == table.log.last_seq)
    assert results.all()[0].digest == digest(signed.hash)
    # They outlast the hub.
    pages.venue.restart()
    assert len(pages.venue.service.event.results.all()) == 1


@pytest.mark.parametrize("by", ["signature", "director"])
def test_every_page_says_alike_if_a_result_counts(pages, by):
    """A game that is final at its table counts once it is signed, or the director lets it."""
    from game.events import GameEnded, ResultSigned, to_payload

    install(pages.app, event_of(pages.venue.service))
    table = pages.venue.table("t1")
    game, state = play(table, 5, turns=200, names={"left": "Aiko", "right": "Bo"})
    ended = GameEnded("confirmed", state.turns[-1].press_ns)
    table.log.append(game, to_payload(ended), mono_ns=1, source="director: ann")
    own = f"/tables/t1/games/{game}"

    def is_open() -> set[bool]:
        row = rows(pages).get("t1", {})
        if not row.get("final"):
            return set()
        hall, results, list_ = pages.get("/"), pages.get("/results"), pages.get("/tables/t1/games")
        cards = [pages.get(own), pages.get(f"{own}/result"), hall, results, list_]
        open_ = ["not yet final" in one.get_data(as_text=True).lower() for one in cards[1:]]
        open_ += ['data-loaded="provisional"' in cards[0].get_data(as_text=True)]
        open_ += [pages.get(f"{own}/view").get_json()["provisional"]]
        return {*open_, row["provisional"], row["winner"] is None}

    assert until(lambda: is_open() == {True})
    if by == "signature":
        signed = to_payload(ResultSigned("both", state.turns[-1].press_ns + 1))
        table.log.append(game, signed, mono_ns=1, source="x")
    else:
        body = {"table": "t1", "game": game, "round": 1}
        assert pages.post("/director/hall/results", body).get_json() == {"done": True}
    assert until(lambda: is_open() == {False})


def test_a_claim_is_shown_to_the_director_who_decides_it(opened):
    """A hostile table claims the players of another; nobody but the director can let it count."""
    venue = opened(pairings=TOURNEY)
    pages = Pages(venue)
    hostile = result("table-9", "Aiko Ito", "Bo", (1, 999), game_id="g1")
    keep_results(venue, result("table-1", "Aiko Ito", "Bo", (402, 371), game_id="g1"), hostile)

    def scored() -> list[str]:
        text = pages.get("/results/A.t").get_data(as_text=True)
        return [line.split(";")[1].strip() for line in text.splitlines()[:2]]

    def claimed() -> list[str]:
        state = pages.get("/director/hall/state", director=True).get_json()
        return [one["result"]["table"] for one in state["claims"]]

    assert (scored(), claimed()) == (["402", "371"], ["table-9"])
    assert b"999" not in pages.get("/results").data + pages.get("/results.csv").data
    assert b"999" in pages.get("/results.csv?all=1", director=True).data
    where = "/director/hall/results"
    moved = {"table": "table-9", "game": "g1"}
    assert pages.post(where, {**moved, "round": 1}, director=False).status_code == 401
    for wrong in ({**moved, "round": "1"}, {**moved, "round": True}, {**moved, "round": -1}):
        assert pages.post(where, wrong).status_code == 400
    assert pages.post(where, {**moved, "round": 7}).status_code == 409
    assert pages.post(where, {"table": "table-9", "game": "?", "round": 1}).status_code == 409
    assert pages.post(where, {**moved, "round": 1}).get_json() == {"done": True}
    assert (scored(), claimed()) == (["1", "999"], ["table-1"])
    assert ("table-9", "result") in {one[1:3] for one in venue.service.store.incident_kinds()}
    assert pages.post(where, {**moved, "round": None}).get_json() == {"done": True}
    assert (scored(), claimed()) == (["402", "371"], ["table-9"])


@pytest.mark.parametrize("name", ["A", "Žáci", "日本", 'U16; "B"', "A/B", "50%", "a=b&c?"])
def test_a_division_of_any_name_has_its_file_for_everybody(tmp_path, name):
    event = {"divisions": [{**TOURNEY["divisions"][0], "name": name}]}
    service = HubService(no_broker(pairings=pairings_file(tmp_path, event)), tmp_path / "hub")
    try:
        app = create_app(service.site, tmp_path / "hub")
        register(app, service)
        client = app.test_client()
        page = client.get("/results").get_data(as_text=True)
        (address,) = re.findall(r'href="(/results/[^"]*\.t)"', page)
        answer = client.get(html.unescape(address))
        assert answer.status_code == 200
        assert "Aiko" in answer.text
        saved = parse_options_header(answer.headers["Content-Disposition"])[1]["filename"]
        assert saved == file_name(f"{name}.t")
    finally:
        service.store.close()


def test_a_game_that_was_never_played_has_no_result():
    from game.events import GameEnded, GameForfeited
    from game.state.fold import fold
    from hub.results import result_of
    from record.chain import LoggedEvent
    from record.seals import GENESIS
    from tests.game.gamekit import Table

    logged = LoggedEvent(1, "g", 1, 0, 0, "x", "x", 1, "{}", GENESIS, "0" * 64, "", "")
    game = Table()
    game.play("8G", "CAT")
    broken_off = fold([*game.events, GameEnded("broken off", game.now)])
    assert result_of("t1", broken_off, logged) is None
    start = Table().events[:1]
    assert result_of("t1", fold([*start, GameEnded("set up anew", 1)]), logged) is None
    table = Table()
    table.play("8G", "CAT")
    assert result_of("t1", table.end("broken off"), logged) is None
    assert result_of("t1", fold([*table.events[:-1], GameEnded("agreed", 1)]), logged) is not None
    forfeit = GameForfeited("left", "absent", "ann", "did not come", 1)
    found = result_of("t1", fold([*start, forfeit]), logged)
    assert found is not None
    assert found.outcome != "played"
    assert found.ruled


def test_pairings_seat_the_players(opened):
    rows = "1,1,Aiko Ito,Bo,lose_turn\n1,2,Cem,Dora,\n2,1,Bo,Cem,\n"
    venue = opened(pairings=f"round,table,left,right,challenge\n{rows}")
    table = venue.table("table-1")
    assert until(lambda: venue.service.presence.state("table-1") == "here")
    assert seat(venue.service, 1, "director: ann") == {"table-1": "done"}
    assert until(lambda: table.session.state.players == {"left": "Aiko Ito", "right": "Bo"})
    assert table.session.state.start.adjust == {"challenge.failed": "lose_turn"}


def test_results_go_back_to_tsh(tmp_path):
    path = tmp_path / "tourney.js"
    path.write_text(f"newt={json.dumps(TOURNEY)};".replace("[null,", "[undefined,"))
    pairings = load_pairings(path)
    results = [
        result("table-1", "Aiko Ito", "Bo", (402, 371), game_id="g1"),
    ]
    assert as_tsh(results, pairings, "A", bind(results, pairings)).splitlines() == [
        "Ito, Aiko              1500 2 2; 402; board 1 1; p12 1 2",
        "Bo                        0 1 1; 371; board 1 1; p12 2 1",
        "Dee, D.                 900 0 0; 50; board 0 0; p12 0 0",
    ]
    unsettled = [result("table-1", "Aiko Ito", "Bo", (402, 371), settled=False)]
    assert (
        as_tsh(unsettled, pairings, "A", bind(unsettled, pairings))
        .splitlines()[0]
        .endswith("2 2; ; board 1 1; p12 1 2")
    )


def test_the_round_is_that_of_the_pairings_and_whoever_is_not_paired_has_none(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("round,table,left,right\n4,1,Ann,Bob\n5,1,Cem,Ann\n")
    pairings = load_pairings(path)
    results = [
        result("table-1", "Bob", "ANN", (1, 0), game_id="a"),  # seated the other way round
        result("table-1", "Eve", "Fay", (1, 0), game_id="b"),
    ]
    lines = list(csv.DictReader(io.StringIO(as_csv(results, bind(results, pairings)))))
    assert {line["game"]: line["round"] for line in lines} == {"a": "4", "b": ""}
    assert {line["game"]: line["in_question"] for line in lines} == {"a": "", "b": UNPAIRED}
    assert [table_number(name) for name in ("table-12", "t7", "7", "main")] == [12, 7, 7, None]


def test_a_preview_says_which_round_a_result_counts_for_then(opened):
    from game.events import GameEnded, PlayersNamed, to_payload

    venue = opened(pairings="round,table,left,right\n1,1,Ann,Bo\n2,1,Ann,Cem\n")
    pages, table = Pages(venue), venue.table("table-1")
    game, state = play(table, 5, turns=6, names={"left": "Ann", "right": "Bo"})
    now_ns = state.turns[-1].press_ns
    for event in (
        PlayersNamed({"right": "Cem"}, "TD", now_ns),
        GameEnded("shortened", now_ns),
    ):
        logged = table.log.append(game, to_payload(event), mono_ns=now_ns, source="director")
    named = logged.number - 1
    results = venue.service.event.results
    assert until(lambda: [one.right for one in results.all()] == ["Cem"])

    def preview(event: dict) -> dict:
        where = f"/director/api/tables/table-1/games/{game}/preview"
        return pages.post(where, {"event": event}).get_json()

    shown = preview({"type": "Retracted", "event": named})
    assert shown["difference"]["facts"]["right"] == ["Cem", "Bo"]
    assert shown["difference"]["beyond"] == [
        "In the event this result is to count for round 1 once it is final; "
        "until now it is to count for round 2 once it is final"
    ]
    assert not shown["empty"]
    signed = preview({"type": "ResultSigned"})["difference"]["beyond"]
    assert signed[0].startswith("In the event this result counts for round 2; until now it")
    assert (
        preview({"type": "PenaltyAdded", "side": "left", "points": 5, "rule": None})["difference"][
            "beyond"
        ]
        == []
    )


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


SAME_NAME = result("table-9", "Bo", "Aiko Ito", (999, 1), game_id="g1", begun=1)
SWAPPED = result("table-1", "BO", "aiko  ito", (371, 402), game_id="g1", begun=1)
SECOND = result("table-1", "Bo", "Aiko Ito", (300, 400), game_id="g2", begun=50)
THIRD = result("table-1", "Bo", "Aiko Ito", (9, 9), game_id="g3", begun=90)
STRANGE = result("table-9", "Aiko Ito", "Zed", (1, 2), game_id="x", begun=1)
SPARE = result("spare-1", "Aiko Ito", "Bo", (1, 2), game_id="x", begun=1)
SEATED = "the pairings seat these two at table 1"
MOVED, TO_NONE = {("table-9", "x1"): 1}, {("table-1", "g1"): NO_ROUND}
BOUND = {
    "another table's claim never overwrites": ([HONEST, HOSTILE], "402 371", {"table-9": SEATED}),
    "nor where it comes first": ([HOSTILE, HONEST], "402 371", {"table-9": SEATED}),
    "nor does it count where there is no other result": ([HOSTILE], " ", {"table-9": SEATED}),
    "a game of the same name is another": ([HONEST, SAME_NAME], "402 371", {"table-9": SEATED}),
    "sides may be swapped": ([SWAPPED], "402 371", {}),
    "two who meet again have a game for each round": ([SECOND, HONEST], "402 400 371 300", {}),
    "and no third": ([HONEST, SECOND, THIRD], "402 400 371 300", {"table-1": "a further game"}),
    "who meets somebody else does not count": (
        [HONEST, STRANGE], "402 371", {"table-9": UNPAIRED},
    ),
    "nor alone": ([STRANGE], " ", {"table-9": UNPAIRED}),
    "of two tables with one number the first result stays": (
        [HONEST, SPARE], "402 371", {"spare-1": "has a result of these two already, from table-1"},
    ),
    "the director moves a game": ([HOSTILE], "1 999", {}, MOVED),
    "and another gives way": ([HONEST, HOSTILE], "1 999", {"table-1": "from table-9"}, MOVED),
    "or lets it count for no round": ([HONEST], " ", {"table-1": "the director"}, TO_NONE),
}  # fmt: skip


@pytest.mark.parametrize("case", BOUND.values(), ids=BOUND)
def test_results_are_bound_to_rounds_or_are_claims(pairings, case):
    results, counted, claimed, decided = (*case, None)[:4]
    assert " ".join(scores(results, pairings, decided)) == counted
    claims = bind(results, pairings, decided).claims
    assert [one.result.table for one in claims] == list(claimed)
    assert all(claimed[one.result.table] in one.why for one in claims)
    assert all(one.rounds == (1, 2) for one in claims)
    assert all(("from table" in one.why) == (one.against in results) for one in claims)


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
