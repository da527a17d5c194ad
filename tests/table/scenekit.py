"""The steps of the scenes: what lies before the camera, who presses, and what is recorded.

A board is a sum: ``cat + 7I ON - 8H`` is the board called ``cat`` with ON across from 7I and
without the tile at 8H. A hand over it, ``hand cat`` or ``hand 7D-12G cat``, is read badly.
"""

from __future__ import annotations

import re
from dataclasses import replace

from game.board import Board, Square
from game.events import Finding, GameEnded, PicturesLost, TurnRuled
from game.flags import QUESTIONS
from table.recorder import Recorder
from table.resume import resume_game
from tests.table.conftest import MS, Bench, word
from tests.table.sessionkit import Sitting

HAND = "7D-12L"
UNDER_A_HAND = 0.3
"""How sure a letter beside a hand is, where a step gives nothing else."""


class Scene:
    """A bench, the boards that have a name, and what the last look at the reader's count was."""

    def __init__(self, bench: Bench | Sitting, monkeypatch) -> None:
        self.bench, self.monkeypatch = bench, monkeypatch
        self.boards = {"empty": Board.empty(), "cat": word("8G", "CAT")}
        self.reads = 0
        self.made_up = False
        """True if the state differs from that of the log."""

    def board(self, text: str) -> Board:
        """The board that a sum describes."""
        if text.startswith("hand "):
            text = text.removeprefix("hand ")
            area, _, rest = text.partition(" ")
            area, rest = (area, rest) if re.fullmatch(r"\w+-\w+", area) else (HAND, text)
            corner, opposite = (Square.parse(one) for one in area.split("-"))
            rows = range(corner.row, opposite.row + 1)
            cols = range(corner.col, opposite.col + 1)
            under = {Square(row, col): "~" for row in rows for col in cols}
            return self.board(rest).replace(under)
        board = Board.empty()
        for sign, term in re.findall(r"(?:^| ([+-]) )((?:(?! [+-] ).)+)", text):
            if sign == "-":
                board = board.replace(dict.fromkeys(map(Square.parse, term.split()), "."))
            elif term in self.boards:
                board = board.replace(self.boards[term].tiles())
            else:
                board = word(*term.split(), board)
        return board

    def lesson(self, text: str, options: list[str]) -> dict[str, object]:
        """The reading that the fake reader gives of a picture."""
        taught: dict = {"sure": UNDER_A_HAND} if text.startswith("hand ") else {}
        for option in options:
            match option.split():
                case ["sure", amount]:
                    taught["sure"] = float(amount)
                case ["sure", square, amount]:
                    taught["sure"] = {square: float(amount)}
                case ["guess", square, *guesses]:
                    pairs = zip(guesses[::2], map(float, guesses[1::2]), strict=True)
                    taught["guesses"] = {square: list(pairs)}
                case ["finding", code, square]:
                    found = taught.setdefault("findings", [])
                    found.append(Finding(code, square, "upside down"))
                case ["light", amount]:
                    taught["light"] = float(amount)
                case ["blind"]:
                    taught["blind"] = True
                case ["read", "as", *board]:
                    taught["reads"] = self.board(" ".join(board))
                case _:
                    raise ValueError(option)
        return taught

    def show(self, when: str, text: str, options: list[str]) -> None:
        """Have the camera see a board once, or ten times a second until a moment."""
        begin, _, end = when.partition("-")
        board, taught = self.board(text), self.lesson(text, options)
        for t_ms in range(int(begin), int(end or int(begin) + 1), 100):
            self.bench.frame(t_ms, board, **taught)

    def take(self, step: str) -> None:
        """Do a step, or see that what it expects is so."""
        bench = self.bench
        match step.split():
            case [name, "=", *_]:
                self.boards[name] = self.board(step.partition(" = ")[2])
            case [when, *_] if re.fullmatch(r"\d+(-\d+)?", when):
                text, *options = step.partition(" ")[2].split(", ")
                self.show(when, text, options)
            case ["press", button, at]:
                bench.press(button, int(at))
            case ["rule", number, ruling, at]:
                ruled = TurnRuled(int(number), ruling, "TD", "as it was", int(at) * MS)
                bench.recorder.record(ruled, "desk")
            case ["the", "director", "stops", "the", "game", at]:
                bench.recorder.record(GameEnded("stopped", int(at) * MS), "director")
            case ["near", "the", "end"]:
                self.near_the_end()
            case ["dropped", count]:
                bench.seq += int(count)
            case ["finish"]:
                bench.recorder.finish()
            case ["restart"]:
                bench.recorder = Recorder(resume_game(bench.log, "g"), bench.reader, bench.stores)
            case ["no", "movement", "is", "noticed"]:
                self.monkeypatch.setattr("vision.tracking.board_watch.PIXELS", 10**6)
            case ["count", "reads"]:
                self.reads = bench.reader.reads
            case _:
                found, due = self.seen(step.split())
                assert found == due, f"{step}: {found}"

    def near_the_end(self) -> None:
        """Ninety-three tiles lie there; Ann has two left, and it is her turn."""
        bench, racks = self.bench, {"left": 2, "right": 3}
        board = word("8D", "RATES")
        self.show("0-600", "8D RATES", [])
        bench.press("right", 550)
        progress = bench.state.progress
        position = replace(progress.ledger.position, bag=0, racks=racks, board=board)
        ledger = replace(progress.ledger, positions=(position,))
        progress = replace(progress, ledger=ledger)
        bench.recorder.state = replace(
            bench.state, bag_count=0, racks=racks, board=board, progress=progress
        )
        self.made_up = True

    def seen(self, words: list[str]) -> tuple[object, object]:
        """The actual and the expected values of the game, or of the turn with this number."""
        what, *due = words
        if what in {"scores", "kinds", "words", "played"}:
            return self.of_all_turns(what, due)
        if due and due[0].isdigit():
            return self.of_turn(what, int(due[0]), due[1:])
        return self.of_game(words)

    def of_all_turns(self, what: str, due: list[str]) -> tuple[object, object]:
        """The actual and the expected turns."""
        turns = self.bench.turns
        if what == "played":
            played = [one.split() for one in " ".join(due).split("; ")]
            return (
                [(turn.side, dict(turn.tiles)) for turn in turns],
                [(side, self.tiles(board)) for side, *board in played],
            )
        field = {"scores": "score", "kinds": "kind", "words": "word"}[what]
        found = [getattr(turn, field) for turn in turns]
        return ["-" if one is None else str(one) for one in found], due

    def of_turn(self, what: str, number: int, due: list[str]) -> tuple[object, object]:
        """The actual and the expected values of one turn."""
        turn, seen = self.bench.turns[number - 1], self.bench.seen()[number - 1]
        match what, due:
            case "kind", [kind]:
                return turn.kind, kind
            case "tiles", board:
                return dict(turn.tiles), self.tiles(board)
            case "certain", names:
                return [one for one in names if seen.certainty[one] <= 0.9], []
            case "uncertain", [name]:
                return seen.certainty[name] < 0.5, True
            case "first-read", board:
                return seen.rows, self.board(" ".join(board)).rows
            case "lost", stretches:
                return seen.lost, tuple(map(lost, stretches))
            case "seen", [at]:
                return seen.sighted_ns, None if at == "never" else int(at) * MS
            case "pressed", [at]:
                return turn.press_ns, int(at) * MS
        return self.of_flags(what, number, due)

    def of_flags(self, what: str, number: int, due: list[str]) -> tuple[object, object]:
        """The actual and the expected values of one turn's flags."""
        turn = self.bench.turns[number - 1]
        left = [flag for flag in turn.flags if flag.settled is None]
        match what, due:
            case "codes", codes:
                return self.bench.codes(number), codes
            case "has", codes:
                return set(codes) & set(self.bench.codes(number)), set(codes)
            case "asks", codes:
                return [flag.code for flag in left if flag.code != "board_covered"], codes
            case "questions", squares:
                asked = [flag for flag in left if flag.code in QUESTIONS]
                return [square for flag in asked for square in flag.squares], squares
            case "flag", [code, *squares]:
                flags = [flag for flag in turn.flags if flag.code == code]
                return [flag.squares for flag in flags], [tuple(squares)]
            case "message", [code, *words]:
                (flag,) = [flag for flag in turn.flags if flag.code == code]
                return " ".join(words) in flag.message, True
        raise ValueError(what)

    def of_game(self, words: list[str]) -> tuple[object, object]:
        """The actual and the expected values of the game and its log."""
        bench, state = self.bench, self.bench.state
        match words:
            case ["total", side, due]:
                return state.scores[side], int(due)
            case ["none", "has", *codes]:
                flags = {flag.code for turn in bench.turns for flag in turn.flags}
                return flags if codes == ["any"] else flags & set(codes), set()
            case ["game", "asks", code, *squares]:
                found = [flag for flag in state.flags if flag.code == code]
                return [(flag.squares, flag.settled) for flag in found], [(tuple(squares), None)]
            case ["no", "question", "is", "open"]:
                return [flag.code for flag in state.flags if flag.settled is None], []
            case ["board", *board]:
                return state.board, self.board(" ".join(board))
            case ["on", "turn", side]:
                return state.on_turn, side
            case ["clock", side]:
                return state.clocks.running or "stopped", side
            case ["ended", reason]:
                return state.end_reason, reason
            case ["status", status]:
                return state.status, status
            case ["present", *board]:
                return bench.recorder.present.reading.rows, self.board(" ".join(board)).rows
        return self.of_log(words)

    def of_log(self, words: list[str]) -> tuple[object, object]:
        """The actual and the expected values of what was logged, kept and read."""
        bench, state = self.bench, self.bench.state
        match words:
            case ["a" | "no" as given, "turn", "is", "open"]:
                resumed = resume_game(bench.log, state.game_id)
                assert resumed.state.clocks == state.clocks
                found = bench.recorder.held is None, resumed.open_turn is None
                return found, (given == "no", given == "no")
            case ["logged", type_, count]:
                return bench.logged().count(type_), int(count)
            case ["kept", type_, *roles]:
                (event,) = [one for one in bench.log.events() if one.type == type_]
                frames = event.payload["frames"]
                return {role for role in frames if bench.evidence.load(frames[role])}, set(roles)
            case ["nothing", "was", "read"]:
                return bench.reader.reads, self.reads
        raise ValueError(" ".join(words))

    def tiles(self, board: list[str]) -> dict[str, str]:
        """The tiles of a board by the names of their squares; ``-`` has none."""
        tiles = {} if board == ["-"] else self.board(" ".join(board)).tiles()
        return {square.name: symbol for square, symbol in tiles.items()}


def lost(text: str) -> PicturesLost:
    """A stretch of time without pictures, in milliseconds, and how many were dropped in it."""
    begin, end, *dropped = (int(one) for one in re.split("[-:]", text))
    return PicturesLost(begin * MS, end * MS, *dropped)
