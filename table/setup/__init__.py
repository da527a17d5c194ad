"""Sets a table up: pictures, calibration and its checks, and ``tilewatch setup``.

In come a configuration, a data folder and the camera. Out come a saved calibration
(``table.calibrated_reader`` uses it), the session that pages and commands work with
(``calibration_session``, ``live_calibration``), and a ``table.toml`` (``walk``, its ``steps`` and
``answers``). The loop of a table imports ``live_calibration`` alone; nothing here imports the loop.
"""
