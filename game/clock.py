"""The two clocks, as arithmetic on the times of presses. Nothing here reads a clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from game.events import Side, TimeUnseen
from game.flags import Flag, make_flag
from game.rulebooks.judging import judge
from game.rulebooks.loading import SECOND, Rulebook
from game.values import replace


@dataclass(frozen=True)
class Clocks:
    """Both clocks at one moment; times in integer nanoseconds."""

    running: Side | None
    since_ns: int | None
    """When the running clock was started; None while both stand."""
    remaining_ns: Mapping[Side, int]
    """The time that each showed at ``since_ns``; negative past 0:00."""

    @classmethod
    def full(cls, rulebook: Rulebook) -> Clocks:
        """Both clocks before the game."""
        full = {"left": rulebook.clock_ns, "right": rulebook.clock_ns}
        return cls(None, None, MappingProxyType(full))  # type: ignore[arg-type]

    def remaining(self, side: Side, now_ns: int) -> int:
        """Return the time a clock shows at ``now_ns``; before the last press, as at that press."""
        left = self.remaining_ns[side]
        if self.running == side and self.since_ns is not None:
            left -= max(0, now_ns - self.since_ns)
        return left

    def stop(self, now_ns: int) -> Clocks:
        """Both clocks standing."""
        if self.running is None:
            return self
        left = dict(self.remaining_ns)
        left[self.running] = self.remaining(self.running, now_ns)
        return Clocks(None, None, MappingProxyType(left))

    def unseen(self, gap: TimeUnseen) -> Clocks:
        """The clocks after a time that nobody watched, in which they stand."""
        if self.running is None:
            return self
        stands = self.stop(gap.from_ns)
        return stands.start(self.running, gap.t_ns) if gap.runs_on else stands

    def added(self, ns: Mapping[Side, int]) -> Clocks:
        """The clocks with time added to, or taken off, what each shows."""
        if not any(ns.values()):
            return self
        left = {side: shown + ns.get(side, 0) for side, shown in self.remaining_ns.items()}
        return replace(self, remaining_ns=MappingProxyType(left))

    def start(self, side: Side, now_ns: int) -> Clocks:
        """One clock running, the other standing; time never runs backwards."""
        since = now_ns if self.since_ns is None else max(now_ns, self.since_ns)
        return Clocks(side, since, self.stop(now_ns).remaining_ns)


def overtime_flags(name: str, remaining_ns: int, rulebook: Rulebook) -> list[Flag]:
    """The flags for a clock that shows ``remaining_ns``; none while it is not in overtime."""
    points = rulebook.overtime_penalty(remaining_ns)
    if not points:
        return []
    flags = [make_flag("overtime", player=name, over=passed(-remaining_ns), points=points)]
    if rulebook.over_limit(remaining_ns):
        limit = passed(rulebook.overtime_limit_ns)
        variant = rulebook.overtime_limit_reached
        flags.append(make_flag("overtime_limit", variant=variant, player=name, limit=limit))
    return [judge(flag, rulebook) for flag in flags]


def shown(ns: int) -> str:
    """What is left on a clock as it shows it: rounded up to whole seconds, ``−1:05`` past 0:00.

    So 0:00 stands only once the time is used up, and −0:01 once a whole second is over.
    ``format`` in ``dashboard/static/clock.js`` does the same.
    """
    seconds = -(-ns // SECOND)
    return f"{'−' if seconds < 0 else ''}{_minutes(abs(seconds))}"


def passed(ns: int) -> str:
    """A time that passed, in whole seconds: what a clock has lost or is over by then."""
    return _minutes(ns // SECOND)


def duration(ns: int) -> str:
    """A time that may be of any length: ``40:12``, ``3 h 05 min`` from an hour on, ``27 days``."""
    minutes = ns // SECOND // 60
    if minutes < 60:
        return passed(ns)
    hours, days = minutes // 60, minutes // 60 // 24
    return f"{days} days" if days >= 2 else f"{hours} h {minutes % 60:02d} min"


def _minutes(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02d}"
