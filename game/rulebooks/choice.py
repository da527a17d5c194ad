"""What a text leaves to an event: the values that it may announce in place of a setting's own."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """What an event may announce in place of one setting's value, in the unit of the file."""

    values: tuple[int | str, ...] = ()
    """The values; empty if any whole number from ``least`` to ``most`` will do."""
    least: int = 0
    most: int = 0
    rule: str | None = None

    def allows(self, value: object) -> bool:
        """True if an event may announce this value."""
        if self.values:
            return any(type(value) is type(one) and value == one for one in self.values)
        return type(value) is int and self.least <= value <= self.most

    def __str__(self) -> str:
        """What may be announced, in words."""
        return ", ".join(map(str, self.values)) or f"{self.least} to {self.most}"
