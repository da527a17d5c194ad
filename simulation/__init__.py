"""A simulated table: it plays any game in front of a simulated camera, with truth for every frame.

>>> table = SimulatedTable(generate(seed=1), seed=1)
>>> for item in merged(table.camera(), table.buttons()): ...
"""

from simulation.game_generator import generate
from simulation.mischief import ALL_ON, NONE, Mischief, Plan, plan
from simulation.playing import BRISK, Pace
from simulation.script import Script, ScriptTurn
from simulation.script_from_gcg import script_of
from simulation.simulated_table import (
    FPS,
    FrameTruth,
    SimulatedButtons,
    SimulatedCamera,
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
    "SimulatedButtons",
    "SimulatedCamera",
    "SimulatedFrame",
    "SimulatedTable",
    "TurnTruth",
    "generate",
    "plan",
    "script_of",
]
