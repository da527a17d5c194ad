"""Logging in, as tests do it."""

from __future__ import annotations

import re

from argon2 import PasswordHasher
from flask.testing import FlaskClient

from dashboard.accounts import store
from dashboard.accounts.store import Account, Accounts, Role, hashed
from dashboard.web_db import WebDb

PASSWORD = "seven tiles left"


class Time:
    """A clock that is set by hand, in seconds."""

    def __init__(self) -> None:
        self.s = 1_000_000.0

    def __call__(self) -> float:
        return self.s


SLOW = store._HASHER
"""What a table hashes passwords with: it takes its time on purpose, and the tests need none."""

store._HASHER = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)


def add(db: WebDb, name: str, role: Role = "director") -> Account:
    """An account with :data:`PASSWORD`."""
    Accounts(db)
    with db.change() as change:
        change.execute(
            "INSERT INTO accounts VALUES (?, ?, ?, ?, 0)",
            (store._key(name), name, role, hashed(PASSWORD)),
        )
    return Account(name, role)


def form_token(client: FlaskClient) -> str:
    """The token of the log-in form, which is loaded."""
    found = re.search(r'name="csrf_token" value="([0-9a-f]{64})"', client.get("/login").text)
    assert found is not None
    return found[1]


def log_in(client: FlaskClient, name: str, password: str = PASSWORD):
    """Fill the form in and send it."""
    form = {"name": name, "password": password, "csrf_token": form_token(client)}
    return client.post("/login", data=form)
