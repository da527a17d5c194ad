"""Keeps a connection to the broker, by paho-mqtt, and reports why there is none.

The broker stores no sessions: each begins clean, and after connecting both sides send and request
again what they need. Messages are handed over in the client's own thread, in their order.
"""

from __future__ import annotations

import errno
import http.client
import logging
import os
import random
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from hub.errors import HubError

_LOG = logging.getLogger(__name__)

KEEPALIVE_S: Final = 5
"""The broker drops a silent client after one and a half times this: its last will follows."""

_RETRY_S: Final = (1, 4)
"""Between two tries to connect: at first, at most and less, so that a hall does not come back in
one moment; and later, when each takes twice as long as the one before."""

_CONNECT_S: Final = 4.0
_QUEUED: Final = 400

_CERTIFICATE: Final = {
    7: "an authority of the same name and another key has signed it",
    9: "it is not valid yet by this machine's clock",
    10: "it has run out by this machine's clock",
    **dict.fromkeys((18, 19, 20, 21), "an authority that is not known here has signed it"),
    62: "it is for another name",
    64: "it is for another address",
}
"""By OpenSSL's number (``X509_V_ERR_…``)."""

_NETWORK: Final = {
    errno.ECONNREFUSED: "nothing listens there",
    errno.ECONNRESET: "it hangs up",
    errno.EPIPE: "it hangs up",
    errno.ENETUNREACH: "no network leads there",
    errno.EHOSTUNREACH: "no machine of this address is in the network",
    errno.ETIMEDOUT: "it does not answer",
}


@dataclass(frozen=True, slots=True)
class Broker:
    """The broker's address and the credentials."""

    host: str
    port: int
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    ca: Path | None = None
    """The certificate of the authority that signed the broker's; without it nothing is encrypted.
    It is the hub's own and signs nothing else, so the broker's name is not compared: halls give
    out other addresses every day."""

    @property
    def where(self) -> str:
        """Its address, for people."""
        return f"at {self.host} port {self.port}"


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """A message: ``retained`` if it is the broker's copy of an earlier one."""

    topic: str
    payload: bytes
    retained: bool


class BrokerConnection:
    """One client of the broker.

    ``on_up`` is called with each connection, once the subscriptions were sent; ``on_message`` with
    each message. Both in the client's thread: they must neither wait nor raise.
    """

    def __init__(
        self,
        broker: Broker,
        client_id: str,
        subscriptions: Sequence[tuple[str, int]],
        on_message: Callable[[IncomingMessage], None],
        on_up: Callable[[], None],
        *,
        will: tuple[str, bytes] | None = None,
        inflight: int = 100,
        if_refused: str = "",
    ) -> None:
        """``will`` is a topic and the retained message that the broker publishes if we vanish.

        ``if_refused`` is the remedy where one side refuses the other, for ``trouble``.
        Raises ``HubError`` where the authority's certificate cannot be read.
        """
        self.broker = broker
        self.trouble: str | None = None
        """Why there is no connection, in one line; None while there is one."""
        self._subscriptions = [*subscriptions]
        self._on_message, self._on_up = on_message, on_up
        self._if_refused = f"; {if_refused}" if if_refused else ""
        self._up = threading.Event()
        self._started = False
        client = mqtt.Client(
            CallbackAPIVersion.VERSION2, client_id=client_id, protocol=MQTTProtocolVersion.MQTTv5
        )
        client.max_inflight_messages_set(inflight)
        client.max_queued_messages_set(_QUEUED)
        client.connect_timeout = _CONNECT_S
        client.reconnect_delay_set(*_RETRY_S)
        if broker.username is not None:
            client.username_pw_set(broker.username, broker.password)
        if broker.ca is not None:
            client.tls_set_context(_context(broker.ca))
        if will is not None:
            client.will_set(will[0], will[1], qos=1, retain=True)
        client.on_connect = self._connected
        client.on_connect_fail = self._failed
        client.on_disconnect = self._disconnected
        client.on_message = self._arrived
        self._client = client

    @property
    def up(self) -> bool:
        """True while there is a connection, as far as is known."""
        return self._up.is_set()

    def wait_until_up(self, timeout_s: float) -> bool:
        """Wait for a connection; True if there is one."""
        return self._up.wait(timeout_s)

    def start(self) -> None:
        """Connect, in a thread of its own, and again whenever the connection is lost."""
        self._started = True
        self._client.connect_async(
            self.broker.host, self.broker.port, keepalive=KEEPALIVE_S, clean_start=True
        )
        self._client.loop_start()

    def stop(self) -> None:
        """Disconnect in order: the broker does not publish the last will then."""
        if self._started:
            self._client.disconnect()
            self._client.loop_stop()
            # Paho leaves open what it was making when we disconnected, and its own wake-up pair.
            self._client._reset_sockets()
        self._up.clear()

    def publish(self, topic: str, payload: bytes, *, qos: int = 0, retain: bool = False) -> bool:
        """Publish; False, with nothing kept for later, if there is no connection."""
        if not self._up.is_set():
            return False
        done = self._client.publish(topic, payload, qos=qos, retain=retain)
        return done.rc == MQTTErrorCode.MQTT_ERR_SUCCESS

    def publish_and_wait(self, topic: str, payload: bytes, timeout_s: float = 1.0) -> None:
        """Publish a retained message and wait until the broker has it, before a stop."""
        if self._up.is_set():
            done = self._client.publish(topic, payload, qos=1, retain=True)
            try:
                done.wait_for_publish(timeout_s)
            except (RuntimeError, ValueError):
                _LOG.debug("the broker was gone before the last message")

    # --- paho's callbacks ---

    def _connected(
        self,
        client: mqtt.Client,
        _userdata: Any,
        _flags: mqtt.ConnectFlags,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        if reason.is_failure:
            user = self.broker.username or "us"
            where = self.broker.where
            self.trouble = f"the broker {where} refuses {user}: {reason}{self._if_refused}"
            return
        self.trouble = None
        for topic, qos in self._subscriptions:
            client.subscribe(topic, qos)
        self._up.set()
        self._on_up()

    def _failed(self, _client: mqtt.Client, _userdata: Any) -> None:
        self._up.clear()
        error = sys.exception()  # paho calls from where it catches it
        self.trouble = _trouble(self.broker, error, self._if_refused)

    def _disconnected(
        self,
        _client: mqtt.Client,
        _userdata: Any,
        _flags: mqtt.DisconnectFlags,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        self._up.clear()
        if self.trouble is None:
            self.trouble = f"the connection to the broker {self.broker.where} was lost ({reason})"
        # Fractions of seconds, whatever paho declares: the hall must not come back in step.
        low, high = _RETRY_S
        self._client.reconnect_delay_set(random.uniform(0.3, low), high)  # type: ignore[arg-type]

    def _arrived(self, _client: mqtt.Client, _userdata: Any, message: mqtt.MQTTMessage) -> None:
        self._on_message(IncomingMessage(message.topic, bytes(message.payload), message.retain))


def handshake_trouble(broker: Broker, if_refused: str = "") -> str | None:
    """Shake hands with a broker, without a login; return what fails, in one line.

    Raises ``HubError`` where the authority's certificate cannot be read.
    """
    context = None if broker.ca is None else _context(broker.ca)
    try:
        with socket.create_connection((broker.host, broker.port), _CONNECT_S) as plain:
            if context is not None:
                context.wrap_socket(plain).close()
    except OSError as error:
        return _trouble(broker, error, if_refused and f"; {if_refused}")
    return None


def _trouble(broker: Broker, error: BaseException | None, if_refused: str) -> str:
    if error is None:
        return f"the broker {broker.where} cannot be reached"
    if why := refused_certificate(error):
        return f"the broker's certificate was refused: {why} ({broker.where}){if_refused}"
    return f"the broker {broker.where} cannot be reached: {unreachable(error)}"


class _Socket(ssl.SSLSocket):
    """A socket that closes itself when its handshake fails: paho would leave it open."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except BaseException:
            self.close()
            raise


def _context(ca: Path) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=str(ca))
    except (OSError, ssl.SSLError) as error:
        raise HubError(f"{ca}: no certificate of an authority; enrol the table again") from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = False  # verify_mode stays CERT_REQUIRED
    context.sslsocket_class = _Socket
    return context


def refused_certificate(error: BaseException) -> str | None:
    """Return why a server's certificate was refused; None if something else is wrong."""
    if not isinstance(error, ssl.SSLCertVerificationError):
        return None
    return _CERTIFICATE.get(error.verify_code, error.verify_message)


def unreachable(error: BaseException) -> str:
    """Return why a server cannot be reached, in a few words for an ``OSError`` or one of HTTP's."""
    if isinstance(error, socket.gaierror):
        return "no machine of this name is known in the network"
    if isinstance(error, TimeoutError):
        return _NETWORK[errno.ETIMEDOUT]
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError):
        return _NETWORK[errno.ECONNRESET]
    if isinstance(error, ssl.SSLError):
        if error.reason in {"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST"}:
            return "what answers there speaks no TLS"
        return f"TLS fails: {error.reason or error}"
    if isinstance(error, http.client.RemoteDisconnected):
        return _NETWORK[errno.ECONNRESET]
    if isinstance(error, http.client.HTTPException):
        return "what answers there speaks no HTTP"
    if isinstance(error, OSError) and error.errno is not None:
        return _NETWORK.get(error.errno, os.strerror(error.errno))
    return str(error) or type(error).__name__
