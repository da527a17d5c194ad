"""Event streams for Flask's test client, which speaks no ASGI: each goes on in its answer."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from types import SimpleNamespace

from flask import Flask
from werkzeug.wsgi import ClosingIterator

from dashboard.streaming.exchange import KEY
from dashboard.streaming.streams import TICK_S, Follower

_served = Flask.wsgi_app


def wsgi_app(app: Flask, environ, start_response):
    """Answer a request; a stream that it is granted follows the answer's beginning."""
    if KEY in environ:  # a real server's
        return _served(app, environ, start_response)
    environ[KEY] = connection = SimpleNamespace(granted=None, vouch=lambda _: None)
    answer = _served(app, environ, start_response)
    granted = connection.granted
    if granted is None:
        return answer
    heartbeat_s = app.extensions["tilewatch"].heartbeat_s
    whole = itertools.chain(answer, later(granted.follower, heartbeat_s))
    return ClosingIterator(whole, [answer.close, granted.leave])


def later(follower: Follower, heartbeat_s: float) -> Iterator[bytes]:
    """What follows a stream's beginning, until it is over."""
    spoke = time.monotonic()
    while not follower.over:
        new_frames = follower.new_frames()
        now = time.monotonic()
        if not new_frames and now - spoke >= heartbeat_s:
            new_frames = follower.beat()
        if new_frames:
            yield new_frames
            spoke = now
        follower.feed.wait(follower.waits_for(), min(TICK_S, heartbeat_s))
