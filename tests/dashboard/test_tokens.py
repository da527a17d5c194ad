"""Read-only tokens: what is kept of them, what they open, and what becomes of them."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from flask import Flask

from dashboard.responses import answer_errors, json_answer
from dashboard.tokens import SCOPES, Tokens, install, presented
from dashboard.web_db import FILE, WebDb
from game.errors import TilewatchError


@pytest.fixture
def db(tmp_path: Path):
    made = WebDb(tmp_path / "data")
    yield made
    made.close()


@pytest.fixture
def kept(db: WebDb) -> Tokens:
    return Tokens(db)


def test_a_token_is_shown_once_and_kept_as_its_hash_alone(kept, db, tmp_path):
    token, text = kept.make("OBS in the hall", "overlay", by="Ann")
    assert kept.check(text) is not None
    assert (token.name, token.scope, token.made_by) == ("OBS in the hall", "overlay", "Ann")
    secret = text.split("_", 2)[2].encode()
    assert len(secret) >= 43  # 256 bits
    folder = tmp_path / "data"
    for file in folder.iterdir():
        assert secret not in file.read_bytes(), file
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    assert FILE in {file.name for file in folder.iterdir()}


def test_no_other_text_is_a_token(kept):
    _, text = kept.make("one", "overlay", by="Ann")
    _, another = kept.make("two", "overlay", by="Ann")
    mixed = "_".join([*text.split("_", 2)[:2], another.split("_", 2)[2]])
    for wrong in ("", "tw", "tw__", text[:-1], text + "a", text.upper(), mixed, "tw_ä_ö", "☃" * 99):
        assert kept.check(wrong) is None, wrong


def test_withdrawing_ends_a_token(kept):
    token, text = kept.make("one", "public", by="Ann")
    other, _ = kept.make("two", "public", by="Ann")
    assert kept.withdraw(token.id) is True
    assert kept.withdraw(token.id) is False
    assert kept.check(text) is None
    assert [one.id for one in kept.all()] == [other.id]
    assert (kept.valid(token.id), kept.valid(other.id)) == (False, True)


def test_what_each_scope_opens(kept):
    made = {scope: kept.make(scope, scope, by="Ann")[0] for scope in SCOPES}
    audiences = ("public", "player", "broadcast", "director")
    opened = {scope: [a for a in audiences if token.opens(a, "1")] for scope, token in made.items()}
    assert opened == {
        "public": ["public"],
        "overlay": ["public", "broadcast"],
        "director-read": list(audiences),
    }


def test_a_token_for_one_table_opens_no_other(kept):
    token, _ = kept.make("one", "director-read", table="3", by="Ann")
    assert token.opens("director", "3")
    assert not token.opens("director", "1")
    assert not token.opens("director", None)


@pytest.mark.parametrize(
    ("name", "scope", "says"),
    [("", "overlay", "name"), ("x" * 81, "overlay", "name"), ("x", "root", "public, overlay")],
)
def test_a_token_that_cannot_be_made_is_one_clear_line(kept, name, scope, says):
    with pytest.raises(TilewatchError, match=says) as caught:
        kept.make(name, scope, by="Ann")
    assert "\n" not in str(caught.value)
    assert kept.all() == []


def test_the_last_use_is_written_down_to_the_hour(db):
    now = [1_000_000.0]
    kept = Tokens(db, now=lambda: now[0])
    _, text = kept.make("one", "overlay", by="Ann")
    assert kept.all()[0].used_s is None
    uses = []
    for step in (0, 10, 3599, 3600):
        now[0] = 1_000_000.0 + step
        kept.check(text)
        uses.append(kept.all()[0].used_s)
    assert uses == [1_000_000, 1_000_000, 1_000_000, 1_003_600]


@pytest.fixture
def asked(db):
    """A page that says whose token came with the request."""
    app = Flask("asked")
    install(app, db)
    answer_errors(app)

    @app.get("/api/who")
    def who():
        token = presented()
        return json_answer({"name": token and token.name})

    return app.test_client()


def test_a_token_is_taken_from_the_header_and_from_the_address(asked, kept):
    _, text = kept.make("hall", "overlay", by="Ann")
    assert asked.get("/api/who").json == {"name": None}
    assert asked.get(f"/api/who?token={text}").json == {"name": "hall"}
    for word in ("Bearer", "bearer"):
        sent = {"Authorization": f"{word} {text}"}
        assert asked.get("/api/who", headers=sent).json == {"name": "hall"}


@pytest.mark.parametrize("query", ["?token=tw_1_2", "?token=%F0%9F%98%80", "?token=tw_%C3%A4_b"])
def test_an_unknown_token_is_told_so(asked, query):
    answer = asked.get(f"/api/who{query}")
    assert answer.status_code == 401
    assert "withdrawn" in answer.json["error"]
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_withdrawn_token_is_refused_at_once(asked, kept):
    token, text = kept.make("hall", "overlay", by="Ann")
    assert asked.get(f"/api/who?token={text}").status_code == 200
    kept.withdraw(token.id)
    assert asked.get(f"/api/who?token={text}").status_code == 401
