"""A site with a data folder, evidence and accounts, and clients who come to it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from dashboard.accounts.guard import SESSION_COOKIE, AuthContext
from dashboard.accounts.store import Account
from dashboard.app import create_app
from dashboard.site import Site, table_over
from dashboard.tokens import Scope, Tokens
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from table.server_config import Api
from table.views.public_policy import FULLY_OPEN, PublicPolicy
from tests.dashboard.accounts_fixtures import add
from tests.dashboard.conftest import SECOND

JPEG = b"\xff\xd8\xff\xe0 not much of a picture \xff\xd9"


@dataclass
class Hall:
    """A site at work."""

    app: Flask
    site: Site
    evidence: EvidenceStore
    sha256: str
    """Of the one picture that is kept."""

    @property
    def door(self) -> AuthContext:
        door = self.app.extensions["tilewatch.door"]
        assert isinstance(door, AuthContext)
        return door

    @property
    def tokens(self) -> Tokens:
        kept = self.app.extensions["tilewatch.tokens"]
        assert isinstance(kept, Tokens)
        return kept

    def visitor(self) -> FlaskClient:
        return self.app.test_client()

    def director_account(self) -> Account:
        """An account that may rule."""
        return add(self.door.db, f"Ann {len(self.door.accounts.all())}")

    def director(self) -> tuple[FlaskClient, dict[str, str]]:
        """Somebody who has logged in, and the headers that their pages send."""
        session = self.door.sessions.open(self.director_account())
        client = self.app.test_client()
        client.set_cookie(SESSION_COOKIE, session.token)
        token = self.door.sessions.form_token(session.token)
        return client, {"X-CSRF-Token": token, "X-Why": "the%20final"}

    def token(self, scope: Scope, table: str | None = None) -> dict[str, Any]:
        """The headers of somebody with a token."""
        return {"Authorization": f"Bearer {self.tokens.make('t', scope, by='Ann', table=table)[1]}"}

    def close(self) -> None:
        self.site.close()
        self.door.db.close()


def hall_over(
    log: EventLog,
    folder: Path,
    public: PublicPolicy = FULLY_OPEN,
    api_for: Api = "public",
    webhook_hosts: tuple[str, ...] = (),
    **options: Any,
) -> Hall:
    """The hall whose one table's games are in ``log``. It is 2000 s on the table's time."""
    evidence = EvidenceStore(folder / "evidence")
    sha256 = evidence.store(JPEG)
    table = table_over(
        log, id="1", name="Table 1", clock=lambda: 2000 * SECOND, evidence=evidence, public=public
    )
    site = Site((table,), **options)
    app = create_app(site, folder, api_for=api_for, webhook_hosts=webhook_hosts)
    app.testing = True
    return Hall(app, site, evidence, sha256)
