"""Writing GCG in the form that the strictest reader takes.

That reader is macondo's, which Woogles uses. It wants the encoding header first, then pragmas that
it knows, then events; a rack on every line but those for a challenge, time and the end; ``.`` for a
tile already there; a rack must hold the tiles that its line plays. A camera sees no racks: a play's
rack is then the tiles played, and a line without tiles has the word UNKNOWN for the rack.

Facts that GCG has no form for go into a note on the next line, which other readers show and ours
reads back: ``#note tilewatch:`` and then

* ``exchange_or_pass``, ``exchange`` or ``challenge_failed`` after a pass: what kind of
  scoreless turn it was, when its tiles are not known;
* ``penalty`` after a ``(time)`` line: points off for something else; ``correction``: points
  added or taken to put the score right; ``left``,
  ``overtime_limit`` and ``limit_raise``: what a game that was left, or lost by the limit on
  overtime, adds or takes. ``#note Not time:`` says the same to people, as other programs know no
  other line for points that no turn makes;
* ``no_score`` after a play is taken back: only its points were, the tiles stay;
* ``lost=2:resigned:100`` on the last line: the second player forfeited the game so, by the spread
  that the director set, if one was; ``ended=agreed``: the game was ended for that reason, which no
  line says; then ``limit=2``: the second player has lost by the limit on overtime;
* ``illegal_play=4`` after a play, taken back or not: it was announced as illegal when four turns
  had been taken;
* ``challenged`` after a play that was challenged in vain, with how many words, which they were, or
  that it was for the place (``challenged=2``, ``challenged=CAT,AT``, ``challenged=placement``);
* ``8H=?`` and the like: what lies on a square after the turn where the line says another
  thing or nothing. A blank whose letter nobody gave (``?``) stands in the line as a blank A,
  because every reader wants a letter there; so does a tile face down (``#``) or unreadable
  (``~``). A note in plain words, ``#note Not known:``, names them for people.
  Tiles out of line, moved, replaced or gone (``8H=.``) are only in the note. What follows the
  word ``then`` happened after the turn and before the next, and is no part of its score.

Some facts cannot be read back from a note (tiles on the board before the first turn), or other
programs would not know them (a game lost otherwise than on points). They are in plain words after
the first turn, or after the last line if they are about the result: ``#note GCG cannot say this:``
(:mod:`game.gcg.from_game`).

The description names the rulebook, the set and what the event announced in place of the rulebook's
settings (``challenge.failed_points=10``), by which the record is checked and replayed.

Notes before the first turn move behind it, where that reader wants them, and pragmas that it does
not know are left out.

A play that breaks the rules of placement is written as it lay, with ``.`` for a gap; a reader that
enforces those rules will refuse it, as it should.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from game.board import EMPTY
from game.gcg.notes import OWN, note_of
from game.gcg.reader import UNKNOWN
from game.gcg.record import Entry, GameRecord
from game.tileset import BLANK, TileSet, load_tile_set, tile_set_ids


def write(record: GameRecord) -> str:
    """The record as GCG text, to be stored as UTF-8."""
    tiles = _tile_set(record)
    lines = [*_pragmas(record), *_racks(record, tiles)]
    if not record.entries:
        lines += _notes(record.notes)
    for entry in record.entries:
        lines.append(f">{record.players[entry.player].nick}: {_event(entry, tiles)}")
        if own := note_of(entry):
            lines.append(f"#note {OWN} {own}")
        notes = (*record.notes, *entry.notes) if entry is record.entries[0] else entry.notes
        lines += _notes(notes)
    return "\n".join(lines) + "\n"


def _pragmas(record: GameRecord) -> Iterator[str]:
    yield "#character-encoding UTF-8"
    if record.title:
        yield f"#title {_flat(record.title)}"
    if record.description:
        yield f"#description {_flat(record.description)}"
    if record.id is not None:
        yield f"#id {record.id[0]} {_flat(record.id[1])}"
    if record.lexicon:
        yield f"#lexicon {_flat(record.lexicon)}"
    if record.tile_set not in (None, "english"):  # what every reader takes for granted
        yield f"#tile-distribution {record.tile_set}"
    if record.incomplete:
        yield "#incomplete"
    for number, player in enumerate(record.players, start=1):
        yield f"#player{number} {player.nick} {_flat(player.name)}"


def _racks(record: GameRecord, tiles: TileSet | None) -> Iterator[str]:
    """Yield the lines with the racks of a game that goes on."""
    for number, rack in enumerate(record.racks, start=1):
        if rack:
            yield f"#rack{number} {_shown(rack, tiles)}"


def _notes(notes: Iterable[str]) -> list[str]:
    return [f"#note {_flat(note)}" for note in notes if note.strip()]


def _event(entry: Entry, tiles: TileSet | None) -> str:
    figures = f"{entry.score:+d} {entry.total}"
    shown = _shown(entry.rack or "", tiles)
    match entry.kind:
        case "play":
            shown = shown or _shown(_played(entry), tiles)
            return f"{shown} {entry.position} {_shown(entry.word or '', tiles)} {figures}"
        case "pass" | "exchange_or_pass" | "challenge_failed":
            return f"{shown or UNKNOWN} - {figures}"
        case "exchange":
            return f"{shown or UNKNOWN} -{_shown(entry.exchanged, tiles)} {figures}"
        case "withdrawn" | "no_score":
            return f"{shown or UNKNOWN} -- {_minus(entry)}"
        case "challenge_bonus":
            return f"{shown} (challenge) {figures}"
        case "time" | "penalty" | "correction" | "left" | "overtime_limit" | "limit_raise":
            return f"{shown} (time) {_minus(entry)}"
        case "end_rack":
            return f"({_shown(entry.tiles, tiles)}) {figures}"
        case "end_rack_penalty":
            rack = _shown(entry.tiles, tiles)
            return f"{rack} ({rack}) {_minus(entry)}"


def _minus(entry: Entry) -> str:
    """Return score and total, with a minus sign even for a deduction of 0."""
    return (
        f"-{abs(entry.score)} {entry.total}"
        if entry.score <= 0
        else f"+{entry.score} {entry.total}"
    )


def _played(entry: Entry) -> str:
    """Return the tiles that a play's line shows, as a rack."""
    return "".join(
        sorted(
            BLANK if symbol.islower() else symbol for symbol in entry.word or "" if symbol != EMPTY
        )
    )


def _tile_set(record: GameRecord) -> TileSet | None:
    return load_tile_set(record.tile_set) if record.tile_set in tile_set_ids() else None


def _shown(symbols: str, tiles: TileSet | None) -> str:
    """Return tiles as GCG writes them, with brackets around several letters on one tile."""
    return symbols if tiles is None else tiles.bracketed(symbols)


def _flat(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def placeholder(tile_set: TileSet) -> str:
    """Return the letter for a tile that is not known: a blank, which is worth nothing."""
    return tile_set.letters[0].lower()
