"""Network cameras, against servers: RTSP by GStreamer, HLS by FFmpeg, MJPEG by our own."""

from __future__ import annotations

import datetime
import itertools
import logging
import socket
import ssl
import threading
import time
import traceback
from pathlib import Path

import numpy as np
import pytest

from sensors.drivers import CAMERAS
from sensors.interfaces import SensorError
from sensors.stream import WINDOW_NS, StreamCamera, StreamClock, StreamOptions
from sensors.stream_faults import StreamAddress
from table.config import Camera, TableConfig
from table.devices import open_camera
from table.health.watchdog import Heartbeat
from table.real_devices import DeviceReader
from tests.machine import PATIENCE_S, free_port, until
from tests.sensors.streamkit import HttpCamera, RtspServer, hls, number_in, numbered, write_pictures

MS = 1_000_000
SECRET = "hid-den"


@pytest.fixture(scope="module")
def pictures(tmp_path_factory) -> Path:
    """Sixteen seconds of numbered pictures, fifteen a second."""
    return write_pictures(tmp_path_factory.mktemp("stream") / "pictures", 250, 66)


def take(options: StreamOptions, count: int):
    """The first frames, each with the time at which it was handed over."""
    camera = StreamCamera(options)
    frames = camera.frames()
    try:
        return [(frame, time.monotonic_ns()) for frame in itertools.islice(frames, count)]
    finally:
        frames.close()


def fault_of(url: str, *, open_s: float = PATIENCE_S, **options) -> str:
    """The line with which a camera cannot be opened; nothing secret is in it or its causes."""
    with pytest.raises(SensorError) as caught:
        CAMERAS["url"].driver(CAMERAS["url"].options(url=url, **options), open_s=open_s)
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    seen: BaseException | None = caught.value
    while seen is not None:
        assert SECRET not in f"{seen!r} {seen}"
        seen = seen.__cause__ or seen.__context__
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(("path", "delay_ms"), [("video", 0), ("bare", 0), ("video", 200)])
def test_mjpeg_over_http_is_stamped_as_it_comes_less_the_cameras_own_delay(path, delay_ms):
    with HttpCamera() as server:
        got = take(StreamOptions(url=server.url(path), fps=60, delay_ms=delay_ms), 10)
        assert [frame.image.shape for frame, _ in got] == [(480, 640, 3)] * 10
        for (frame, handed_ns), (after, _) in itertools.pairwise(got):
            assert frame.t_ns < after.t_ns
            assert frame.seq < after.seq
            arrived_ns = frame.t_ns + delay_ms * MS
            assert server.sent_ns[number_in(frame.image)] <= arrived_ns <= handed_ns
        image = got[0][0].image
        assert np.abs(image[300, 300].astype(int) - numbered(0)[300, 300]).max() <= 6


def test_a_picture_that_is_cut_off_on_its_way_is_left_out():
    with HttpCamera() as server:
        got = take(StreamOptions(url=server.url("cut"), fps=60), 6)
        assert [number_in(frame.image) % 2 for frame, _ in got] == [0] * 6
        assert all(np.ptp(frame.image[-1], axis=0).max() < 9 for frame, _ in got)


def test_fewer_pictures_are_taken_of_a_camera_that_gives_more():
    with HttpCamera(every_s=0.02) as server:
        got = [frame for frame, _ in take(StreamOptions(url=server.url(), fps=5), 5)]
        assert all(b.t_ns - a.t_ns >= 150 * MS for a, b in itertools.pairwise(got))


def test_a_slow_reader_gets_the_newest_picture_and_no_backlog():
    with HttpCamera() as server:
        camera = StreamCamera(StreamOptions(url=server.url(), fps=60))
        frames = camera.frames()
        first = next(frames)
        until(lambda: len(server.sent_ns) > number_in(first.image) + 60)
        newest = max(server.sent_ns)
        # On a busy machine the newest may be on its way still.
        frame = next(one for one in itertools.islice(frames, 10) if number_in(one.image) >= newest)
        frames.close()
        assert frame.seq - first.seq > 50


@pytest.mark.parametrize(
    ("codec", "login"),
    [("h264", ()), ("h265", ()), ("jpeg", ()), ("h264", ("basic",)), ("h264", ("digest",))],
)
def test_rtsp_is_stamped_by_its_own_clock(pictures, codec, login):
    options = ["--codec", codec]
    given = {}
    if login:
        options += ["--login", "ann", "p@ss:w/rd?", *(["--digest"] if "digest" in login else [])]
        given = {"user": "ann", "password": "p@ss:w/rd?"}
    with RtspServer(pictures, *options) as server:
        got = take(StreamOptions(url=server.url, fps=60, **given), 25)
        numbers = [number_in(frame.image) for frame, _ in got]
        assert numbers == sorted(set(numbers))
        for number, (frame, handed_ns) in zip(numbers, got, strict=True):
            assert server.zero_ns + number * 66 * MS <= frame.t_ns <= handed_ns


def test_a_slow_reader_of_h264_goes_on_at_a_whole_picture(pictures):
    with RtspServer(pictures) as server:
        camera = StreamCamera(StreamOptions(url=server.url, fps=60))
        frames = camera.frames()
        first = number_in(next(frames).image)
        start = time.monotonic()
        until(lambda: time.monotonic() - start > 2.5)
        second = next(frames)
        assert number_in(second.image) - first > 10
        assert abs(second.image[300, 300].astype(int) - numbered(0)[300, 300]).max() <= 8
        frames.close()


def test_hls_is_played_at_its_own_pace(tmp_path, pictures):
    with (
        hls(tmp_path / "hls", pictures, 15, 0.5) as playlist,
        HttpCamera(files=tmp_path / "hls") as server,
    ):
        until((tmp_path / "hls" / playlist).exists)
        got = [frame for frame, _ in take(StreamOptions(url=server.url(playlist), fps=30), 30)]
    steps = sorted(b.t_ns - a.t_ns for a, b in itertools.pairwise(got))
    assert steps[0] > 0
    assert 60 * MS < steps[len(steps) // 2] < 73 * MS
    numbers = [number_in(frame.image) for frame in got]
    assert all(0 < (b - a) % 250 < 100 for a, b in itertools.pairwise(numbers))


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("401", "refuses the login (401); check user and password"),
        ("403", "(403)"),
        ("404", "no such stream (404); check the path"),
        ("429", "too many viewers"),
        ("418", "refuses the request"),
        ("503", "a fault of its own (5xx)"),
        ("page", "no video; give the address of the stream"),
        ("hangs", "does not answer within 2 s"),
    ],
)
def test_a_wrong_address_is_one_line_with_the_remedy(path, says):
    with HttpCamera() as server:
        url = server.url(f"{path}?token={SECRET}", login=f"ann:{SECRET}@")
        assert says in fault_of(url, open_s=2.0 if path == "hangs" else PATIENCE_S)


@pytest.mark.parametrize("scheme", ["http", "rtsp"])
def test_a_camera_that_is_not_there_is_one_line(scheme):
    login = f"ann:{SECRET}@"
    assert "refuses the connection" in fault_of(f"{scheme}://{login}127.0.0.1:{free_port()}/x")
    assert "there is no host of that name" in fault_of(f"{scheme}://{login}camera.invalid/x")


def test_a_wrong_login_at_rtsp_is_one_line(pictures):
    with RtspServer(pictures, "--login", "ann", "right") as server:
        for given in ({"user": "ann", "password": SECRET}, {}):
            assert "refuses the login (401)" in fault_of(server.url, **given)
    with RtspServer(pictures) as server:
        assert "no such stream (404)" in fault_of(server.url.replace("board", SECRET))


def test_a_server_that_speaks_no_rtsp_or_nothing_at_all_is_one_line():
    with HttpCamera() as server:
        assert "no video" in fault_of(server.url().replace("http", "rtsp"))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"rtsp://ann:{SECRET}@127.0.0.1:{silent.getsockname()[1]}/x"
        assert "does not answer within 2 s" in fault_of(url, open_s=2.0)


def certificate(folder: Path, name: str) -> Path:
    """A certificate by which a camera of this name is known, with its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / f"{name}.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return path


def test_a_camera_with_tls_is_known_by_its_certificate(tmp_path):
    pem = certificate(tmp_path, "localhost")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    with HttpCamera(context=context, login=f"ann:{SECRET}") as server:
        url = server.url(host="localhost")
        login = {"user": "ann", "password": SECRET}
        assert len(take(StreamOptions(url=url, ca_file=pem, **login), 2)) == 2
        assert "not trusted (self-signed certificate); give" in fault_of(url, **login)
        assert "certificate for another name" in fault_of(server.url(), ca_file=str(pem), **login)
        assert "nobody.pem: is no file" in fault_of(url, ca_file="/nobody.pem", **login)
        secure = server.url(host="localhost").replace("https", "rtsps")
        assert "not trusted (self-signed certificate)" in fault_of(secure, **login)
    with HttpCamera() as server:
        assert "speaks no TLS" in fault_of(server.url().replace("http", "https"))


@pytest.mark.parametrize(
    ("path", "says"), [("ends", "has broken off the stream"), ("stops", "no picture for")]
)
def test_a_stream_that_ends_or_stops_is_lost_in_one_line(path, says):
    with HttpCamera(every_s=0.02) as server:
        config = Camera(kind="url", url=server.url(path, login=f"ann:{SECRET}@"), fps=60)
        with pytest.raises(SensorError) as caught:
            open_camera(config).deliver(lambda _: None)
    assert says in str(caught.value)
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_a_camera_that_comes_back_is_opened_again(caplog, capfd):
    port, stop, lines = free_port(), threading.Event(), []
    got: list[object] = []
    config = Camera(kind="url", url=f"http://ann:{SECRET}@127.0.0.1:{port}/video")
    device = DeviceReader(
        lambda: open_camera(config), got.append, Heartbeat("camera", steady=True), lines.append
    )
    reader = threading.Thread(target=device.run, args=(stop,))
    with caplog.at_level(logging.DEBUG):
        reader.start()
        until(lambda: len(lines) >= 2)
        with HttpCamera(port=port):
            until(lambda: len(got) > 3)
        before = len(got)
        with HttpCamera(port=port):
            until(lambda: len(got) > before + 3)
            stop.set()
            reader.join()
    assert any(line and "refuses the connection" in line for line in lines)
    assert None in lines
    assert SECRET not in caplog.text
    assert SECRET not in "".join(line or "" for line in lines)
    out, error = capfd.readouterr()
    assert SECRET not in out + error


def test_two_cameras_do_not_starve_one_another():
    """One for the board, one for a rack; whoever reads the second does not come to it."""
    with HttpCamera() as board, HttpCamera() as rack:
        cameras = [
            CAMERAS["url"].open(StreamOptions(url=one.url(), fps=60)) for one in (board, rack)
        ]
        first, second = (camera.frames() for camera in cameras)
        idle = next(second)
        assert len(list(itertools.islice(first, 30))) == 30
        until(lambda: len(rack.sent_ns) > number_in(idle.image) + 30)
        newest = max(rack.sent_ns)
        assert any(number_in(frame.image) >= newest for frame in itertools.islice(second, 10))
        first.close()
        second.close()


def test_a_login_shows_nowhere_in_a_configuration():
    url = f"rtsp://ann:{SECRET}@cam.lan:8554/user=ann_password={SECRET}?token={SECRET}"
    config = TableConfig.model_validate(
        {"camera": {"kind": "url", "url": url, "fps": 10}, "buttons": {"kind": "web"}}
    )
    shown = {"kind": "url", "url": "rtsp://cam.lan:8554", "fps": 10}
    assert config.model_dump(mode="json")["camera"] == shown
    options = config.camera.options
    assert options.name == "camera at rtsp://cam.lan:8554"
    assert options.address.url() == url
    everywhere = f"{config!r} {config} {options!r} {options} {options.address!r} {options.address}"
    assert SECRET not in everywhere + repr(config.camera.with_options({"fps": 3}))
    assert SECRET not in str(config.model_dump()) + config.model_dump_json()


def test_an_address_keeps_what_the_camera_needs():
    address = StreamAddress.parse("http://[fe80::1]/video?x=1#y").with_login("a b", "p@/:?")
    assert str(address) == "http://[fe80::1]:80"
    assert address.url() == "http://a%20b:p%40%2F%3A%3F@[fe80::1]:80/video?x=1"


def test_a_picture_that_was_delayed_is_stamped_as_one_that_was_not():
    clock = StreamClock()
    delays = [30, 0, 80, 400, 5, 0]
    for number, late in enumerate(delays):
        clock.arrived(number * 100 * MS, 7_000 * MS + (number * 100 + late) * MS)
    assert [clock.sent_ns(number * 100 * MS) // MS for number in range(6)] == list(
        range(7000, 7600, 100)
    )
    assert clock.spread_ns == 400 * MS


def test_two_clocks_that_drift_apart_are_followed():
    clock = StreamClock()
    for second in range(3600):
        clock.arrived(second * 1000 * MS, round(second * 1000 * MS * (1 + 100e-6)))
    newest = clock.sent_ns(3599 * 1000 * MS)
    drift = 100e-6 * 2 * WINDOW_NS
    assert 0 <= round(3599 * 1000 * MS * (1 + 100e-6)) - newest <= drift
