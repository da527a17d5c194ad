"""The scripts of ``examples/`` do what their first lines say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from game import Game

ROOT = Path(__file__).resolve().parents[1]
PHOTOS = ROOT.parent / "shared" / "photos"


def run(script: str, *arguments: str, **more) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "examples" / script), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, text=True, env=environment, **more)


def test_a_record_is_scored(tmp_path):
    one = Game("Ann", "Bob", rulebook="wespa-2021")
    one.play("8G", "CAT")
    one.challenge(succeeds=False)
    one.play("I8", "TEN")
    one.end()
    path = tmp_path / "game.gcg"
    path.write_text(one.to_gcg(), "utf-8")
    done = run("score_gcg.py", str(path))
    assert done.returncode == 0
    assert [line.split() for line in done.stdout.splitlines()] == [
        ["1", "Ann", "8G", "CAT", "15", "15"],
        ["2", "Bob", "I8", "TEN", "4", "4"],
    ]
    path.write_text(one.to_gcg().replace("CAT +10", "CAT +12"), "utf-8")
    done = run("score_gcg.py", str(path))
    assert (done.returncode, "score written 12, due 10" in done.stdout) == (1, True)
    assert run("score_gcg.py", str(tmp_path / "no.gcg")).returncode == 2


@pytest.mark.shared
@pytest.mark.skipif(not PHOTOS.is_dir(), reason="no photographs beside the checkout")
def test_a_photograph_is_read():
    photograph = next(path for path in sorted(PHOTOS.rglob("*.jpg")))
    done = run("read_photograph.py", str(photograph))
    assert done.returncode == 0, done.stderr
    assert [len(row) for row in done.stdout.splitlines()[:15]] == [15] * 15


def test_what_is_no_photograph_is_one_line(tmp_path):
    done = run("read_photograph.py", str(tmp_path / "no.jpg"))
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


def turn(number: int, word: str | None, score: int, kind: str = "play") -> dict[str, object]:
    side = "left" if number % 2 else "right"
    place = "8G" if word else None
    return {"number": number, "side": side, "kind": kind, "position": place, "word": word} | {
        "score": score,
        "total": score,
    }


STREAMS = [
    # A table that restarts after its second view, goes on with a correction, and starts anew.
    [
        ("1", {"game_id": "g1", "turns": [turn(1, "CAT", 10)]}),
        ("2", {"game_id": "g1", "turns": [turn(1, "CAT", 10), turn(2, ".EN", 4)]}),
    ],
    [
        ("3", {"game_id": "g1", "turns": [turn(1, "CAP", 14), turn(2, ".EN", 4)]}),
        ("4", {"game_id": "g1", "turns": [turn(1, "CAP", 14)]}),
        ("5", {"game_id": "g2", "turns": [turn(1, "DOG", 10), turn(2, None, 0, "pass")]}),
    ],
]


class _Table(BaseHTTPRequestHandler):
    asked: list[str | None] = []  # noqa: RUF012

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        if not self.path.endswith("/events"):
            self.wfile.write(json.dumps({"tables": [{"id": "one"}]}).encode())
            return
        self.asked.append(self.headers["Last-Event-ID"])
        if len(self.asked) > len(STREAMS):
            threading.Event().wait(60)
        for number, view in STREAMS[len(self.asked) - 1]:
            text = f"id: {number}\nevent: view\ndata: {json.dumps(view)}\n\n"
            self.wfile.write(text.encode() + b"event: time\ndata: {}\n\n")


@pytest.fixture
def table():
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Table)
    server.daemon_threads = True
    _Table.asked.clear()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_table_is_followed_through_a_restart_and_a_correction(table):
    expected = [
        "game g1",
        "1 left 8G CAT 10 10",
        "2 right 8G .EN 4 4",
        "1 left 8G CAP 14 14 corrected",
        "2 is no turn any more",
        "game g2",
        "1 left 8G DOG 10 10",
        "2 right pass 0 0",
    ]
    command = [sys.executable, str(ROOT / "examples" / "follow_table.py"), table]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True) as follower:
        assert follower.stdout is not None
        printed = [" ".join(follower.stdout.readline().split()) for _ in expected]
        follower.terminate()
        _, warnings = follower.communicate(timeout=10)
    assert printed == expected
    assert warnings.splitlines()[:2] == ["the table has gone; asking again", "the table is back"]
    assert _Table.asked[:2] == [None, "2"]


def test_no_table_is_one_line():
    done = run("follow_table.py", "http://127.0.0.1:9")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
