"""Webhooks, made and removed by a director."""

from __future__ import annotations

from typing import cast

from flask import Blueprint, abort, current_app
from flask.typing import ResponseReturnValue

from dashboard.accounts import current_account, director_only
from dashboard.admin_log import done, reason
from dashboard.api.tokens import body
from dashboard.responses import json_answer
from dashboard.webhooks.sender import WebhookSenders
from dashboard.webhooks.store import check_url
from game.errors import TilewatchError
from table.views.views import Audience

blueprint = Blueprint("api_hooks", __name__, url_prefix="/api/v1")


@blueprint.get("/webhooks")
@director_only
def every_webhook() -> ResponseReturnValue:
    """Every webhook, without its secret."""
    couriers = _couriers()
    listed = [
        {**hook.as_json(), "trouble": couriers.trouble(hook.id)} for hook in couriers.hooks.all()
    ]
    return json_answer({"webhooks": listed})


@blueprint.post("/webhooks")
@director_only
def make_webhook() -> ResponseReturnValue:
    """A new webhook; its secret is in this answer and in no other."""
    asked, why = body({"url": str, "audience": str}, optional=("audience",)), reason()
    account = current_account()
    assert account is not None
    couriers = _couriers()
    try:
        check_url(asked["url"])
        couriers.outbound.check(asked["url"])
        hook, secret = couriers.hooks.make(
            asked["url"], cast("Audience", asked.get("audience", "public")), account.name
        )
    except TilewatchError as error:
        abort(422, description=str(error))
    done(f"webhook {hook.url} gets what the {hook.audience} sees", why)
    couriers.look()
    return json_answer({"webhook": {**hook.as_json(), "trouble": None}, "secret": secret}, 201)


@blueprint.delete("/webhooks/<hook_id>")
@director_only
def remove_webhook(hook_id: str) -> ResponseReturnValue:
    """End a webhook."""
    couriers, why = _couriers(), reason()
    known = {hook.id: hook.url for hook in couriers.hooks.all()}
    if not couriers.hooks.remove(hook_id):
        abort(404, description="There is no such webhook (any more).")
    done(f"webhook {known.get(hook_id, '')} was removed", why)
    couriers.look()
    return json_answer({"withdrawn": hook_id})


def _couriers() -> WebhookSenders:
    couriers = current_app.extensions.get("tilewatch.couriers")
    if not isinstance(couriers, WebhookSenders):
        abort(404)
    return couriers
