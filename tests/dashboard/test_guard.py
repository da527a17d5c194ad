"""What a request has to get past: host, origin, token, log-in, role."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Blueprint

from dashboard.accounts import current_account, director_only, passwords
from dashboard.accounts.guard import MOST_STRANGERS, SESSION_COOKIE, VISIT_COOKIE, is_own_host
from dashboard.accounts.pages import local_path
from dashboard.app import create_app
from dashboard.web_db import WebDb
from tests.dashboard.accounts_fixtures import PASSWORD, add, form_token, log_in


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    db = WebDb(folder)
    add(db, "Ann")
    add(db, "Otto", "observer")
    add(db, "<b>Eve</b>")
    db.close()
    return folder


@pytest.fixture
def app(site, data):
    made = create_app(site, data)
    made.testing = True
    rooms = Blueprint("rooms", __name__)

    @rooms.route("/room", methods=["GET", "POST"])
    @rooms.route("/room/api/door", methods=["GET", "POST"], endpoint="door")
    @director_only
    def room() -> str:
        account = current_account()
        assert account is not None
        return f"welcome {account.name}"

    made.register_blueprint(rooms)
    return made


@pytest.fixture
def client(app):
    return app.test_client()


def token_of(app, client) -> str:
    """The token that goes with the client's session."""
    cookie = client.get_cookie(SESSION_COOKIE)
    assert cookie is not None
    return app.extensions["tilewatch.door"].sessions.form_token(cookie.value)


# --- logging in ---


def test_nobody_gets_in_without_logging_in(client):
    answer = client.get("/room?a=b")
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/login?next=/room?a%3Db"
    assert client.post("/room").status_code == 401
    assert client.get("/room/api/door").json == {"error": "Log in first."}
    assert client.get("/room/api/door").status_code == 401


def test_a_director_gets_in_and_out(app, client):
    answer = log_in(client, "Ann")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/director")
    page = client.get("/room")
    assert page.text == "welcome Ann"
    assert page.headers["Cache-Control"] == "no-store"
    cookie = client.get_cookie(SESSION_COOKIE)
    out = client.post("/logout", headers={"X-CSRF-Token": token_of(app, client)})
    assert out.status_code == 303
    assert client.get("/room").status_code == 302
    # The old token opens nothing any more, whoever kept it.
    client.set_cookie(SESSION_COOKIE, cookie.value)
    assert client.get("/room").status_code == 302


def test_another_role_does_not_get_in(client):
    assert log_in(client, "Otto").status_code == 303
    assert client.get("/room").status_code == 403
    assert client.get("/room/api/door").json == {"error": "Only a director may do this."}


def test_a_wrong_password_is_told_apart_from_nothing(client):
    wrong, nobody = log_in(client, "Ann", "wrong password"), log_in(client, "Zoe", "wrong password")
    assert wrong.status_code == nobody.status_code == 403
    strip = [answer.text.replace("Ann", "").replace("Zoe", "") for answer in (wrong, nobody)]
    assert strip[0].count("Wrong name or password.") == 1
    assert len(strip[0]) == len(strip[1])
    assert client.get_cookie(SESSION_COOKIE) is None
    assert "wrong password" not in wrong.text


def test_the_cookie_is_kept_from_scripts_and_other_sites(client):
    answer = log_in(client, "Ann")
    cookie = next(c for c in answer.headers.getlist("Set-Cookie") if SESSION_COOKIE in c)
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    assert "Secure" not in cookie  # plain http on the hall's own network
    form = {"name": "Ann", "password": PASSWORD}
    form["csrf_token"] = form_token(client) if client.delete_cookie(SESSION_COOKIE) is None else ""
    safe = client.post("/login", data=form, headers={"Origin": "https://localhost"})
    assert "; Secure" in next(c for c in safe.headers.getlist("Set-Cookie") if SESSION_COOKIE in c)


def test_a_session_cannot_be_fixed_beforehand(app, client):
    """Whatever token a browser was made to hold before, logging in gives it another."""
    door = app.extensions["tilewatch.door"]
    planted = "planted-by-somebody-else"
    client.set_cookie(SESSION_COOKIE, planted)
    client.get("/login")
    assert client.get("/room").status_code == 302
    client.post(
        "/login",
        data={"name": "Ann", "password": PASSWORD},
        headers={
            "X-CSRF-Token": door.sessions.form_token(
                client.get_cookie(VISIT_COOKIE, path="/login").value
            )
        },
    )
    now = client.get_cookie(SESSION_COOKIE)
    assert now is not None
    assert now.value != planted
    assert door.sessions.find(planted) is None
    assert door.sessions.find(now.value) is not None


def test_logging_in_again_ends_the_session_before(app, client):
    log_in(client, "Ann")
    first, token = client.get_cookie(SESSION_COOKIE).value, token_of(app, client)
    data = {"name": "Ann", "password": PASSWORD}
    assert client.post("/login", data=data, headers={"X-CSRF-Token": token}).status_code == 303
    assert client.get_cookie(SESSION_COOKIE).value != first
    assert app.extensions["tilewatch.door"].sessions.find(first) is None


def test_a_page_that_was_asked_for_comes_after_logging_in(client):
    token = form_token(client)
    form = {"name": "Ann", "password": PASSWORD, "csrf_token": token}
    assert client.post("/login?next=/room", data=form).headers["Location"] == "/room"


@pytest.mark.parametrize(
    "path",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "\\\\evil", "javascript:x", "",
     "/a\r\nSet-Cookie: x=y", "/\t/evil.example"],
)  # fmt: skip
def test_nobody_is_sent_elsewhere(path):
    assert local_path(path) == "/director"


def test_guessing_is_slowed_down(client):
    answers = [log_in(client, "Ann", f"wrong {n}") for n in range(6)]
    statuses = [answer.status_code for answer in answers]
    assert statuses[:3] == [403] * 3
    assert 429 in statuses[3:]
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert int(refused.headers["Retry-After"]) >= 1
    assert "Too many attempts" in refused.text
    # While it is slowed down, the right one is not looked at either: it would tell.
    assert log_in(client, "Ann").status_code == 429


def from_address(app, address: str):
    """A browser at that address."""
    client = app.test_client()
    client.environ_base["REMOTE_ADDR"] = address
    return client


def shut_strangers_out(app) -> None:
    """Guess at Ann's password from everywhere, until no stranger's guess is looked at."""
    throttle = app.extensions["tilewatch.door"].throttle
    for place in range(3000):
        throttle.begin("Ann", f"10.{place // 250}.0.{place % 250}")
        throttle.begin("Ann", "192.0.2.7")


def test_guesses_from_everywhere_keep_no_known_device_out(app):
    phone = from_address(app, "192.0.2.7")
    answer = log_in(phone, "Ann")
    cookie = next(c for c in answer.headers.getlist("Set-Cookie") if "tilewatch_device" in c)
    assert {"HttpOnly", "SameSite=Strict", "Path=/login"} <= set(cookie.split("; "))
    assert "Ann" not in cookie
    phone.delete_cookie(SESSION_COOKIE)
    shut_strangers_out(app)
    stranger = from_address(app, "192.0.2.7")
    assert log_in(stranger, "Ann").status_code == 429
    assert log_in(phone, "Ann").status_code == 303
    assert log_in(from_address(app, "127.0.0.1"), "Ann").status_code == 303


def test_a_link_from_the_machine_lets_a_new_device_in_among_guesses(app):
    shut_strangers_out(app)
    phone = from_address(app, "192.0.2.9")
    assert log_in(phone, "Ann").status_code == 429
    for wrong in ("", "account=Ann&code=1.2.3"):
        assert phone.get(f"/login/device?{wrong}").status_code == 403
    code = app.extensions["tilewatch.door"].devices.link_code("Ann")
    assert (
        phone.get("/login/device", query_string={"account": "Ann", "code": code}).status_code == 303
    )
    assert phone.get("/director").status_code == 302  # it opened nothing
    assert log_in(phone, "Ann").status_code == 303


def test_logging_out_leaves_the_device_known(app):
    phone = from_address(app, "192.0.2.7")
    log_in(phone, "Ann")
    phone.post("/logout", headers={"X-CSRF-Token": token_of(app, phone)})
    shut_strangers_out(app)
    assert log_in(phone, "Ann").status_code == 303


def test_strangers_take_few_threads_and_no_known_devices_turn(app):
    phone = from_address(app, "192.0.2.7")
    log_in(phone, "Ann")
    phone.delete_cookie(SESSION_COOKIE)
    places = app.extensions["tilewatch.door"].newcomers
    held = [places.enter() for _ in range(MOST_STRANGERS)]
    busy = log_in(from_address(app, "192.0.2.8"), "Ann")
    assert busy.status_code == 429
    assert int(busy.headers["Retry-After"]) >= 1
    with passwords._ONE_AT_A_TIME:  # a stranger's password is looked at just now
        assert log_in(phone, "Ann").status_code == 303
        assert log_in(from_address(app, "127.0.0.1"), "Ann").status_code == 303
    for leave in held:
        leave()
    assert log_in(from_address(app, "192.0.2.8"), "Ann").status_code == 303
    assert places.taken == 0


def test_newcomers_do_not_wait_for_those_who_failed_before(app):
    door = app.extensions["tilewatch.door"]
    for _ in range(3):
        door.throttle.begin("Ann", "192.0.2.9")
    held = [door.strangers.enter() for _ in range(MOST_STRANGERS)]
    assert "Many people" in log_in(from_address(app, "192.0.2.9"), "Ann").text
    assert log_in(from_address(app, "192.0.2.8"), "Ann").status_code == 303
    assert None not in held


def test_a_form_larger_than_any_is_refused(client):
    form = {"name": "Ann", "password": "x" * 20_000, "csrf_token": form_token(client)}
    assert client.post("/login", data=form).status_code == 413


def test_names_with_markup_are_text(client):
    assert log_in(client, "<b>Eve</b>").status_code == 303
    assert client.get("/room").text == "welcome <b>Eve</b>"
    client.delete_cookie(SESSION_COOKIE)
    page = log_in(client, "<script>alert(1)</script>", "wrong password").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_the_form_may_be_sent_here_alone(client):
    policy = client.get("/login").headers["Content-Security-Policy"]
    assert "form-action 'self'" in policy
    assert "unsafe" not in policy
    assert "form-action 'none'" in client.get("/").headers["Content-Security-Policy"]


def test_without_a_data_folder_there_is_no_door(site):
    client = create_app(site).test_client()
    assert client.get("/login").status_code == 404
    assert client.post("/login").status_code in (403, 404)
    assert client.get("/").status_code == 200


# --- forged requests ---


def test_a_form_without_its_token_is_refused(app, client):
    log_in(client, "Ann")
    assert client.post("/room").status_code == 403
    assert client.post("/room", headers={"X-CSRF-Token": "0" * 64}).status_code == 403
    assert client.post("/room", data={"csrf_token": "ü"}).status_code == 403
    token = token_of(app, client)
    assert client.post("/room", headers={"X-CSRF-Token": token}).status_code == 200
    assert client.post("/room", data={"csrf_token": token}).status_code == 200


def test_the_token_of_another_session_is_refused(app, client):
    log_in(client, "Ann")
    other = app.test_client()
    log_in(other, "<b>Eve</b>")
    wrong = {"X-CSRF-Token": token_of(app, other)}
    assert client.post("/room", headers=wrong).status_code == 403


def test_logging_in_and_out_cannot_be_forged(app, client):
    assert client.post("/login", data={"name": "Ann", "password": PASSWORD}).status_code == 403
    log_in(client, "Ann")
    assert client.post("/logout").status_code == 403
    assert client.get("/room").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "http://localhost.evil.example"},
        {"Origin": "http://localhost:9999"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_what_another_site_sends_is_refused(app, client, headers):
    log_in(client, "Ann")
    sent = {"X-CSRF-Token": token_of(app, client), **headers}
    assert client.post("/room", headers=sent).status_code == 403
    ours = {**sent, "Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    assert client.post("/room", headers=ours).status_code == 200


def test_the_address_cannot_change_what_is_asked(client):
    """The method is what it is: no header or field makes a GET into something else."""
    log_in(client, "Ann")
    answer = client.get("/logout", headers={"X-HTTP-Method-Override": "POST"})
    assert answer.status_code == 405
    assert client.get("/room").status_code == 200


# --- hosts ---


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1:8000", "[::1]:8000", "192.168.1.20", "localhost", "tilewatch.local:8000",
     "TABLE-1.LOCAL", "table1.lan", "board"],
)  # fmt: skip
def test_hosts_that_are_ours(host):
    assert is_own_host(host, frozenset({"board"}))


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "a b", "local",
     "evil.example:80", "127.0.0.1:8000@evil.example", "x\r\n", "[::1", "evil.example/.local"],
)  # fmt: skip
def test_hosts_that_are_not(host):
    assert not is_own_host(host, frozenset({"board"}))


def test_another_host_is_refused_everywhere(client):
    for path in ("/", "/login", "/api/v1/tables", "/static/page.css", "/nothing"):
        assert client.get(path, headers={"Host": "evil.example"}).status_code == 421


def test_a_host_that_was_named_is_answered(site, data):
    client = create_app(site, data, hosts=("Scores.Example.org",)).test_client()
    assert client.get("/", headers={"Host": "scores.example.org:443"}).status_code == 200
