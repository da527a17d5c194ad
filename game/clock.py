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
    """When the running clock was started; None while both are stopped."""
    remaining_ns: Mapping[Side, int]
    """The time that each clock showed at ``since_ns``, or shows now if both are stopped; negative
    past 0:00."""

    @classmethod
    def full(cls, rulebook: Rulebook) -> Clocks:
        """Return both clocks as before the game: stopped, with the whole time of the rulebook."""
        full = {"left": rulebook.clock_ns, "right": rulebook.clock_ns}
        return cls(None, None, MappingProxyType(full))  # type: ignore[arg-type]

    def remaining(self, side: Side, now_ns: int) -> int:
        """Return the time a clock shows at ``now_ns``; before the last press, as at that press."""
        left = self.remaining_ns[side]
        if self.running == side and self.since_ns is not None:
            left -= max(0, now_ns - self.since_ns)
        return left

    def stop(self, now_ns: int) -> Clocks:
        """Return the clocks with both stopped at ``now_ns``."""
        return self if self.running is None else Clocks(None, None, self._stopped_ns(now_ns))

    def _stopped_ns(self, now_ns: int) -> Mapping[Side, int]:
        """Return the time that each clock shows at ``now_ns``."""
        if self.running is None:
            return self.remaining_ns
        left = dict(self.remaining_ns)
        left[self.running] = self.remaining(self.running, now_ns)
        return MappingProxyType(left)

    def unseen(self, gap: TimeUnseen) -> Clocks:
        """Return the clocks after a time that nobody watched, during which neither ran."""
        if self.running is None:
            return self
        stands = self.stop(gap.from_ns)
        return stands.start(self.running, gap.t_ns) if gap.runs_on else stands

    def added(self, ns: Mapping[Side, int]) -> Clocks:
        """Return the clocks with time added to what each shows, or taken off if it is below 0."""
        if not any(ns.values()):
            return self
        left = {side: shown + ns.get(side, 0) for side, shown in self.remaining_ns.items()}
        return replace(self, remaining_ns=MappingProxyType(left))

    def start(self, side: Side, now_ns: int) -> Clocks:
        """Return the clocks with this one running, from the last press at the earliest."""
        since = now_ns if self.since_ns is None else max(now_ns, self.since_ns)
        return Clocks(side, since, self._stopped_ns(now_ns))


def overtime_flags(
    name: str, remaining_ns: int, rulebook: Rulebook, before_play_ns: int = 0
) -> list[Flag]:
    """Return the flags for a clock that shows ``remaining_ns``; none if it is not in overtime.

    ``before_play_ns``: the overtime that ran off before the player came. It is not past the limit.
    """
    points = rulebook.overtime_penalty(remaining_ns)
    if not points:
        return []
    flags = [make_flag("overtime", player=name, over=passed(-remaining_ns), points=points)]
    if rulebook.over_limit(remaining_ns + before_play_ns):
        limit = passed(rulebook.overtime_limit_ns)
        variant = rulebook.overtime_limit_reached
        flags.append(make_flag("overtime_limit", variant=variant, player=name, limit=limit))
    return [judge(flag, rulebook) for flag in flags]


def shown(ns: int) -> str:
    """Return a clock's time as the clock shows it: rounded up to seconds, ``−1:05`` past 0:00.

    So it shows 0:00 only once the time is used up, and −0:01 a whole second later. ``format`` in
    ``dashboard/static/clock.js`` does the same.
    """
    seconds = -(-ns // SECOND)
    return f"{'−' if seconds < 0 else ''}{_minutes(abs(seconds))}"


def passed(ns: int) -> str:
    """Return elapsed time as minutes and whole seconds, rounded down: ``1:05``."""
    return _minutes(ns // SECOND)


def seconds(ns: int) -> str:
    """Return a time of some seconds in words, rounded down: ``1 second``, ``6.6 seconds``."""
    whole, tenth = divmod(10 * ns // SECOND, 10)
    count = f"{whole}.{tenth}" if tenth else str(whole)
    return f"{count} second{'' if count == '1' else 's'}"


def duration(ns: int) -> str:
    """Return a time of any length for people: ``40:12``, ``3 h 05 min`` or ``27 days``."""
    minutes = ns // SECOND // 60
    if minutes < 60:
        return passed(ns)
    hours, days = minutes // 60, minutes // 60 // 24
    return f"{days} days" if days >= 2 else f"{hours} h {minutes % 60:02d} min"


def _minutes(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02d}"
