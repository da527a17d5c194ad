"""The director's page of a phone camera: pairs a phone by a QR code, and says how it does."""

from __future__ import annotations

from flask import Blueprint, Response, abort, current_app, render_template, request
from flask.typing import ResponseReturnValue

from dashboard.accounts import director_only
from dashboard.admin_log import done
from dashboard.camera.pairing import CODE_S
from dashboard.phone_link import PhoneLink
from dashboard.qr_code import qr_svg
from dashboard.responses import json_answer
from dashboard.security import forms_allowed
from dashboard.site import Table, this_site

blueprint = Blueprint("camera_director", __name__, url_prefix="/director/tables/<table_id>/camera")


@blueprint.route("", methods=["GET", "POST"])
@director_only
def page(table_id: str) -> ResponseReturnValue:
    """The page; posted to, with a code that pairs one phone."""
    from dashboard.camera import camera_address  # noqa: PLC0415 - which imports this

    table, _ = _phone(table_id)
    served = current_app.extensions.get("tilewatch.address", request.host_url.rstrip("/"))
    address = None
    if request.method == "POST":
        address = f"{served}{camera_address(current_app, table.id)}"
        done(f"a code to pair a phone as the camera of table {table.id}", "")
    html = render_template(
        "camera/pair.html",
        table=table,
        table_id=table.id,
        address=address,
        code=qr_svg(address, 7) if address else "",
        minutes=round(CODE_S / 60),
        tls=current_app.extensions.get("tilewatch.tls"),
        https=served.startswith("https:"),
    )
    answer = forms_allowed(Response(html))
    answer.headers["Cache-Control"] = "no-store"
    return answer


@blueprint.get("/api/state")
@director_only
def state(table_id: str) -> ResponseReturnValue:
    """The phone as it was last heard of."""
    return json_answer(_phone(table_id)[1].as_json())


def _phone(table_id: str) -> tuple[Table, PhoneLink]:
    table = this_site().table(table_id)
    if table.phone is None:
        abort(404, description="This table's camera is not a phone.")
    return table, table.phone
