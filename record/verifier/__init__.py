"""The check of an evidence bundle: docs/evidence.md put into code.

In comes a bundle, packed or unpacked, with keys and a digest to compare; out goes a ``Report`` of
faults, notes and facts. ``checks`` makes all checks that need no rules of the game; ``replay``
makes the others if tilewatch is installed. Every bundle carries all but ``replay`` as one file, so
those modules may import only each other, the standard library, cryptography, and ``strict_json``,
``seals``, ``linked_pictures``, ``bundle.archive`` and ``bundle.manifest`` of ``record``.
"""
