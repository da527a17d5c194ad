"""``tilewatch replay``: runs a recording through the whole pipeline, as fast as possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from table.commands.options import PATH, TABLE, Given, ReadsPictures, as_json, given
from table.commands.terminal import answer, answer_json, columns, say

if TYPE_CHECKING:
    from game.board import Square
    from game.events import GameStarted
    from game.referee.turn import Turn
    from game.state.fold import GameState
    from sensors.interfaces import Decode
    from sensors.recording import Recording, RecordingMeta
    from table.recorder import Recorder, RecorderStores
    from table.word_list import WordList
    from vision.tracking.observer import ReadsBoards


@click.command(cls=ReadsPictures)
@click.argument("folder", metavar="DIR", type=PATH, help="the recording")
@click.option("--rulebook", metavar="ID", help="rules to score by, whatever the recording says")
@click.option(
    "--word-list", metavar="FILE", type=PATH, help="suggest letters for blanks from these words"
)
@as_json
@click.option(
    "--out", metavar="DIR", type=PATH,
    help="where to write log, record and evidence (default: the data folder)",
)  # fmt: skip
@given(TABLE)
def replay(
    given: Given,
    folder: Path,
    rulebook: str | None,
    word_list: Path | None,
    as_json: bool,
    out: Path | None,
) -> int:
    """Score a recorded game.

    Takes a recording (a folder with recording.toml, frames/ and buttons.csv) through the whole
    pipeline, prints its turns, and writes the event log, the game record and the evidence.
    """
    from sensors.recording import Recording

    recording = Recording.open(folder)
    # Whatever cannot be used is refused before anything is written.
    start = _start(recording, rulebook)
    out = out or given.folder()
    from game.tileset import load_tile_set
    from table.word_list import load_word_list

    tiles = load_tile_set(recording.meta.tile_set)
    words = load_word_list(word_list, tiles) if word_list else None
    if words is not None:
        start = replace(start, word_list=words.named())
    from table.calibrated_reader import board_reader
    from vision.images import decode_image

    reader = board_reader(recording.meta.tile_set)
    if recording.meta.stills:  # a minute's video has more pictures than one looks at twice
        for _ in recording.camera(decode_image).frames():
            pass
    from record.evidence import EvidenceStore
    from record.log.event_log import EventLog
    from record.paths import DATABASE, EVIDENCE
    from record.seals import digest, fingerprint
    from record.story.entries import RECORDING
    from table.recorder import RecorderStores

    with EventLog(out / DATABASE) as log:
        stores = RecorderStores(log, EvidenceStore(out / EVIDENCE))
        described = {RECORDING: recording.meta.name}
        recorder = replayed(recording, start, reader, stores, decode_image, described)
        last = log.last_of(recorder.state.game_id)
        for line in log.opening:
            say(line)
    _answer(recorder, recording.meta, words, out, as_json=as_json)
    if last is not None:
        say(f"key {fingerprint(last.key)}, check code of the last event {digest(last.hash)}")
    if recorder.pictures.trouble is not None:
        say(recorder.pictures.trouble)
    return 0


def replayed(
    recording: Recording,
    start: GameStarted,
    reader: ReadsBoards,
    stores: RecorderStores,
    decode: Decode,
    settings: Mapping[str, Any] | None = None,
) -> Recorder:
    """Return the recorder of a game that a recording has been played into.

    ``decode`` makes an image of a picture's bytes; ``settings`` are the table's, for the log.
    """
    import numpy as np

    from sensors.recording import merged
    from table.recorder import Recorder

    corners, stills = recording.meta.corners, recording.meta.stills
    recorder = Recorder(
        start,
        reader,
        stores,
        stills=stills,
        corners=None if corners is None else np.array(corners, np.float32),
        settings=settings,
    )
    recorder.run(merged(recording.camera(decode), recording.buttons()))
    return recorder


def _start(recording: Recording, rulebook: str | None) -> GameStarted:
    """Return the start of the game, under ``rulebook`` or, if None, that of the recording."""
    from game.errors import TilewatchError
    from game.events import GameStarted
    from game.rulebooks.announcing import announced
    from game.rulebooks.loading import DEFAULT_RULEBOOK, load_rulebook
    from record.paths import new_game_id

    meta = recording.meta
    book = load_rulebook(rulebook or meta.rulebook or DEFAULT_RULEBOOK)
    try:
        adjust = announced(book, meta.announced)
    except TilewatchError as error:
        raise TilewatchError(f"{recording.path / 'recording.toml'}: announced: {error}") from error
    return GameStarted(
        new_game_id(meta.name),
        meta.names,
        book.id,
        meta.tile_set,
        meta.first,
        0,
        adjust=adjust,
        hands=meta.hands,
    )


def _answer(
    recorder: Recorder, meta: RecordingMeta, words: WordList | None, out: Path, *, as_json: bool
) -> None:
    """Write the game's record, and print the game."""
    from game.gcg import record_from_game, write

    state = recorder.state
    gcg = out / f"{state.game_id}.gcg" if state.turns else None
    if gcg is not None:
        gcg.write_text(write(record_from_game(state)), "utf-8", newline="\n")
    if as_json:
        answer_json(_document(recorder, meta, gcg, words))
    else:
        _show(state)
        _suggest(state, words)
    if gcg is None:
        say(f"no turns, so no game record; log in {out}")
    else:
        say(f"game record in {gcg}; log and evidence in {out}")


def _document(
    recorder: Recorder, meta: RecordingMeta, gcg: Path | None, words: WordList | None
) -> dict[str, Any]:
    from game.schema import Replay
    from table.views.views import flag_shapes, turn_shape

    state, timings = recorder.state, recorder.timings
    return Replay.of(
        state,
        rulebook=state.rulebook.id,
        tile_set=meta.tile_set,
        turns=[turn_shape(turn, state, "director") for turn in state.turns],
        flags=flag_shapes(state, "director"),
        rows=state.board.rows,
        gcg=None if gcg is None else str(gcg),
        word_list=None if words is None else words.named(),
        suggestions=_suggestions(state, words),
        ms={
            "per_press": timings.per_press.summary(),
            "per_frame": timings.per_frame.summary(),
        },
    ).as_json()


def _suggestions(state: GameState, words: WordList | None) -> Mapping[Square, tuple[str, ...]]:
    from game.adjudication.blank_letters import suggestions

    return suggestions(state.board, words.words, state.tile_set.letters) if words else {}


def _suggest(state: GameState, words: WordList | None) -> None:
    for square, letters in _suggestions(state, words).items():
        what = (
            ", ".join(map(state.tile_set.text, letters))
            if letters
            else "no letter makes words of all it stands in"
        )
        answer(f"blank at {square.name}: {what} (suggested from {words.name if words else ''})")


def _show(state: GameState) -> None:
    from game.events import SIDES

    rows = [["", "player", "at", "play", "score", "total", "flags"]]
    rows += [_row(turn, state) for turn in state.turns]
    for line in columns(rows, right=frozenset({0, 4, 5})):
        answer(line)
    for adjustment in state.adjustments:
        what = adjustment.kind.replace("_", " ")
        tiles = f" ({state.tile_set.word(adjustment.tiles)})" if adjustment.tiles else ""
        rule = f" [{adjustment.rule}]" if adjustment.rule else ""
        name = state.players[adjustment.side]
        answer(f"{name}: {what}{tiles} {adjustment.points:+d}{rule}")
    flagged = [(turn, flag) for turn in state.turns for flag in turn.flags]
    lost = [(turn, one) for turn in state.turns for one in turn.seen.lost or ()]
    if flagged or state.flags or lost:
        answer("")
    for turn, one in lost:
        when = f"from {one.from_ns / 1e9:.1f} s to {one.until_ns / 1e9:.1f} s"
        answer(f"turn {turn.number}: pictures were lost {when}")
    for turn, flag in flagged:
        answer(f"turn {turn.number}: {flag.code}{_rule(flag.rule)}: {flag.message}")
    for flag in state.flags:
        answer(f"game: {flag.code}{_rule(flag.rule)}: {flag.message}")
    answer("")
    answer("  ".join(f"{state.players[side]} {state.scores[side]}" for side in SIDES))


def _row(turn: Turn, state: GameState) -> list[str]:
    word = state.tile_set.word(turn.word or "")
    played = word or turn.kind.replace("_", " ")
    if turn.word is not None and turn.kind != "play":
        played = f"{word} ({turn.kind.replace('_', ' ')})"
    flags = ", ".join(f"{flag.code}{_rule(flag.rule)}" for flag in turn.flags)
    return [
        str(turn.number),
        state.players[turn.side][:20],
        turn.position or "",
        played,
        str(turn.score),
        str(turn.total),
        flags,
    ]


def _rule(rule: str | None) -> str:
    return f" [{rule}]" if rule else ""
