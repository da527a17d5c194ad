"""Reads GCG as programs really write it.

The form is described at https://www.poslfit.com/scrabble/gcg/. Files differ, and this reader takes
all that it can read without guessing at figures:

* bytes: the encoding that the header names by any of its names, UTF-8 with or without a byte
  order mark, Latin-1 where the file is not UTF-8 and has no header, and any line end;
* letters with combining marks, which are joined;
* coordinates in either case; a tile that is already there as ``.``, spelled out, or in
  parentheses, where it must be the one that lies there; tiles of several letters in brackets;
  notes after the running total;
* a rack that is missing or ``UNKNOWN``, but none that lacks the tiles played or exchanged;
* a play taken back with +0, as old versions of Quackle wrote it, if the total is right;
* pragmas before and after events, known or not; notes of several lines.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Final, NoReturn

from game.arguments import require
from game.board import EMPTY, Board, Square, parse_position, position
from game.errors import TilewatchError
from game.events.values import short
from game.files import read_file
from game.gcg.encoding import MOST, decoded, other_encodings
from game.gcg.notes import OWN, with_note
from game.gcg.record import Entry, EntryKind, GameRecord, Player, not_on_rack, sets_with_its_letters
from game.tile_symbols import SYMBOL_OF, spelled
from game.tileset import BLANK, TileSet, load_tile_set, tile_set_ids

UNKNOWN = "UNKNOWN"
"""The word that a line has for a rack that is not known."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x19\x1b-\x1f\x7f]")
_EVENT = re.compile(r">\s*(?P<nick>\S+):(?=\s|$)\s*(?P<rest>.*)")
_POSITION = re.compile(r"(?:1[0-5]|[1-9])[A-Oa-o]|[A-Oa-o](?:1[0-5]|[1-9])")
_SCORE = re.compile(r"\+?(-?\d{1,5})")
_TOTAL = re.compile(r"-?\d{1,6}")
_TILE = re.compile(r"\[([^\[\]]+)\]|(.)")
_RULEBOOK = re.compile(r"\brulebook=(\S+)")
_TILE_SET = re.compile(r"\btile-set=(\S+)")
_WHOLE = re.compile(r"[0-9]{1,9}")
_OR_TEXT: Final = "; the text of a record begins with # or >"
_ANNOUNCED = re.compile(r"(?<!\S)([a-z_]+\.[a-z_]+)=(\S+)")


def parse(data: bytes | str, name: str = "GCG") -> GameRecord:
    """Read a game record.

    Args:
        data: the file's bytes, or text that was decoded already.
        name: the name of the file in messages.

    Raises:
        TilewatchError: the data is not a game record; the message names the file, the line and why.
    """
    if len(data) > MOST:
        raise TilewatchError(
            f"{name}: {len(data)} bytes are too many for a game record; at most {MOST}"
        )
    text, assumed = (data, False) if isinstance(data, str) else decoded(data, name)
    text = text.removeprefix("\ufeff")
    if not text.strip("\x1a \t\r\n"):
        raise TilewatchError(f"{name}: the file is empty")
    if not assumed:
        return _parsed(text, name)
    try:
        record = _parsed(text, name)
        sets_with_its_letters(record)
    except TilewatchError as error:
        raise TilewatchError(f"{error}; {other_encodings(text, _tiles_of)}") from error
    return record


def _parsed(text: str, name: str) -> GameRecord:
    return _Parser(name).run(re.split(r"\r\n|\n|\r", unicodedata.normalize("NFC", text)))


def _tiles_of(text: str) -> str:
    """Return the name of a record's set. Raises ``TilewatchError`` if the text is no record."""
    return sets_with_its_letters(_parsed(text, ""))[0].id


def read_gcg(source: str | PathLike[str]) -> GameRecord:
    """Read a game record in GCG, line by line as it is written.

    Args:
        source: a file, or the text of a record (it begins with ``#`` or ``>``).

    Raises:
        TilewatchError: the file cannot be read or is not a game record; the message says why.
    """
    require(source, (str, PathLike), "GCG", "a file or the text of a record")
    if isinstance(source, str) and source.lstrip("\ufeff \r\n\t")[:1] in ("#", ">", ""):
        return parse(source)
    path = Path(source)
    try:
        data = read_file(path, MOST)
    except OSError as error:
        raise TilewatchError(f"{short(str(path))}: {error.strerror or error}{_OR_TEXT}") from error
    except ValueError as error:  # a NUL
        raise TilewatchError(f"{short(str(path))}: {error}{_OR_TEXT}") from error
    return parse(data, str(path))


@dataclass
class _Parser:
    """One pass over the lines; ``fail`` names the line in its message."""

    name: str
    number: int = 0
    players: dict[int, Player] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    pragmas: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    boards: list[Board] = field(default_factory=lambda: [Board.empty()])
    """The board before each play that a line may still take back, and the board now."""
    continues: str = ""
    """The pragma that a line which begins with neither # nor > continues; empty for none."""

    def fail(self, why: str) -> NoReturn:
        raise TilewatchError(f"{self.name}: line {self.number}: {why}")

    def run(self, lines: list[str]) -> GameRecord:
        for number, raw in enumerate(lines, start=1):
            self.number = number
            if (bad := _CONTROL.search(raw)) is not None:
                self.fail(f"control character 0x{ord(bad[0]):02X}: binary data, not GCG text")
            line = raw.strip("\x1a \t\x0c")
            if line:
                self._line(line)
        self.number = len(lines)
        if set(self.players) != {0, 1}:
            self.fail("the file ends without #player1 and #player2")
        if not self.entries:
            self.fail("the file ends before the first turn")
        for entry in self.entries:
            if short := not_on_rack(entry):
                self.number = entry.line
                used = "played" if entry.kind == "play" else "exchanged"
                self.fail(
                    f"{', '.join(short)} {used}, not on the rack {spelled(entry.rack or '')}; "
                    f"correct the rack, or write {UNKNOWN} for it"
                )
        self.number = len(lines)
        return self._record()

    def _line(self, line: str) -> None:
        if line.startswith("#"):
            self._pragma(line)
        elif line.startswith(">"):
            self.continues = ""
            entry = self._event(line)
            self.entries.append(entry)
            self._lay(entry)
        elif self.continues == "note":
            self._note(line, join=True)
        elif self.continues:
            name, text = self.pragmas[-1]
            self.pragmas[-1] = (name, f"{text} {line}".strip())
        else:
            self.fail(f"neither a #pragma nor a >player's turn: {_short(line)}")

    def _pragma(self, line: str) -> None:
        word, _, text = line[1:].partition(" ")
        if "\t" in word:
            word, _, text = line[1:].partition("\t")
        word, text = word.lower(), text.strip()
        if word == "-" and self.continues:
            if self.continues == "note":
                self._note(text, join=True)
            else:
                name, before = self.pragmas[-1]
                self.pragmas[-1] = (name, f"{before} {text}".strip())
            return
        if word == "note":
            self.continues = "note"
            self._note(text, join=False)
            return
        if word in ("player1", "player2"):
            nick, _, real = text.partition(" ")
            if not nick:
                self.fail(f"#{word} has no name: write a nickname and a name after it")
            index = int(word[-1]) - 1
            if index in self.players:
                self.fail(f"#{word} is there twice: remove one")
            if any(player.nick == nick for player in self.players.values()):
                self.fail(f"both players are called {nick!r}: give them different nicknames")
            if self.entries:
                self.fail(f"#{word} is after the first turn: move it to the top")
            self.players[index] = Player(nick, real.strip() or nick)
            self.continues = ""
            return
        if word == "character-encoding" and (self.pragmas or self.players or self.entries):
            self.fail("#character-encoding must be the first line")
        self.continues = word
        self.pragmas.append((word, text))

    def _note(self, text: str, *, join: bool) -> None:
        if text.startswith(OWN) and not join and not self.entries:
            self.fail("a note of tilewatch's own is before the first turn: put it after a turn")
        if self.entries:
            entry = self.entries[-1]
            if text.startswith(OWN) and not join:
                entry = with_note(entry, text.removeprefix(OWN), self.fail)
                self.entries[-1] = entry
                noted = {**entry.squares, **entry.later}
                changes = {Square.parse(square): symbol for square, symbol in noted.items()}
                self.boards[-1] = self.boards[-1].replace(changes)
                self.continues = ""
                return
            notes = list(entry.notes)
        else:
            notes = self.notes
        if join and notes:
            notes[-1] = f"{notes[-1]} {text}".strip()
        elif text:
            notes.append(text)
        if self.entries:
            self.entries[-1] = replace(self.entries[-1], notes=tuple(notes))

    def _event(self, line: str) -> Entry:
        match = _EVENT.fullmatch(line)
        if match is None:
            self.fail(f"no player and colon after >: {_short(line)}")
        nicks = [self.players[i].nick for i in sorted(self.players)]
        if len(nicks) != 2:
            self.fail("a turn is before #player1 and #player2: move both to the top")
        if match["nick"] not in nicks:
            self.fail(f"unknown player {match['nick']!r}; the players are {' and '.join(nicks)}")
        player = nicks.index(match["nick"])
        tokens = match["rest"].split()
        rack = None
        if tokens and not self._opens(tokens):
            rack = self._rack(tokens.pop(0))
        if not tokens:
            self.fail(f"the line is cut off: {_short(line)}")
        head, rest = tokens[0], tokens[1:]
        if _POSITION.fullmatch(head):
            return self._play(player, rack, head, rest, line)
        closed = head.startswith("(") and head.endswith(")")
        if not closed and head[0] != "-":
            self.fail(f"neither a play, a pass, an exchange nor an end: {_short(line)}")
        score, total = self._figures(rest, line)
        made = Entry("pass", player, score, total, rack=rack, line=self.number)
        if closed:
            return self._in_brackets(made, head)
        if head == "--":
            return self._taken_back(made, nicks[player])
        if head in ("-", "-0"):
            return made
        tiles = head[1:]
        exchanged = tiles if _WHOLE.fullmatch(tiles) else self._tiles(tiles)
        return replace(made, kind="exchange", exchanged=exchanged)

    def _in_brackets(self, made: Entry, head: str) -> Entry:
        """Return a line that is no turn: for a challenge, for time, or for a rack at the end."""
        if head.lower() == "(challenge)":
            return replace(made, kind="challenge_bonus")
        if head.lower() == "(time)":
            return replace(made, kind="time")
        kind: EntryKind = "end_rack_penalty" if made.score < 0 else "end_rack"
        return replace(made, kind=kind, tiles=self._tiles(head[1:-1]))

    def _taken_back(self, made: Entry, nick: str) -> Entry:
        plays = [one for one in self.entries if one.kind in ("play", "withdrawn", "no_score")]
        if not plays or plays[-1].kind != "play" or plays[-1].player != made.player:
            self.fail(f"{nick} takes back a play, but the last play is not theirs")
        if made.score == 0 and made.total == plays[-1].total - plays[-1].score:
            made = replace(made, score=-plays[-1].score)  # the total alone says it
        return replace(made, kind="withdrawn")

    @staticmethod
    def _opens(tokens: list[str]) -> bool:
        """True if a line has no rack, as its first token is already the event."""
        head = tokens[0]
        return head[0] in "-(" or (
            _POSITION.fullmatch(head) is not None
            and not (len(tokens) > 1 and _POSITION.fullmatch(tokens[1]))
        )

    def _figures(self, tokens: list[str], line: str) -> tuple[int, int]:
        if len(tokens) < 2:
            self.fail(f"the line is cut off before its score and total: {_short(line)}")
        score, total = _SCORE.fullmatch(tokens[0]), _TOTAL.fullmatch(tokens[1])
        if score is None:
            self.fail(f"{tokens[0]!r} is not a score")
        if total is None:
            self.fail(f"{tokens[1]!r} is not a running total")
        return int(score[1]), int(total[0])

    def _play(self, player: int, rack: str | None, head: str, rest: list[str], line: str) -> Entry:
        if not rest:
            self.fail(f"the line is cut off: {_short(line)}")
        score, total = self._figures(rest[1:], line)
        start, across = parse_position(head)
        through = 0
        word: list[str] = []
        inside: dict[int, str] = {}
        for part in re.split(r"([()])", rest[0]):
            if part in ("(", ")"):
                through += 1 if part == "(" else -1
            elif through:
                through_tiles = self._tiles(part)
                inside |= enumerate(through_tiles, start=len(word))
                word += [EMPTY] * len(through_tiles)
            elif BLANK in part:
                self.fail(
                    f"{_short(rest[0])} has a {BLANK} in it: write the letter that the blank "
                    "stands for, in lower case"
                )
            else:
                word += list(self._tiles(part))
        board = self.boards[-1]
        for i, symbol in enumerate(word):
            square = start.step(across, i)
            if not square.on_board:
                self.fail(f"{rest[0]} at {head} runs off the board")
            there = board[square]
            claimed = inside.get(i, EMPTY)
            legible = there == EMPTY or there.isalpha()
            if claimed != EMPTY and legible and claimed.upper() != there.upper():
                seen = "nothing" if there == EMPTY else spelled(there)
                self.fail(
                    f"{_short(rest[0])} at {head} has {spelled(claimed)} in parentheses, "
                    f"{seen} lies on {square.name}: correct the one that is wrong"
                )
            if there != EMPTY and symbol.upper() == there.upper():
                word[i] = EMPTY  # spelled out, but already there
        if not any(symbol != EMPTY for symbol in word):
            self.fail(f"{rest[0]} at {head} places no tile")
        return Entry(
            "play",
            player,
            score,
            total,
            rack=rack,
            position=position(start, across),
            word="".join(word),
            line=self.number,
        )

    def _lay(self, entry: Entry) -> None:
        """Update the board by a line, so that tiles already there are known."""
        if entry.kind == "play":
            self.boards.append(self.boards[-1].replace(entry.placed()))
        elif entry.kind == "withdrawn" and len(self.boards) > 1:
            self.boards.pop()

    def _tiles(self, text: str) -> str:
        """Return tiles as symbols: letters, ``.``, ``?``; ``[CH]`` becomes one symbol."""
        symbols = []
        tiles = self._tile_set()
        for bracketed, single in _TILE.findall(text):
            if bracketed:
                symbol = SYMBOL_OF.get(bracketed.upper(), "")
                if not symbol or (tiles is not None and symbol not in tiles.counts):
                    whose = f"the {tiles.name} set has no" if tiles else "no known tile set has a"
                    self.fail(f"{whose} tile [{bracketed}]")
                symbols.append(symbol.lower() if bracketed.islower() else symbol)
            elif single.isalpha() or single in (EMPTY, BLANK):
                symbols.append(tiles.symbol(single) if tiles is not None else single)
            else:
                self.fail(f"{single!r} in {_short(text)} is not a tile")
        return "".join(symbols)

    def _tile_set(self) -> TileSet | None:
        """Return the set that the record names before its first turn; None if none or unknown."""
        pragmas = dict(self.pragmas)
        named = pragmas.get("tile-distribution", "").lower() or _set_of(pragmas)
        return load_tile_set(named) if named in tile_set_ids() else None

    def _rack(self, text: str) -> str | None:
        return None if text == UNKNOWN else self._tiles(text)

    def _record(self) -> GameRecord:
        pragmas = dict(self.pragmas)
        known = {
            "character-encoding",
            "title",
            "description",
            "id",
            "lexicon",
            "tile-distribution",
            "incomplete",
            "rack1",
            "rack2",
        }
        id_ = tuple(pragmas.get("id", "").split(None, 1))
        rulebook = _RULEBOOK.search(pragmas.get("description", ""))
        tiles = self._tile_set()
        racks = [pragmas.get(f"rack{i}") or None for i in (1, 2)]
        if tiles is not None and tiles.spelling:
            racks = [rack and self._tiles(rack) for rack in racks]
        return GameRecord(
            players=(self.players[0], self.players[1]),
            entries=tuple(self.entries),
            title=pragmas.get("title", ""),
            description=pragmas.get("description", ""),
            id=(id_[0], id_[1]) if len(id_) == 2 else None,
            lexicon=pragmas.get("lexicon", ""),
            tile_set=pragmas.get("tile-distribution", "").lower() or _set_of(pragmas),
            rulebook=rulebook[1] if rulebook else None,
            adjust={
                name: int(value) if _WHOLE.fullmatch(value) else value
                for name, value in _ANNOUNCED.findall(pragmas.get("description", ""))
                if rulebook
            },
            # Quackle, Elise and macondo write the racks of a game that goes on, and no more.
            incomplete="incomplete" in pragmas or any(racks),
            racks=(racks[0], racks[1]),
            notes=tuple(self.notes),
            other=tuple((word, text) for word, text in self.pragmas if word not in known),
            name=self.name,
        )


def _short(text: str, limit: int = 60) -> str:
    """Return a line shortened for a message."""
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")


def _set_of(pragmas: dict[str, str]) -> str | None:
    """Return the set that the description names, as older records of ours do; None for none."""
    named = _TILE_SET.search(pragmas.get("description", ""))
    return named[1] if named else None
