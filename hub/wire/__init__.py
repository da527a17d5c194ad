"""The protocol between table and hub, for both ends: connection, messages and their checks.

In comes what the broker delivers, which anybody may have written; out go messages, records, pieces
of pictures and requests that are well-formed and signed, or a ``WireError`` in one line. Nothing
here knows the hub's store or its pages.
"""
