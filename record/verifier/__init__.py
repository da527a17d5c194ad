"""Checks an evidence bundle against its own events, signatures and pictures."""
