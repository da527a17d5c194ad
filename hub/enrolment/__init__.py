"""Letting a table into a hall."""
