"""The events that are logged for a turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from game.board import Square
from game.events import Finding, PicturesLost, SecondPlaySeen, TurnSeen
from vision.reading import Reading
from vision.tracking.results import SecondPlay, SeenTurn
from vision.tracking.sighting import Sighting

_CERTAIN: Final = 0.9
"""A turn in which pictures were dropped and that is less sure than this is asked about."""


def seen_event(
    seen: SeenTurn,
    sighting: Sighting,
    pictures: Mapping[str, str],
    lost: tuple[PicturesLost, ...],
    *,
    blind: bool,
) -> TurnSeen:
    """Return the event of a turn.

    Args:
        seen: the turn.
        sighting: what it rests on.
        pictures: the evidence by role.
        lost: the stretches without pictures.
        blind: this computer was away in it for as long as a play takes.
    """
    sure = sighting.merged.confidence
    return TurnSeen(
        seen.side,
        seen.press_ns,
        sighting.merged.rows,
        sighting.frame.t_ns,
        {square.name: round(float(sure[square]), 4) for square in seen.changed},
        pictures,
        (*seen.findings, *_doubts(seen), *_too_few_pictures(seen, lost, blind)),
        seen.certainty or None,
        _marked(sighting.reading, seen.changed),
        seen.ended,
        lost,
        seen.readings or None,
    )


def _marked(reading: Reading, changed: Iterable[Square]) -> tuple[str, ...] | None:
    """Return the changed squares that a reading marks; None if it promises nothing."""
    if reading.promise is None:
        return None
    marked = set(reading.marked)
    return tuple(square.name for square in sorted(changed) if square in marked)


def second_play_event(found: SecondPlay) -> SecondPlaySeen:
    """Return the event of a second play that lies beside the first."""
    rows = found.sighting.merged.rows
    tiles = {square.name: rows[square.row][square.col] for square in sorted(found.tiles)}
    return SecondPlaySeen(found.side, tiles, found.ended_ns, found.sighting.frame.t_ns)


def unseen_event(seen: SeenTurn, rows: tuple[str, ...], lost: tuple[PicturesLost, ...]) -> TurnSeen:
    """Return the event of a turn of which nothing was seen; ``rows`` are those before it."""
    nothing = Finding("uncertain_square", None, seen.covered or "no picture of the board")
    unsure = {"tiles": 0.0, "player": 1.0, "time": 1.0}
    return TurnSeen(
        seen.side,
        seen.press_ns,
        rows,
        None,
        findings=(nothing,),
        certainty=unsure,
        ended=seen.ended,
        lost=lost,
    )


def _doubts(seen: SeenTurn) -> Iterable[Finding]:
    if seen.covered is not None:
        yield Finding("board_covered", None, seen.covered)
    if seen.doubt is None:
        text = "the play may be where nothing could be seen"
        yield Finding("uncertain_square", None, text)
    if (seen.question is not None or seen.readings) and not seen.forgotten:
        yield Finding("turn_inferred", None, seen.question or "")


def _too_few_pictures(
    seen: SeenTurn, lost: tuple[PicturesLost, ...], blind: bool
) -> Iterable[Finding]:
    """Yield the question about a turn for which this computer looked at too few pictures.

    Tiles go to the wrong turn where no picture tells when they were laid.
    """
    unsure = min(seen.certainty.values(), default=1.0) < _CERTAIN
    if blind or (unsure and any(one.dropped for one in lost)):
        yield Finding("pictures_lost")
