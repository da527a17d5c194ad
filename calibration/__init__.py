"""Calibration of one camera and board: pose, lens, empty board, tiles."""
