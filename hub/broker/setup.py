"""Sets up the configured broker: one that the hub runs, or one elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from game.files import SMALL, create_private_file, os_error_as, read_file
from hub.broker.access import HUB_USER, Tables, new_password
from hub.broker.mosquitto import BrokerIncident, MosquittoBroker
from hub.config import HubConfig, own_address
from hub.enrolment import HubDetails
from hub.errors import HubError
from hub.wire.connection import Broker
from table.address import is_of_this_machine

FOLDER: Final = "broker"
SECRET: Final = "hub.secret"  # noqa: S105 (a file's name)


def own_broker(
    config: HubConfig, folder: Path, tables: Tables, on_incident: Callable[[BrokerIncident], None]
) -> MosquittoBroker | None:
    """Return the broker that the hub runs; None if it runs elsewhere. Raises ``HubError``."""
    if not config.broker.run:
        return None
    return MosquittoBroker(
        folder / FOLDER,
        config.venue,
        _password(folder / SECRET),
        tables,
        host=config.broker.listen,
        port=config.broker.port,
        more=config.broker.extra,
        on_incident=on_incident,
    )


def hubs_way(config: HubConfig, folder: Path, own: MosquittoBroker | None) -> Broker:
    """Return the broker's address and the hub's credentials at it. Raises ``HubError``."""
    broker = config.broker
    if own is not None:
        host = broker.listen or "127.0.0.1"
        return Broker(host, broker.port, HUB_USER, _password(folder / SECRET), own.ca)
    path = broker.password_file
    try:
        text = read_file(path, SMALL, HubError) if path else b""
        secret = text.decode().strip() or None
    except UnicodeDecodeError as error:
        raise HubError(f"{path}: not UTF-8 text") from error
    except OSError as error:
        raise HubError(f"{path}: cannot be read ({error.strerror})") from error
    return Broker(broker.host, broker.port, HUB_USER if secret else None, secret, broker.ca)


def tables_way(
    config: HubConfig, own: MosquittoBroker | None, hub_key: str, source: str
) -> HubDetails:
    """Return the details by which a table at the address ``source`` reaches the broker.

    Raises ``HubError``, also if the broker cannot be reached from there.
    """
    broker = config.broker
    ca = own.ca if own is not None else broker.ca
    try:
        text = read_file(ca, SMALL, HubError).decode("ascii") if ca is not None else ""
    except (OSError, UnicodeDecodeError) as error:
        raise HubError(f"{ca}: the authority's certificate cannot be read") from error
    host = own_address(broker.listen) if own is not None else broker.host
    if broker.advertise:
        host = broker.advertise
    elif is_of_this_machine(host) and not is_of_this_machine(source):
        raise HubError(
            f"no other machine can reach this hub's broker, which is at {host}: set listen, "
            "or the address under which tables find it as advertise, in [broker] of hub.toml"
        )
    return HubDetails(config.venue, host, broker.port, text, hub_key)


def _password(path: Path) -> str:
    """Return the hub's own password at its broker; make it if there is none."""
    with os_error_as(HubError, f"{path}: cannot be used"):
        if not path.exists():
            create_private_file(path, new_password().encode())
        return path.read_text("ascii").strip()
