"""The part of a bundle's check that needs the rules: the game is replayed and the results compared.

The verifier in bundles does none of this. Turns, scores and the record follow from the rules, so a
difference is a fault. The page, the read-me and the files of the rules depend on the program too,
so a difference is a fault only if the same program made the bundle; otherwise they are reported as
unchecked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from game.errors import TilewatchError
from game.events import SIDES
from game.gcg import parse
from game.gcg.record import Entry
from game.state.fold import GameState
from record import statement
from record.bundle import archive
from record.bundle.derived_files import (
    HEADER_BYTES,
    page,
    picture_source,
    plain_page,
    readme,
    verifier_text,
)
from record.chain import LoggedEvent, canonical_json
from record.errors import BundleError, SigningError
from record.raw_edges import from_csv
from record.result_slip import closing
from record.seals import digest, plain_digest, plain_key, sha256
from record.story_html.words import date
from record.strict_json import same
from record.verifier.chain import Event
from record.verifier.checks import Check
from record.verifier.comparison import since
from record.verifier.report import Fault, Game, Report

_MOST_NOTES: Final = 20
_LONGEST_NOTE: Final = 200


def verify(path: Path, keys: Sequence[str] = (), written: str | None = None) -> Report:
    """Check a bundle, or the folder into which one was unpacked, and replay its game.

    ``keys`` are the public keys or fingerprints that may have signed the bundle; without any, one
    unknown key must have signed everything. ``written`` is a digest from a result slip. Raises
    ``BundleError`` if the file is no bundle or cannot be read, and ``SigningError`` if ``keys`` or
    ``written`` are malformed.
    """
    try:
        plain = [plain_key(key) for key in keys]
        slip = None if written is None else plain_digest(written)
    except ValueError as error:
        raise SigningError(str(error)) from error
    try:
        check = Check(path, plain, slip)
        report = check.run()
        if report.facts is not None:
            report.facts.game = Replay(check).run()
    except archive.Unusable as error:
        raise BundleError(f"{path}: {error}") from error
    except OSError as error:
        raise BundleError(f"{path}: cannot be read ({error.strerror})") from error
    except MemoryError as error:
        raise BundleError(f"{path}: checking it takes more memory than there is") from error
    return report


class Replay:
    """Replays the game of a bundle whose events are sound."""

    def __init__(self, check: Check) -> None:
        self._report, self._manifest, self._files = check.report, check.manifest, check.files
        self._written, self._spoilt = check.written, check.spoilt
        self._events = [_logged(event) for event in check.events]
        self._replayed = statement.replayed(self._events)
        self._same_program = self._manifest["exported_with"].get("program") == statement.program()

    def run(self) -> Game | None:
        """Replay the events, add faults to the report, and return the game."""
        state = self._replayed.state
        if self._manifest["game"] is None:
            self._unreplayed()
        elif state is None:
            self._fault(archive.EVENTS, f"the game cannot be replayed: {self._replayed.why}")
        else:
            self._compare(state)
        if state is not None or self._manifest["game"] is None:
            self._pages(state)
        self._result_of_the_slip(state)
        self._unverifiable()
        if state is None:
            return None
        return Game(
            dict(state.players),
            {side: state.scores[side] for side in SIDES},
            len(state.turns),
            {stage: digest(one.hash) for stage, one in closing(self._replayed.steps).items()},
            self._replayed.steps,
        )

    def _result_of_the_slip(self, whole: GameState | None) -> None:
        """Tell what followed the slip's event, and the result there if it was another."""
        found = [one.number for one in self._events if digest(one.hash) == self._written]
        if not found:
            return
        if whole is None:
            then = statement.replayed(self._events[: found[0]]).state
        else:
            then = self._replayed.steps[found[0] - 1].after
        if then is not None and (whole is None or _result(then) != _result(whole)):
            self._report.compared.append(f"the result at that event was another: {_result(then)}")
        steps = self._replayed.steps
        self._report.compared.extend(f"after it, {text}" for text in since(steps, found[0]))

    def _fault(self, place: str, message: str) -> None:
        """Add a fault, unless one was found at that place before: this one follows from it."""
        if all(one.place != place for one in self._report.faults):
            self._report.faults.append(Fault(place, message, replayed=True))

    def _compare(self, state: GameState) -> None:
        """Compare turns, scores and the record with those that the events give."""
        hint = ""
        if not self._same_program:
            by = self._manifest["software"]
            hint = f" (stated by tilewatch {by}, replayed by {statement.software()})"
        for place, stated, given in differences(
            self._manifest["game"], statement.statement_of(state)
        ):
            text = f"the manifest states {stated}, replaying gives {given}{hint}"
            self._fault(place, text)
        self._record(statement.record_text(state), hint)
        self._rules(state)

    def _record(self, due: bytes | None, hint: str) -> None:
        """Compare the game's record with ``due``. Another program may have written other notes."""
        stated = self._files.get(archive.RECORD)
        if _same(stated, due):
            self._report.remade += [archive.RECORD] if due is not None else []
            return
        if self._same_program or stated is None or due is None or not _same_lines(stated, due):
            self._fault(archive.RECORD, f"is not the record that the events give{hint}")
            return
        self._report.unchecked.append(
            f"the notes of {archive.RECORD}: its lines are those that the events give; another "
            f"version ({self._manifest['software']}, by its own account) wrote the notes, and they "
            "may say anything"
        )

    def _rules(self, state: GameState) -> None:
        """Compare the files of the rules with this program's and with the hashes in the log."""
        recorded = self._manifest["recorded_with"] or {}
        logged = recorded.get("files") if isinstance(recorded.get("files"), dict) else {}
        for name, label, shipped in statement.rules_files(state.rulebook.id, state.tile_set.id):
            content = self._files.get(name)
            if content is None:
                continue  # that it is missing was found before
            own = sha256(content)
            due = (logged or {}).get(label)
            if own == sha256(shipped):
                self._report.remade.append(name)
                if due not in (None, own):
                    self._report.notes.append(f"{name} changed since the game was recorded")
            elif self._same_program:
                self._fault(name, "is not the file of the program that exported the bundle")
            elif due == own:
                text = f"{name} changed since; replayed as this tilewatch has it"
                self._report.notes.append(text)
            else:
                self._report.unchecked.append(
                    f"{name}: neither that of this tilewatch, by which the game was replayed, nor "
                    "one that the log names"
                )

    def _unreplayed(self) -> None:
        """Check a bundle that states no game; the rest of it may still be sound."""
        self._report.notes.append(
            "no turns and scores are stated: the machine that exported it could not replay the "
            f"game ({self._manifest['unreplayed']})"
        )
        if self._replayed.state is not None:
            self._report.notes.append(
                f"this tilewatch ({statement.software()}) can replay it: "
                f"{_result(self._replayed.state)}"
            )

    def _pages(self, state: GameState | None) -> None:
        """Compare the readable files with ones made again from the records."""
        for name, due in (
            (archive.PAGE, self._page(state)),
            (archive.README, self._readme()),
            (archive.VERIFIER, verifier_text()),
        ):
            content = self._files.get(name)
            if content is None or name in self._spoilt or self._lacks_pictures(name):
                continue
            if _same(content, due):
                self._report.remade.append(name)
            elif self._same_program:
                self._fault(name, "is not what the program that exported the bundle makes of it")
            else:
                self._report.unchecked.append(
                    f"{name}: another version of tilewatch ({self._manifest['software']}, by its "
                    "own account) made it, and it may say anything"
                )

    def _lacks_pictures(self, name: str) -> bool:
        """True for the page if a picture is missing or changed: it cannot be made to compare."""
        names = map(archive.picture_name, self._manifest["pictures"])
        return name == archive.PAGE and any(
            one in self._spoilt or one not in self._files for one in names
        )

    def _page(self, state: GameState | None) -> bytes | None:
        key = self._manifest["key"]
        try:
            if self._manifest["game"] is None:
                why = self._manifest["unreplayed"]
                made = key, self._manifest["exported_wall_ns"]
                return plain_page(self._events, self._manifest["pictures"], why, made)
            if state is None:
                return None
            return self._story_page(key)
        except Exception:  # no page can be made of such events: then none can be right
            return None

    def _story_page(self, key: str) -> bytes | None:
        heads = {}
        for sha in self._manifest["pictures"]:
            if (found := self._files.get(archive.picture_name(sha))) is not None:
                heads[sha] = partial(_head, found)
        content = self._files.get(archive.EDGES, memoryview(b""))
        edges = None if len(content) > archive.MAX_TEXT else from_csv(bytes(content))
        if edges is None:
            self._fault(archive.EDGES, "is not in the form of edges")
            return None
        made_ns = self._manifest["exported_wall_ns"]
        return page(self._replayed.steps, key, picture_source(heads), edges, made_ns=made_ns)

    def _readme(self) -> bytes:
        key, made_ns = self._manifest["key"], self._manifest["exported_wall_ns"]
        return readme(key, self._events[-1], made_ns)

    def _unverifiable(self) -> None:
        for entry in self._manifest["log_history"][-_MOST_NOTES:]:
            detail = json.dumps(entry["detail"], sort_keys=True)[:_LONGEST_NOTE]
            note = f"{entry['what'][:_LONGEST_NOTE]} {detail}"
            self._report.notes.append(f"whoever exported it says of the log: {note}")
        numbers = {one.seq: one.number for one in self._events}
        for one in self._manifest["exports"]:
            if (number := numbers.get(one["seq"])) is not None:
                self._report.notes.append(
                    f"an earlier bundle of this game was made {date(one['wall_ns'])} and ends with "
                    f"event {number}, check code {one['digest']}"
                )
        self._report.unchecked.append(
            "when it was made, by which program, with which weights and from what log: its maker "
            "says so"
        )


def _same(content: bytes | memoryview | None, due: bytes | None) -> bool:
    """True if a content, which may be huge, is the one expected; None means no file."""
    if content is None or due is None:
        return content is None and due is None
    return len(content) == len(due) and bytes(content) == due


def _same_lines(stated: bytes | memoryview, due: bytes) -> bool:
    """True if two records differ only in notes, and in facts that notes contain."""
    try:
        one, other = (parse(bytes(content)) for content in (stated, due))
    except TilewatchError:
        return False
    heads = [replace(record, entries=(), notes=()) for record in (one, other)]
    alike = len(one.entries) == len(other.entries) and heads[0] == heads[1]
    return alike and all(map(_same_line, one.entries, other.entries))


def _same_line(stated: Entry, due: Entry) -> bool:
    """True if a line is the expected one, except facts in notes that older programs lack."""
    newer = ("how_ended", "challenged")
    missing = {name: getattr(due, name) for name in newer if getattr(stated, name) is None}
    return replace(stated, notes=(), **missing) == replace(due, notes=())


def _head(content: bytes | memoryview) -> bytes | memoryview:
    return content[:HEADER_BYTES]


def _result(state: GameState) -> str:
    return ", ".join(f"{state.players[side]} {state.scores[side]}" for side in SIDES)


def differences(
    stated: Mapping[str, Any], due: Mapping[str, Any]
) -> Iterator[tuple[str, str, str]]:
    """Yield where the statement of a game differs from the expected one: (place, stated, due)."""
    stated = {**stated, "adjustments": [_renamed(line) for line in stated["adjustments"]]}
    turns, due_turns = stated["turns"], due["turns"]
    for number, (one, other) in enumerate(zip(turns, due_turns, strict=False), start=1):
        for name in other:
            if not same(one.get(name), other[name]):
                yield f"turn {number}", f"{name} {one.get(name)}", f"{name} {other[name]}"
                return
    if len(turns) != len(due_turns):
        yield "turns", f"{len(turns)} turns", f"{len(due_turns)} turns"
        return
    for name in due:
        if name != "turns" and not same(stated.get(name), due[name]):
            yield name, str(stated.get(name)), str(due[name])


def _renamed(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a stated line with the present name of its kind; old bundles may have another."""
    return {**line, "kind": "limit_raise"} if line.get("kind") == "one_point" else line


def _logged(event: Event) -> LoggedEvent:
    seq, game, number, mono_ns, wall_ns, source, kind, version, payload = event.body
    head = (seq, game, number, mono_ns, wall_ns, source, kind, version)
    return LoggedEvent(*head, canonical_json(payload), *event[1:])
