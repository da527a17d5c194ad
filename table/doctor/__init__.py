"""Looks at everything that a table needs, and says what to do where something is amiss.

Each check is a module of its own that yields ``Check``; ``run`` has them all in order.
"""

from table.doctor.check import Check
from table.doctor.run import checked, checked_file, checks

__all__ = ["Check", "checked", "checked_file", "checks"]
