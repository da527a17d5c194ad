"""The facts of one game, in the order in which they became known, each kind a frozen class.

``observed`` has what the table sees, ``by_people`` what people say and ``by_director`` what a
director says of the game beyond rulings on single turns. Each ends with the union of its kinds, and
``Event`` is all of them. Payloads come in and go out, JSON as the log has it: ``to_payload`` writes
one, ``from_payload`` reads one and refuses an impossible value in a line that names its field. A
kind's sentence and its form at the desk are part of its declaration (``declaring``). Nothing is
scored here, and nothing but the board, terms and the codes of flags is imported.
"""

from game.events.by_director import *
from game.events.by_people import *
from game.events.codec import *
from game.events.observed import *
from game.terms import *
