"""``tilewatch woogles``: a game here and on Woogles side by side, its record, its upload."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from game.errors import TilewatchError
from table.commands.options import TABLE, Given, as_json, given
from table.commands.terminal import answer, answer_json

if TYPE_CHECKING:
    from game.gcg.record import GameRecord
    from woogles.client import Woogles
    from woogles.document import Document
    from woogles.slot import WooglesOptions


@click.command()
@click.argument("what", metavar="WHAT", type=click.Choice(("compare", "gcg", "upload")))
@click.argument("game")
@click.argument("theirs", required=False)
@as_json
@given(TABLE)
def woogles(given: Given, what: str, game: str, theirs: str | None, as_json: bool) -> int:
    """Compare a game with the one on Woogles, print its record, or upload it.

    GAME is a game record (a file) or a game of this table: its id, the start of one, or last.
    compare prints GAME beside a game annotated there, by its id or as a document in a .json file;
    exit status 1 when they differ. gcg prints GAME with the racks and clock times that are known by
    now. upload sends that to the account in [woogles] of table.toml.
    """
    if what == "compare" and theirs is None:
        raise TilewatchError("woogles compare: name the game on Woogles, or a document's file")
    if what != "compare" and theirs is not None:
        raise TilewatchError(f"woogles {what}: takes one GAME")
    record = _record(given, game)
    if what == "compare":
        return _compare(record, _document(given, str(theirs)), as_json=as_json)
    from game.gcg import write

    text = write(record)
    if what == "gcg":
        answer(*text.splitlines())
        return 0
    game_id = _upload(given, record, text)
    answer_json({"game_id": game_id}) if as_json else answer(f"uploaded: {game_id}")
    return 0


def _record(given: Given, game: str) -> GameRecord:
    from game.gcg import record_from_game
    from game.gcg.enriched import enriched
    from game.gcg.reader import read_gcg
    from record.bundle.export import game_named
    from record.log.event_log import EventLog
    from record.paths import DATABASE
    from table.folded_log import FoldedLog
    from table.racks.known import KnownRacks

    if Path(game).is_file():
        return read_gcg(Path(game))
    with EventLog(given.folder() / DATABASE, readonly=True) as log:
        folded = FoldedLog(log, 1).game(game_named(log, game))
    assert folded is not None
    state = folded.state
    held = KnownRacks(None).history(state).held
    return enriched(record_from_game(state), state.turns, held, clocks=True)


def _options(given: Given) -> WooglesOptions:
    options = given.table().woogles
    if options is None:
        raise TilewatchError("table.toml has no section [woogles] (docs/woogles.md)")
    return options


def _calls(options: WooglesOptions) -> Woogles:
    import os

    from woogles.client import Woogles

    return Woogles(options.url, options.key(os.environ))


def _document(given: Given, theirs: str) -> Document:
    import json

    from game.files import read_file
    from woogles.client import MOST
    from woogles.document import read_document

    path = Path(theirs)
    if path.suffix != ".json":
        return _calls(_options(given)).document(theirs)
    try:
        return read_document(json.loads(read_file(path, MOST)))
    except OSError as error:
        raise TilewatchError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise TilewatchError(f"{path}: is no JSON") from error


def _compare(record: GameRecord, theirs: Document, *, as_json: bool) -> int:
    from dataclasses import asdict

    from table.commands.terminal import columns
    from woogles.compare import side_by_side
    from woogles.mapping import ours_of

    rows = list(side_by_side(ours_of(record, theirs.rule), theirs))
    same = all(row.same for row in rows)
    if as_json:
        answer_json({"same": same, "events": [asdict(row) for row in rows]})
    else:
        head = ["", " and ".join(record.players[side].name for side in (0, 1)), "Woogles", ""]
        lines = [[str(r.number), r.ours, r.theirs, "" if r.same else "differs"] for r in rows]
        answer(*columns([head, *lines]))
    return 0 if same else 1


def _upload(given: Given, record: GameRecord, text: str) -> str:
    from game.gcg.check import rulebook_of
    from woogles.mapping import rule_of

    kinds = ["", *(one.kind for one in record.entries)]
    ends = [at for at, kind in enumerate(kinds) if kind in ("end_rack", "end_rack_penalty")]
    if not ends or kinds[ends[0] - 1] == "challenge_bonus":
        what = "last play was challenged in vain" if ends else "record has no end"
        raise TilewatchError(f"Woogles would keep a game whose {what} as an unfinished one")
    options = _options(given)
    rule = rule_of(rulebook_of(record))
    return _calls(options).upload(text, options.lexicon, record.tile_set or "english", rule)
