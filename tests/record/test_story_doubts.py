"""What the account of a game leaves open, and what it states as a plain fact."""

from __future__ import annotations

from game.events import GameForfeited
from record.story import Story, steps_of, tell
from record.story.incidents import Incident
from tests.game.gamekit import Table, random_game
from tests.record.storykit import entries_of


def _nothing_played(story: Story) -> list[Incident]:
    return [one for one in story.incidents if "played nothing" in one.text]


def test_a_turn_without_tiles_that_nobody_named_is_a_fact_and_no_doubt():
    table = Table()
    table.play("8D", "PLATE")
    table.nothing()
    story = tell(steps_of(entries_of(table.events)))
    assert story.turns[1].turn.kind == "exchange_or_pass"
    assert story.doubts == ()
    assert story.standing.endswith("Nothing is open.")
    (one,) = _nothing_played(story)
    assert (one.kind, one.turn, one.open) == ("note", 2, False)
    assert one.outcome == "nobody entered which; it scores nothing either way"


def test_with_too_few_tiles_for_an_exchange_such_a_turn_states_so():
    table = random_game(4, pass_rate=0)
    late = Table()
    for event in table.events[2:]:
        late.put(event)
        if late.state.turns and late.state.turns[-1].bag_count in range(1, 7):
            break
    late.now, late.board = event.press_ns, late.state.board
    late.side = "right" if event.side == "left" else "left"
    bag = late.nothing().bag_count
    one = _nothing_played(tell(steps_of(entries_of(late.events))))[-1]
    assert one.outcome == f"nobody entered which; the bag held {bag}, too few for an exchange"


def test_the_result_of_a_resigned_game_says_how_its_spread_is_fixed():
    table = Table(rulebook="wespa-2021")
    table.play("8D", "PLATE")
    table.put(GameForfeited("right", "resigned", "TD", "ill", table.now))
    assert tell(steps_of(entries_of(table.events))).result == (
        "Ann Lee 20, Bo 0: Ann Lee won by 70; "
        "the spread is the lead of 20 and 50 points more (rule 5.7(c))"
    )


def test_a_game_that_neither_came_to_is_no_tie():
    table = Table(rulebook="naspa-2017")
    table.put(GameForfeited("left", "both_absent", "TD", "", 0))
    assert tell(steps_of(entries_of(table.events))).result == (
        "Ann Lee 0, Bo 0: neither player won; "
        "the spread is a loss of 50 points for each player (rule III.C, V.K)"
    )
