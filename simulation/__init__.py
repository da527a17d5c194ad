"""The simulated table: it plays any game before a simulated camera, and the demo runs on it.

A script comes in, made up (:func:`generate`) or taken from a game record (:func:`script_of`), with
the chances of mishaps (:class:`Mischief`). Frames, presses and announcements come out in simulated
time, as from real devices, with the truth of every frame and the log that a perfect recorder would
write. This package may import ``game``, ``vision``, ``models`` (the renderer) and the interfaces of
``sensors``; it knows no real table.

>>> table = SimulatedTable(generate(seed=1), seed=1)
>>> for item in table.happenings(): ...
"""

from simulation.game_generator import generate
from simulation.mischief import ALL_ON, NONE, Mischief, Plan, plan
from simulation.playing import BRISK, Pace
from simulation.script import Script, ScriptTurn, script_of
from simulation.simulated_table import (
    FPS,
    FrameTruth,
    SimulatedFrame,
    SimulatedTable,
)
from simulation.world import Announcement, Fault, Moment, TurnTruth

__all__ = [
    "ALL_ON",
    "BRISK",
    "FPS",
    "NONE",
    "Announcement",
    "Fault",
    "FrameTruth",
    "Mischief",
    "Moment",
    "Pace",
    "Plan",
    "Script",
    "ScriptTurn",
    "SimulatedFrame",
    "SimulatedTable",
    "TurnTruth",
    "generate",
    "plan",
    "script_of",
]
