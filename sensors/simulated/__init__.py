"""A simulated table: it plays any game in front of a simulated camera, with truth for every frame.

>>> table = SimulatedTable(generate(seed=1), seed=1)
>>> for item in merged(table.camera(), table.buttons()): ...
"""

from sensors.simulated.from_gcg import script_of
from sensors.simulated.generate import generate
from sensors.simulated.mischief import ALL_ON, NONE, Mischief, Plan, plan
from sensors.simulated.playing import BRISK, Pace
from sensors.simulated.script import Script, ScriptTurn
from sensors.simulated.table import (
    FPS,
    FrameTruth,
    SimulatedButtons,
    SimulatedCamera,
    SimulatedFrame,
    SimulatedTable,
)
from sensors.simulated.world import Fault, Moment, Said, TurnTruth

__all__ = [
    "ALL_ON",
    "BRISK",
    "FPS",
    "NONE",
    "Fault",
    "FrameTruth",
    "Mischief",
    "Moment",
    "Pace",
    "Plan",
    "Said",
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
