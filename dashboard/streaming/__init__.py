"""Event streams over HTTP: connections and their limits, compression, sending.

A view grants a stream to a request; the server sends the follower's messages until the stream or
the connection ends. The limits here protect a table without a proxy in front of it from slow and
greedy clients.
"""
