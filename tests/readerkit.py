"""What stand-ins for a reader share."""

from __future__ import annotations

import numpy as np


class OneLook:
    """A reader that cannot compare two looks, and so has nothing to say of what was laid."""

    def change_evidence(self, before, after, squares):
        return np.zeros(len(squares))
