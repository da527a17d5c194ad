"""Sets in mosquitto's dynamic-security plugin who may connect and use which topics.

The plugin keeps clients, roles and passwords, and disconnects a client that is disabled. A table's
user name is its id, and its role contains only its own topics, so no table can write another's
topics or read messages to another. (The plugin has no patterns, so each table needs its own role.)
Passwords are 256 random bits each.

The broker always starts with a file written from the hub's database, not with the file that the
plugin left: the plugin does not sync its file to the disk, and it may be damaged after a power cut.
So the database also keeps a hash of each password, in the plugin's form.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import queue
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from hub.errors import HubError
from hub.store import Enrolled
from hub.wire.connection import Broker, BrokerConnection, IncomingMessage
from hub.wire.messages import HUB_SAYS, ROOT, TABLE_SAYS, Address, checked_name

_LOG = logging.getLogger(__name__)

HUB_USER: Final = "_hub"
"""The hub's user name, which no table's id can equal."""

CONTROL_USER: Final = "_control"
"""The hub's user name for controlling the plugin."""

WATCHER_USER: Final = "_watcher"
"""The user name for a bridge to another hall's broker, which may only read the tables' messages. It
has no password, so nobody can log in with it."""

_CONTROL: Final = "$CONTROL/dynamic-security/v1"
_RESPONSE: Final = f"{_CONTROL}/response"
_ANSWER_S: Final = 5.0
_ROUNDS: Final = 101

Tables = Callable[[], Mapping[str, Enrolled]]
"""Returns every table by its id; one that may not connect now is marked as revoked."""


def new_password() -> str:
    """Return a new random password."""
    return secrets.token_urlsafe(32)


def hash_password(password: str) -> str:
    """Return a password's hash for the store: ``$7$rounds$salt$PBKDF2-HMAC-SHA512``."""
    salt = secrets.token_bytes(12)
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, _ROUNDS)
    return f"$7${_ROUNDS}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"


def plugin_file(venue: str, hub_password: str, tables: Iterable[Enrolled]) -> str:
    """Return the contents of the plugin's file: all clients, with revoked tables disabled."""
    root, hashed = f"{ROOT}/{checked_name(venue, 'venue')}", hash_password(hub_password)
    watched = [f"{root}/+/{channel}" for channel in (*TABLE_SAYS, "ack")]
    clients = [_client(HUB_USER, hashed), _client(CONTROL_USER, hashed), _client(WATCHER_USER)]
    roles = [
        _role(HUB_USER, [f"{root}/#"], [f"{root}/#"]),
        _role(CONTROL_USER, [_CONTROL], [_RESPONSE]),
        _role(WATCHER_USER, [], watched),
    ]
    for table in tables:
        clients.append(_client(table.id, table.password, out=table.revoked is not None))
        roles.append(_table_role(venue, table.id))
    defaults = dict.fromkeys(("publishClientSend", "publishClientReceive", "subscribe"), False)
    return json.dumps(
        {
            "defaultACLAccess": {**defaults, "unsubscribe": True},
            "clients": clients,
            "roles": roles,
        }
    )


def _client(user: str, hashed: str | None = None, *, out: bool = False) -> dict[str, Any]:
    client = {"username": user, "roles": [{"rolename": user}], "disabled": out}
    if hashed is None:  # who has no password is let in by none
        return client
    _, kind, rounds, salt, digest = hashed.split("$")
    assert kind == "7"
    return {**client, "password": digest, "salt": salt, "iterations": int(rounds)}


def _role(name: str, writes: Iterable[str], reads: Iterable[str]) -> dict[str, Any]:
    granted = [("publishClientSend", topic) for topic in writes]
    for topic in reads:
        granted += [("subscribePattern", topic), ("publishClientReceive", topic)]
    acls = [{"acltype": kind, "topic": topic, "allow": True} for kind, topic in granted]
    return {"rolename": name, "acls": acls}


def _table_role(venue: str, table_id: str) -> dict[str, Any]:
    address = Address(venue, table_id)
    return _role(table_id, map(address.topic, TABLE_SAYS), map(address.topic, HUB_SAYS))


class DynamicSecurity:
    """Tells the plugin of a running broker who may connect. Safe to use from any thread."""

    def __init__(self, broker: Broker, venue: str, tables: Tables) -> None:
        """``broker`` is reached as :data:`CONTROL_USER`."""
        self._venue, self._tables = venue, tables
        self._waiting: dict[str, queue.SimpleQueue[str | None]] = {}
        self._link = BrokerConnection(
            broker, CONTROL_USER, [(_RESPONSE, 1)], self._responded, self.update
        )
        self.start, self.stop = self._link.start, self._link.stop

    def update(self) -> None:
        """Admit the tables that may connect, and disconnect every other one.

        Without a connection to the broker this is done when the next one is made.
        """
        self._send({"command": "listClients", "verbose": True})

    def set_password(self, table_id: str, password: str) -> None:
        """Admit a table with this password, and end a connection made with another password.

        Raises ``HubError`` if the broker does not confirm.
        """
        ticket = secrets.token_hex(8)
        answer = self._waiting[ticket] = queue.SimpleQueue()
        try:
            if not self._link.wait_until_up(_ANSWER_S):
                raise queue.Empty
            self._send(
                {"command": "deleteClient", "username": table_id},
                {"command": "createRole", **_table_role(self._venue, table_id)},
                {
                    "command": "createClient",
                    **_client(table_id),
                    "password": password,
                    "correlationData": ticket,
                },
            )
            refused = answer.get(timeout=_ANSWER_S)
        except queue.Empty:
            waits = "does not answer" if self._link.up else "has not been reached yet"
            refused = self._link.trouble or f"it {waits}"
        finally:
            del self._waiting[ticket]
        if refused:
            raise HubError(f"the broker cannot let in {table_id}: {refused}; try again")

    def _send(self, *commands: Mapping[str, Any]) -> None:
        if commands:
            self._link.publish(_CONTROL, json.dumps({"commands": commands}).encode(), qos=1)

    def _responded(self, message: IncomingMessage) -> None:
        for response in json.loads(message.payload)["responses"]:
            waiting = self._waiting.get(response.get("correlationData", ""))
            if waiting is not None:
                waiting.put(response.get("error"))
            elif response["command"] == "listClients":
                self._correct(response["data"]["clients"])
            elif "error" in response:  # of what is done on the way: a role that is there
                _LOG.debug("the broker's %s: %s", response["command"], response["error"])

    def _correct(self, clients: Iterable[Mapping[str, Any]]) -> None:
        try:
            tables = self._tables()
        except HubError as error:
            _LOG.error("who may come: %s", error)
            return
        commands = []
        for client in clients:
            user, out = client["username"], bool(client.get("disabled"))
            table = tables.get(user)
            may_come = user.startswith("_") or (table is not None and table.revoked is None)
            if may_come == out:
                name = "enableClient" if may_come else "disableClient"
                commands.append({"command": name, "username": user})
        self._send(*commands)
