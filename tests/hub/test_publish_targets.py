"""The places where files are published: each keeps whole files, and says in a line why it can't."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import time

import pytest

from hub.publish.changes import Target, TargetError, Upload
from hub.publish.targets import target_of
from tests.machine import free_port, until

LONG = b"<p>A page, and a long one.</p>" * 100


def upload(path: str, data: bytes, mime: str = "text/html; charset=utf-8") -> Upload:
    return Upload(path, data, mime, 10)


@pytest.fixture
def folder(tmp_path):
    yield target_of(str(tmp_path / "site"))


@pytest.fixture
def sftp(tmp_path, monkeypatch):
    pytest.importorskip("paramiko")
    from tests.hub.sftpkit import SftpServer

    (tmp_path / "root").mkdir()
    server = SftpServer(tmp_path / "root", tmp_path / "home")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    target = target_of(f"sftp://event@127.0.0.1:{server.port}/www/site")
    yield target
    # A connection that broke is made again.
    server.sever()
    with pytest.raises(TargetError, match="sftp"):
        target.read("a/page.html")
    assert target.read("a/page.html") is None
    target.close()
    server.close()


@pytest.fixture
def rsync(tmp_path):
    program = shutil.which("rsync")
    if program is None:
        pytest.skip("rsync is not installed")
    (tmp_path / "root").mkdir()
    config = tmp_path / "rsyncd.conf"
    config.write_text(
        f"use chroot = no\n[www]\npath = {tmp_path / 'root'}\nread only = false\n"
        "uid = root\ngid = root\n"
    )
    port = free_port()
    daemon = [program, "--daemon", "--no-detach", f"--config={config}", f"--port={port}"]
    with subprocess.Popen([*daemon, "--address=127.0.0.1"]) as server:
        listed = ["rsync", f"rsync://127.0.0.1:{port}/"]
        assert until(lambda: subprocess.run(listed, capture_output=True).returncode == 0)
        yield target_of(f"rsync://127.0.0.1:{port}/www")
        server.terminate()


@pytest.fixture
def s3(monkeypatch):
    server = pytest.importorskip("moto.server")
    pytest.importorskip("flask_cors")
    boto3 = pytest.importorskip("boto3")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    running = server.ThreadedMotoServer("127.0.0.1", free_port(), verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
    client.create_bucket(Bucket="events")
    target = target_of(f"s3://events/2026/open?endpoint={endpoint}")
    yield target
    target.put([upload("b.html", LONG)])
    head = client.head_object(Bucket="events", Key="2026/open/b.html")
    assert head["CacheControl"] == "public, max-age=10"
    assert head["ContentType"] == "text/html; charset=utf-8"
    assert head["ContentEncoding"] == "gzip"
    target.close()
    running.stop()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("kind", ["folder", "sftp", "rsync", "s3"])
def test_a_target_keeps_what_it_was_given(kind, request):
    target: Target = request.getfixturevalue(kind)
    assert target.read("a/page.html") is None
    target.put([upload("a/page.html", b"one"), upload("a/b/long~2e~.html", LONG)])
    assert target.read("a/page.html") == b"one"
    assert target.read("a/b/long~2e~.html") == LONG
    target.put([upload("a/page.html", b"two")])
    assert target.read("a/page.html") == b"two"
    target.remove(["a/page.html", "a/never.html"])
    assert target.read("a/page.html") is None
    assert target.read("a/b/long~2e~.html") == LONG


def test_a_folder_has_texts_in_gzip_too_and_no_half_file(folder, tmp_path):
    folder.put([upload("a/page.html", LONG), upload("p.png", LONG, "image/png")])
    site = tmp_path / "site"
    assert gzip.decompress((site / "a/page.html.gz").read_bytes()) == LONG
    assert sorted(one.name for one in site.rglob("*") if one.is_file()) == [
        "p.png", "page.html", "page.html.gz",
    ]  # fmt: skip
    folder.remove(["a/page.html"])
    assert not (site / "a").exists()


@pytest.mark.parametrize(
    ("address", "line"),
    [
        ("sftp://event@127.0.0.1:{port}/www", "sftp://127.0.0.1"),
        ("rsync://127.0.0.1:{port}/www", "rsync to 127.0.0.1"),
        ("s3://events?endpoint=http://127.0.0.1:{port}", "s3://events"),
    ],
)
def test_a_target_that_is_away_says_so_in_a_line(address, line, monkeypatch):
    for library in ("paramiko", "boto3"):
        pytest.importorskip(library)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    target = target_of(address.format(port=free_port()))
    begun = time.monotonic()
    with pytest.raises(TargetError, match=line) as refused:
        target.put([upload("a.html", LONG)])
    assert "\n" not in str(refused.value)
    assert time.monotonic() - begun < 60
    target.close()
