"""Calibration of one camera and one board: pose, lens, empty board, stickers, the set of tiles.

``calibrate.propose`` turns a picture into a calibration with judgements of its quality, ``recheck``
tells by a later picture whether it still holds, ``storage`` keeps it on disk, and ``finder`` and
``model`` apply it to pictures. ``tile_check`` counts a set of tiles, and ``fine_tune`` fits the
classifier to it.

The room imports ``vision`` and ``game``.
"""
