"""A network camera through PyAV, which is FFmpeg: RTSP, MJPEG over HTTP, HLS.

OpenCV can open such streams too, but prints their addresses with the passwords in them, does not
say what is wrong, and hides when a picture was taken.

One thread receives packets, so that none waits in the network, and stamps them. ``frames`` decodes
them. Of MJPEG, whose pictures are all keyframes, only the pictures that are needed are decoded. Of
H.264 all are; if packets have piled up, decoding goes on at the newest keyframe. A stream whose
pictures still come late is given up, so that the table opens it again.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from pydantic import Field, SecretStr, field_serializer, field_validator, model_validator

from game.options import OptionPath
from sensors.interfaces import PICTURE_LATE_NS, Frame, Image, SensorError
from sensors.options import CameraOptions, FrameRate
from sensors.stream_faults import StreamAddress, why_lost, why_not_opened

OPEN_S: Final = 6.0
"""The seconds that opening may take: some phone apps need several to start the camera."""
READ_S: Final = 4.0
_FIRST_S: Final = 7.0
"""The seconds within which a keyframe has to come."""
_BEHIND_NS: Final = 500_000_000
"""If packets have waited longer than this, those before the newest keyframe are dropped."""
_WAITING_NS: Final = 3_000_000_000
"""The longest time that packets wait: then all are dropped, until the next keyframe comes."""
_LATE_FOR_NS: Final = 5_000_000_000
_SETTLING_NS: Final = 500_000_000
"""The time for which the first pictures are dropped: many cameras begin with a burst of old ones,
and the delay of the stream is only known after it."""
_KEPT_NS: Final = 1_500_000_000
"""After a gap as long as this in a stream without times, the first pictures may be old, too."""
_HLS_SETTLING_NS: Final = 4_000_000_000
WINDOW_NS: Final = 30_000_000_000
"""After this time a difference is forgotten: in that time two clocks (some 50 ppm apart) drift by
only 1.5 ms."""
_MAX_PIXELS: Final = 8192 * 8192
_UNTIMED: Final = frozenset({"mpjpeg", "mjpeg", "mjpeg_2000", "h264", "hevc"})
"""The formats without times of pictures; FFmpeg makes times up for them."""


@dataclass(slots=True)
class _Bucket:
    """The least and the greatest difference of the two clocks in a span of time, in ns."""

    began_ns: int
    least: int
    most: int


class StreamClock:
    """Converts the times of one stream to ``CLOCK_MONOTONIC``. Call ``arrived`` for every picture.

    A stream times its pictures (PTS) on a clock of the camera. For each picture, the time of
    arrival minus the PTS is the difference of the two clocks plus the delay of that picture. The
    smallest of the newest such values belongs to a picture that was hardly delayed, so it is used
    for all: a picture that waited in the network is stamped as if it had not. A delay that all
    pictures have, for example in the camera's encoder, cannot be measured here; ``delay_ms``
    corrects it.
    """

    def __init__(self) -> None:
        self._buckets: deque[_Bucket] = deque(maxlen=2)

    def arrived(self, pts_ns: int, now_ns: int) -> None:
        """Take the PTS of a picture and the time of its arrival."""
        ahead = now_ns - pts_ns
        newest = self._buckets[-1] if self._buckets else None
        if newest is None or now_ns - newest.began_ns > WINDOW_NS:
            self._buckets.append(_Bucket(now_ns, ahead, ahead))
        else:
            newest.least, newest.most = min(newest.least, ahead), max(newest.most, ahead)

    def sent_ns(self, pts_ns: int) -> int:
        """Return when a picture would have arrived with the smallest delay of late, in ns.

        Raises ``ValueError`` before the first picture.
        """
        return pts_ns + min(bucket.least for bucket in self._buckets)

    @property
    def spread_ns(self) -> int:
        """The difference between the longest and the shortest recent delay of a picture, in ns."""
        if not self._buckets:
            return 0
        most = max(bucket.most for bucket in self._buckets)
        return most - min(bucket.least for bucket in self._buckets)


class StreamOptions(CameraOptions):
    """``[camera]`` with ``kind = "url"``."""

    url: SecretStr = Field(description="address of the stream: rtsp, rtsps, http or https")
    user: SecretStr = Field(
        default=SecretStr(""), description="name of the login, if the camera wants one"
    )
    password: SecretStr = Field(default=SecretStr(""), description="its password")
    transport: Literal["tcp", "udp"] = Field(
        default="tcp", description="how RTSP sends the pictures; udp loses some"
    )
    fps: FrameRate = 15
    delay_ms: int | None = Field(
        default=None,
        ge=0,
        le=1000,
        description="delay of the camera itself, in milliseconds; the doctor asks for it",
    )
    ca_file: OptionPath | None = Field(
        default=None, description="certificate (PEM) that an https or rtsps camera is known by"
    )

    @field_validator("url")
    @classmethod
    def _an_address(cls, url: SecretStr) -> SecretStr:
        StreamAddress.parse(url.get_secret_value())
        return url

    @field_serializer("url", when_used="json")
    def _shown(self, _url: SecretStr) -> str:
        return str(self.address)

    @model_validator(mode="after")
    def _whole_login(self) -> StreamOptions:
        if self.password.get_secret_value() and not self.user:
            raise ValueError("password is given without user")
        if self.user and StreamAddress.parse(self.url.get_secret_value()).user:
            raise ValueError("user is given twice, in url too; give it once")
        return self

    @property
    def address(self) -> StreamAddress:
        """The address with the login."""
        address = StreamAddress.parse(self.url.get_secret_value())
        if not self.user:
            return address
        return address.with_login(self.user.get_secret_value(), self.password.get_secret_value())

    @property
    def name(self) -> str:
        """The camera's name for people: only its host, since the rest of the URL may be secret."""
        return f"camera at {self.address}"


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A packet that has arrived."""

    packet: Any
    seq: int
    arrived_ns: int


class StreamCamera:
    """A ``sensors.interfaces.Camera``. Raises ``SensorError`` with one line."""

    def __init__(
        self, options: StreamOptions, *, open_s: float = OPEN_S, read_s: float = READ_S
    ) -> None:
        self._name, self._delay_ns = options.name, (options.delay_ms or 0) * 1_000_000
        self._every_ns = round(1e9 / options.fps)
        self._closed = threading.Event()
        self._container = _opened(options, open_s, read_s)
        try:
            self._decoder = _decoder(self._name, self._container)
        except SensorError:
            self._container.close()
            raise
        self._paced = self._container.format.name == "hls"
        """True for HLS: a segment arrives at once, and its pictures are yielded at their pace."""
        self._settling_ns = _HLS_SETTLING_NS if self._paced else _SETTLING_NS
        self._timed = self._container.format.name not in _UNTIMED
        self._clock = StreamClock()
        self._waiting: deque[_Waiting] = deque()
        self._came = threading.Condition()
        self._ended: str | None = None
        self._began_ns = time.monotonic_ns()
        self._in_time_ns = 0
        """When a picture last came in time."""
        self._wanted_ns = 0
        """The time from which the next picture is needed; earlier ones would exceed ``fps``."""
        self._settled_ns = 0
        """Pictures that arrive before this time may be old, and are dropped."""
        self._arrived_ns: int | None = None
        """When the newest packet came."""

    def frames(self) -> Iterator[Frame]:
        """Yield frames until closed, skipping a backlog."""
        receiver = threading.Thread(
            target=self._receive, name=f"{self._name} receiver", daemon=True
        )
        receiver.start()
        latest = -1
        self._settled_ns = time.monotonic_ns() + self._settling_ns
        try:
            for one, picture in self._decoded():
                t_ns = self._captured_ns(one, picture)
                if t_ns < self._wanted_ns or time.monotonic_ns() < self._settled_ns:
                    continue
                self._pace(t_ns)
                if self._closed.is_set():
                    return
                # A camera of 25 pictures a second gives no 15; this takes every other then.
                self._wanted_ns = t_ns + self._every_ns * 7 // 8
                latest = max(t_ns - self._delay_ns, latest + 1)
                yield Frame(_image(self._name, picture), latest, one.seq)
        finally:
            self.close()

    def _captured_ns(self, one: _Waiting, picture: Any) -> int:
        """Return when a picture was sent, in ns. Raises ``SensorError`` if all are late of late."""
        if not self._timed or picture.pts is None:
            t_ns = one.arrived_ns
        else:
            t_ns = self._clock.sent_ns(_pts_ns(picture))
        now_ns = time.monotonic_ns()
        if now_ns - t_ns <= PICTURE_LATE_NS:
            self._in_time_ns = now_ns
        elif now_ns - max(self._in_time_ns, self._began_ns) > _LATE_FOR_NS + self._settling_ns:
            remedy = (
                "use the camera's RTSP or MJPEG address, or segments of half a second"
                if self._paced
                else "set a smaller picture or a lower bit rate in the camera"
            )
            late_s = (now_ns - t_ns) / 1e9
            raise SensorError(
                f"{self._name}: its pictures come {late_s:.1f} s late, more than the "
                f"{PICTURE_LATE_NS / 1e9:g} s that a table allows; {remedy}"
            )
        return t_ns

    def _pace(self, t_ns: int) -> None:
        """Wait until an HLS picture, which arrived with its whole segment, is to be shown."""
        if self._paced:
            due_ns = t_ns + min(self._clock.spread_ns, PICTURE_LATE_NS)
            self._closed.wait(max(0.0, (due_ns - time.monotonic_ns()) / 1e9))

    def close(self) -> None:
        """End; the receiver closes the stream when its last read returns."""
        self._closed.set()
        with self._came:
            self._came.notify_all()

    def _receive(self) -> None:
        """Queue every packet as it comes. Runs in a thread of its own, which alone reads."""
        ended = "has ended the stream"
        try:
            for seq, packet in enumerate(self._container.demux(self._container.streams.video[0])):
                if self._closed.is_set():
                    break
                if packet.size:
                    self._take(packet, seq)
        except Exception as error:  # its text names the address
            ended = why_lost(error)
        finally:
            self._container.close()
            with self._came:
                self._ended = ended
                self._came.notify_all()

    def _take(self, packet: Any, seq: int) -> None:
        now_ns = time.monotonic_ns()
        before_ns, self._arrived_ns = self._arrived_ns, now_ns
        if self._timed and packet.pts is not None:
            self._clock.arrived(_pts_ns(packet), now_ns)
        elif before_ns is not None and now_ns - before_ns > _KEPT_NS:
            # This process may have stood still: the network has kept pictures that tell no time.
            self._settled_ns = now_ns + self._settling_ns
        with self._came:
            if self._waiting and now_ns - self._waiting[0].arrived_ns > self._most_ns:
                self._waiting.clear()
            self._waiting.append(_Waiting(packet, seq, now_ns))
            self._came.notify_all()

    @property
    def _most_ns(self) -> int:
        """The longest time that a packet may wait."""
        return _WAITING_NS + (self._clock.spread_ns if self._paced else 0)

    def _decoded(self) -> Iterator[tuple[_Waiting, Any]]:
        """Yield each decoded picture with its packet, from the first keyframe on.

        Raises ``SensorError`` if no keyframe comes in time, or the stream has ended.
        """
        last: int | None = None
        lost_s = time.monotonic()
        while (one := self._next()) is not None:
            if last is None and time.monotonic() - lost_s > _FIRST_S:
                raise SensorError(
                    f"{self._name}: sends no keyframe within {_FIRST_S:g} s; "
                    "set its keyframe interval (GOP) to two seconds"
                )
            if not one.packet.is_keyframe and one.seq - 1 != last:
                if last is not None:
                    last, lost_s = None, time.monotonic()
                continue  # what it is the change of is missing
            if self._decoder.name == "mjpeg" and one.arrived_ns < self._wanted_ns:
                continue
            try:
                pictures = self._decoder.decode(one.packet)
            except Exception:  # spoilt on the way; the next whole picture mends it
                last, lost_s = None, time.monotonic()
                continue
            last = one.seq
            yield from ((one, picture) for picture in pictures if not picture.is_corrupt)

    def _next(self) -> _Waiting | None:
        """Return the next packet to decode; None if closed. Raises ``SensorError`` at the end."""
        with self._came:
            while not self._waiting and not self._closed.is_set():
                if self._ended is not None:
                    raise SensorError(f"{self._name}: {self._ended}")
                self._came.wait(1.0)
            if self._closed.is_set():
                return None
            self._skip()
            return self._waiting.popleft()

    def _skip(self) -> None:
        """Drop the packets before the newest keyframe, if packets have piled up."""
        waiting = self._waiting
        behind = waiting[-1].arrived_ns - waiting[0].arrived_ns > _BEHIND_NS and not self._paced
        if not (behind or self._decoder.name == "mjpeg"):
            return
        whole = [at for at, one in enumerate(waiting) if one.packet.is_keyframe]
        for _ in range(whole[-1] if whole else 0):
            waiting.popleft()


def _pts_ns(timed: Any) -> int:
    """Return the time of a packet or a picture on the stream's clock."""
    return int(timed.pts * timed.time_base * 1_000_000_000)


def _opened(options: StreamOptions, open_s: float, read_s: float) -> Any:
    """Return the open container, or raise ``SensorError`` without the library's own text."""
    try:
        import av  # noqa: PLC0415 - not installed with every table
    except ImportError as error:
        raise SensorError(f"{options.name}: needs PyAV; run: sh install.sh --stream") from error
    if options.ca_file is not None and not options.ca_file.is_file():
        raise SensorError(f"{options.ca_file}: is no file; give the camera's certificate (PEM)")
    address, began = options.address, time.monotonic()
    settings = {
        "protocol_whitelist": "rtsp,rtp,udp,tcp,tls,http,https,crypto,hls",
        "fflags": "nobuffer",
        "analyzeduration": "2000000",  # µs
        "max_delay": "200000",  # µs that lost packets of udp are waited for
    }
    if address.scheme in ("rtsp", "rtsps"):
        settings |= {"rtsp_transport": options.transport, "allowed_media_types": "video"}
    else:
        settings |= {"live_start_index": "-1"}
    if address.secure:
        settings |= {"tls_verify": "1", "ca_file": str(options.ca_file or _authorities())}
    try:
        return av.open(address.url(), options=settings, timeout=(open_s, read_s))
    except Exception as error:  # its text, and that of its causes, names the address
        took_s = time.monotonic() - began
        why = why_not_opened(error, address, options.ca_file, took_s, open_s)
    raise SensorError(f"{options.name}: {why}")


def _authorities() -> str:
    """Return the path of the file of certificate authorities that this machine trusts."""
    paths = ssl.get_default_verify_paths()
    return paths.cafile or paths.openssl_cafile


def _decoder(name: str, container: Any) -> Any:
    """Return a decoder for the container's video; it returns each picture without delay."""
    from av import CodecContext  # noqa: PLC0415

    if not container.streams.video:
        raise SensorError(f"{name}: sends sound, but no video; check the path in url")
    found = container.streams.video[0].codec_context
    if found is None or found.codec is None:
        raise SensorError(f"{name}: sends a video that is not known; set the camera to H.264")
    if found.width * found.height > _MAX_PIXELS:
        raise SensorError(f"{name}: its pictures are too large; set a smaller size in the camera")
    decoder = CodecContext.create(found.codec.name, "r")
    decoder.extradata = found.extradata
    if decoder.name == "mjpeg":  # else what is cut off or damaged is made up
        decoder.options = {"err_detect": "explode"}
    decoder.thread_type = "SLICE"  # threads by frame hold back a frame each
    return decoder


def _image(name: str, picture: Any) -> Image:
    if picture.width * picture.height > _MAX_PIXELS:
        raise SensorError(f"{name}: its pictures are too large; set a smaller size in the camera")
    return cast("Image", picture.to_ndarray(format="bgr24"))
