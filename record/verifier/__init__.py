"""Checks a tilewatch evidence bundle with nothing of tilewatch: docs/evidence.md put into code.

    python verify_bundle.py BUNDLE [--key PUBLIC-KEY-OR-FINGERPRINT]... [--digest DIGEST]

Needs Python 3.11 and the package `cryptography`. Exit status: 0 sound, 1 not, 2 no bundle.
It does not know the rules of the game, so it replays nothing: it checks that the stated scores are
the sums of the stated turns, and leaves checks 9 and 10 of docs/evidence.md to `tilewatch verify`.
"""
