"""One thing that was checked, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from game.errors import TilewatchError

Figure = float | int | str | bool | None


@dataclass(frozen=True)
class Check:
    """The result of one check.

    Attributes:
        name: the thing checked, a stable word such as ``camera``.
        ok: True if it is good enough for a tournament.
        says: the finding, in one line.
        remedy: the remedy, in one line; empty if all is well.
        figures: measurements by name, with the unit in the name.
        known: False if this machine cannot tell; such a check counts as passed.
    """

    name: str
    ok: bool
    says: str
    remedy: str = ""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    known: bool = True

    def __post_init__(self) -> None:
        if self.ok == bool(self.remedy):
            raise ValueError(f"{self.name}: a remedy is for what is not well, and needed there")

    def __str__(self) -> str:
        return f"{'NO ' if not self.ok else 'ok ' if self.known else '?  '} {self.line}"

    @property
    def line(self) -> str:
        """The finding and, if something is amiss, the remedy."""
        return f"{self.name}: {self.says}" + (f" → {self.remedy}" if self.remedy else "")

    def as_json(self) -> dict[str, Any]:
        """Return the check in the form for the pages, ``--json`` and reports."""
        return asdict(self)


def fine(name: str, says: str, /, **figures: Figure) -> Check:
    """Return a check that passed."""
    return Check(name, True, says, "", figures)


def unknown(name: str, says: str, /, **figures: Figure) -> Check:
    """Return a check whose result this machine cannot tell."""
    return Check(name, True, says, "", figures, known=False)


def wrong(name: str, says: str, remedy: str, /, **figures: Figure) -> Check:
    """Return a check that failed, with its remedy."""
    return Check(name, False, says, remedy, figures)


Run = Callable[[], Check | Iterable[Check]]


def results(checks: Mapping[str, Run]) -> Iterator[Check]:
    """Run checks one after another, by name; yield their results. Raises nothing."""
    for name, run in checks.items():
        yield from guarded(name, run)


def guarded(name: str, run: Run) -> Sequence[Check]:
    """Return a check's results; an exception in it becomes a failed check."""
    try:
        found = run()
        return [found] if isinstance(found, Check) else list(found)
    except TilewatchError as error:
        return [wrong(name, str(error), "mend that and check again")]
    except ImportError as error:
        says = f"{error.name or error} is not installed or cannot be loaded"
        return [wrong(name, says, "install tilewatch anew (sh install.sh)")]
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return [wrong(name, f"{where}{error.strerror or error}", "mend that and check again")]
    except Exception as error:  # one check that fails must not hide the others
        kind = type(error).__name__
        return [wrong(name, f"could not be checked ({kind}: {error})", "report this as a bug")]
