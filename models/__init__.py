"""The weights that ship, the renderer of the pictures that they were trained on, and evaluation.

``weights`` has the ONNX files with their cards, ``tile_weights`` names the classifiers that read
a set, ``scenes`` renders tables, and ``evaluate`` measures readings of labelled photographs. This
room may import ``vision`` and ``game``. The weights are made in ``tools/train``, outside the
wheel.
"""
