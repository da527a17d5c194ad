"""The broker: Debian's mosquitto with our configuration, run beside the hub and watched.

The hub writes every file that mosquitto reads, starts it, and restarts it if it dies. Its
dynamic-security plugin decides who may connect (``hub.broker.access``). If a killed hub left a
broker running, the next hub takes it over, so that tables stay connected. Refused clients and the
reasons are read from the broker's log and passed on as incidents.
"""

from __future__ import annotations

import logging
import os
import pwd
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from game.files import os_error_as, write_file
from hub.broker.access import (
    CONTROL_USER,
    DynamicSecurity,
    Tables,
    plugin_file,
)
from hub.broker.certificates import (
    CA,
    CERTIFICATE,
    PRIVATE_KEY,
    authority_id,
    certificate_id,
    make_certificates,
)
from hub.errors import HubError
from hub.repeating import Repeating
from hub.wire.connection import Broker
from hub.wire.records import MAX_RECORD

_LOG = logging.getLogger(__name__)

PORT: Final = 8883

_CONF: Final = "mosquitto.conf"
_SECURITY: Final = "dynamic-security.json"
_PLUGINS: Final = ("/usr/lib/*/", "/usr/lib/", "/usr/local/lib/")
_PID: Final = "mosquitto.pid"
_LOG_FILE: Final = "mosquitto.log"
_LOG_LIMIT: Final = 4_000_000
_LOOK_S: Final = 0.5
_SETTLED_S: Final = 2.0
"""If the log does not say that the broker runs, it counts as running after this time."""

CONFIGURATION: Final = """\
# Written by tilewatch whenever its hub starts; what is changed here is lost.
# It is started anew with another certificate: {certificate_id}
listener {port} {host}
cafile {folder}/{ca}
certfile {folder}/{certificate}
keyfile {folder}/{key}
tls_version tlsv1.2
allow_anonymous false
# Nobody can take another's place: the client's name is its user name.
use_username_as_clientid true
plugin {plugin}
plugin_opt_config_file {folder}/{security}

# Nothing depends on the broker's keeping anything.
persistence false
autosave_interval 0

# No table can take more than its share. Records come in messages of at most {record} bytes.
max_packet_size {packet}
# More than the 60 s that a connection has before its login: where both are the same, Debian 13's
# mosquitto 2.0.21 now and then drops one at once.
max_keepalive 600
max_connections 2000
max_inflight_messages 200
max_queued_messages 5000
max_queued_bytes 33554432
set_tcp_nodelay true

log_dest file {log}
log_type error
log_type warning
log_type notice
log_type information
log_type debug
log_timestamp false
connection_messages true
pid_file {folder}/{pid}
user {user}
{more}"""


@dataclass(frozen=True, slots=True)
class BrokerIncident:
    """A line that the broker logged about a client: ``what`` in a word, and a line for people."""

    client: str
    what: str
    detail: str


_LARGE: Final = "sent a message that is larger than any that a table needs"
_LOG_PATTERNS: Final = tuple(
    (re.compile(pattern), what, detail)
    for pattern, what, detail in (
        (
            r"Denied PUBLISH from (?P<client>\S+) \(.*?, '(?P<topic>[^']*)'",
            "denied",
            "tried to say something on {topic}, which is not its own",
        ),
        (
            r"(?:Client )?(?P<client>\S+) (?:disconnected|denied).*(?:oversize|too large)",
            "oversized",
            _LARGE,
        ),
        (r"Dropped too large PUBLISH from (?P<client>\S+)", "oversized", _LARGE),
        (
            r"Sending CONNACK to (?P<client>\S+) \(0, (?:4|5|134|135)\)",
            "refused",
            "tried to connect with a wrong credential",
        ),
        (
            r"Client (?P<client>\S+) disconnected due to (?P<why>protocol|malformed)",
            "malformed",
            "sent what is no MQTT",
        ),
    )
)

_WORTH_PARSING: Final = (b"enied", b"isconnected", b"too large", b"CONNACK")


def parse_log_line(line: str) -> BrokerIncident | None:
    """Parse a line of mosquitto's log about a client that was refused something.

    Only the beginning of a line is compared, since a client's name later in it may be any text.
    None for any other line.
    """
    for pattern, what, detail in _LOG_PATTERNS:
        found = pattern.match(line)
        if found:
            parts = found.groupdict()
            return BrokerIncident(parts["client"], what, detail.format(**parts))
    return None


class MosquittoBroker:
    """Mosquitto in a folder of its own, run and watched."""

    def __init__(
        self,
        folder: Path,
        venue: str,
        password: str,
        tables: Tables,
        *,
        host: str = "",
        port: int = PORT,
        more: str = "",
        on_incident: Callable[[BrokerIncident], None] = lambda _incident: None,
    ) -> None:
        """Write everything that mosquitto reads into ``folder``. ``host`` empty: every address.

        ``password`` is the hub's own; ``tables`` is called from any thread once it is started.
        ``more`` is appended to the configuration unchanged, for example a bridge. ``on_incident``
        is called from a thread. Raises ``HubError``.
        """
        program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/sbin")
        if program is None:
            raise HubError(
                "the broker mosquitto is not installed; on Debian: apt install mosquitto"
            )
        plugin = next((str(path) for path in _plugins()), None)
        if plugin is None:
            raise HubError("mosquitto's dynamic-security plugin is missing; install mosquitto anew")
        self._program = program
        self.folder, self.port = folder, port
        self._venue, self._password, self._tables = venue, password, tables
        self.ca = folder / CA
        self._on_incident = on_incident
        # Much is written there, for moments: in memory, where the service has a place for that.
        self._log = Path(os.environ.get("RUNTIME_DIRECTORY") or folder).absolute() / _LOG_FILE
        self._pid: int | None = None
        self._changing = threading.RLock()
        """Held while the process is started, stopped or found dead: one thread at a time."""
        self._reading = 0
        with os_error_as(HubError, f"{folder}: cannot be made"):
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o700)
        make_certificates(folder, venue)
        self.authority_id = authority_id(folder)
        """The id of the authority; tables enrolled under another one must be enrolled again."""
        self._configuration = CONFIGURATION.format(
            port=port, host=host, folder=folder.absolute(), ca=CA, certificate=CERTIFICATE,
            key=PRIVATE_KEY, plugin=plugin, security=_SECURITY, record=MAX_RECORD,
            packet=MAX_RECORD + 4096, log=self._log, pid=_PID,
            user=pwd.getpwuid(os.getuid()).pw_name, more=more,
            certificate_id=certificate_id(folder),
        )  # fmt: skip
        at = Broker(host or "127.0.0.1", port, CONTROL_USER, password, self.ca)
        self.security = DynamicSecurity(at, venue, tables)
        self._watching = Repeating("broker", _LOOK_S, self._watch)

    def start(self) -> None:
        """Start it, or take over the one that runs here. Raises ``HubError`` if neither works."""
        running = self._running()
        self._pid = running or self._left_over()
        if self._pid is not None and (running is None or not self._is_current()):
            self.kill(signal.SIGTERM)  # it was started with another configuration
        if self._pid is None:
            self._launch()
        self.security.start()
        log = self._log
        self._reading = log.stat().st_size if log.exists() else 0
        self._watching.start()

    def stop(self) -> None:
        """Stop it."""
        self.leave()
        self.kill(signal.SIGTERM)

    def kill(self, how: signal.Signals) -> None:
        """Send it a signal and wait until it has ended."""
        with self._changing:  # one that is being started is stopped once it runs
            pid, self._pid = self._pid, None
        if pid is None:
            return
        with suppress(ProcessLookupError):
            os.kill(pid, how)
        deadline = time.monotonic() + 5
        while _alive(pid) and time.monotonic() < deadline:
            time.sleep(0.02)

    def leave(self) -> None:
        """Stop watching it and let it run."""
        self.security.stop()
        self._watching.stop()

    # --- the process ---

    def _running(self) -> int | None:
        """Return the process id of a mosquitto that runs with this configuration; None if none."""
        try:
            pid = int((self.folder / _PID).read_text("ascii"))
        except (OSError, ValueError):
            return None
        return pid if self._is_ours(pid) else None

    def _left_over(self) -> int | None:
        """Return the pid of a mosquitto left from an earlier folder of this path, or None."""
        for name in Path("/proc").glob("[0-9]*/comm"):
            with suppress(OSError):
                if name.read_text() == "mosquitto\n" and self._is_ours(int(name.parent.name)):
                    return int(name.parent.name)
        return None

    def _is_ours(self, pid: int) -> bool:
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        return str(self.folder.absolute() / _CONF).encode() in command

    def _is_current(self) -> bool:
        """Return True if the configuration on the disk is this one."""
        path = self.folder / _CONF
        return path.exists() and path.read_text("utf-8") == self._configuration

    def _launch(self) -> None:
        log = self._log
        _write(self.folder / _CONF, self._configuration)
        _write(
            self.folder / _SECURITY,
            plugin_file(self._venue, self._password, self._tables().values()),
        )
        with suppress(OSError):
            log.unlink(missing_ok=True)
        # A session of its own: Ctrl-C is for the hub, which then stops it in order.
        process = subprocess.Popen(  # noqa: S603 (our own configuration)
            [self._program, "-c", str(self.folder.absolute() / _CONF)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        begun = time.monotonic()
        while time.monotonic() < begun + 10:
            if process.poll() is not None:
                output = process.communicate()[1].decode("utf-8", "replace")
                output += log.read_text("utf-8", "replace") if log.exists() else ""
                raise HubError(_why_not(output, self.port))
            if self._running() == process.pid and (
                _says_it_runs(log) or time.monotonic() > begun + _SETTLED_S
            ):
                self._pid = process.pid
                if process.stderr is not None:
                    process.stderr.close()
                threading.Thread(target=process.wait, name="broker-reaper", daemon=True).start()
                return
            time.sleep(0.02)
        process.kill()
        process.communicate()
        raise HubError(f"mosquitto does not start; see {log}")

    def _watch(self) -> None:
        """Pass on its incidents, truncate its log, and start it again when it has died."""
        self._read_log()
        self._revive()

    def _revive(self) -> None:
        """Start it again if it has died."""
        with self._changing:
            if self._watching.stopping or self._pid is None or _alive(self._pid):
                return
            _LOG.error("mosquitto has stopped; it is started again")
            self._launch()
            self._reading = 0

    def _read_log(self) -> None:
        log = self._log
        try:
            with log.open("rb") as handle:
                handle.seek(self._reading)
                unread = handle.read(_LOG_LIMIT)
        except FileNotFoundError:
            return
        whole = unread[: unread.rfind(b"\n") + 1]
        self._reading += len(whole)
        for line in whole.splitlines():
            # Most lines say that all is well: looked at no further.
            if any(word in line for word in _WORTH_PARSING):
                incident = parse_log_line(line.decode("utf-8", "replace"))
                if incident is not None:
                    self._on_incident(incident)
        if self._reading > _LOG_LIMIT:
            os.truncate(log, 0)  # mosquitto appends, so it goes on at the beginning
            self._reading = 0


def _write(path: Path, text: str) -> None:
    """Write a file, readable by its owner only, completely or not at all. Raises ``HubError``."""
    with os_error_as(HubError, f"{path}: cannot be written"):
        write_file(path, text.encode(), private=True)


def _plugins() -> Iterator[Path]:
    """Yield the paths at which distributions install the plugin."""
    for folder in _PLUGINS:
        yield from Path("/").glob(f"{folder[1:]}mosquitto_dynamic_security.so")


def _says_it_runs(log: Path) -> bool:
    """Return True once its ports are open. Its pid file is no proof: it is written earlier."""
    try:
        return re.search(rb"(?m)^mosquitto .* running$", log.read_bytes()) is not None
    except OSError:
        return False


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()[0]
    except (OSError, IndexError):
        return False
    return state != "Z"


def _why_not(output: str, port: int) -> str:
    if "Address already in use" in output:
        return (
            f"port {port} is in use, perhaps by another broker; stop that one or choose another "
            "port in [broker]"
        )
    found = re.search(r"Error: (.*)", output) or re.search(r"(?:\d+: )?(.+)", output)
    return f"mosquitto does not start: {found[1].strip() if found else 'it does not say why'}"
