"""Event streams for Flask's test client, which speaks no ASGI: each goes on in its answer."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace

from flask import Flask
from werkzeug.wsgi import ClosingIterator

from dashboard.streaming.exchange import KEY
from dashboard.streaming.streams import HEARTBEAT_S, TICK_S, Follower, opening

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
    whole = itertools.chain(answer, later(granted.follower, heartbeat_s=heartbeat_s))
    return ClosingIterator(whole, [answer.close, granted.leave])


def follow(follower: Follower, **options) -> Iterator[bytes]:
    """One whole stream."""
    yield opening(follower)
    yield from later(follower, **options)


def later(
    follower: Follower, gone: Callable[[], bool] = lambda: False, heartbeat_s: float = HEARTBEAT_S
) -> Iterator[bytes]:
    """What follows a stream's beginning, until it is over or its page has gone."""
    spoke = time.monotonic()
    while not follower.over and not gone():
        new_frames = follower.new_frames()
        now = time.monotonic()
        if not new_frames and now - spoke >= heartbeat_s:
            new_frames = follower.beat()
        if new_frames:
            yield new_frames
            spoke = now
        follower.feed.wait(follower.waits_for(), min(TICK_S, heartbeat_s))
