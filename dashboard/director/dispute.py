"""A turn for the dispute view: the account of it, as a bundle has it, and its clip.

The evidence of a game as one signed archive, made by ``tilewatch export`` itself.

It runs in a process of its own, at a low priority: to read a whole game, with a hash of each
picture, takes seconds, and the table goes on being read and shown meanwhile.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from markupsafe import Markup

from dashboard.director.evidence_file import raw_edges
from dashboard.director.folded_page import FoldedPage
from game.errors import TilewatchError
from record.clip import clip
from record.evidence import EvidenceStore
from record.log.event_log import LogReader
from record.story import Story, tell
from record.story.turns import TurnStory
from record.story_html import turn as parts
from record.story_html.words import date, offset, role


@dataclass(frozen=True, slots=True)
class Dispute:
    """A turn in the account of its game."""

    story: Story
    turn: TurnStory

    @property
    def title(self) -> str:
        """The turn in a few words."""
        return parts.title(self.turn)

    @property
    def of_the_game(self) -> tuple[str, ...]:
        """Lines for a printed sheet: the players and the date, the rules, the result."""
        story, state = self.story, self.story.state
        began = f"begun on {date(story.wall.at(state.start.t_ns), story.zone)}"
        if story.wall.replayed:
            began = "from a recording"
        return (
            f"{state.players['left']} against {state.players['right']}, {began}",
            state.rulebook.name,
            f"{story.result}. {story.standing}",
        )

    @property
    def facts(self) -> Markup:
        """The time of the turn, the clocks and the score."""
        return Markup(parts.facts(self.story, self.turn))  # noqa: S704 - escaped where it is made

    @property
    def play(self) -> Markup:
        """The boards before, at and after the press, and the sum."""
        return Markup(parts.boards(self.turn) + parts.sum_of(self.turn))  # noqa: S704

    @property
    def settled(self) -> dict[str, str]:
        """The words on how each flag was settled, by the number of the event that did."""
        noted = ((note.flag.settled, note.settled_by) for note in self.turn.flags)
        return {
            str(number): by.removesuffix(f", event {number}")
            for number, by in noted
            if number is not None and by != f"event {number}"
        }

    @property
    def ruled(self) -> Markup:
        """What was ruled and entered of it, and the clock around it."""
        ruled = parts.decisions(self.story, self.turn.decisions)
        none = '<p class="none">Nobody has ruled or entered anything of this turn.</p>'
        clock = parts.presses(self.turn)
        return Markup((ruled or none) + (f"<h3>The clock</h3>{clock}" if clock else ""))  # noqa: S704


def dispute(page: FoldedPage, number: int, edges: Path | None) -> Dispute:
    """A turn of a game, told with the events that are about it."""
    raw = tuple(raw_edges(page, page.state.turns[number - 1], edges))
    story = tell(page.steps(), raw, zone=None)
    return Dispute(story, story.turns[number - 1])


def clip_of(found: TurnStory, store: EvidenceStore) -> bytes:
    """A clip of a turn's pictures that are there. Raises ``TilewatchError``."""
    return clip(list(_shown(found, store)))


def _shown(found: TurnStory, store: EvidenceStore) -> Iterator[tuple[int, bytes, str]]:
    for shot in found.shots:
        try:
            jpeg = store.load(shot.sha256)
        except TilewatchError:
            continue  # deleted or lost: the view says so
        caption = f"Turn {found.number}, {found.name}: {role(shot.roles, shot.from_press_ns)}, "
        yield shot.t_ns, jpeg, caption + offset(shot.from_press_ns)


_LONGEST_S: Final = 300
_NICENESS: Final = 10
_AT_ONCE = threading.Lock()


class ArchiveError(TilewatchError):
    """The reason why there is no archive, in one line."""


def make_archive(log: LogReader, game_id: str) -> IO[bytes]:
    """Return the archive of a game, open to be read; its file is gone once that is closed.

    Raises ``ArchiveError`` where the command refuses, and while another archive is made.
    """
    if not _AT_ONCE.acquire(blocking=False):
        raise ArchiveError("another archive is being made; try again in a moment")
    try:
        with tempfile.TemporaryDirectory(prefix="tilewatch-export-") as folder:
            made = Path(folder, "archive.zip")
            error = _run("--data", str(log.path.parent), "--out", str(made), "--", game_id)
            if not made.exists():
                raise ArchiveError(error or "the archive could not be made")
            return made.open("rb")
    finally:
        _AT_ONCE.release()


def _run(*arguments: str) -> str:
    """Run the command, and return the last line of its error output."""
    paths = os.pathsep.join(path for path in sys.path if path)
    with subprocess.Popen(  # noqa: S603 - our own command, no shell
        [sys.executable, "-m", "table.cli", "export", *arguments],
        env={**os.environ, "PYTHONPATH": paths},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        os.setpriority(os.PRIO_PROCESS, process.pid, _NICENESS)
        try:
            _, complaints = process.communicate(timeout=_LONGEST_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise ArchiveError(f"the archive was not made within {_LONGEST_S} s") from None
    return complaints.strip().rpartition("\n")[2]
