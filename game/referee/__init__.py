"""One turn at a time: what was played, what is wrong with it, and what it scores.

A :class:`~game.referee.position.Position` and a sighting come in, with the rulings on that turn and
the rulebook; out goes the position with the turn added (:func:`game.referee.turn.take_turn`).
``corrected_sightings`` holds a reading against the board as known, ``verdict`` decides kind and
score, ``turn_flags`` names the faults. ``between_turns`` and ``entered`` do the same for what was
seen and said between two turns, and ``inference`` tells earlier turns from what a later one shows.
No events are ordered here and no state of a game is known: ``game.state`` is not imported.
"""
