"""Cameras and clock buttons, and recordings of both.

Pictures and the edges of contacts come in, from drivers, files, the network or a page. Frames and
presses go out, each with its time on one monotonic base, and also reports of faults.
``interfaces`` says what a driver must do; ``drivers`` lists every kind of device. This package may
import ``game`` alone.
"""
