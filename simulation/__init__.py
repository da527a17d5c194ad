"""The simulated table: it plays any game before a simulated camera, and the demo runs on it.

A script comes in, made up (:func:`generate`) or of a game record (:func:`script_of`), with what
goes wrong on the way (:class:`Mischief`). Frames, presses and announcements come out in simulated
time, as those of real devices, with the truth of every frame and the log that a
perfect recorder would write. This room may import ``game``, ``vision``, ``models`` (the renderer)
and the interfaces of ``sensors``; it knows no real table.

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
