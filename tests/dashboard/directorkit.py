"""Where the director's pages ask and send, and what they send."""

from __future__ import annotations

from game.events import Finding

GAME = "/director/api/tables/1/games/game-1"
PAGES = ("/director", "/director/tables/1", "/director/tables/1/turns/1")
EVENTS = "/director/api/tables/events"
READS = (
    EVENTS,
    "/director/api/tables/1/pulse",
    "/director/api/tables/1/games",
    GAME,
    f"{GAME}/turns/1",
    f"{GAME}/turns/1/boards",
    "/director/tables/1/picture.jpg",
    f"/director/tables/1/evidence/{'a' * 64}.jpg",
)
COMMANDS = ("stop", "start/left", "start/right", "next", "names", "attend")
WRITES = (
    f"{GAME}/preview",
    f"{GAME}/rule",
    *(f"/director/api/tables/1/{command}" for command in COMMANDS),
)
WHY = {"why": "the hall is noisy", "game": "game-1", "turn": 1, "on_turn": None}
DOUBT = Finding("uncertain_square", "8E", "may be I 62%, L 31%, . 7%")


def post(client, path: str, body: object, **headers: str):
    return client.post(path, json=body, headers={"X-CSRF-Token": client.token, **headers})


def challenge(turn: int = 1) -> dict:
    return {"type": "TurnRuled", "turn": turn, "ruling": "challenge_upheld"}
