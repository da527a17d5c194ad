"""Questions of the set-up, and who answers them: somebody at a terminal, or a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Protocol

from game.errors import TilewatchError
from game.options import OptionNames, StrictOptions, load_options


class AnswerError(TilewatchError):
    """An answer that cannot be used, in one line."""


class SetupStoppedError(TilewatchError):
    """Somebody has broken the set-up off."""


@dataclass(frozen=True)
class Question:
    """Something to be asked.

    Attributes:
        key: its name in a file of answers, and in the state of the set-up.
        text: the question in words.
        parse: makes an answer what is stored; raises ``AnswerError``.
        default: the answer if none is given; None: there has to be one.
    """

    key: str
    text: str
    parse: Callable[[str], str]
    default: str | None = None


@dataclass(frozen=True)
class Fault:
    """A fault that a check found, with one remedy. ``grave``: the set-up cannot go on with it."""

    says: str
    remedy: str
    grave: bool = False

    def __str__(self) -> str:
        return f"{self.says} → {self.remedy}"


class Asker(Protocol):
    """Who answers."""

    folder: Path
    """Paths in answers are relative to it."""

    def answer(self, question: Question) -> str:
        """Return the parsed answer. Raises ``AnswerError``, ``SetupStoppedError``."""
        ...

    def goes_on(self, step: str, fault: Fault) -> bool:
        """True if the step is done in spite of the fault, False if it is to be checked again.

        Raises ``SetupStoppedError`` if neither.
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
                return question.parse(text)
            except AnswerError as error:
                self._say(str(error))

    def goes_on(self, step: str, fault: Fault) -> bool:  # noqa: ARG002 - they have just read it
        """Ask what to do about a fault."""
        choices = "Enter: check again"
        choices += "" if fault.grave else ", l: leave it as it is"
        while True:
            match self._line(f"{choices}, q: stop here: ").lower():
                case "":
                    return False
                case "l" if not fault.grave:
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
    """Steps that are done whatever their check finds, unless they cannot be."""


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
            return question.parse(_WORDS.get(given, str(given)))
        except AnswerError as error:
            raise AnswerError(f"{self._path}: {question.key}: {error}") from None

    def goes_on(self, step: str, fault: Fault) -> bool:
        """True if the file accepts it."""
        if fault.grave or step not in self._accept:
            raise SetupStoppedError(f"{step}: {fault}")
        return True


_WORDS: Final[Mapping[object, str]] = {True: "yes", False: "no"}


def one_of(*choices: str) -> Callable[[str], str]:
    """Return a parser of one of several words, in capitals or not."""

    def parse(text: str) -> str:
        for choice in choices:
            if text.lower() == choice.lower():
                return choice
        raise AnswerError(f"{text!r} is none of {', '.join(choices)}")

    return parse


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


def a_port(text: str) -> str:
    """Parse a port."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 65535):
        raise AnswerError(f"{text!r} is no port; choose a number from 1 to 65535, such as 8000")
    return str(int(text))
