"""Sending webhooks: one thread for each, which nothing at the table ever waits for.

The messages are about the changes in a view since the last message sent.

Messages are sent in order, each repeated at growing intervals until it is accepted. Meanwhile the
views wait in their feed; if the feed has forgotten some, the receiver is sent a ``gap`` and should
ask the API for the current state. The progress of each webhook is stored, so that a restarted table
goes on there: every message arrives at least once, with an id by which repetitions are known.

A message is a POST of JSON with ``Tilewatch-Signature: t=<seconds>,v1=<hex>``, where the hex is
HMAC-SHA256, under the webhook's secret, of ``<seconds>.<body>``. A receiver that checks
the signature, and that the time is recent, knows that the message is ours and not a replay.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from typing import Any, Final

from dashboard.feeds.feed import Message, View, encode
from dashboard.site import Site, Table
from dashboard.webhooks.outbound import TIMEOUT_S, Outbound, OutboundError
from dashboard.webhooks.store import DeliveryCursor, Webhook, Webhooks


def known_of(view: View) -> dict[str, Any]:
    """Return a short, JSON-able summary of ``view`` to compare later views with."""
    return {
        "game": view["game_id"],
        "turns": {str(turn["number"]): _mark(_bare(turn)) for turn in view["turns"]},
        "flags": sorted(_mark(flag) for flag in _flags(view)),
        "settled": view["settled"],
        "final": view["final"],
    }


def new_messages(known: Mapping[str, Any] | None, view: View) -> list[dict[str, Any]]:
    """Return the messages for changes since ``known``: ``turn``, ``correction``, ``flag``, ``end``.

    A corrected turn changes the totals of later turns, so these are corrected too. ``end`` is sent
    when the game is settled, and again once its scores are final if they were not yet. All messages
    are JSON-able.
    """
    if known is None or known["game"] != view["game_id"]:
        known = {"turns": {}, "flags": [], "settled": False, "final": False}
    messages: list[dict[str, Any]] = []
    for turn in view["turns"]:
        mark = known["turns"].get(str(turn["number"]))
        if mark is None:
            messages.append({"type": "turn", "turn": _bare(turn)})
        elif mark != _mark(_bare(turn)):
            messages.append({"type": "correction", "turn": _bare(turn)})
    messages += [
        {"type": "flag", **flag} for flag in _flags(view) if _mark(flag) not in known["flags"]
    ]
    # What was kept by an earlier version does not tell whether it was final: it is not sent again.
    final = view["final"] and not known.get("final", known["settled"])
    if (view["settled"] and not known["settled"]) or final:
        messages.append({"type": "end", "reason": view["end_reason"], "final": view["final"]})
    return [{**one, "game_id": view["game_id"], "scores": view["scores"]} for one in messages]


def _bare(turn: Mapping[str, Any]) -> dict[str, Any]:
    """Return a turn without its flags and notes."""
    return {
        key: value for key, value in turn.items() if key not in ("flags", "rulings", "checking")
    }


def _flags(view: View) -> Iterator[dict[str, Any]]:
    """Yield every flag with its turn, without its remedies, which change with time."""
    for number, flags in (
        (None, view["flags"]),
        *((turn["number"], turn["flags"]) for turn in view["turns"]),
    ):
        for flag in flags:
            if flag.get("settled") is not None:
                continue
            bare = {k: v for k, v in flag.items() if k not in ("remedies", "settled")}
            yield {"turn_number": number, "flag": bare}


def _mark(value: object) -> str:
    return hashlib.sha256(encode(value)).hexdigest()[:16]


_LOG = logging.getLogger(__name__)

SIGNATURE: Final = "Tilewatch-Signature"
DELIVERY: Final = "Tilewatch-Delivery"

PATIENCE_S: Final = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)
"""The seconds between attempts to send a message; the last value repeats."""

_TRIES_WHEN_REFUSED: Final = 3
"""The number of times that a message refused for its content (4xx) is sent."""

_LOOK_S: Final = 0.25


def signature(secret: str, body: bytes, at_s: int) -> str:
    """Return the value of the header :data:`SIGNATURE` for ``body``."""
    signed = hmac.new(secret.encode(), b"%d." % at_s + body, hashlib.sha256).hexdigest()
    return f"t={at_s},v1={signed}"


class WebhookSenders:
    """The threads of a site's webhooks. Safe to use from any thread."""

    def __init__(
        self,
        site: Site,
        hooks: Webhooks,
        patience_s: Sequence[float] = PATIENCE_S,
        outbound: Outbound | None = None,
    ) -> None:
        self.hooks = hooks
        self.outbound = outbound or Outbound()
        self._site = site
        self._patience_s = patience_s
        self._running: dict[str, WebhookSender] = {}
        self._lock = threading.Lock()
        self._on = False

    def start(self) -> None:
        """Begin to send."""
        with self._lock:
            self._on = True
        self.refresh()

    def refresh(self) -> None:
        """Start a thread for each new webhook, and stop those of removed ones."""
        with self._lock:
            if not self._on:
                return
            known = {hook.id: hook for hook in self.hooks.all()}
            for gone in set(self._running) - set(known):
                self._running.pop(gone).stop(wait=False)
            for new in set(known) - set(self._running):
                self._running[new] = WebhookSender(
                    self._site, self.hooks, known[new], self._patience_s, self.outbound
                )

    def trouble(self, hook_id: str) -> str | None:
        """Return why a webhook's messages are not accepted, in one line; ``None`` if they are."""
        sender = self._running.get(hook_id)
        return sender.trouble if sender else None

    def stop(self) -> None:
        """Send no more."""
        with self._lock:
            self._on = False
            for sender in self._running.values():
                sender.stop(wait=False)
            for sender in self._running.values():
                sender.stop()
            self._running = {}


class WebhookSender:
    """Sends one webhook's messages, in a thread of its own."""

    def __init__(
        self,
        site: Site,
        hooks: Webhooks,
        hook: Webhook,
        patience_s: Sequence[float],
        outbound: Outbound,
    ) -> None:
        self._site, self._hooks, self._hook = site, hooks, hook
        self._patience_s, self._outbound = patience_s, outbound
        self._stopping = threading.Event()
        self.trouble: str | None = None
        # What has happened until now is no news to whoever has just been added.
        for table in site.tables:
            self._begin(table)
        self._thread = threading.Thread(target=self._run, name="webhook", daemon=True)
        self._thread.start()

    def stop(self, wait: bool = True) -> None:
        """Stop sending; only a request under way is finished first."""
        self._stopping.set()
        if wait:
            self._thread.join(timeout=TIMEOUT_S)

    def _run(self) -> None:
        # In a hall of tables each is looked at less often: nothing waits for this.
        while not self._stopping.wait(_LOOK_S * (1 + len(self._site.tables) / 8)):
            for table in self._site.tables:
                try:
                    self._carry(table)
                except Exception:  # whatever is wrong at one table, the others are served
                    _LOG.exception("webhook %s, table %s", self._hook.id, table.id)

    def _begin(self, table: Table) -> DeliveryCursor | None:
        place = self._hooks.place(self._hook.id, table.id)
        if place is None and (latest := table.feeds[self._hook.audience].latest()) is not None:
            place = DeliveryCursor(latest.id, known_of(latest.view))
            self._hooks.reach(self._hook.id, table.id, place)
        return place

    def _carry(self, table: Table) -> None:
        """Send a table's new messages."""
        place = self._hooks.place(self._hook.id, table.id)
        kept = table.feeds[self._hook.audience].kept()
        ids = [message.id for message in kept]
        known = place.known if place else None
        if place is not None and place.last_id in ids:
            kept = kept[ids.index(place.last_id) + 1 :]
        elif place is not None and kept:
            # More has gone by than is remembered, or the log is another one.
            kept = kept[-1:]
            gap = {"type": "gap", "game_id": kept[0].view["game_id"]}
            if not self._send(table, kept[0], 0, gap):
                return
            known = known_of(kept[0].view)
        for message in kept:
            for number, one in enumerate(new_messages(known, message.view), start=1):
                if not self._send(table, message, number, one):
                    return
            known = known_of(message.view)
            self._hooks.reach(self._hook.id, table.id, DeliveryCursor(message.id, known))

    def _send(self, table: Table, message: Message, number: int, what: dict[str, Any]) -> bool:
        """Send one message until it is accepted or refused for good; False if told to stop."""
        delivery = f"{self._hook.id}-{table.id}-{message.id}-{number}"
        body = encode({"id": delivery, "table": {"id": table.id, "name": table.name}, **what})
        tries = 0
        feed = table.feeds[self._hook.audience]
        while not self._stopping.is_set():
            if not feed.allows(message):  # it was withheld while this waited
                return True
            secret = self._hooks.secret(self._hook.id)
            if secret is None:
                return False
            status = self._post(body, secret, delivery)
            if 200 <= status < 300:
                self.trouble = None
                return True
            refused = 400 <= status < 500 and status not in (408, 425, 429)
            tries += 1
            if refused and tries >= _TRIES_WHEN_REFUSED:
                _LOG.warning("webhook %s: a message was refused: %s", self._hook.id, self.trouble)
                return True
            self._stopping.wait(self._patience_s[min(tries, len(self._patience_s)) - 1])
        return False

    def _post(self, body: bytes, secret: str, delivery: str) -> int:
        """Return the status of the answer, 0 without one; note any fault as the trouble."""
        try:
            status = self._outbound.post(
                self._hook.url,
                body,
                {
                    "Content-Type": "application/json",
                    "User-Agent": f"tilewatch/{metadata.version('tilewatch')}",
                    SIGNATURE: signature(secret, body, int(time.time())),
                    DELIVERY: delivery,
                },
            )
        except OutboundError as error:
            self.trouble = f"cannot be reached ({error})"
            return 0
        if not 200 <= status < 300:
            self.trouble = f"answers {status}"
        return status
