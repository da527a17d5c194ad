"""Rulebooks as data, each setting with its rule number."""
