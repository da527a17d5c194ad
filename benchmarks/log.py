"""The cost of the evidence: appending, signing, exporting, verifying, and room on the disk.

    python benchmarks/log.py [--data DIR] [--on DIR] [--slow]

Plays a simulated game of about 30 turns at 1280×960 through the whole pipeline (some minutes), with
--slow at the pace of a real game of some fifty minutes, or takes the newest game in --data. Appends
go to files in --on, which should be on the disk that counts (default: beside this file's temporary
folder).
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from common import spread

from game.tileset import TileSet
from models.scenes.spec import SceneSpec
from record.bundle.export import export
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.paths import DATABASE, EVIDENCE
from record.seals import is_signed_by, record_message
from record.signing import KEY_FILE, TableKey
from record.verifier.checks import Check
from record.verifier.replay import verify

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="data folder with a recorded game")
    parser.add_argument("--on", type=Path, help="where to write")
    parser.add_argument("--slow", action="store_true", help="play at the pace of a real game")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.on) as scratch:
        folder = args.data or played(Path(scratch) / "played", slow=args.slow)
        measure(folder, Path(scratch))


def played(folder: Path, *, slow: bool) -> Path:
    """A data folder with one game, played here."""
    # Heavy, and not needed with --data.
    from simulation import simulated_table as simulated  # noqa: PLC0415
    from simulation import source  # noqa: PLC0415
    from simulation.playing import Pace  # noqa: PLC0415
    from table.cli import main as tilewatch  # noqa: PLC0415

    small = simulated.look

    def large(seed: int, tile_set: TileSet) -> SceneSpec:
        spec = small(seed, tile_set)
        return replace(spec, camera=replace(spec.camera, width=1280, height=960, scale=50.0))

    simulated.look = large  # the demo's own frames are smaller
    if slow:
        source.Pace = lambda: Pace(think=(20.0, 160.0))
    tilewatch(["demo", "--speed", "0", "--once", "--no-serve", "--data", str(folder)])
    return folder


def measure(folder: Path, scratch: Path) -> None:
    with EventLog(folder / DATABASE, readonly=True) as log:
        game = log.game_ids()[-1]
        events = log.events(game)
    turns = sum(event.type == "TurnSeen" for event in events)
    pictures = list((folder / EVIDENCE).glob("*.jpg"))
    room = sum(path.stat().st_size for path in pictures)
    room += sum(path.stat().st_size for path in folder.glob(f"{DATABASE}*"))
    print(f"game                    {turns} turns, {len(events)} events, {len(pictures)} pictures")
    print(f"log with its pictures   {room / 1e6:.1f} MB")

    took = []
    with EventLog(scratch / "day.db", live=True) as log:  # a day of eight such games
        for run in range(8):
            for event in events:
                payload = event.payload
                start = time.perf_counter()
                log.append(f"{game}-{run}", payload, mono_ns=event.mono_ns, source=event.source)
                took.append((time.perf_counter() - start) * 1e3)
    print(f"append with its fsync   {spread(took)}   ({len(took)} events)")

    store = EvidenceStore(scratch / "evidence")
    took = [timed(lambda p=p: store.store(p.read_bytes())) for p in pictures]
    print(f"keep a picture          {spread(took)}")

    key = TableKey.open(folder / KEY_FILE)
    message = record_message(key.public, events[0].hash)
    took = [timed(lambda: key.sign(message)) for _ in range(2000)]
    print(f"sign                    {spread(took)}")
    signature = key.sign(message)
    took = [timed(lambda: is_signed_by(key.public, message, signature)) for _ in range(2000)]
    print(f"check a signature       {spread(took)}")

    bundle = scratch / "bundle.zip"
    kept = EvidenceStore(folder / EVIDENCE)

    def exported() -> None:
        with EventLog(folder / DATABASE, readonly=True) as log:
            export(log, kept, key, game, bundle)

    took = [timed(exported) for _ in range(7)]
    print(f"export                  {spread(took)}   ({bundle.stat().st_size / 1e6:.1f} MB)")
    took = [timed(lambda: sound(bundle)) for _ in range(7)]
    print(f"verify                  {spread(took)}")
    took = [timed(lambda: Check(bundle, [], None).run()) for _ in range(7)]
    print(f"without the rules       {spread(took)}")

    def opened() -> None:
        EventLog(scratch / "day.db").close()

    took = [timed(opened) for _ in range(7)]
    print(f"open a log              {spread(took)}")


def sound(bundle: Path) -> None:
    report = verify(bundle)
    assert report.ok, report.faults


def timed(call: Callable[[], object]) -> float:
    """Milliseconds."""
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


if __name__ == "__main__":
    main()
