"""What a step of the set-up works with, and what it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from table.config import TableConfig
from table.doctor.check import Check
from table.doctor.machine import Machine
from table.setup.walk.asking import Asker, Fault, Question
from table.setup.walk.configuration import config_of
from table.setup.walk.state import SetupState
from table.setup.walk.view import SetupView, save_picture
from vision.rectify import Image


@dataclass(frozen=True)
class Outcome:
    """What a step found.

    Attributes:
        says: the result in one line.
        fault: what is amiss, if anything is.
        picture: the file that shows it.
        finish: does what the step is for; called once the step counts as done, and returns more
            lines to be printed.
    """

    says: str
    fault: Fault | None = None
    picture: Path | None = None
    finish: Callable[[], list[str]] = field(default=lambda: [])


class Context:
    """A table being set up.

    Args:
        data: the table's data folder.
        state: what has been answered and done.
        asker: who answers.
        say: prints a line.
        page: the host of the page with the live picture; None: there is none.
        machine: the machine that is set up.
    """

    def __init__(
        self,
        data: Path,
        state: SetupState,
        asker: Asker,
        say: Callable[[str], None],
        page: str | None,
        machine: Machine,
    ) -> None:
        self.data, self.state, self.asker = data, state, asker
        self.say, self.machine, self._page = say, machine, page
        self._view: SetupView | None = None

    @property
    def config(self) -> TableConfig:
        """The configuration by the answers so far. Raises ``TilewatchError``."""
        return config_of(self.state.answers, self.data)

    @property
    def view(self) -> SetupView:
        """The camera, opened when it is first wanted. Raises ``TilewatchError``."""
        if self._view is None:
            self._view = SetupView(self.config, self.data, self._page, self.say)
        return self._view

    def close_view(self) -> None:
        """Give the camera back: it may be another, or is to be opened by somebody else."""
        view, self._view = self._view, None
        if view is not None:
            view.close()

    def ask(
        self, key: str, text: str, parse: Callable[[str], str], default: str | None = None
    ) -> str:
        """Ask, with the answer that was given before as the default; store the answer."""
        before = self.state.answers.get(key, default)
        answer = self.asker.answer(Question(key, text, parse, before))
        self.state.answers[key] = answer
        return answer

    def picture(self, name: str, image: Image) -> Path:
        """Write a step's picture; return its path. Raises ``TilewatchError``."""
        return save_picture(self.data, name, image)


@dataclass(frozen=True)
class Step:
    """A step: its name on the command line, its title, what it does, what rests on it."""

    name: str
    title: str
    run: Callable[[Context], Outcome]
    before: tuple[str, ...] = ()
    """The steps that have to be done again after it."""


def first_fault(checks: list[Check], *, grave: bool = False) -> Fault | None:
    """Return the first check that is not well, with how many more there are."""
    amiss = [check for check in checks if not check.ok]
    if not amiss:
        return None
    more = f" (and {len(amiss) - 1} more)" if len(amiss) > 1 else ""
    return Fault(f"{amiss[0].name}: {amiss[0].says}{more}", amiss[0].remedy, grave)
