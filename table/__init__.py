"""One table at work, and the ``tilewatch`` command.

Frames and presses come in from ``sensors`` or ``simulation``; requests come through the desk from
the pages of ``dashboard`` or from a hub. Each becomes an event of the log once the game's rules
have accepted it, and views of the game go out. One loop (``running``) owns the game; ``session``
begins one game after another; ``recorder`` records one game. Only ``live`` and the commands may
import ``hub``.
"""
