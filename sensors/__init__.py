"""Cameras and clock buttons, and recordings of both.

A device's pictures and edges come in, from drivers, files, the network or a page. Frames and
presses go out, each with its time on one monotonic base, and troubles for people. ``interfaces``
has the promises of a driver, ``drivers`` every kind of device. This room may import ``game`` alone.
"""
