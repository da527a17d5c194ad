"""Helpers of the doctor's tests."""

from __future__ import annotations

from collections.abc import Iterable

from table.doctor.check import Check


def by_name(found: Check | Iterable[Check]) -> dict[str, Check]:
    found = (found,) if isinstance(found, Check) else found
    return {check.name: check for check in found}


def amiss(check: Check, says: str, remedy: str = "") -> None:
    """See that something is wrong, and what is said of it."""
    assert not check.ok
    assert says in check.says
    assert remedy in check.remedy
