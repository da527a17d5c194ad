"""The check of an evidence bundle: docs/evidence.md put into code.

In comes a bundle or a folder into which one was unpacked, with keys and a digest to compare; out
goes a ``Report`` of faults, notes and facts. ``checks`` leads through everything that takes no
rules of the game; ``replay`` does the rest where tilewatch is installed. Every bundle carries all
but ``replay`` as one file, so those modules may import only each other, the standard library,
cryptography, and ``strict_json``, ``seals``, ``linked_pictures`` and ``bundle.archive`` of
``record``.
"""
