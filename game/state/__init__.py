"""The state of a whole game, computed as a fold over its events.

:func:`game.state.fold.fold` takes events, and ``apply`` one event more. Both return a frozen
:class:`~game.state.game_state.GameState` with turns, scores, clocks, flags and the result. An event
goes to the step of its group (``observed_events``, ``rulings``, ``restructuring``,
``entered_events``, ``clock_events``, ``end_events``, ``start_events``). The step changes the record
of the game: a ``Progress`` with the ``ledger`` of sightings and entries. ``derive`` then computes
everything else from the record: ``settlement`` and ``racks`` give the points outside the turns,
``outcome`` the result, ``game_flags`` and ``settled_flags`` the flags. ``timed_rights`` and
``numbering`` answer questions about a state. No module here reads a clock or a file, or imports
``game.adjudication``, ``game.gcg`` or another room.
"""
