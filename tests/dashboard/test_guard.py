"""The guard of a request, and who may see the director's pages and act on them."""

from __future__ import annotations

import pytest
from werkzeug.routing import AnyConverter, BaseConverter, IntegerConverter

from dashboard.accounts import store
from dashboard.accounts.guard import MOST_STRANGERS, SESSION_COOKIE, VISIT_COOKIE, is_own_host
from dashboard.accounts.pages import local_path
from dashboard.app import create_app
from tests.dashboard.accounts_fixtures import PASSWORD, form_token, log_in
from tests.dashboard.conftest import TURNS
from tests.dashboard.directorpages import GAME, PAGES, READS

ROOM, DEED = "/director/links", "/director/api/slots"
"""A page that only directors have, and what only they may do."""

HALF_ASKED = 415
"""The answer to a deed of which nothing is said, once the guard lets it through."""


@pytest.fixture
def app(desk):
    return desk.app


@pytest.fixture
def visitor(app):
    return app.test_client()


def token_of(app, visitor) -> str:
    """The token that goes with the visitor's session."""
    cookie = visitor.get_cookie(SESSION_COOKIE)
    assert cookie is not None
    return app.extensions["tilewatch.AuthContext"].sessions.form_token(cookie.value)


def test_nobody_gets_in_without_logging_in(visitor):
    answer = visitor.get(f"{ROOM}?a=b")
    assert answer.status_code == 302
    assert answer.headers["Location"] == f"/login?next={ROOM}?a%3Db"
    assert visitor.post(DEED).status_code == 401
    assert visitor.get("/director/api/links").json == {"error": "Log in first."}
    assert visitor.get("/director/api/links").status_code == 401
    form = {"name": "Ann", "password": PASSWORD, "csrf_token": form_token(visitor)}
    assert visitor.post(f"/login?next={ROOM}", data=form).headers["Location"] == ROOM


def test_a_director_gets_in_and_out(app, visitor):
    answer = log_in(visitor, "Ann")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/director")
    page = visitor.get(ROOM)
    assert page.status_code == 200
    assert page.headers["Cache-Control"] == "no-store"
    cookie = visitor.get_cookie(SESSION_COOKIE)
    out = visitor.post("/logout", headers={"X-CSRF-Token": token_of(app, visitor)})
    assert out.status_code == 303
    assert visitor.get(ROOM).status_code == 302
    # The old token opens nothing any more, whoever kept it.
    visitor.set_cookie(SESSION_COOKIE, cookie.value)
    assert visitor.get(ROOM).status_code == 302


def test_a_wrong_password_is_told_apart_from_nothing(visitor):
    names = ("Ann", "<script>alert(1)</script>")
    wrong, nobody = (log_in(visitor, name, "wrong password") for name in names)
    assert wrong.status_code == nobody.status_code == 403
    shown = ("Ann", "&lt;script&gt;alert(1)&lt;/script&gt;")
    pages = zip((wrong.text, nobody.text), shown, strict=True)
    strip = [text.replace(name, "") for text, name in pages]
    assert strip[0].count("Wrong name or password.") == 1
    assert len(strip[0]) == len(strip[1])
    assert visitor.get_cookie(SESSION_COOKIE) is None
    assert "wrong password" not in wrong.text


def test_the_cookie_is_kept_from_scripts_and_other_sites(visitor):
    answer = log_in(visitor, "Ann")
    cookie = next(c for c in answer.headers.getlist("Set-Cookie") if SESSION_COOKIE in c)
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    assert "Secure" not in cookie  # plain http on the hall's own network
    form = {"name": "Ann", "password": PASSWORD}
    form["csrf_token"] = (
        form_token(visitor) if visitor.delete_cookie(SESSION_COOKIE) is None else ""
    )
    safe = visitor.post("/login", data=form, headers={"Origin": "https://localhost"})
    assert "; Secure" in next(c for c in safe.headers.getlist("Set-Cookie") if SESSION_COOKIE in c)


def test_a_session_cannot_be_fixed_beforehand(app, visitor):
    """Whatever token a browser was made to hold before, logging in gives it another."""
    door = app.extensions["tilewatch.AuthContext"]
    planted = "planted-by-somebody-else"
    visitor.set_cookie(SESSION_COOKIE, planted)
    visitor.get("/login")
    assert visitor.get(ROOM).status_code == 302
    token = door.sessions.form_token(visitor.get_cookie(VISIT_COOKIE, path="/login").value)
    visitor.post(
        "/login", data={"name": "Ann", "password": PASSWORD}, headers={"X-CSRF-Token": token}
    )
    now = visitor.get_cookie(SESSION_COOKIE)
    assert now is not None
    assert now.value != planted
    assert door.sessions.find(planted) is None
    assert door.sessions.find(now.value) is not None


def test_logging_in_again_ends_the_session_before(app, visitor):
    log_in(visitor, "Ann")
    first, token = visitor.get_cookie(SESSION_COOKIE).value, token_of(app, visitor)
    data = {"name": "Ann", "password": PASSWORD}
    assert visitor.post("/login", data=data, headers={"X-CSRF-Token": token}).status_code == 303
    assert visitor.get_cookie(SESSION_COOKIE).value != first
    assert app.extensions["tilewatch.AuthContext"].sessions.find(first) is None


@pytest.mark.parametrize(
    "path",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "\\\\evil", "javascript:x", "",
     "/a\r\nSet-Cookie: x=y", "/\t/evil.example"],
)  # fmt: skip
def test_nobody_is_sent_elsewhere(path):
    assert local_path(path) == "/director"


def test_guessing_is_slowed_down(visitor):
    # Each failure makes the next wait longer, so the slowest machine comes to it.
    answers = (log_in(visitor, "Ann", f"wrong {n}") for n in range(30))
    before = []
    for refused in answers:
        if refused.status_code == 429:
            break
        before.append(refused.status_code)
    assert before[:3] == [403] * 3
    assert set(before) == {403}
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) >= 1
    assert "Too many attempts" in refused.text
    # While it is slowed down, the right one is not looked at either: it would tell.
    assert log_in(visitor, "Ann").status_code == 429


def from_address(app, address: str):
    """A browser at that address."""
    visitor = app.test_client()
    visitor.environ_base["REMOTE_ADDR"] = address
    return visitor


def shut_strangers_out(app) -> None:
    """Guess at Ann's password from everywhere, until no stranger's guess is looked at."""
    throttle = app.extensions["tilewatch.AuthContext"].throttle
    for place in range(1000):
        throttle.begin("Ann", f"10.{place // 250}.0.{place % 250}")
        throttle.begin("Ann", "192.0.2.7")


def test_guesses_from_everywhere_keep_no_known_device_out(app):
    phone = from_address(app, "192.0.2.7")
    answer = log_in(phone, "Ann")
    cookie = next(c for c in answer.headers.getlist("Set-Cookie") if "tilewatch_device" in c)
    assert {"HttpOnly", "SameSite=Strict", "Path=/login"} <= set(cookie.split("; "))
    assert "Ann" not in cookie
    phone.post("/logout", headers={"X-CSRF-Token": token_of(app, phone)})
    shut_strangers_out(app)
    assert log_in(from_address(app, "192.0.2.7"), "Ann").status_code == 429
    assert log_in(phone, "Ann").status_code == 303
    assert log_in(from_address(app, "127.0.0.1"), "Ann").status_code == 303


def test_a_link_from_the_machine_lets_a_new_device_in_among_guesses(app):
    shut_strangers_out(app)
    phone = from_address(app, "192.0.2.9")
    assert log_in(phone, "Ann").status_code == 429
    for wrong in ("", "account=Ann&code=1.2.3"):
        assert phone.get(f"/login/device?{wrong}").status_code == 403
    code = app.extensions["tilewatch.AuthContext"].devices.link_code("Ann")
    assert (
        phone.get("/login/device", query_string={"account": "Ann", "code": code}).status_code == 303
    )
    assert phone.get("/director").status_code == 302  # it opened nothing
    assert log_in(phone, "Ann").status_code == 303


def test_strangers_take_few_threads_and_no_known_devices_turn(app):
    phone = from_address(app, "192.0.2.7")
    log_in(phone, "Ann")
    phone.delete_cookie(SESSION_COOKIE)
    places = app.extensions["tilewatch.AuthContext"].newcomers
    held = [places.enter() for _ in range(MOST_STRANGERS)]
    busy = log_in(from_address(app, "192.0.2.8"), "Ann")
    assert busy.status_code == 429
    assert int(busy.headers["Retry-After"]) >= 1
    with store._ONE_AT_A_TIME:  # a stranger's password is looked at just now
        assert log_in(phone, "Ann").status_code == 303
        assert log_in(from_address(app, "127.0.0.1"), "Ann").status_code == 303
    for leave in held:
        leave()
    assert log_in(from_address(app, "192.0.2.8"), "Ann").status_code == 303
    assert places.taken == 0


def test_newcomers_do_not_wait_for_those_who_failed_before(app):
    door = app.extensions["tilewatch.AuthContext"]
    for _ in range(3):
        door.throttle.begin("Ann", "192.0.2.9")
    held = [door.strangers.enter() for _ in range(MOST_STRANGERS)]
    assert "Many people" in log_in(from_address(app, "192.0.2.9"), "Ann").text
    assert log_in(from_address(app, "192.0.2.8"), "Ann").status_code == 303
    assert None not in held


def test_a_form_larger_than_any_is_refused(visitor):
    form = {"name": "Ann", "password": "x" * 20_000, "csrf_token": form_token(visitor)}
    assert visitor.post("/login", data=form).status_code == 413


def test_the_form_may_be_sent_here_alone(visitor):
    policy = visitor.get("/login").headers["Content-Security-Policy"]
    assert "form-action 'self'" in policy
    assert "unsafe" not in policy
    assert "form-action 'none'" in visitor.get("/").headers["Content-Security-Policy"]


def test_without_a_data_folder_there_is_no_door_and_no_desk(site):
    visitor = create_app(site).test_client()
    for path in ("/login", *PAGES, *READS):
        assert visitor.get(path).status_code == 404
    assert visitor.post("/login").status_code in (403, 404)
    assert visitor.get("/").status_code == 200


def test_a_form_without_its_token_is_refused(app, visitor):
    assert visitor.post("/login", data={"name": "Ann", "password": PASSWORD}).status_code == 403
    log_in(visitor, "Ann")
    other = app.test_client()
    log_in(other, "Otto")
    assert visitor.post(DEED).status_code == 403
    for wrong in ("0" * 64, token_of(app, other)):
        assert visitor.post(DEED, headers={"X-CSRF-Token": wrong}).status_code == 403
    assert visitor.post(DEED, data={"csrf_token": "ü"}).status_code == 403
    token = token_of(app, visitor)
    assert visitor.post(DEED, headers={"X-CSRF-Token": token}).status_code == HALF_ASKED
    assert visitor.post(DEED, data={"csrf_token": token}).status_code == HALF_ASKED
    for headers in FOREIGN:
        sent = {"X-CSRF-Token": token, **headers}
        assert visitor.post(DEED, headers=sent).status_code == 403, headers
        ours = {**sent, "Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
        assert visitor.post(DEED, headers=ours).status_code == HALF_ASKED
    # The method is what it is: no header or field makes a GET into something else.
    answer = visitor.get("/logout", headers={"X-HTTP-Method-Override": "POST"})
    assert answer.status_code == 405
    assert visitor.post("/logout").status_code == 403
    assert visitor.get(ROOM).status_code == 200


FOREIGN = (
    {"Origin": "https://evil.example"},
    {"Origin": "http://localhost.evil.example"},
    {"Origin": "http://localhost:9999"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
)
"""Headers of what another site's page sends."""


OWN_HOSTS = (
    "127.0.0.1:8000", "[::1]:8000", "192.168.1.20", "localhost", "tilewatch.local:8000",
    "TABLE-1.LOCAL", "table1.lan", "board",
)  # fmt: skip
OTHER_HOSTS = (
    "", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "a b", "local",
    "evil.example:80", "127.0.0.1:8000@evil.example", "x\r\n", "[::1", "evil.example/.local",
)  # fmt: skip


@pytest.mark.parametrize("host", [*OWN_HOSTS, *OTHER_HOSTS])
def test_which_hosts_are_ours(host):
    assert is_own_host(host, frozenset({"board"})) == (host in OWN_HOSTS)


def test_another_host_is_refused_everywhere_unless_it_was_named(desk, visitor):
    for path in ("/", "/login", "/api/v1/tables", "/static/page.css", "/nothing"):
        assert visitor.get(path, headers={"Host": "evil.example"}).status_code == 421
    visitor = create_app(desk.site, desk.folder, hosts=("Scores.Example.org",)).test_client()
    assert visitor.get("/", headers={"Host": "scores.example.org:443"}).status_code == 200


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_for_who_is_logged_in_and_offers_nothing_to_do_to_who_only_watches(
    desk, game, path
):
    game.play(*TURNS[0])
    assert desk.client(None).get(path).status_code == 302
    for name, role in (("Ann", "director"), ("Otto", "observer")):
        answer = desk.client(name).get(path)
        assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
        assert f'<body class="{role}">' in answer.text
        assert ("/director/links" in answer.text) <= (role == "director")
        assert 'href="/director/help"' in answer.text
        policy = answer.headers["Content-Security-Policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        for never in (" onclick=", " style=", "<script>", "<b>Byron</b>", "Table <1>"):
            assert never not in answer.text
        assert path != PAGES[2] or "Ada &lt;b&gt;Byron&lt;/b&gt;" in answer.text
        assert path != PAGES[2] or '<div class="on-paper story"><section' in answer.text
    assert "/director/links" in desk.client("Ann").get("/director").text


def test_a_page_that_is_not_there_leads_back_to_the_directors_pages(desk, game):
    game.play(*TURNS[0])
    missing = "/director/tables/1/turns/999"
    assert 'href="/director"' in desk.client("Ann").get(missing).text
    assert 'href="/director"' not in desk.client("Ann").get("/tables/none").text


VALUES = {"table_id": "1", "game_id": "game-1"}


def a_value(converter: BaseConverter) -> object:
    """Something that fits a part of an address."""
    if isinstance(converter, AnyConverter):
        return next(iter(converter.items))
    return 1 if isinstance(converter, IntegerConverter) else "a" * 64


def test_every_route_is_guarded(desk, game):
    """Whatever is added below /director is refused to strangers, and to do, to observers too.

    A director does it from the director's own pages alone: another site's page has no token.
    """
    game.play(*TURNS[0])
    before, director, known = game.log.last_seq, desk.client("Ann"), 0
    for rule in desk.app.url_map.iter_rules():
        if not rule.rule.startswith("/director") or rule.rule == "/director/":
            continue
        known += 1
        known_values = {**VALUES, **(rule.defaults or {})}
        values = {
            arg: known_values.get(arg) or a_value(rule._converters[arg]) for arg in rule.arguments
        }
        path = desk.app.url_map.bind("localhost").build(rule.endpoint, values)
        for method in (rule.methods or set()) - {"OPTIONS", "HEAD"}:
            for headers in ({}, {"X-CSRF-Token": director.token, "Origin": "http://evil.example"}):
                if method != "GET":
                    answer = director.open(path, method=method, headers=headers)
                    assert answer.status_code == 403, (path, method)
            for name in (None, "Otto"):
                if name is not None and method == "GET":
                    continue  # who may only watch, may watch
                client = desk.client(name)
                answer = client.open(path, method=method, headers={"X-CSRF-Token": client.token})
                assert answer.status_code in (302, 401, 403), (path, method, name)
    assert known >= 15
    assert (game.log.last_seq, desk.loop.posted) == (before, [])


@pytest.mark.parametrize(
    "path",
    ["/director/tables/2", "/director/tables/1/turns/9", "/director/tables/1/turns/0",
     "/director/api/tables/1/games/none", f"{GAME}/turns/9/boards",
     f"{GAME}/turns/9/play",
     "/director/tables/1/turns/1?game=none", "/director/tables/1/turns/-1"],
)  # fmt: skip
def test_what_is_not_there_is_a_404(desk, game, ann, path):
    game.play(*TURNS[0])
    assert ann.get(path).status_code == 404
