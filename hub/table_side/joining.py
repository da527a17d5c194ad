"""A table's end of its enrolment: a code is redeemed at the hub, and its answer is kept."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import ValidationError

from hub.enrolment.handshake import EnrolCode, TableExchange
from hub.errors import HubError
from hub.table_side.connector import CA_FILE, FILE, Membership
from hub.table_side.request_handler import FILE as REQUESTS_FILE
from record.signing import KEY_FILE, TableKey

_TIMEOUT_S: Final = 20.0
_MOST: Final = 64 * 1024


def join(code: str, where: str, folder: Path) -> Membership:
    """Redeem a code at the hub whose pages are at ``where``, for the table in ``folder``.

    Raises ``TilewatchError`` with one line on what to do.
    """
    parts = urlsplit(where if "//" in where else f"http://{where}")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise HubError(f"{where[:80]!r} is no address of a hub, like http://192.168.1.10:8000")
    parsed = EnrolCode.parse(code)
    folder.mkdir(parents=True, exist_ok=True)
    exchange = TableExchange(parsed, TableKey.open(folder / KEY_FILE))
    url = f"{parts.scheme}://{parts.netloc}/api/v1/enrol"
    confirmation = exchange.confirm(_post(url, exchange.opening))
    details = exchange.read(_post(url, confirmation))
    try:
        ca = str(details.pop("ca"))
        member = Membership.model_validate(details)
    except (KeyError, ValidationError) as error:
        raise HubError("the hub's answer lacks something; is it of another version?") from error
    member.save(folder, ca)
    return member


def leave(folder: Path) -> None:
    """Forget the hub. The log, and what the hub has of it, stay."""
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
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as response:  # noqa: S310
            answer = json.loads(response.read(_MOST))
    except urllib.error.HTTPError as error:
        text = ""
        with error, suppress(ValueError, AttributeError):
            text = str(json.loads(error.read(_MOST)).get("error", ""))
        raise HubError(f"{url}: {text[:300] or f'answers {error.code}'}") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise HubError(f"{url}: no hub answers there ({reason})") from error
    if not isinstance(answer, dict):
        raise HubError(f"{url}: what answers there is no hub")
    return answer
