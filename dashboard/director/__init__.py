"""The director's desk: every table at a glance, a table with its remedies, and a turn's dispute.

A log with its pictures comes in, as ``table.folded_log`` folds it, and requests of a director go
out to the table's ``table.desk``. Nothing here writes a log.
"""
