"""A phone as a table's camera: the page that it opens, what it sends, and the page that pairs it.

Every request but the one for the phone's page needs the camera's key or a director's session.

Each picture is one request over a connection that stays open, sent once the one before was
answered: a slow link makes pictures fewer and not later. The answer says where in the picture the
table sees the board.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import unquote

from flask import (
    Blueprint,
    Flask,
    Response,
    abort,
    current_app,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue

from dashboard.accounts.guard import LONGEST_BODY, director_only
from dashboard.admin_log import done
from dashboard.clock.round_trips import RoundTrips, time_answer
from dashboard.interfaces import PhoneLink
from dashboard.link_keys import CODE_S, Pairing, camera_address
from dashboard.parts import part
from dashboard.qr_code import qr_svg
from dashboard.responses import json_answer, private_page
from dashboard.security import camera_allowed
from dashboard.sent import LONGEST_ID, sent_object, whole_number
from dashboard.site import Site, Table, this_site
from dashboard.streaming.exchange import Voucher, vouch
from table.certificates import CertificateFiles

KEY_HEADER: Final = "X-Camera-Key"
LONGEST: Final = 2000
"""The most bytes of a request that is no picture."""
MOST_CONNECTIONS: Final = 4
SLOWEST_NS: Final = 600_000_000
"""The longest round trip accepted: twice the largest error allowed for a time stamp."""

blueprint = Blueprint("camera", __name__)
pairing_pages = Blueprint(
    "camera_director", __name__, url_prefix="/director/tables/<table_id>/camera"
)
"""The director's page of a phone camera: pairs a phone by a QR code and shows its state."""
_API: Final = "/tables/<table_id>/camera/api"
_PICTURE: Final = re.compile(r"/tables/([^/]+)/camera/api/picture")


@blueprint.get("/camera")
def only() -> ResponseReturnValue:
    """The page of the only table that has a phone as its camera."""
    found = [table.id for table in this_site().tables if table.phone is not None]
    if len(found) != 1:
        abort(404, description="No table here has a phone as its camera.")
    return redirect(url_for("camera.page", table_id=found[0]))


@blueprint.get("/authority.crt")
def authority() -> ResponseReturnValue:
    """Return the certificate of the authority behind the pages' certificate, to be installed."""
    tls: CertificateFiles | None = current_app.extensions.get("tilewatch.tls")
    if tls is None or tls.authority is None:
        abort(404, description="These pages are not served with a certificate of tilewatch's own.")
    return Response(tls.authority.read_bytes(), mimetype="application/x-x509-ca-cert")


@blueprint.get("/tables/<table_id>/camera")
def page(table_id: str) -> ResponseReturnValue:
    """The phone's page, the only one that may ask the browser for a camera."""
    table, phone = _table(table_id)
    html = render_template("camera/camera.html", table=table, wants=phone.wants)
    return camera_allowed(Response(html))


@blueprint.post(f"{_API}/pair")
def pair(table_id: str) -> ResponseReturnValue:
    """Exchange a code, sent as ``{"code": "…"}``, for the camera's key."""
    table, phone = _table(table_id)
    code = sent_object(LONGEST).get("code")
    key = part(Pairing).redeem(table.id, code) if isinstance(code, str) else None
    if key is None:
        text = "This code is not valid any more: scan the one that the director shows now."
        abort(403, description=text)
    phone.forget()
    return json_answer({"key": key})


@blueprint.get(f"{_API}/time")
def now(table_id: str) -> ResponseReturnValue:
    """Answer with the machine's time, from which a page computes its own clock's offset."""
    table, phone = _opened(table_id)
    return time_answer(_trips(table), phone.clock(), 1.0)


@blueprint.post(f"{_API}/state")
def state(table_id: str) -> ResponseReturnValue:
    """Take the phone page's report: ``{"page", "state", "battery", "charging", "locked"}``."""
    _, phone = _opened(table_id)
    sent = sent_object(LONGEST)
    page_id, battery, charging = sent.get("page"), sent.get("battery"), sent.get("charging")
    if not isinstance(page_id, str) or not 0 < len(page_id) <= LONGEST_ID:
        abort(400, description="page: give the page's own id, a text of 1 to 64 characters.")
    if sent.get("state") == "starting":
        phone.begin(page_id)
    _require_served(phone, page_id)
    if not phone.tell(
        str(sent.get("state")),
        _share(battery),
        charging if isinstance(charging, bool) else None,
        _words(sent.get("locked")),
    ):
        abort(400, description="state: this version knows no such state of a phone.")
    return json_answer({})


@blueprint.post(f"{_API}/picture")
def picture(table_id: str) -> ResponseReturnValue:
    """Take a JPEG picture; ``X-Captured`` gives its time in nanoseconds on the machine's clock."""
    table, phone = _opened(table_id)
    request.max_content_length = phone.most_bytes
    page_id = request.headers.get("X-Page", "")[:LONGEST_ID]
    _require_served(phone, page_id)
    t_ns = whole_number(request.headers.get("X-Captured", ""))
    if t_ns is None:
        abort(400, description="X-Captured: a whole number of nanoseconds.")
    trip_ns = _trips(table).shortest(page_id)
    if trip_ns is None or trip_ns > SLOWEST_NS:
        return json_answer({"taken": False, "slow": True})
    captured = request.headers.get("X-Stamp") == "capture"
    jpeg = request.get_data(cache=False)
    taken = phone.put(jpeg, t_ns, captured=captured, error_ns=trip_ns // 2)
    return json_answer({"taken": taken, "slow": False, "corners": _corners(table)})


@pairing_pages.route("", endpoint="page", methods=["GET", "POST"])
@director_only
def pairing_page(table_id: str) -> ResponseReturnValue:
    """The page; a POST shows it with a code that pairs one phone."""
    table, _ = _table(table_id)
    served = current_app.extensions.get("tilewatch.address", request.host_url.rstrip("/"))
    address = None
    if request.method == "POST":
        address = f"{served}{camera_address(current_app, table.id)}"
        done(f"a code to pair a phone as the camera of table {table.id}", "")
    return private_page(
        "camera/pair.html",
        table=table,
        table_id=table.id,
        address=address,
        code=qr_svg(address, 7) if address else "",
        minutes=round(CODE_S / 60),
        tls=current_app.extensions.get("tilewatch.tls"),
        https=served.startswith("https:"),
    )


@pairing_pages.get("/api/state", endpoint="state")
@director_only
def phone_state(table_id: str) -> ResponseReturnValue:
    """Return the phone's last known state."""
    return json_answer(_table(table_id)[1].as_json())


def longest_body(app: Flask) -> Callable[[str, Mapping[bytes, bytes]], int]:
    """Return a function that gives the most bytes of a body: more for a paired phone's pictures."""
    site = part(Site, app)
    keys, header = part(Pairing, app).keys, KEY_HEADER.lower().encode()

    def longest(path: str, headers: Mapping[bytes, bytes]) -> int:
        found = _PICTURE.fullmatch(path)
        if found is None:
            return LONGEST_BODY
        table_id = unquote(found[1])
        phone = next((one.phone for one in site.tables if one.id == table_id), None)
        key = headers.get(header, b"").decode("latin-1")
        return phone.most_bytes if phone and keys.opens(table_id, key) else LONGEST_BODY

    return longest


def _table(table_id: str) -> tuple[Table, PhoneLink]:
    table = this_site().table(table_id)
    if table.phone is None:
        abort(404, description="This table's camera is not a phone.")
    return table, table.phone


def _opened(table_id: str) -> tuple[Table, PhoneLink]:
    table, phone = _table(table_id)
    key = request.headers.get(KEY_HEADER) or request.args.get("key", "")
    if not key:
        abort(401, description="The phone has to be paired: scan the code that the director shows.")
    if not part(Pairing).keys.opens(table.id, key):
        text = "Another phone was paired later; to use this one, scan a new code."
        abort(403, description=text)
    vouch(Voucher("camera", table.id, MOST_CONNECTIONS))
    return table, phone


def _require_served(phone: PhoneLink, page_id: str) -> None:
    if not page_id or not phone.serves(page_id):
        abort(409, description="Another page has opened the camera later. Load this page again.")


class _Trips(dict[str, RoundTrips]):
    """The round trips of each table's phone."""


def _trips(table: Table) -> RoundTrips:
    return part(_Trips).setdefault(table.id, RoundTrips())


def _share(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return min(1.0, max(0.0, float(value)))


def _words(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(one[:20] for one in value[:8] if isinstance(one, str) and one.isascii())


def _corners(table: Table) -> list[list[float]] | None:
    """Return the board's corners as shares of the picture's width and height, or None."""
    shown = table.desk.shown() if table.desk is not None else None
    if shown is None or shown.corners is None:
        return None
    height, width = shown.frame.image.shape[:2]
    return [[round(x / width, 4), round(y / height, 4)] for x, y in shown.corners]
