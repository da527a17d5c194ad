"""Calibration of one camera and one board: pose, lens, empty board, stickers, the set of tiles.

``calibrate.propose`` turns a picture into a calibration with judgements of its quality; ``recheck``
checks by a later picture that it is still valid; ``storage`` keeps it on disk; ``finder`` and
``model`` apply it to pictures. ``tile_check`` counts a set of tiles, and ``fine_tune`` fits the
classifier to it.

This package imports ``vision`` and ``game``.
"""
