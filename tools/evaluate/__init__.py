"""Measures the weights on labelled photographs and recordings: ``python -m tools.evaluate``."""
