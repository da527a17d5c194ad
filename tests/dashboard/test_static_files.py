"""Static files go out compressed, with an ETag for each representation."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import dashboard
from dashboard.app import create_app
from dashboard.site import Site

STATIC = Path(dashboard.__file__).parent / "static"
TAKES = {"Accept-Encoding": "gzip, deflate, br"}


@pytest.fixture(scope="module")
def client():
    return create_app(Site(())).test_client()


def get(client, path, headers):
    return client.get(path, headers=headers, buffered=True)


@pytest.mark.parametrize("name", ["table.js", "table.css", "icon.svg", "overlay/page.js"])
def test_text_is_sent_in_gzip_to_whoever_takes_it(client, name):
    whole = (STATIC / name).read_bytes()
    plain = get(client, f"/static/{name}", headers={"Accept-Encoding": "identity"})
    assert plain.data == whole
    assert "Content-Encoding" not in plain.headers
    packed = get(client, f"/static/{name}", headers=TAKES)
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == whole
    assert int(packed.headers["Content-Length"]) == len(packed.data) < len(whole)
    assert packed.content_type == plain.content_type
    for answer in (plain, packed):
        assert answer.headers["Vary"] == "Accept-Encoding"
        assert answer.headers["Cache-Control"] == "no-cache"  # asked for again, seldom sent again


def test_each_representation_has_its_own_etag(client):
    plain = get(client, "/static/table.js", headers={"Accept-Encoding": "identity"}).headers["ETag"]
    packed = get(client, "/static/table.js", headers=TAKES).headers["ETag"]
    assert plain != packed
    known = get(client, "/static/table.js", headers=TAKES | {"If-None-Match": packed})
    assert (known.status_code, known.data) == (304, b"")
    assert known.headers["ETag"] == packed
    assert known.headers["Vary"] == "Accept-Encoding"
    assert "Content-Encoding" not in known.headers
    other = get(
        client, "/static/table.js", headers={"Accept-Encoding": "identity", "If-None-Match": packed}
    )
    assert (other.status_code, other.headers["ETag"]) == (200, plain)


def test_pictures_and_parts_of_files_are_sent_as_they_are(client):
    picture = get(client, "/static/touch-icon.png", headers=TAKES)
    assert picture.data == (STATIC / "touch-icon.png").read_bytes()
    assert "Content-Encoding" not in picture.headers
    part = get(client, "/static/table.js", headers=TAKES | {"Range": "bytes=0-9"})
    assert part.status_code == 206
    assert part.data == (STATIC / "table.js").read_bytes()[:10]
    assert "Content-Encoding" not in part.headers


def test_nothing_is_sent_twice_to_a_head_request(client):
    answer = client.head("/static/table.js", headers=TAKES, buffered=True)
    assert (answer.status_code, answer.data) == (200, b"")
    assert answer.headers["Content-Encoding"] == "gzip"
