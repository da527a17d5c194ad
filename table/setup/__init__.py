"""Setting a table up: capture, calibration, and whether the calibration still holds."""
