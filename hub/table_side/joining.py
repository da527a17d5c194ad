"""A table's end of its enrolment: redeems a code at the hub and saves the answer."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import ValidationError

from game.printable import printable
from hub.errors import HubError
from hub.table_side.connector import CA_FILE, FILE, Membership
from hub.table_side.outbox import IF_REFUSED
from hub.table_side.request_handler import FILE as REQUESTS_FILE
from hub.wire.connection import BrokerConnection, handshake_trouble, unreachable
from hub.wire.handshake import EnrolCode, TableExchange
from record import strict_json
from record.signing import KEY_FILE, TableKey
from table.doctor.check import Check, fine, wrong

_TIMEOUT_S: Final = 20.0
_BROKER_S: Final = 8.0
_LOOK_S: Final = 0.02
_MOST: Final = 64 * 1024
_LINE: Final = 300


def join(code: str, where: str, folder: Path) -> Membership:
    """Redeem a code at the hub whose pages are at ``where``, for the table in ``folder``.

    Raises ``TilewatchError`` with one line on what to do.
    """
    try:
        parts = urlsplit(where if "//" in where else f"http://{where}")
        _ = parts.port, (parts.hostname or "").encode("idna")
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise HubError(f"{where[:80]!r} is no address of a hub, like http://192.168.1.10:8000")
    parsed = EnrolCode.parse(code)
    folder.mkdir(parents=True, exist_ok=True)
    exchange = TableExchange(parsed, TableKey.open(folder / KEY_FILE))
    url = f"{parts.scheme}://{parts.netloc}/api/v1/enrol"
    confirmation = exchange.confirm(_post(url, exchange.opening))
    details = exchange.read(_post(url, confirmation))
    try:
        ca = details.pop("ca")
        if not isinstance(ca, str):
            raise KeyError("ca")
        member = Membership.model_validate(details)
    except (KeyError, ValidationError) as error:
        raise HubError("the hub's answer lacks something; is it of another version?") from error
    member.save(folder, ca)
    return member


def broker_trouble(member: Membership, folder: Path, *, log_in: bool = True) -> str | None:
    """Connect to the hub's broker as the table in ``folder``; return what fails, in one line.

    If the table is running, a second login by its name would end its connection; without ``log_in``
    only the broker's certificate is checked. None if nothing fails. Raises ``HubError``.
    """
    broker = member.broker(folder)
    trouble = handshake_trouble(broker, IF_REFUSED)
    if trouble is not None or not log_in:
        return trouble
    came = threading.Event()
    link = BrokerConnection(
        broker,
        f"table-{member.table}",
        [],
        lambda _message: None,
        came.set,
        if_refused=IF_REFUSED,
    )
    link.start()
    try:
        deadline = time.monotonic() + _BROKER_S
        while not came.wait(_LOOK_S) and link.trouble is None and time.monotonic() < deadline:
            pass
        if came.is_set():
            return None
        return link.trouble or f"the broker {broker.where} does not answer"
    finally:
        link.stop()


def hub_checks(folder: Path, *, running: bool) -> Iterator[Check]:
    """Check that the hub's broker lets the table in; yield nothing for a table without a hub.

    ``running``: a table is at work here. It would lose its own connection if another logged in by
    its name, so only the broker's certificate is looked at. Raises ``HubError``.
    """
    member = Membership.load(folder)
    if member is None:
        return
    trouble = broker_trouble(member, folder, log_in=not running)
    if trouble is not None:
        yield wrong(
            "hub", trouble, "mend that, or take the table out of the hall: tilewatch join --leave"
        )
    else:
        done = "answers" if running else "lets this table in"
        yield fine("hub", f"the broker at {member.host} port {member.port} {done}")


def leave(folder: Path) -> None:
    """Forget the hub. The log stays, and so does the hub's copy."""
    for name in (FILE, CA_FILE, REQUESTS_FILE):
        with suppress(FileNotFoundError):
            (folder / name).unlink()


def _post(url: str, message: dict[str, str]) -> dict[str, Any]:
    request = urllib.request.Request(  # noqa: S310 (http or https, checked above)
        url,
        json.dumps(message).encode(),
        {"Content-Type": "application/json", "Accept": "application/json"},
        method="POST",
    )
    try:
        with urllib.request.urlopen(  # noqa: S310
            request, timeout=_TIMEOUT_S, context=_any_certificate()
        ) as response:
            answer = strict_json.loads(response.read(_MOST))
    except urllib.error.HTTPError as error:
        text = ""
        with error, suppress(OSError, http.client.HTTPException, ValueError, AttributeError):
            text = str(strict_json.loads(error.read(_MOST)).get("error", ""))
        line = printable(text)[:_LINE] or f"answers {error.code}"
        raise HubError(f"{url}: {line}") from error
    except urllib.error.URLError as error:
        reason = error.reason if isinstance(error.reason, OSError) else error
        raise HubError(f"{url}: no hub answers there: {unreachable(reason)}") from error
    except (OSError, http.client.HTTPException) as error:
        raise HubError(f"{url}: no hub answers there: {unreachable(error)}") from error
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise HubError(f"{url}: what answers there is no hub")
    return answer


def _any_certificate() -> ssl.SSLContext:
    """A TLS context that accepts any certificate of the pages.

    The hub makes its own, which nobody here could tell from another. The exchange needs no secret
    channel: both ends prove that they know the code, and the hub's answer is sealed with it.
    """
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
