"""The consequences of an event outside of its game: which results count for which rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from game.state.fold import GameState
from hub.binding import Binding, Game, game_of
from hub.results import Result, result_of
from hub.store import HubStore

Bound = Callable[[Sequence[Result]], Binding]
"""Binds results to rounds."""


def consequences(
    store: HubStore,
    known: Sequence[Result],
    bound: Bound,
    table_id: str,
    state: GameState,
    after: GameState,
) -> list[str]:
    """Return a line for each result that an event moves or settles, its own game's first.

    ``known`` are the results as they are; ``state`` and ``after`` are the game before the event and
    with it.
    """
    if "ended" not in (state.status, after.status):
        return []
    game = table_id, state.game_id
    first, last = store.records(*game, limit=1), store.last_of(*game)
    if last is None:
        return []
    result = result_of(table_id, after, last, first[0].seq)
    then = [result if game_of(one) == game else one for one in known]
    if game not in map(game_of, known):
        then.append(result)
    return list(_moved(bound(known), bound([one for one in then if one is not None]), game))


def _moved(before: Binding, after: Binding, own: Game) -> Iterator[str]:
    stood = {game_of(one): (one, _standing(before, one)) for one in before.results}
    stands = {game_of(one): (one, _standing(after, one)) for one in after.results}
    for game in sorted({**stood, **stands}, key=lambda game: game != own):
        (old, was), (new, is_) = stood.get(game, (None, _NONE)), stands.get(game, (None, _NONE))
        if was != is_:
            one = new or old
            assert one is not None
            whose = "this result" if game == own else f"{one.left} – {one.right} at {one.table}"
            yield f"In the event {whose} {is_}; until now it {was}"


_NONE = "counts for nothing, as there is none"


def _standing(binding: Binding, one: Result) -> str:
    """How a result stands in the event, as the rest of a sentence."""
    claim = next((c for c in binding.claims if game_of(c.result) == game_of(one)), None)
    round_ = f"for round {binding.round_of(one)}"
    if claim is None:
        return f"counts {round_}" if one.settled else f"is to count {round_} once it is final"
    if claim.waits:
        return f"waits to count {round_} ({claim.why})"
    return f"counts for no round ({claim.why})"
