"""A bench that answers as a table's would, and remembers what it was asked."""

from __future__ import annotations

from dataclasses import asdict

import cv2
import numpy as np

from game.errors import TilewatchError
from game.rulebooks.announcing import options
from game.rulebooks.loading import load_rulebook

JUDGED = [
    {"name": "grid", "grade": "good", "says": "the corners are within 0.02", "advice": ""},
    {"name": "focus", "grade": "fair", "says": "edges are soft", "advice": "Turn the ring."},
    {"name": "glare", "grade": "poor", "says": "a reflection hides 8H", "advice": "Move the lamp."},
]
NOW = {
    "status": "waiting", "left": "Ann", "right": "Bob", "rulebook": "wespa-2007",
    "tile_set": "english", "word_list": None, "minutes": 25.0, "timed": True, "first": None,
    "announced": {"challenge": "lose_turn"}, "in_words": "a challenge in vain costs the turn",
}  # fmt: skip
FINE = {"ok": True, "remedy": "", "figures": {}}
CHECKS = [
    FINE | {"name": "camera", "says": "12 pictures a second"},
    FINE | {"name": "space", "ok": False, "says": "200 MB are free", "remedy": "Free some."},
    FINE | {"name": "data folder", "known": True, "says": "/srv/games can be written by ann"},
]


class Bench:
    """A ``dashboard.interfaces.SetupBackend``."""

    def __init__(self) -> None:
        self.asked: list = []
        self.attributions: list = []
        self.corners = [[100.0, 80.0], [540.0, 90.0], [560.0, 430.0], [90.0, 420.0]]
        self.fault: str | None = None
        self.on_disk = True
        picture = np.full((480, 640, 3), (60, 90, 70), np.uint8)
        cv2.rectangle(picture, (100, 80), (550, 425), (180, 190, 170), -1)
        self.jpeg = cv2.imencode(".jpg", picture)[1].tobytes()
        self.now = dict(NOW)

    def state(self):
        found = {"corners": self.corners, "empty": True, "judgements": JUDGED}
        return {
            "around": 3.2, "size": [640, 480], "trouble": "", "saved": None, "saved_trouble": "",
            "found": found,
        }  # fmt: skip

    def _asked(self, what):
        self.asked.append(what)
        if self.fault is not None:
            raise TilewatchError(self.fault)

    def look_again(self):
        self._asked("look")
        return self.state()

    def move(self, corners):
        self._asked(("move", corners))
        self.corners = corners
        return self.state()

    def accept(self, empty, who, *, board_only=False):
        self._asked(("keep", empty, board_only) if board_only else ("keep", empty))
        self.attributions.append((who.by, who.why))
        saved = {
            "made": "2026-01-02T03:04:05Z", "camera": "webcam 0", "board_only": board_only,
        }  # fmt: skip
        return self.state() | {"saved": saved, "on_disk": self.on_disk}

    def judged(self):
        return self.jpeg

    def live(self):
        return None if self.fault else self.jpeg

    def count_tiles(self, by_hand, who):
        self._asked(("count", by_hand))
        self.attributions.append((who.by, who.why))
        return {
            "complete": False, "layout": "10 rows of 10", "count": 3,
            "tiles": {"3D": "A", "3E": "Q", "3F": "?"}, "confidence": {}, "missing": {"B": 1},
            "extra": {"Q": 1}, "face_down": [], "unsure": ["3D"], "spellings": {}, "learnt": False,
            "says": ["3 tiles in 10 rows of 10", "missing: 1 × B", "too many: 1 × Q"],
            "on_disk": self.on_disk,
        }  # fmt: skip

    def examine(self):
        self._asked("examine")
        return CHECKS

    def choices(self):
        return {
            "rulebooks": [
                {"id": one, "name": one, "options": list(map(asdict, options(load_rulebook(one))))}
                for one in ("wespa-2007", "psa")
            ],
            "tile_sets": [{"id": "english", "name": "English"}],
            "word_lists": ["words.txt"],
            "now": self.now,
        }

    def new_game(self, wishes, who):
        self._asked(("game", dict(wishes)))
        self.attributions.append((who.by, who.why))
        return self.choices() | {"on_disk": self.on_disk}
