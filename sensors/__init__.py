"""Cameras and clock buttons: recordings, the simulated table, and the real devices."""
