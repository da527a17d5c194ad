"""A stand-in for Woogles: it keeps annotated games by the rules of its server.

The rules and messages are those of woogles-io/liwords: pkg/omgwords/service.go (commit 08abb151),
pkg/omgwords/handlers.go, pkg/cwgame/api.go and pkg/cwgame/game.go (0d5812ee and d8e036d8), racks of
annotated games as in pkg/cwgame/annotated.go (1ba890e3), pkg/broadcasts/service.go (7e9b881e), and
the JSON of cmd/liwords-api/main.go (0224f693). It has an engine of its own, and judges by a list of
words. ``faults`` names what goes wrong with the coming calls: see :class:`Fault`.
"""

from __future__ import annotations

import base64
import copy
import json
import re
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


EVENT = {
    "note": "", "rack": "", "cumulative": 0, "row": 0, "column": 0, "direction": "HORIZONTAL",
    "position": "", "played_tiles": "", "exchanged": "", "score": 0, "bonus": 0,
    "end_rack_points": 0, "lost_score": 0, "is_bingo": False, "words_formed": [],
    "millis_remaining": 0, "words_formed_friendly": [],
}  # fmt: skip
"""The fields of an event: the server sends those that are empty, too."""


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


def read(message: object) -> Any:
    """A message with its fields as the definitions spell them; both spellings at once are none."""
    if isinstance(message, list):
        return [read(one) for one in message]
    if not isinstance(message, dict):
        return message
    names = [re.sub("[A-Z]", lambda c: f"_{c[0].lower()}", name) for name in message]
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise RefusedCallError(f"duplicate field {twice[0]}")
    return dict(zip(names, map(read, message.values()), strict=True))


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
            "players": [
                {"nickname": p, "real_name": p, "user_id": f"internal-{p}", "quit": False}
                for p in players
            ],
            "events": [],
            "racks": ["", ""],
            "challenge_rule": f"ChallengeRule_{rule}",
            "play_state": "UNSTARTED",
            "current_scores": [0, 0],
            "player_on_turn": 0,
            "lexicon": "TEST",
            "letter_distribution": "english",
            "version": 3,
            "description": "kept",
            "timers": {"time_remaining": ["0", "0"], "untimed": True, "max_overtime": 0},
        }
        self.done = False

    # What follows from the events.

    @property
    def rule(self) -> str:
        return self.doc["challenge_rule"].removeprefix("ChallengeRule_")

    def board(self) -> Board:
        board = Board.empty()
        events = self.doc["events"]
        for at, event in enumerate(events):
            if event["type"] != "TILE_PLACEMENT_MOVE":
                continue
            if at + 1 < len(events) and events[at + 1]["type"] == "PHONY_TILES_RETURNED":
                continue
            board = board.replace(self._placed(event["position"], unpacked(event["played_tiles"])))
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
                count = sum(c != EMPTY for c in unpacked(event["played_tiles"]))
                drawn = min(bag, count)
                bag -= drawn
                held[event["player_index"]] += drawn - count
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
        self.doc["current_scores"][player] += points
        total = self.doc["current_scores"][player]
        named = {"type": kind, "player_index": player, "cumulative": total}
        self.doc["events"].append(EVENT | named | more)

    def send(self, event: dict[str, Any], user: str) -> None:
        """Carry out a client's event of the player with this user id, or refuse it."""
        users = [one["user_id"] for one in self.doc["players"]]
        if self.doc["play_state"] == "GAME_OVER":
            raise RefusedCallError("game not active")
        if event.get("type") == 4:
            if user not in users:
                raise RefusedCallError("player not in this game")
            self._add("RESIGNED", users.index(user))
            self.doc |= {"play_state": "GAME_OVER", "end_reason": "RESIGNED"}
        elif users[self.doc["player_on_turn"]] != user:
            raise RefusedCallError("not on turn")
        else:
            self.play(event)

    def play(self, event: dict[str, Any]) -> None:
        """Carry out an event of the player on turn, or refuse it."""
        if self.doc["play_state"] == "GAME_OVER":
            raise RefusedCallError("game not active")
        kind, player = event.get("type", 0), self.doc["player_on_turn"]
        waiting = self.doc["play_state"] == "WAITING_FOR_FINAL_PASS"
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
            if Counter(exchanged) - Counter(self.unseen()):
                raise RefusedCallError("you tried to play a tile that is not in your rack")
            self._add("EXCHANGE", player, exchanged=packed(exchanged))
        else:
            raise RefusedCallError("unhandled evt type")
        self._next(player)
        return None

    def _next(self, player: int) -> None:
        if self.doc["play_state"] != "GAME_OVER":
            self.doc["player_on_turn"] = 1 - player
            if self.zeros() == 6:
                for side in (player, 1 - player):
                    rack = unpacked(self.doc["racks"][side], "?")
                    off = rack_value(rack, _SET)
                    self._add("END_RACK_PENALTY", side, -off, lost_score=off, rack=packed(rack))
                self.doc["play_state"] = "GAME_OVER"

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
            played_tiles=packed(word),
            rack=packed(rack if Counter(rack) - Counter(known) else known),
            words_formed=[packed(one) for one in words],
        )
        left = Counter(known)
        left.subtract(rack)
        self.doc["racks"][player] = packed("".join((+left).elements()))
        held, bag = self.held()
        if not held[player] and not bag:
            self.doc["play_state"] = "WAITING_FOR_FINAL_PASS"
            if self.rule == "VOID":
                self._over(player)

    def _over(self, out: int) -> None:
        rack = self.unseen()
        points = 2 * rack_value(rack, _SET)
        self._add("END_RACK_PTS", out, points, end_rack_points=points, rack=packed(rack))
        self.doc["play_state"] = "GAME_OVER"

    def _challenge(self, challenger: int) -> None:
        if self.rule == "VOID":
            raise RefusedCallError("challenges are not valid in void")
        last = self.doc["events"][-1] if self.doc["events"] else {}
        if not last.get("words_formed"):
            raise RefusedCallError("there are no words to challenge")
        good = all(unpacked(one).upper() in self.words for one in last["words_formed"])
        player, waiting = last["player_index"], self.doc["play_state"] == "WAITING_FOR_FINAL_PASS"
        if not good:
            lost = last["score"]
            self._add("PHONY_TILES_RETURNED", player, -lost, lost_score=lost,
                      played_tiles=last["played_tiles"], rack=last["rack"])  # fmt: skip
            self.doc["play_state"] = "PLAYING"
            self._next(player)
            return
        if self.rule == "DOUBLE":
            self._add("UNSUCCESSFUL_CHALLENGE_TURN_LOSS", challenger)
            if not waiting:
                self._next(challenger)
        else:
            bonus = {"FIVE_POINT": 5, "TEN_POINT": 10}.get(self.rule, 0)
            self._add("CHALLENGE_BONUS", player, bonus, bonus=bonus)
        if waiting:
            self._over(player)

    def amend(self, event: dict[str, Any], number: int, user: str) -> None:
        """Put an event in place of an earlier one; drop what no longer fits, and say nothing."""
        if number >= len(self.doc["events"]):
            raise RefusedCallError("tried to amend a rack for a non-existing event")
        before = copy.deepcopy(self.doc)
        events = self.doc["events"]
        later = events[number + 1 :]
        player = events[number]["player_index"]
        self._cut(events[:number])
        self.doc["player_on_turn"] = player
        try:
            self.send(event, user)
        except RefusedCallError:
            self.doc = before
            raise
        for one in later:
            try:
                self._again(one)
            except RefusedCallError:
                break

    def _cut(self, events: list[dict[str, Any]]) -> None:
        scores = [0, 0]
        for one in events:
            scores[one["player_index"]] = one["cumulative"]
        self.doc |= {"events": list(events), "current_scores": scores, "racks": ["", ""],
                     "play_state": "PLAYING"}  # fmt: skip

    def _again(self, one: dict[str, Any]) -> None:
        """Apply an event once more. What is no turn keeps the sum of points that it had."""
        kinds = {"TILE_PLACEMENT_MOVE": 0, "PASS": 1, "EXCHANGE": 2}
        player = self.doc["player_on_turn"] = one["player_index"]
        if one["type"] in kinds:
            tiles = one["played_tiles"] or one["exchanged"]
            self.play({"type": kinds[one["type"]], "position_coords": one["position"],
                       "machine_letters": tiles})  # fmt: skip
        elif one["type"] == "UNSUCCESSFUL_CHALLENGE_TURN_LOSS":
            if self.doc["play_state"] == "GAME_OVER":
                raise RefusedCallError("game not active")
            self._add(one["type"], player)
            if self.doc["play_state"] == "WAITING_FOR_FINAL_PASS":
                self._over(1 - player)
            self._next(player)
        else:
            self.doc["current_scores"][player] = one["cumulative"]
            self.doc["events"].append(one)
            if one["type"] in ("PHONY_TILES_RETURNED", "CHALLENGE_BONUS"):
                self.doc["player_on_turn"] = 1 - player


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
        self.slots[round_, table] = {
            "round": round_, "table_number": table, "player1_name": first, "player2_name": second,
            "game_uuid": "", "annotator_username": "", "annotation_done": False, "division": "A",
        }  # fmt: skip

    def serve(self, request: BaseHTTPRequestHandler) -> None:
        sent = json.loads(request.rfile.read(int(request.headers["Content-Length"])))
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
                data = json.dumps(getattr(self, method)(read(sent))).encode()
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
            raise RefusedCallError("game document does not exist")
        if mine and game.owner != self.me:
            raise RefusedCallError("user does not own this game")
        return game

    # The calls.

    def GetBroadcast(self, body):  # noqa: N802
        return {"broadcast": {"slug": body["slug"], "challenge_rule": RULES.index(self.rule)}}

    def GetBroadcastGames(self, body):  # noqa: N802
        return {"games": [one for (r, _), one in self.slots.items() if r == body["round"]]}

    def ClaimGame(self, body):  # noqa: N802
        slot = self.slots[body["round"], body["table_number"]]
        if body["division"] != slot["division"]:
            raise RefusedCallError("no pairing found")  # the server would claim it beside the list
        if not slot["game_uuid"]:
            names = [slot["player1_name"], slot["player2_name"]]
            slot |= {"game_uuid": f"g{len(self.games)}", "annotator_username": self.me}
            self.games[slot["game_uuid"]] = Game(
                slot["game_uuid"], names, self.rule, self.me, self.words
            )
        return {"game_id": slot["game_uuid"]}

    def GetGameOwner(self, body):  # noqa: N802
        game = self.games.get(body["game_id"])
        named = "" if game is None else game.owner
        return {"creator_id": "x7", "creator_username": named, "found": game is not None}

    def GetMyUnfinishedGames(self, body):  # noqa: N802
        return {
            "games": [
                {"game_id": uid, "creator_id": "x7", "private": True, "finished": False}
                for uid, game in self.games.items()
                if game.owner == self.me and not game.done
            ]
        }

    def CreateAnnotatedGame(self, body):  # noqa: N802
        first, second = body["players_info"]
        if not first.get("first") or second.get("first"):
            raise RefusedCallError("only first player must be marked as first")
        if self.GetMyUnfinishedGames({})["games"]:
            raise RefusedCallError("please finish or delete your unfinished games")
        uid = f"own{len(self.games)}"
        rule = RULES[body["challenge_rule"]]
        names = [first["full_name"], second["full_name"]]
        self.games[uid] = Game(uid, names, rule, self.me, self.words)
        return {"game_id": uid}

    def GetGameDocument(self, body):  # noqa: N802
        return self._game(body["game_id"], mine=False).doc

    def SendGameEvent(self, body):  # noqa: N802
        event = body["event"]
        game = self._game(event["game_id"])
        self.sent.append(body)
        if body.get("amendment"):
            game.amend(event, body["event_number"], body["user_id"])
        else:
            game.send(event, body["user_id"])
        game.done = game.done or game.doc["play_state"] == "GAME_OVER"  # a document marks none
        return {}

    def SetRacks(self, body):  # noqa: N802
        game = self._game(body["game_id"])
        self.sent.append(body)
        tiles = "".join(unpacked(one, "?") for one in body["racks"])
        if any(byte & 0x80 for one in body["racks"] for byte in base64.b64decode(one)):
            raise RefusedCallError("rack contains designated blank")
        if Counter(tiles) - Counter(game.unseen()):
            raise RefusedCallError("your rack could not be set")
        game.doc["racks"] = list(body["racks"])
        return {}

    def ReplaceGameDocument(self, body):  # noqa: N802
        game = self._game(body["document"]["uid"])
        document = copy.deepcopy(body["document"])
        game.doc = document | {"events": [EVENT | one for one in document["events"]]}
        return {}

    def ImportGCG(self, body):  # noqa: N802
        if len(body["gcg"]) > 128_000 or self.GetMyUnfinishedGames({})["games"]:
            raise RefusedCallError("please finish or delete your unfinished games")
        self.imported.append(body["gcg"])
        return {"game_id": f"imported{len(self.imported)}"}
