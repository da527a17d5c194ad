"""The weights that ship, the renderer of the pictures that they were trained on, and evaluation.

``weights`` has the ONNX files with their cards, ``scenes`` renders tables, ``evaluate`` measures
readings of labelled photographs, also with the simulated damage of ``stress``. This package may
import ``vision`` and ``game``. The weights are made in ``tools/train``, outside the wheel.
"""
