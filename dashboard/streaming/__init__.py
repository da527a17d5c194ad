"""Event streams over HTTP: connections and their limits, compression, sending.

A view grants a stream to a request; the server sends its follower's messages until one of them
ends. The limits here protect a table without a proxy in front of it from slow and greedy clients.
"""
