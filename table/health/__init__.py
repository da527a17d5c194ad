"""The troubles, the camera's health and the watchdog of a running table."""
