"""A simulated table: it plays any game in front of a simulated camera, with truth for every frame.

>>> table = SimulatedTable(generate(seed=1), seed=1)
>>> for item in merged(table.camera(), table.buttons()): ...
"""

from sensors.simulated.from_gcg import script_of
from sensors.simulated.generate import generate
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
from sensors.simulated.world import Moment, Said, TurnTruth

__all__ = [
    "BRISK",
    "FPS",
    "FrameTruth",
    "Moment",
    "Pace",
    "Said",
    "Script",
    "ScriptTurn",
    "SimulatedButtons",
    "SimulatedCamera",
    "SimulatedFrame",
    "SimulatedTable",
    "TurnTruth",
    "generate",
    "script_of",
]
