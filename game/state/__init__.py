"""The whole game: a fold over its events that gives its state after each.

Events come in, one at a time or as a list (:func:`game.state.fold.apply`, ``fold``); out goes a
:class:`~game.state.game_state.GameState`, frozen, with turns, scores, clocks, flags and the result.
``fold`` passes an event to the step of its group (``observed_events``, ``rulings``,
``restructuring``, ``entered_events``, ``clock_events``, ``end_events``, ``start_events``). A step
changes the record, a ``Progress`` with the ``ledger`` of sightings and entries, and ``derive``
brings all that follows up to date: ``adjustments`` and ``ending`` the points beside the turns,
``outcome`` the result, ``game_flags`` and ``settled_flags`` the flags. ``timed_rights`` and
``numbering`` answer questions about a state. Nothing here reads a clock or a file, and nothing of
``game.adjudication``, ``game.gcg`` or another room is imported.
"""
