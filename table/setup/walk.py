"""``tilewatch setup``: from a bare machine to a table that keeps score, step by step.

Each step asks its questions, checks the machine, writes a picture, and names one remedy at a time.
The finished steps are kept in the data folder, so that the set-up can be broken off and continued.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from game.errors import TilewatchError
from table.doctor.check import wrong
from table.doctor.machine import Machine
from table.doctor.run import at_work
from table.setup import steps
from table.setup.answers import (
    AnswerError,
    Asker,
    SetupState,
    SetupStoppedError,
    require_own,
    write_config,
    yes_or_no,
)
from table.setup.steps import Context, Outcome


@dataclass(frozen=True)
class Step:
    """A step: its name on the command line, its title, its function, and dependent steps."""

    name: str
    title: str
    run: Callable[[Context], Outcome]
    before: tuple[str, ...] = ()
    """The steps that must be repeated after it."""


_PICTURES: Final = ("place", "light", "board", "tiles")

STEPS: Final = (
    Step("machine", "This machine", steps.machine),
    Step("camera", "The camera", steps.camera, before=(*_PICTURES, "clock")),
    Step("game", "The game", steps.game, before=("tiles",)),
    Step("place", "The camera's place", steps.place),
    Step("light", "The light", steps.light),
    Step("board", "The empty board", steps.board),
    Step("tiles", "The tiles", steps.tiles),
    Step("clock", "The clock", steps.clock),
    Step("players", "The players", steps.players),
    Step("pages", "The pages", steps.pages),
)
NAMES: Final = tuple(step.name for step in STEPS)


class Walk:
    """One run of ``tilewatch setup``.

    Args:
        config: the file to write.
        data: the table's data folder.
        overwrite: True to replace a configuration that this set-up did not write.
        called: the program's name as the user types it.

    Raises ``TilewatchError`` if this table cannot be set up now.
    """

    def __init__(
        self, config: Path, data: Path, *, overwrite: bool = False, called: str = "tilewatch"
    ) -> None:
        if at_work(data):
            raise TilewatchError(
                f"the table with its data in {data} is running and has its camera; stop it first"
            )
        self.config, self.data, self._called = config, data, called
        self.state = SetupState.load(data)
        if not overwrite:
            require_own(config, self.state)

    def again(self, name: str) -> None:
        """Mark a step, and the steps that depend on it, to be done again."""
        step = next(step for step in STEPS if step.name == name)
        for undone in (name, *step.before):
            self.state.done.pop(undone, None)

    def run(
        self,
        asker: Asker,
        say: Callable[[str], None],
        page: str | None = None,
        machine: Machine | None = None,
    ) -> bool:
        """Do the steps to the end; return True if the table is to be started.

        Raises ``SetupStoppedError`` if the user breaks off, and ``TilewatchError``.
        """
        context = Context(self.data, self.state, asker, say, page, machine or Machine())
        try:
            for number, step in enumerate(STEPS, 1):
                title = f"{number} of {len(STEPS)}  {step.title} ({step.name})"
                if step.name in self.state.done:
                    say(f"{title}: done, {self.state.done[step.name]}")
                    continue
                say(title)
                self._do(step, context)
        finally:
            context.close_view()
            self.state.save(self.data)
        self.state.note_written(write_config(self.config, self.state.answers, self.data))
        self.state.save(self.data)
        say(f"written: {self.config}; `{self._called} run --config {self.config}` starts the table")
        return context.ask("start", "start the table now", yes_or_no, "yes") == "yes"

    def _do(self, step: Step, context: Context) -> None:
        """Do a step until it has no fault or the fault is accepted; then call its ``finish``."""
        self.again(step.name)
        while True:
            outcome = _checked(step, context)
            if outcome.picture is not None:
                context.say(f"  picture: {outcome.picture}")
            if outcome.fault is None:
                context.say(f"  ok  {outcome.says}")
                break
            context.say(f"  {outcome.fault}")
            if context.asker.goes_on(step.name, outcome.fault, grave=outcome.grave):
                break
        for line in outcome.finish():
            context.say(f"  {line}")
        self.state.done[step.name] = outcome.says
        self.state.save(self.data)


def _checked(step: Step, context: Context) -> Outcome:
    """Run a step; turn a ``TilewatchError`` from it into a fault."""
    try:
        return step.run(context)
    except (AnswerError, SetupStoppedError):
        raise
    except TilewatchError as error:
        fault = wrong(step.name, str(error), "mend that, and check again")
        return Outcome(str(error), fault, grave=True)
