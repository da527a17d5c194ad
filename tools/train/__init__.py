"""The making of the weights: ``python -m tools.train``.

Random tables come in (``tools.scenes``), cut by vision's own code as at a table. Out come the
files of ``models/weights`` and their cards. No photograph is used. What needs torch says so in its
first lines, and needs ``sh install.sh --train``.
"""
