"""Tokens and webhooks, made and withdrawn by a director."""

from __future__ import annotations

from dataclasses import asdict

from flask import abort
from flask.typing import ResponseReturnValue

from dashboard.accounts.guard import director_only, logged_in
from dashboard.admin_log import HEADER as WHY
from dashboard.admin_log import done, reason
from dashboard.api import schemas as shapes
from dashboard.api.openapi import operation
from dashboard.parts import find
from dashboard.responses import json_answer
from dashboard.sent import sent_as
from dashboard.site import this_site
from dashboard.tokens import Tokens
from dashboard.webhooks.sender import WebhookSenders
from dashboard.webhooks.store import check_url
from game.errors import TilewatchError


@operation("get", "/tokens", {200: shapes.Tokens}, opened_by="session")
@director_only
def every_token() -> ResponseReturnValue:
    """Every token, without its text."""
    return json_answer({"tokens": [asdict(token) for token in _kept().all()]})


@operation(
    "post",
    "/tokens",
    {201: shapes.MadeToken, 422: shapes.Error},
    sends=shapes.NewToken,
    headers=(WHY,),
    opened_by="session",
)
@director_only
def make_token() -> ResponseReturnValue:
    """A new token; its text is in this answer and nowhere else, ever."""
    asked, why = sent_as(shapes.NewToken), reason()
    if asked.table is not None:
        this_site().table(asked.table)
    try:
        by = logged_in().name
        token, text = _kept().make(asked.name, asked.scope, by=by, table=asked.table)
    except TilewatchError as error:
        abort(422, description=str(error))
    done(f"token {token.name} ({token.id}), which opens {token.scope}, was made", why)
    return json_answer({"token": asdict(token), "text": text}, 201)


@operation(
    "delete",
    "/tokens/<token_id>",
    {200: shapes.Withdrawn, 422: shapes.Error},
    headers=(WHY,),
    opened_by="session",
)
@director_only
def withdraw_token(token_id: str) -> ResponseReturnValue:
    """End a token, and the streams that were opened with it."""
    why = reason()
    known = {token.id: token.name for token in _kept().all()}
    if not _kept().withdraw(token_id):
        abort(404, description="There is no such token (any more).")
    done(f"token {known.get(token_id, '')} ({token_id}) was withdrawn", why)
    return json_answer({"withdrawn": token_id})


def _kept() -> Tokens:
    return find(Tokens) or abort(404)


@operation("get", "/webhooks", {200: shapes.Webhooks}, opened_by="session")
@director_only
def every_webhook() -> ResponseReturnValue:
    """Every webhook, without its secret."""
    senders = _senders()
    listed = [{**asdict(hook), "trouble": senders.trouble(hook.id)} for hook in senders.hooks.all()]
    return json_answer({"webhooks": listed})


@operation(
    "post",
    "/webhooks",
    {201: shapes.MadeWebhook, 422: shapes.Error},
    sends=shapes.NewWebhook,
    headers=(WHY,),
    opened_by="session",
)
@director_only
def make_webhook() -> ResponseReturnValue:
    """A new webhook; its secret is in this answer and in no other.

    It is sent `turn`, `correction`, `flag`, `end` and `gap` messages as JSON, signed in
    `Tilewatch-Signature: t=<seconds>,v1=<HMAC-SHA256 of seconds.body>`.
    """
    asked, why = sent_as(shapes.NewWebhook), reason()
    senders = _senders()
    try:
        check_url(asked.url)
        senders.outbound.check(asked.url)
        hook, secret = senders.hooks.make(asked.url, asked.audience, logged_in().name)
    except TilewatchError as error:
        abort(422, description=str(error))
    done(f"webhook {hook.url} gets what the {hook.audience} sees", why)
    senders.refresh()
    return json_answer({"webhook": {**asdict(hook), "trouble": None}, "secret": secret}, 201)


@operation(
    "delete",
    "/webhooks/<hook_id>",
    {200: shapes.Withdrawn, 422: shapes.Error},
    headers=(WHY,),
    opened_by="session",
)
@director_only
def remove_webhook(hook_id: str) -> ResponseReturnValue:
    """End a webhook."""
    senders, why = _senders(), reason()
    known = {hook.id: hook.url for hook in senders.hooks.all()}
    if not senders.hooks.remove(hook_id):
        abort(404, description="There is no such webhook (any more).")
    done(f"webhook {known.get(hook_id, '')} was removed", why)
    senders.refresh()
    return json_answer({"withdrawn": hook_id})


def _senders() -> WebhookSenders:
    return find(WebhookSenders) or abort(404)
