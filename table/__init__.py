"""One table at work, and the ``tilewatch`` command.

Frames and presses come in from ``sensors`` or ``simulation``, requests from the pages of
``dashboard`` or a hub, by the desk. Each becomes an event of the log, once the game's rules have
taken it, and views of it go out. One loop (``running``) owns the game; ``session`` begins one game
after another, ``recorder`` writes one. Only ``live`` and the commands may import ``hub``.
"""
