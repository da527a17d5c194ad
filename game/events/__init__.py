"""The facts of one game, in the order in which they became known, each kind a frozen class.

``observed`` has what the table sees, ``noted`` what it notes of its own work, ``by_people`` what
people say, and ``by_director`` what a director says of the game beyond rulings on single turns.
Each module ends with the union of its kinds, and ``Event`` is the union of them all. A payload is
an event as JSON, as the log stores it: ``to_payload`` writes one; ``from_payload`` reads one, and
names the field of an impossible value in its message. ``declaring`` has the parts of a kind's
declaration: its sentence and its form at the desk. Nothing is scored here, and only the board,
terms and the codes of flags are imported.
"""

from game.events.by_director import *
from game.events.by_people import *
from game.events.codec import *
from game.events.noted import *
from game.events.observed import *
from game.terms import *
