"""The referee of one turn: what was played, which faults it has, and what it scores.

:func:`game.referee.turn.take_turn` takes a :class:`~game.referee.position.Position`, a sighting of
the turn, the rulings on it and the rulebook. It returns the position with the turn added.
``corrected_sightings`` compares a reading with the known board, ``verdict`` decides kind and score,
``turn_flags`` names the faults. ``between_turns`` and ``entered`` do the same for what was seen and
entered between two turns, and ``inference`` finds out what earlier turns were from what a later one
shows. Nothing here orders events or knows the state of a game: ``game.state`` is not imported.
"""
