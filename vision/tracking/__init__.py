"""From video to turns: frames and presses in, typed results out (``perception``).

The board is observed whenever it is at rest (``stillness``, ``observer``). Each observation updates
the posterior of every square (``board_tracker``, ``square_filter``). The tiles that have come, with
the intervals in which they were laid (``tile_timeline``), the presses and the arms seen are the
evidence by which turns are decoded (``turn_window``, ``turn_decoder``) and taken (``turn_finder``).

Of the other rooms it imports ``game`` and the types of ``sensors.interfaces``. It reads no clock,
device or disk.
"""
