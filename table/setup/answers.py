"""The answers of ``tilewatch setup``: asked or read, kept, and written as ``table.toml``.

Somebody at a terminal answers the questions of the steps, or a file has the answers. They are kept
in the data folder, and ``table.toml`` is made of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeAlias

import click
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from game.errors import TilewatchError
from game.files import SMALL, os_error_as, read_file, require_replaceable, write_file
from game.options import OptionNames, StrictOptions, load_options, one_line
from sensors.drivers import CAMERAS
from table.config import TableConfig, load_config
from table.doctor.check import Check


class AnswerError(TilewatchError):
    """An answer that cannot be used, in one line."""


class SetupStoppedError(TilewatchError):
    """The user has broken the set-up off."""


Parse: TypeAlias = Callable[[str], str] | click.ParamType[Any]


@dataclass(frozen=True)
class Question:
    """A question of the set-up.

    Attributes:
        key: its name in a file of answers, and in the state of the set-up.
        text: the question in words.
        parse: returns the stored form of an answer; raises ``AnswerError`` or, as click's types do,
            ``click.BadParameter``.
        default: the answer if none is given; None: an answer is required.
    """

    key: str
    text: str
    parse: Parse
    default: str | None = None

    def parsed(self, text: str) -> str:
        """Return the stored form of an answer. Raises ``AnswerError``."""
        try:
            return str(self.parse(text))
        except click.BadParameter as error:
            raise AnswerError(error.message.rstrip(".")) from None


class Asker(Protocol):
    """The source of the answers."""

    folder: Path
    """The folder to which paths in answers are relative."""

    def answer(self, question: Question) -> str:
        """Return the parsed answer. Raises ``AnswerError``, ``SetupStoppedError``."""
        ...

    def goes_on(self, step: str, fault: Check, *, grave: bool) -> bool:
        """Return True to leave the fault as it is, False to check the step again.

        A ``grave`` fault cannot be left. Raises ``SetupStoppedError`` if the set-up ends.
        """
        ...


class TerminalAsker:
    """Somebody at a terminal; ``read`` shows a prompt and returns a line."""

    def __init__(
        self, read: Callable[[str], str], say: Callable[[str], None], folder: Path
    ) -> None:
        self._read, self._say, self.folder = read, say, folder

    def answer(self, question: Question) -> str:
        """Ask until there is an answer that can be used."""
        shown = "" if question.default is None else f" [{question.default}]"
        while True:
            given = self._line(f"{question.text}{shown}: ")
            if given.lower() == "q":
                raise SetupStoppedError("stopped")
            text = given or question.default
            if text is None:
                continue
            try:
                return question.parsed(text)
            except AnswerError as error:
                self._say(str(error))

    def goes_on(self, step: str, fault: Check, *, grave: bool) -> bool:  # noqa: ARG002 - they have just read it
        """Ask whether to leave the fault, to check the step again, or to stop."""
        choices = "Enter: check again"
        choices += "" if grave else ", l: leave it as it is"
        while True:
            match self._line(f"{choices}, q: stop here: ").lower():
                case "":
                    return False
                case "l" if not grave:
                    return True
                case "q":
                    raise SetupStoppedError("stopped")
                case _:
                    self._say("that is not taken here; Enter asks the questions of this step again")

    def _line(self, prompt: str) -> str:
        try:
            return self._read(prompt).strip()
        except EOFError:
            raise SetupStoppedError(
                "nobody answers here; run it in a terminal, or give the answers with --answers FILE"
            ) from None


class AnswersFile(StrictOptions):
    """A file of answers: the keys of the questions, and ``accept``."""

    name: str | None = None
    tile_set: str | None = None
    rulebook: str | None = None
    camera: str | int | None = None
    empty: bool | None = None
    pictures: Literal["all", "board"] | None = None
    tiles: Literal["check", "counted", "skip"] | None = None
    clock: str | None = None
    left_hand: str | None = None
    right_hand: str | None = None
    left: str | None = None
    right: str | None = None
    pages: Literal["network", "here"] | None = None
    port: int | None = None
    director: str | None = None
    start: bool | None = None
    accept: OptionNames = ()
    """The steps whose faults are accepted, except faults with which the set-up cannot go on."""


class FileAsker:
    """A file of answers. A fault that it does not accept ends the set-up."""

    def __init__(self, path: Path, steps: tuple[str, ...]) -> None:
        """Raises ``AnswerError`` with one line if the file cannot be used."""
        found = load_options(path, AnswersFile, AnswerError)
        for name in found.accept:
            if name not in steps:
                raise AnswerError(f"{path}: accept: no step {name!r}; known are {', '.join(steps)}")
        self._path, self._accept = path, found.accept
        self._given: Mapping[str, object] = found.model_dump(exclude_none=True)
        self.folder = path.parent

    def answer(self, question: Question) -> str:
        """Return the file's answer, else the default."""
        given = self._given.get(question.key, question.default)
        if given is None:
            raise AnswerError(f"{self._path}: no answer for {question.key!r} ({question.text})")
        try:
            return question.parsed(_WORDS.get(given, str(given)))
        except AnswerError as error:
            raise AnswerError(f"{self._path}: {question.key}: {error}") from None

    def goes_on(self, step: str, fault: Check, *, grave: bool) -> bool:
        """Return True if the file accepts the step's faults; else stop."""
        if grave or step not in self._accept:
            raise SetupStoppedError(f"{step}: {fault.line}")
        return True


_WORDS: Final[Mapping[object, str]] = {True: "yes", False: "no"}


def one_of(*choices: str) -> click.ParamType[str]:
    """Return a parser for one of several words, in capitals or small letters."""
    return click.Choice(choices, case_sensitive=False)


def a_port(text: str) -> str:
    """Parse a port."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 65535):
        raise AnswerError(f"{text!r} is no port; choose a number from 1 to 65535, such as 8000")
    return str(int(text))


def other_than(taken: str, parse: Callable[[str], str]) -> Callable[[str], str]:
    """Return a parser of an answer that may not be the same as another."""

    def parse_other(text: str) -> str:
        answer = parse(text)
        if answer.casefold() == taken.casefold():
            raise AnswerError(f"{answer!r} is the other player; give each a name of their own")
        return answer

    return parse_other


def yes_or_no(text: str) -> str:
    """Parse yes or no."""
    short = text.lower()
    if short not in {"y", "yes", "n", "no"}:
        raise AnswerError(f"{text!r} is neither yes nor no")
    return "yes" if short.startswith("y") else "no"


def a_name(text: str) -> str:
    """Parse a name."""
    if not text.strip() or not text.isprintable() or len(text) > _LONGEST:
        raise AnswerError(f"{text[:_LONGEST]!r} is no name; type 1 to {_LONGEST} characters")
    return text.strip()


_LONGEST: Final = 60


STATE: Final = "setup.json"


class SetupState(BaseModel):
    """The answers and finished steps. Only the owner can read the file: URLs may hold logins."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    version: Literal[1] = 1
    answers: dict[str, str] = Field(default_factory=dict)
    done: dict[str, str] = Field(default_factory=dict)
    """The result of each finished step, in words."""
    written: str = ""
    """The SHA-256 of the configuration that was written last."""

    @classmethod
    def load(cls, folder: Path) -> SetupState:
        """Return the state in a data folder, or a new one. Raises ``TilewatchError``."""
        path = folder / STATE
        try:
            return cls.model_validate_json(read_file(path, SMALL))
        except FileNotFoundError:
            return cls()
        except (OSError, ValidationError) as error:
            why = (error.strerror or error) if isinstance(error, OSError) else "not a set-up's"
            raise TilewatchError(f"{path}: {why}; delete it to set up from the start") from None

    def save(self, folder: Path) -> None:
        """Write the state to a data folder. Raises ``TilewatchError``."""
        path = folder / STATE
        with os_error_as(TilewatchError, f"{path}: cannot be written"):
            folder.mkdir(parents=True, exist_ok=True)
            write_file(path, self.model_dump_json(indent=1).encode(), private=True)

    def wrote(self, data: bytes) -> bool:
        """Return True if this is the configuration that was written last."""
        return self.written == hashlib.sha256(data).hexdigest()

    def note_written(self, data: bytes) -> None:
        """Remember the configuration that was written."""
        self.written = hashlib.sha256(data).hexdigest()


Section = dict[str, Any]

ALL_ADDRESSES: Final = "0.0.0.0"  # noqa: S104 - phones reach the pages only there
THIS_MACHINE: Final = "127.0.0.1"
_HEADER: Final = "# Written by `tilewatch setup`; docs/configuration.md explains each key.\n"


def camera_section(answer: str) -> Section:
    """Return ``[camera]`` for the answer to the question after the camera."""
    meant = ((kind.name, kind.answer(answer)) for kind in CAMERAS.values())
    name, options = next(pair for pair in meant if pair[1] is not None)
    return {"kind": name, **(options or {})}


def sections_of(answers: Mapping[str, str], data: Path | None) -> Section:
    """Return the contents of ``table.toml``, without what has not been answered yet."""
    top: Section = {key: answers[key] for key in ("name", "tile_set", "rulebook") if key in answers}
    if data is not None:
        top["data"] = str(data.resolve())
    top["camera"] = camera_section(answers["camera"])
    clock = answers.get("clock", "web")
    hands = {"left": answers.get("left_hand"), "right": answers.get("right_hand")}
    top["buttons"] = {"kind": clock} | (hands if clock == "none" and all(hands.values()) else {})
    top["players"] = {side: answers[side] for side in ("left", "right") if side in answers}
    if "pages" in answers:
        host = ALL_ADDRESSES if answers["pages"] == "network" else THIS_MACHINE
        top["serve"] = {"host": host, "port": int(answers["port"])}
    return top


def config_of(answers: Mapping[str, str], data: Path | None) -> TableConfig:
    """Return the configuration. Raises ``TilewatchError`` with one line."""
    try:
        return TableConfig.model_validate(sections_of(answers, data))
    except ValidationError as error:
        raise TilewatchError(one_line(error)) from None


def write_config(path: Path, answers: Mapping[str, str], data: Path | None) -> bytes:
    """Write ``table.toml``, readable by its owner alone if it may hold a login; return its bytes.

    Raises ``TilewatchError``.
    """
    config_of(answers, data)
    text = _HEADER + toml(sections_of(answers, data))
    with os_error_as(TilewatchError, f"{path}: cannot be written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, text.encode(), private="://" in answers["camera"])
    load_config(path)
    return text.encode()


def require_own(path: Path, state: SetupState) -> None:
    """Raise ``TilewatchError`` if the configuration was not written by this set-up."""
    require_replaceable(path)
    try:
        own = state.wrote(read_file(path, SMALL))
    except FileNotFoundError:
        return
    except OSError as error:
        raise TilewatchError(f"{path}: cannot be read ({error.strerror})") from error
    if not own:
        raise TilewatchError(
            f"{path}: is there already, and not as this set-up wrote it; name another file with "
            "--config, or replace it with --overwrite"
        )


def toml(sections: Section) -> str:
    """Return texts, numbers and one level of sections as TOML."""
    lines = [f"{key} = {_value(value)}" for key, value in sections.items() if _plain(value)]
    for key, section in sections.items():
        if not _plain(section) and section:
            lines += ["", f"[{key}]", *(f"{name} = {_value(one)}" for name, one in section.items())]
    return "\n".join(lines) + "\n"


def _plain(value: object) -> bool:
    return not isinstance(value, dict)


def _value(value: str | int) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
