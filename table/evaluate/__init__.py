"""Measures the weights on labelled photographs and recordings: ``tilewatch evaluate``."""
