"""Calibration of one camera and one board: pose, lens, empty board, stickers, the set of tiles.

``calibrate.propose`` turns a picture into a calibration with judgements of its quality; ``recheck``
finds the board by it in later pictures, and checks that it is still valid; ``storage`` keeps it on
disk; ``model`` applies it to pictures. ``tile_check`` counts a set of tiles, and ``fine_tune`` fits
the classifier to it.

This package imports ``vision`` and ``game``.
"""
