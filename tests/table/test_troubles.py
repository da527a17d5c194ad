"""A disk that fails is said, and said again when it has recovered."""

from __future__ import annotations

from table.troubles import Troubles


class Log:
    def __init__(self) -> None:
        self.trouble: str | None = None
        self.held, self.retried = 0, 0

    def retry(self) -> bool:
        self.retried += 1
        return False


class Pictures:
    trouble: str | None = None


def test_each_change_is_said_once_and_what_is_held_tried_again():
    log, pictures, said, now = Log(), Pictures(), [], [0.0]
    troubles = Troubles(log, said.append, lambda: now[0])
    troubles.look(pictures)
    assert (said, log.retried) == ([], 0)
    log.trouble, log.held, pictures.trouble = "disk full", 3, "no room for pictures"
    troubles.look(pictures)  # within the same second
    assert said == []
    for _ in range(3):
        now[0] += 1
        troubles.look(pictures)
    assert said == ["disk full", "no room for pictures"]
    assert log.retried == 3
    log.trouble, log.held, pictures.trouble = None, 0, None
    now[0] += 1
    troubles.look(pictures)
    assert said[2:] == ["the log can be written again", "the pictures can be written again"]


def test_what_was_said_at_the_start_is_not_said_again():
    log, said = Log(), []
    log.trouble = "disk full"
    Troubles(log, said.append, lambda: 5.0).look(Pictures())
    assert said == []
