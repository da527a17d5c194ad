"""The director's desk: every table at a glance, a table with its remedies, and a turn's dispute."""

from __future__ import annotations

from dashboard.director import api, pages

BLUEPRINTS = (pages.blueprint, api.blueprint)

__all__ = ["BLUEPRINTS"]
