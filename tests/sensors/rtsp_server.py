"""An RTSP camera of GStreamer's: plays a folder of JPEGs once, at their own pace.

    /usr/bin/python3 rtsp_server.py FOLDER [--codec h264|h265|jpeg] [--login USER PASSWORD]
        [--digest]

Needs Debian's ``python3-gi``, ``gir1.2-gst-rtsp-server-1.0`` and GStreamer's plugins. Files are
called ``<t_ms>.jpg``. Prints ``port N`` when it is ready, and ``zero NS`` when the first client
plays: the time on CLOCK_MONOTONIC at which the picture of t_ms = 0 is sent.
"""

import argparse
import threading
import time
from pathlib import Path

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402

ENCODERS = {
    "h264": "jpegdec ! videoconvert ! video/x-raw,format=I420 ! x264enc tune=zerolatency "
    "sliced-threads=false speed-preset=veryfast bitrate=6000 key-int-max=10 ! h264parse ! "
    "rtph264pay name=pay0 config-interval=-1",
    "h265": "jpegdec ! videoconvert ! video/x-raw,format=I420 ! x265enc tune=zerolatency "
    "speed-preset=ultrafast key-int-max=10 ! h265parse ! rtph265pay name=pay0",
    "jpeg": "jpegdec ! videoconvert ! video/x-raw,format=I420 ! jpegenc quality=92 ! "
    "rtpjpegpay name=pay0",
}


def play(source: Gst.Element, paths: list[Path]) -> None:
    """Push the pictures at their times."""
    zero_ns = time.monotonic_ns() + 200_000_000
    print("zero", zero_ns, flush=True)
    for path in paths:
        t_ns = int(path.stem) * 1_000_000
        time.sleep(max(0.0, (zero_ns + t_ns - time.monotonic_ns()) / 1e9))
        picture = Gst.Buffer.new_wrapped(path.read_bytes())
        if source.emit("push-buffer", picture) != Gst.FlowReturn.OK:
            return
    source.emit("end-of-stream")


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--codec", choices=ENCODERS, default="h264")
    parser.add_argument("--login", nargs=2)
    parser.add_argument("--digest", action="store_true")
    args = parser.parse_args()
    paths = sorted(args.folder.glob("*.jpg"))
    Gst.init(None)
    server = GstRtspServer.RTSPServer()
    server.set_address("127.0.0.1")
    server.set_service("0")
    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_shared(True)
    caps = "image/jpeg,framerate=15/1" if args.codec == "h265" else "image/jpeg"  # x265 wants one
    factory.set_launch(
        f"( appsrc name=pictures is-live=true do-timestamp=true format=time caps={caps} ! "
        + ENCODERS[args.codec]
        + " pt=96 )"
    )

    def configure(_factory: object, media: GstRtspServer.RTSPMedia) -> None:
        source = media.get_element().get_by_name("pictures")
        threading.Thread(target=play, args=(source, paths), daemon=True).start()

    factory.connect("media-configure", configure)
    if args.login:
        auth = GstRtspServer.RTSPAuth()
        auth.set_supported_methods(
            GstRtsp.RTSPAuthMethod.DIGEST if args.digest else GstRtsp.RTSPAuthMethod.BASIC
        )
        token = GstRtspServer.RTSPToken()
        token.set_string("media.factory.role", "viewer")
        if args.digest:
            auth.add_digest(*args.login, token)
        else:
            auth.add_basic(GstRtspServer.RTSPAuth.make_basic(*args.login), token)
        server.set_auth(auth)
        rights = GstRtspServer.RTSPPermissions()
        rights.add_permission_for_role("viewer", "media.factory.access", True)
        rights.add_permission_for_role("viewer", "media.factory.construct", True)
        factory.set_permissions(rights)
    server.get_mount_points().add_factory("/board", factory)
    server.attach(None)
    print("port", server.get_bound_port(), flush=True)
    GLib.MainLoop().run()


if __name__ == "__main__":
    main()
