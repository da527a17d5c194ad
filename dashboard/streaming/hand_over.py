"""How a connection goes from waitress to the sender of event streams.

waitress gives every request a thread until its answer is complete, which a stream's never is. So
the application answers with the beginning of the stream alone, and says what is to follow; when
waitress has sent that, the connection is not closed but leaves waitress for the sender. What stands
here of waitress's own workings is held to its version by the tests over real connections.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, cast

from waitress.task import WSGITask

from dashboard.streaming.channel import LimitedChannel
from dashboard.streaming.sender import Form, Sender
from dashboard.streaming.streams import Follower
from dashboard.streaming.vouching import VOUCH

KEY: Final = "tilewatch.hand_over"
"""In a request's environment where its server can do this: call it with what is to follow."""

HandOver = Callable[[Follower, Callable[[], None], bool], None]
"""Called with what is to follow, what to call when it has ended, and whether it is in gzip."""


@dataclass
class _Given:
    """What is to follow an answer, and what to call when it has ended."""

    follower: Follower
    leave: Callable[[], None]
    gzip: bool


class StreamTask(WSGITask):  # type: ignore[misc] # waitress has no types
    """A request whose answer may go on after it."""

    _given: _Given | None = None

    def get_environment(self) -> dict[str, Any]:
        """The WSGI environment, in which a stream can be handed over."""
        environ = cast("dict[str, Any]", super().get_environment())
        environ[KEY] = self._give
        environ[VOUCH] = self.channel.vouch
        return environ

    def _give(self, follower: Follower, leave: Callable[[], None], gzip: bool) -> None:
        self._given = _Given(follower, leave, gzip)

    def service(self) -> None:
        """Answer it."""
        try:
            super().service()
        finally:
            if self._given is not None:  # it broke before its end
                self._given.leave()

    def finish(self) -> None:
        """Leave the answer open where more is to follow."""
        given = self._given
        if given is None:
            super().finish()
        elif self.channel.goes_on(given, self.chunked_response):
            self._given = None


class StreamChannel(LimitedChannel):
    """A connection that may leave waitress for the sender."""

    task_class = StreamTask

    follow_up: tuple[_Given, bool] | None = None
    _closed = False
    """Whether it was closed or has left; either in waitress's own thread."""

    def goes_on(self, given: _Given, chunked: bool) -> bool:
        """Let something follow the answer at hand; False where the connection is closed already."""
        with self.outbuf_lock:
            if not self._closed:
                self.follow_up = (given, chunked)
            return not self._closed

    def handle_write(self) -> None:
        """Send what there is to send; then, where a stream follows, let the connection go.

        waitress's own would look again whether the answer is at its end, after it has sent: what
        the request's thread hands over in between, it would close.
        """
        if self._closed:  # by what was read in the same round
            return
        # Read before anything is sent. All that is written, and what follows, comes before it.
        at_its_end = self.close_when_flushed
        self._flush_exception(self._flush_some_if_lockable)
        sent = at_its_end and not self.total_outbufs_len
        if self.will_close or (sent and self.follow_up is None):
            self.handle_close()
        elif sent:
            self._let_go()
        else:
            self.go_on()

    def handle_close(self) -> None:
        """Close it, if it is not closed or given away yet."""
        with self.outbuf_lock:
            if self._closed:
                return
            self._closed = True
        super().handle_close()
        if self.follow_up is not None:
            self.follow_up[0].leave()

    def _let_go(self) -> None:
        assert self.follow_up is not None
        given, chunked = self.follow_up
        self._closed = True
        self.del_channel()
        connection: socket.socket = self.socket
        self.close_when_flushed = self.connected = False
        for buffer in self.outbufs:
            with contextlib.suppress(Exception):
                buffer.close()
        sender = cast("Sender", self.server.sender)
        sender.add(connection, given.follower, given.leave, Form(chunked, given.gzip))
