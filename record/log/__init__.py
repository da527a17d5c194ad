"""The event log: an append-only, hashed and signed SQLite file with a plain-text second copy.

In come payloads with their time and source; out go :class:`record.chain.LoggedEvent` in order, once
these are on the disk. Other rooms use ``event_log``. Beneath it, ``disk`` commits, ``mirror``
writes the second copy and compares it with the log, ``repair`` brings both together at an opening,
``schema`` has the tables, and ``read_only`` reads if nothing can be written. A payload's meaning is
unknown here: it may import nothing of ``game`` but files and errors.
"""
