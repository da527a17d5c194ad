"""A turn for the dispute view: its account, as bundles have it, and its kept pictures.

Also the evidence of a game as one signed archive, made by ``tilewatch export`` itself. The export
runs in a process of its own, at a low priority: reading a whole game and hashing each picture takes
seconds, and must not hold up the table.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import urlencode

from markupsafe import Markup

from dashboard.director.folded_page import FoldedPage
from dashboard.director.turn_pictures import KeptPictures, clip
from game.board import Board, Square
from game.errors import TilewatchError
from game.flags import detail_words, label
from game.jpeg import jpeg_size
from game.plays.change import same_tile
from game.terms import PictureEdge
from game.tile_symbols import spelled, symbol_words
from record.bundle.derived_files import HEADER_BYTES
from record.evidence import EvidenceStore
from record.log.event_log import LogReader
from record.raw_edges import RawEdge, edges_near
from record.seals import digest, fingerprint
from record.story import Story, tell
from record.story.entries import real_presses
from record.story.turns import Shot, TurnStory
from record.story_html import pictures
from record.story_html import turn as parts
from record.story_html.drawings import Corners, PictureSource
from record.story_html.words import date, offset, role


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A whole picture of a turn; perhaps deleted."""

    shot: Shot
    place: int | None
    """The index among the pictures that can be shown; None if this one cannot."""
    near: Corners | None
    """The board's corners as they are in the picture that was read, on this picture's scale."""
    dark: str
    """Why nothing is to be seen in it unless it is brightened; else empty."""
    caption: str
    """The reason for keeping it, and whether it is from before or after the end of the turn."""

    @property
    def at(self) -> str:
        """The picture's time from the press."""
        return offset(self.shot.from_press_ns)


@dataclass(frozen=True, slots=True)
class SquareRow:
    """A square that a turn is about, with its contents in words."""

    name: str
    crop: str | None
    """The SHA-256 of the square's newest crop; None if there is none."""
    before: str
    read: str
    now: str
    differs: bool
    """True if the square counts as another tile than the camera read."""
    sure: float | None
    """The reader's confidence, 0 to 1; None if unknown."""
    marked: bool
    findings: str


@dataclass(frozen=True, slots=True)
class Dispute:
    """A turn in the account of its game."""

    page: FoldedPage
    story: Story
    turn: TurnStory
    pictures: tuple[ShownPicture, ...]
    """The whole pictures of the turn by the time of their exposure, each once with its roles."""
    kept: KeptPictures

    @property
    def title(self) -> str:
        """The turn in a few words."""
        return parts.title(self.turn)

    @property
    def of_the_game(self) -> tuple[str, ...]:
        """Return the lines of a printed sheet: the players and the date, the rules, the result."""
        story, state = self.story, self.story.state
        began = f"begun on {date(story.wall.at(state.start.t_ns), story.zone)}"
        if story.wall.replayed:
            began = "from a recording"
        return (
            f"{state.players['left']} against {state.players['right']}, {began}",
            state.rulebook.name,
            f"{story.result}. {story.standing}",
        )

    def sheet(self, address: Callable[[str], str]) -> Markup:
        """Return the turn as it is printed, like a bundle's page, as HTML.

        ``address`` returns the address of a picture by its SHA-256.
        """
        source = _source(self.kept, address)
        return Markup(parts.turn_section(self.story, self.turn, source))  # noqa: S704

    @property
    def seats(self) -> dict[PictureEdge, str]:
        """The players by the edge of the picture at which they sit; empty if that is not known."""
        return pictures.seats(self.story, self.turn)

    @property
    def facts(self) -> Markup:
        """Return the time of the turn, the clocks and the score, as HTML."""
        return Markup(parts.facts(self.story, self.turn))  # noqa: S704 - escaped where it is made

    @property
    def gaps(self) -> Markup:
        """Return the times of the turn from which there is no picture, as HTML."""
        return Markup(pictures.gaps(self.story, self.turn, self._linked))  # noqa: S704

    def _linked(self, turn: TurnStory, shot: Shot, words: str) -> str:
        """Return words as a button that shows a picture of this turn, or a link to another turn."""
        if turn.number != self.turn.number:
            asked = urlencode({"game": self.story.state.game_id})
            return f'<a href="{turn.number}?{asked}">{words}</a>'
        place = next((one.place for one in self.pictures if one.shot.sha256 == shot.sha256), None)
        if place is None:
            return words
        return f'<button type="button" data-at="{place}">{words}</button>'

    @property
    def play(self) -> Markup:
        """Return the boards before, at and after the press, and the sum of the score, as HTML."""
        return Markup(parts.boards(self.turn) + parts.sum_of(self.turn))  # noqa: S704

    @property
    def settled(self) -> dict[str, str]:
        """Return in words how flags were settled, by the number of the event that settled each."""
        return {
            str(number): one.outcome.replace(f", event {number}", "")
            for one in self.turn.flags
            if one.flag and (number := one.flag.settled) is not None
        }

    @property
    def ruled(self) -> Markup:
        """Return what was ruled and entered about the turn, and the clock's contacts, as HTML."""
        ruled = parts.incident_list(self.story, self.turn.decisions, self.turn)
        asked = urlencode({"game": self.story.state.game_id})
        ruled = re.sub(r'href="#turn-(\d+)"', rf'href="\1?{asked}"', ruled)
        none = '<p class="none">Nobody has ruled or entered anything of this turn.</p>'
        return Markup((ruled or none) + parts.contacts(self.turn))  # noqa: S704

    @property
    def shown(self) -> list[dict[str, Any]]:
        """The pictures that can be shown, for the page's viewer."""
        return [
            {
                "sha256": one.shot.sha256,
                "t_ns": one.shot.t_ns,
                "roles": one.shot.roles,
                "words": f"{one.caption}, {one.at} from {self.turn.end}"
                + ", brightened" * bool(one.dark),
                "corners": one.shot.corners,
                "near": one.near,
                "dark": one.dark,
            }
            for one in self.pictures
            if one.place is not None
        ]

    def clip(self, store: EvidenceStore) -> bytes:
        """Return a WebM clip of the pictures that can be read. Raises ``TilewatchError``."""
        return clip(list(self._clipped(store)))

    def _clipped(self, store: EvidenceStore) -> Iterator[tuple[int, bytes, str]]:
        for one in self.pictures:
            try:
                jpeg = store.load(one.shot.sha256)
            except TilewatchError:
                continue  # deleted or lost: the view says so
            title = f"Turn {self.turn.number}, {self.turn.name}"
            yield one.shot.t_ns, jpeg, f"{title}: {one.caption}, {one.at}"

    @property
    def presses(self) -> Iterator[tuple[int, str]]:
        """The end of the turn before, and the presses until the next: (ns from this, words)."""
        turn, course = self.turn.turn, self.story.course
        before = course.counted(turn.press_ns - 1)
        yield self.turn.from_ns - turn.press_ns, course.end_of(before)
        yield from self.turn.presses

    @property
    def squares(self) -> list[SquareRow]:
        """The squares that the turn is about, in reading order."""
        turn, crops = self.turn.turn, {one.square: one.sha256 for one in self.turn.crops}
        before, after = turn.before, turn.after
        read = Board.from_rows(turn.seen.rows)
        found = {at.name for at in before.diff(read)} | turn.seen.confidence.keys()
        found |= {name for name in crops if name is not None}
        # A blank that has a letter is read as a blank each time: that is no news.
        found = {name for name in found if not same_tile(before[name], read[name])}
        found |= {at.name for at in before.diff(after)}
        found |= {one.square for one in turn.seen.findings if one.square is not None}
        found |= {name for flag in turn.flags for name in flag.squares}
        return [
            SquareRow(
                name,
                crops.get(name),
                symbol_words(before[name]),
                symbol_words(read[name]),
                symbol_words(after[name]),
                not same_tile(after[name], read[name]),
                turn.seen.confidence.get(name),
                name in (turn.seen.marked or ()),
                "; ".join(
                    f"{label(one.code)}: {spelled(detail_words(one.detail))}"
                    for one in turn.seen.findings
                    if one.square == name
                ),
            )
            for name in sorted(found, key=Square.parse)
        ]

    @property
    def known(self) -> Markup:
        """Return the events about the turn in the order in which they became known, as HTML."""
        entries = self.turn.entries
        return Markup(parts.known(self.story, entries, self.turn, opened=True))  # noqa: S704

    @property
    def seal(self) -> str:
        """A line that names the newest record that the page includes, to check it by."""
        head = self.page.head
        return (
            f"Game {self.story.state.game_id}, as it stood after event {head.number} "
            f"({date(head.wall_ns, self.story.zone)}), check code {digest(head.hash)}, "
            f"key of the table {fingerprint(head.key)}."
        )


def dispute(
    page: FoldedPage, number: int, store: EvidenceStore | None = None, edges: Path | None = None
) -> Dispute:
    """Return a turn of a game, with the account of the whole game.

    Args:
        page: the game.
        number: the turn's number.
        store: the table's pictures; None if it keeps none.
        edges: the file with the raw edges of the clock's contacts; None if there is none.
    """
    raw: Sequence[RawEdge] = ()
    if edges is not None:
        presses = real_presses(page.entries)
        press_ns = page.state.turns[number - 1].press_ns
        at = [place for place, (t_ns, _) in enumerate(presses) if t_ns == press_ns]
        raw = edges_near(edges, presses, at[:1])
    story = tell(page.steps(), raw, zone=None)
    turn = story.turns[number - 1]
    kept = KeptPictures.of(page, store)
    return Dispute(page, story, turn, tuple(_pictures(kept, story, turn)), kept)


def _pictures(kept: KeptPictures, story: Story, turn: TurnStory) -> Iterator[ShownPicture]:
    shots = {one.sha256: one for one in turn.shots}
    if (earlier := _previous(story, turn, shots)) is not None:
        shots[earlier.sha256] = earlier
    place, source = 0, _source(kept, lambda sha256: sha256)
    for shot in sorted(shots.values(), key=lambda one: one.t_ns):
        there = kept.there(shot.sha256)
        near = pictures.corners_of(turn, shot, source)
        dark = story.dark_at(shot.t_ns)
        words = role(shot.roles, shot.from_press_ns, turn.end, dark=dark)
        yield ShownPicture(shot, place if there else None, near, dark, words)
        place += there


def _source(kept: KeptPictures, address: Callable[[str], str]) -> PictureSource:
    """Return the kept pictures with their addresses by SHA-256."""
    return PictureSource(
        lambda sha256: address(sha256) if kept.there(sha256) else None,
        lambda sha256: _size(kept.store, sha256),
    )


def _size(store: EvidenceStore | None, sha256: str) -> tuple[int, int] | None:
    """Return a picture's width and height; None if it cannot be read."""
    if store is None:
        return None
    try:
        with store.path(sha256).open("rb") as file:
            return jpeg_size(file.read(HEADER_BYTES))
    except (OSError, TilewatchError):
        return None


def _previous(story: Story, turn: TurnStory, own: Mapping[str, Shot]) -> Shot | None:
    """Return the picture from which the turn before was read; None if this turn names none."""
    sha256 = turn.turn.seen.frames.get("before")
    if sha256 is None or turn.number == 1:
        return None
    before = story.turns[turn.number - 2]
    known = own.get(sha256) or next((one for one in before.shots if one.sha256 == sha256), None)
    if known is not None:
        roles = ("previous", *(known.roles if sha256 in own else ()))
        return replace(known, roles=roles, from_press_ns=known.t_ns - turn.turn.press_ns)
    t_ns = before.turn.seen.sighted_ns
    if t_ns is None:
        return None
    return Shot(sha256, ("previous",), t_ns, t_ns - turn.turn.press_ns, None, None, deleted=False)


_LONGEST_S: Final = 300
_NICENESS: Final = 10
_AT_ONCE = threading.Lock()


class ArchiveError(TilewatchError):
    """An archive could not be made: the reason in one line."""


def make_archive(log: LogReader, game_id: str) -> IO[bytes]:
    """Return the archive of a game, open for reading; closing it deletes the file.

    Raises ``ArchiveError`` if the command fails, or while another archive is being made.
    """
    if not _AT_ONCE.acquire(blocking=False):
        raise ArchiveError("another archive is being made; try again in a moment")
    try:
        with tempfile.TemporaryDirectory(prefix="tilewatch-export-") as folder:
            error = _run("--data", str(log.path.parent), "--out", folder, "--", game_id)
            made = next(Path(folder).glob("*.tilewatch.zip"), None)
            if made is None:
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
