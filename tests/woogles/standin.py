"""A stand-in for Woogles: it keeps annotated games by the rules that its server is known to have.

It has an engine of its own, and judges by a list of words. ``faults`` names what goes wrong with
the coming calls: see :class:`Fault`.
"""

from __future__ import annotations

import base64
import copy
import json
import threading
import time
from collections import Counter, deque
from collections.abc import Container
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from game.board import EMPTY, Board, parse_position
from game.plays.change import compare
from game.plays.play import find_play, is_play
from game.plays.score import rack_value, score_play
from game.rulebooks.loading import load_rulebook
from game.tileset import load_tile_set

Fault = Literal["refuse_500", "html", "lose", "half", "late", "drop", "wrong"]
"""``refuse_500`` and ``html`` fail before the call is carried out, ``drop`` closes the connection
before it, ``lose`` after it, ``half`` sends half of the answer, ``late`` answers too late, and
``wrong`` answers with other types than it should."""

RULES = ("VOID", "SINGLE", "DOUBLE", "FIVE_POINT", "TEN_POINT", "TRIPLE")
_ALPHABET = "?ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_BOOK = load_rulebook("wespa-2021")
_SET = load_tile_set("english")


class RefusedCallError(Exception):
    def __init__(self, message: str, code: str = "invalid_argument") -> None:
        super().__init__(message)
        self.code = code


def packed(symbols: str) -> str:
    """Tiles as bytes in base64."""
    data = bytes(
        0 if c in ".?" else _ALPHABET.index(c.upper()) | (0x80 if c.islower() else 0)
        for c in symbols
    )
    return base64.b64encode(data).decode()


def unpacked(text: str, zero: str = EMPTY) -> str:
    """The symbols of bytes in base64."""
    found = []
    for byte in base64.b64decode(text):
        symbol = zero if byte == 0 else _ALPHABET[byte & 0x7F]
        found.append(symbol.lower() if byte & 0x80 else symbol)
    return "".join(found)


class Everything:
    """A lexicon with every word."""

    def __contains__(self, word: object) -> bool:
        return True


class Game:
    """One game; its document is what callers see."""

    def __init__(self, uid: str, players: list[str], rule: str, owner: str, words) -> None:
        self.owner, self.words = owner, words
        self.doc: dict[str, Any] = {
            "uid": uid,
            "players": [{"nickname": p.replace(" ", "_"), "realName": p} for p in players],
            "events": [],
            "racks": ["", ""],
            "challengeRule": f"ChallengeRule_{rule}",
            "playState": "PLAYING",
            "currentScores": [0, 0],
            "playerOnTurn": 0,
            "lexicon": "TEST",
            "letterDistribution": "english",
            "version": 3,
            "somethingNew": {"kept": True},
            "timers": {"timeRemaining": ["0", "0"], "untimed": True},
        }

    # What follows from the events.

    @property
    def rule(self) -> str:
        return self.doc["challengeRule"].removeprefix("ChallengeRule_")

    def board(self) -> Board:
        board = Board.empty()
        events = self.doc["events"]
        for at, event in enumerate(events):
            if event["type"] != "TILE_PLACEMENT_MOVE":
                continue
            if at + 1 < len(events) and events[at + 1]["type"] == "PHONY_TILES_RETURNED":
                continue
            board = board.replace(self._placed(event["position"], unpacked(event["playedTiles"])))
        return board

    def _placed(self, where: str, word: str) -> dict:
        start, across = parse_position(where)
        return {start.step(across, i): c for i, c in enumerate(word) if c != EMPTY}

    def held(self) -> tuple[list[int], int]:
        """How many tiles each player holds, and the bag."""
        held, bag = [7, 7], 86
        events = self.doc["events"]
        for at, event in enumerate(events):
            back = at + 1 < len(events) and events[at + 1]["type"] == "PHONY_TILES_RETURNED"
            if event["type"] == "TILE_PLACEMENT_MOVE" and not back:
                count = sum(c != EMPTY for c in unpacked(event["playedTiles"]))
                drawn = min(bag, count)
                bag -= drawn
                held[event["playerIndex"]] += drawn - count
        return held, bag

    def unseen(self) -> str:
        left = Counter(_SET.counts)
        left.subtract("?" if c.islower() else c for c in self.board().symbols)
        return "".join(sorted((+left).elements()))

    def zeros(self) -> int:
        run, events = 0, self.doc["events"]
        for at, event in enumerate(events):
            back = at + 1 < len(events) and events[at + 1]["type"] == "PHONY_TILES_RETURNED"
            if event["type"] == "TILE_PLACEMENT_MOVE" and not back:
                run = 0
            elif event["type"] in ("PASS", "EXCHANGE", "PHONY_TILES_RETURNED",
                                   "UNSUCCESSFUL_CHALLENGE_TURN_LOSS"):  # fmt: skip
                run += 1
        return run

    # What is done.

    def _add(self, kind: str, player: int, points: int = 0, **more: Any) -> None:
        self.doc["currentScores"][player] += points
        total = self.doc["currentScores"][player]
        self.doc["events"].append({"type": kind, "playerIndex": player, "cumulative": total} | more)

    def play(self, event: dict[str, Any]) -> None:
        """Carry out a client's event, or refuse it."""
        if self.doc["playState"] == "GAME_OVER":
            raise RefusedCallError("game not active")
        kind, player = event.get("type", 0), self.doc["playerOnTurn"]
        waiting = self.doc["playState"] == "WAITING_FOR_FINAL_PASS"
        if kind == 3:
            return self._challenge(player)
        if waiting and kind != 1:
            raise RefusedCallError("can only pass or challenge")
        if kind == 0:
            self._lay(player, event)
        elif kind == 1:
            self._add("PASS", player, rack=self.doc["racks"][player])
            if waiting:
                self._over(1 - player)
        elif kind == 2:
            exchanged = unpacked(event.get("machine_letters", ""), "?")
            if self.held()[1] < 7:
                raise RefusedCallError("you can only exchange with 7 or more tiles in the bag")
            if Counter(exchanged) - Counter(unpacked(self.doc["racks"][player], "?")):
                raise RefusedCallError("you tried to play a tile that is not in your rack")
            self._add("EXCHANGE", player, exchanged=packed(exchanged))
        else:
            raise RefusedCallError("unhandled event type")
        self._next(player)
        return None

    def _next(self, player: int) -> None:
        if self.doc["playState"] != "GAME_OVER":
            self.doc["playerOnTurn"] = 1 - player
            if self.zeros() == 6:
                for side in (player, 1 - player):
                    rack = unpacked(self.doc["racks"][side], "?")
                    off = rack_value(rack, _SET)
                    self._add("END_RACK_PENALTY", side, -off, lostScore=off, rack=packed(rack))
                self.doc["playState"] = "GAME_OVER"

    def _lay(self, player: int, event: dict[str, Any]) -> None:
        where, word = event["position_coords"], unpacked(event["machine_letters"])
        placed, board = self._placed(where, word), self.board()
        for at, symbol in enumerate(word):
            square = parse_position(where)[0].step(parse_position(where)[1], at)
            if (board.get(square) == EMPTY) != (symbol != EMPTY):
                raise RefusedCallError("the play does not fit the board")
        if not is_play(board, placed, 7):
            raise RefusedCallError("your play touches nothing, or lies in no line")
        after = board.replace(placed)
        left = Counter(self.unseen())
        left.subtract("?" if c.islower() else c for c in placed.values())
        if any(count < 0 for count in left.values()):
            raise RefusedCallError("the tile is not available")
        found = find_play(compare(board, after))
        score = score_play(after, found, _SET, _BOOK)
        words = [word.text.upper() for word in score.words]
        if self.rule == "VOID" and not all(one in self.words for one in words):
            raise RefusedCallError(f"invalid words: {', '.join(words)}")
        rack = "".join("?" if c.islower() else c for c in placed.values())
        known = unpacked(self.doc["racks"][player], "?")
        self._add(
            "TILE_PLACEMENT_MOVE",
            player,
            score.total,
            score=score.total,
            position=where,
            playedTiles=packed(word),
            rack=packed(rack if Counter(rack) - Counter(known) else known),
            wordsFormed=[packed(one) for one in words],
        )
        left = Counter(known)
        left.subtract(rack)
        self.doc["racks"][player] = packed("".join((+left).elements()))
        held, bag = self.held()
        if not held[player] and not bag:
            self.doc["playState"] = "WAITING_FOR_FINAL_PASS"
            if self.rule == "VOID":
                self._over(player)

    def _over(self, out: int) -> None:
        rack = self.unseen()
        points = 2 * rack_value(rack, _SET)
        self._add("END_RACK_PTS", out, points, endRackPoints=points, rack=packed(rack))
        self.doc["playState"] = "GAME_OVER"

    def _challenge(self, challenger: int) -> None:
        if self.rule == "VOID":
            raise RefusedCallError("challenges are not valid in void")
        last = self.doc["events"][-1] if self.doc["events"] else {}
        if not last.get("wordsFormed"):
            raise RefusedCallError("there are no words to challenge")
        good = all(unpacked(one).upper() in self.words for one in last["wordsFormed"])
        player, waiting = last["playerIndex"], self.doc["playState"] == "WAITING_FOR_FINAL_PASS"
        if not good:
            lost = last["score"]
            self._add("PHONY_TILES_RETURNED", player, -lost, lostScore=lost,
                      playedTiles=last["playedTiles"], rack=last["rack"])  # fmt: skip
            self.doc["playState"] = "PLAYING"
            self._next(player)
            return
        if self.rule == "DOUBLE":
            self._add("UNSUCCESSFUL_CHALLENGE_TURN_LOSS", challenger)
            self.doc["playerOnTurn"] = player
        else:
            bonus = {"FIVE_POINT": 5, "TEN_POINT": 10}.get(self.rule, 0)
            self._add("CHALLENGE_BONUS", player, bonus, bonus=bonus)
        if waiting:
            self._over(player)

    def amend(self, event: dict[str, Any], number: int) -> None:
        """Put an event in place of an earlier one; drop what no longer fits, and say nothing."""
        if number >= len(self.doc["events"]):
            raise RefusedCallError("tried to amend a non-existing event")
        before = copy.deepcopy(self.doc)
        events = self.doc["events"]
        later = events[number + 1 :]
        player = events[number]["playerIndex"]
        self._cut(events[:number])
        self.doc["playerOnTurn"] = player
        try:
            self.play(event)
        except RefusedCallError:
            self.doc = before
            raise
        for one in later:
            if not self._again(one):
                break

    def _cut(self, events: list[dict[str, Any]]) -> None:
        scores = [0, 0]
        for one in events:
            scores[one["playerIndex"]] = one["cumulative"]
        self.doc |= {"events": list(events), "currentScores": scores, "racks": ["", ""],
                     "playState": "PLAYING"}  # fmt: skip

    def _again(self, one: dict[str, Any]) -> bool:
        kinds = {"TILE_PLACEMENT_MOVE": 0, "PASS": 1, "EXCHANGE": 2}
        self.doc["playerOnTurn"] = one["playerIndex"]
        if one["type"] in ("END_RACK_PTS", "END_RACK_PENALTY"):
            return True
        try:
            if one["type"] in kinds:
                tiles = one.get("playedTiles") or one.get("exchanged", "")
                self.play({"type": kinds[one["type"]], "position_coords": one.get("position"),
                           "machine_letters": tiles})  # fmt: skip
            else:
                self.doc["playerOnTurn"] = 1 - self.doc["events"][-1]["playerIndex"]
                self._challenge(self.doc["playerOnTurn"])
        except RefusedCallError:
            return False
        return True


class Standin:
    """The server. ``url`` is where it listens; ``calls`` are the methods called, in order."""

    def __init__(self, words: Container[str] | None = None, timeout_s: float = 0.4) -> None:
        self.words = Everything() if words is None else words
        self.games: dict[str, Game] = {}
        self.slots: dict[tuple[int, int], dict[str, Any]] = {}
        self.rule, self.key, self.me = "FIVE_POINT", "secret-key", "club"
        self.faults: deque[Fault | None] = deque()
        self.calls: list[str] = []
        self.sent: list[dict[str, Any]] = []
        self.imported: list[str] = []
        self._timeout_s, self._lock = timeout_s, threading.Lock()
        standin = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                standin.serve(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def pair(self, round_: int, table: int, first: str, second: str) -> None:
        self.slots[round_, table] = {"round": round_, "tableNumber": table,
                                     "player1Name": first, "player2Name": second}  # fmt: skip

    def serve(self, request: BaseHTTPRequestHandler) -> None:
        body = json.loads(request.rfile.read(int(request.headers["Content-Length"])))
        method = request.path.rpartition("/")[2]
        with self._lock:
            self.calls.append(method)
            fault = self.faults.popleft() if self.faults else None
            if fault == "refuse_500":
                return self._answer(request, 500, b'{"code":"internal","message":"oh"}')
            if fault == "html":
                return self._answer(request, 502, b"<html>Bad gateway</html>")
            if fault == "drop":
                return None
            if request.headers.get_all("X-Api-Key") != [self.key]:
                found = {"code": "unauthenticated", "message": "auth-methods-failed"}
                return self._answer(request, 401, json.dumps(found).encode())
            try:
                data = json.dumps(getattr(self, method)(body)).encode()
                status = 200
            except RefusedCallError as refused:
                status = 400
                data = json.dumps({"code": refused.code, "message": str(refused)}).encode()
        if fault == "lose":
            return None
        if fault == "late":
            time.sleep(self._timeout_s * 1.5)
        if fault == "half":
            return self._answer(request, status, data[: len(data) // 2], len(data))
        if fault == "wrong" and method == "GetGameDocument":
            data = json.dumps({**json.loads(data), "events": "none", "uid": 7}).encode()
        return self._answer(request, status, data)

    def _answer(self, request, status: int, data: bytes, length: int | None = None) -> None:
        try:
            request.send_response(status)
            request.send_header("Content-Length", str(length or len(data)))
            request.end_headers()
            request.wfile.write(data)
        except OSError:
            pass  # the caller has gone

    def _game(self, game_id: str, mine: bool = True) -> Game:
        game = self.games.get(game_id)
        if game is None:
            raise RefusedCallError("no such game", "not_found")
        if mine and game.owner != self.me:
            raise RefusedCallError("you do not own this game", "permission_denied")
        return game

    # The calls.

    def GetBroadcast(self, body):  # noqa: N802
        return {"broadcast": {"slug": body["slug"], "challengeRule": RULES.index(self.rule)}}

    def GetBroadcastGames(self, body):  # noqa: N802
        return {"games": [one for (r, _), one in self.slots.items() if r == body["round"]]}

    def ClaimGame(self, body):  # noqa: N802
        slot = self.slots[body["round"], body["table_number"]]
        if "gameUuid" not in slot:
            names = [slot["player1Name"], slot["player2Name"]]
            slot |= {"gameUuid": f"g{len(self.games)}", "annotatorUsername": self.me}
            self.games[slot["gameUuid"]] = Game(
                slot["gameUuid"], names, self.rule, self.me, self.words
            )
        return {"gameId": slot["gameUuid"]}

    def GetGameOwner(self, body):  # noqa: N802
        return {"creatorId": "x7", "username": self._game(body["game_id"], mine=False).owner}

    def GetMyUnfinishedGames(self, body):  # noqa: N802
        return {
            "games": [
                {"gameId": uid}
                for uid, game in self.games.items()
                if game.owner == self.me and game.doc["playState"] != "GAME_OVER"
            ]
        }

    def CreateAnnotatedGame(self, body):  # noqa: N802
        if self.GetMyUnfinishedGames({})["games"]:
            raise RefusedCallError("you have an unfinished game")
        uid = f"own{len(self.games)}"
        names = [one["full_name"] for one in body["players_info"]]
        rule = RULES[body["challenge_rule"]]
        self.games[uid] = Game(uid, names, rule, self.me, self.words)
        return {"gameId": uid}

    def GetGameDocument(self, body):  # noqa: N802
        return self._game(body["game_id"], mine=False).doc

    def SendGameEvent(self, body):  # noqa: N802
        event = body["event"]
        game = self._game(event["game_id"])
        self.sent.append(body)
        if body.get("amendment"):
            game.amend(event, body["event_number"])
        else:
            game.play(event)
        return {}

    def SetRacks(self, body):  # noqa: N802
        game = self._game(body["game_id"])
        self.sent.append(body)
        tiles = "".join(unpacked(one, "?") for one in body["racks"])
        if Counter(tiles) - Counter(game.unseen()):
            raise RefusedCallError("your rack could not be set")
        game.doc["racks"] = list(body["racks"])
        return {}

    def ReplaceGameDocument(self, body):  # noqa: N802
        game = self._game(body["document"]["uid"])
        game.doc = copy.deepcopy(body["document"])
        return {}

    def ImportGCG(self, body):  # noqa: N802
        if len(body["gcg"]) > 128_000 or self.GetMyUnfinishedGames({})["games"]:
            raise RefusedCallError("refused")
        self.imported.append(body["gcg"])
        return {"gameId": f"imported{len(self.imported)}"}
