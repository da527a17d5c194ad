"""The variants: what goes wrong in a recording in motion. They can be combined."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from game.errors import TilewatchError


class MotionError(TilewatchError):
    """Something that a recording in motion cannot be made of."""


@dataclass(frozen=True, slots=True)
class Variant:
    """The conditions of a recording; every field's default is a calm game under a good camera."""

    fps: int = 6
    """Pictures a second."""
    hurried: bool = False
    """Each press comes as the hand leaves the picture, and the opponent's hand follows at once."""
    early: bool = False
    """Each press comes while the hand is still over the board."""
    resting: bool = False
    """The hand rests on the board from before the press into the following turn."""
    two_hands: bool = False
    """The opponent's hand hovers over the board while tiles are placed."""
    shuffled: bool = False
    """Tiles are first placed in another order, then rearranged."""
    withdrawn: bool = False
    """Tiles are first placed elsewhere, left a while, and taken back before the real play."""
    challenged: bool = False
    """Now and then the clock is stopped, the play is lifted, put back, and the clock restarted."""
    challenged_off: bool = False
    """Now and then a phoney is played first, and comes off while the clock stands; the opponent
    changes nothing in the turn that follows."""
    forgotten: bool = False
    """Now and then a player forgets the press, and the opponent plays on without a word."""
    late_tile: bool = False
    """Now and then the last tile of a play is laid only after its press, by the same hand."""
    clutter: bool = False
    """A bag and a score sheet lie on the board's rim."""
    shadow: bool = False
    """The soft shadow of somebody who leans over wanders across the board."""
    exposure: bool = False
    """The camera's exposure hunts, more so while a hand is in the picture."""
    focus: bool = False
    """The camera's focus hunts."""
    flicker: bool = False
    """Lamps on the mains and a rolling shutter: bands that roll through the picture."""
    lost: float = 0.0
    """Share of frames that are lost."""
    doubled: float = 0.0
    """Share of frames that show the frame before them once more."""
    turning: bool = False
    """The board is turned half round after every press."""
    nudged: bool = False
    """The board is pushed a little while tiles are placed."""
    capped: bool = False
    """Now and then the lens is covered for two seconds."""


VARIANTS: MappingProxyType[str, dict[str, Any]] = MappingProxyType(
    {
        "calm": {},
        "hurried": {"hurried": True},
        "early": {"early": True},
        "resting": {"resting": True},
        "two-hands": {"two_hands": True},
        "shuffled": {"shuffled": True},
        "withdrawn": {"withdrawn": True},
        "challenged": {"challenged": True},
        "challenged-off": {"challenged_off": True},
        "forgotten-press": {"forgotten": True},
        "late-tile": {"late_tile": True},
        "clutter": {"clutter": True},
        "shadow": {"shadow": True},
        "exposure": {"exposure": True},
        "focus": {"focus": True},
        "flicker": {"flicker": True},
        "lossy": {"lost": 0.15, "doubled": 0.1},
        "turning": {"turning": True},
        "nudged": {"nudged": True},
        "capped": {"capped": True},
        "fps4": {"fps": 4},
        "fps12": {"fps": 12},
        "fps30": {"fps": 30},
    }
)
"""The names that a variant is put together from, and what each sets."""

ALL = (*VARIANTS, "resting+hurried+fps12", "hurried+shadow+exposure", "resting+two-hands+clutter")
"""The variants that the benchmark runs by default."""


def parse_variant(text: str) -> Variant:
    """Return the variant with this name, or the combination of several joined by ``+``.

    Raises:
        MotionError: an unknown name.
    """
    variant = Variant()
    for name in text.split("+"):
        settings = VARIANTS.get(name)
        if settings is None:
            raise MotionError(f"unknown variant {name!r}; known are {', '.join(VARIANTS)}")
        variant = replace(variant, **settings)
    return variant


def described(variant: Variant) -> dict[str, Any]:
    """Return what a variant sets, without what is as in a calm game."""
    calm = Variant()
    return {
        field.name: getattr(variant, field.name)
        for field in fields(Variant)
        if getattr(variant, field.name) != getattr(calm, field.name)
    }
