"""The notice for people in the pictures, as a page and as a sheet to print for the hall.

It says who, why, how long and whom to ask: GDPR, Articles 12 and 13, and section 7 of the EDPB's
Guidelines 3/2019.
"""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Flask, abort, current_app, render_template, request, url_for
from flask.typing import ResponseReturnValue

from dashboard.parts import find, install
from dashboard.qr_code import qr_svg
from dashboard.responses import answer
from table.server_config import Privacy

blueprint = Blueprint("privacy", __name__)

_ADDRESS: Final = "tilewatch.address"


def prepare(app: Flask, privacy: Privacy) -> None:
    """Serve the notice, if there is one, and let every public page link to it."""
    if privacy.given:
        install(app, privacy)


@blueprint.app_context_processor
def _link() -> dict[str, str | None]:
    address = None if find(Privacy) is None else url_for("privacy.notice")
    return {"privacy_notice": address}


@blueprint.get("/privacy")
def notice() -> ResponseReturnValue:
    """The notice, with its own address as a QR code on paper."""
    privacy = find(Privacy)
    if privacy is None:
        abort(404, description="This event has entered no notice about its pictures.")
    here = current_app.extensions.get(_ADDRESS) or request.host_url.rstrip("/")
    address = f"{here}{url_for('privacy.notice')}"
    page = render_template("privacy.html", one=privacy, address=address, code=qr_svg(address, 4))
    return answer(page, "text/html")
