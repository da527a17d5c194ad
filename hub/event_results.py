"""A tournament's results at its hub: from pairings, tables and the director's decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from game.state.fold import GameState
from hub.binding import Binding, Decisions, Game, as_it_counts, bind, game_of
from hub.pairings import Divisions, Seats, load_pairings
from hub.public_rules import HubRules, PublicEvent, public_event, public_result
from hub.results import Result, Results, result_of
from hub.store import HubStore
from table.pairings.details import Entrant, EventDetails, Pair, pair_of, plain
from table.pairings.reading import WatchedPairings

_NONE: Final = "counts for nothing, as there is none"


class EventResults:
    """The results of a tournament, each for its round. Safe to use from any thread."""

    def __init__(
        self,
        store: HubStore,
        pairings: Path | None,
        rules: HubRules,
        may_be_told: Callable[[str, int], bool],
    ) -> None:
        """``rules`` says who may be shown.

        ``may_be_told`` returns True if a record (table, sequence) may be public already.
        """
        self._store, self._rules, self._may_be_told = store, rules, may_be_told
        self._file: WatchedPairings[EventDetails | None] | None = None
        if pairings is not None:
            self._file = WatchedPairings(pairings, load_pairings, None)
        self.results, self.decisions = Results(store), Decisions(store)
        self.divisions = Divisions(store)

    def pairings(self) -> EventDetails | None:
        """The pairings in their file now, or from the last time that it could be used."""
        return self._file.newest() if self._file is not None else None

    @property
    def fault(self) -> str | None:
        """The reason why the file of pairings cannot be used now, in one line; None if it can."""
        return self._file.fault if self._file is not None else None

    def seats(self, pairings: EventDetails | None) -> Seats:
        """Return which table number and division of the pairings each table stands for."""
        return self.divisions.seats(pairings.divisions() if pairings is not None else ())

    def binding(self, results: Sequence[Result] | None = None) -> Binding:
        """Bind results to rounds by the present pairings; without ``results`` all known ones."""
        known, pairings = self.results.all() if results is None else results, self.pairings()
        return bind(known, pairings, self.decisions.all(), self.seats(pairings))

    def entrant(self, name: str) -> Entrant:
        """Return a player's country, rating and division, as far as the file has them.

        Nothing is known of a player who is shown by initials.
        """
        pairings = self.pairings()
        return Entrant(name) if pairings is None else pairings.entrant(name)

    def round_now(self, left: str, right: str) -> int | None:
        """Return the first round without a counted result or a score in which two are paired.

        If every round has one, it is the last.
        The players are given by their public names.
        """
        event = self.public()
        pairings = event.pairings
        pair = pair_of(left, right)
        met = pairings.meetings().get(pair, {}) if pairings is not None else {}
        counting = event.binding.counting if len(met) > 1 else {}
        entered = {number for number, games in met.items() if any(one.scores for one in games)}
        still = [
            number for number in met if (number, pair) not in counting and number not in entered
        ]
        return min(still) if still else max(met, default=None)

    # --- for everybody ---

    def waits(self, table_id: str, game_id: str) -> bool:
        """Return True if a final result does not count yet, as far as everybody may know.

        It waits for a signature, a ruling or the director's decision (``hub.binding``).
        """
        one = self.results.one(table_id, game_id)
        if one is None or not one.settled:
            return False
        is_decided = game_of(one) in self.decisions.all()
        return not as_it_counts(one, is_decided).counts or not self._may_be_told(table_id, one.seq)

    def public(self) -> PublicEvent:
        """Return what the public may see of the event, by the names that may be shown.

        Its results are those with a round, delayed like the table's public view. A result that
        waits for a signature or a decision is provisional.
        """
        binding, naming = self.binding(), self._rules.naming()
        results = [
            shown
            for one in binding.results
            if one.settled and binding.claim(one) is None and self._may_be_told(one.table, one.seq)
            if (shown := public_result(one, self._rules.policy(one.table), naming)) is not None
        ]
        return public_event(self.pairings(), binding, results, naming)

    def public_scores(self) -> Mapping[tuple[int, Pair], Mapping[str, int]]:
        """Return the public scores, by round and pair, then by the player's plain name.

        Only played games that count for a round are included: the director enters forfeits.
        """
        return {
            slot: {plain(one.left): one.left_score, plain(one.right): one.right_score}
            for slot, one in self.public().binding.counting.items()
            if one.counts and one.outcome == "played"
        }

    # --- what an event of a game changes outside of it ---

    def consequences(self, table_id: str, state: GameState, after: GameState) -> list[str]:
        """Return a line for each result that an event of a game changes, its own game's first.

        ``state`` and ``after`` are the game before and after the event.
        """
        if "ended" not in (state.status, after.status):
            return []
        game = table_id, state.game_id
        first, last = self._store.records(*game, limit=1), self._store.last_of(*game)
        if last is None:
            return []
        known = self.results.all()
        result = result_of(table_id, after, last, first[0].seq)
        then = [result if game_of(one) == game else one for one in known]
        if game not in map(game_of, known):
            then.append(result)
        before, with_it = self.binding(known), self.binding([one for one in then if one])
        return list(_moved(before, with_it, game))


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


def _standing(binding: Binding, one: Result) -> str:
    """Return a result's status in the tournament, as the rest of a sentence."""
    claim = next((c for c in binding.claims if game_of(c.result) == game_of(one)), None)
    round_ = f"for round {binding.round_of(one)}"
    if claim is None:
        return f"counts {round_}" if one.settled else f"is to count {round_} once it is final"
    if claim.waits:
        return f"waits to count {round_} ({claim.why})"
    return f"counts for no round ({claim.why})"
