"""Setting a table up: calibration, the check of its tiles, a new game, and what the doctor says.

The pages are in the director's area behind its log-in, and on their own while ``tilewatch
calibrate`` runs. What they do is done by a :class:`~dashboard.interfaces.SetupBackend`.
"""
