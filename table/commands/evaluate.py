"""``tilewatch evaluate``: how much of labelled photographs and recordings is read right."""

from __future__ import annotations

from pathlib import Path

import click

from table.commands.options import PATH, ReadsPictures


@click.command(cls=ReadsPictures)
@click.argument(
    "folders", metavar="DIR...", nargs=-1, required=True, type=PATH,
    help="photographs, a recording, or a folder of recordings",
)  # fmt: skip
@click.option("--corners-given", is_flag=True, help="don't look for the board")
@click.option("--stress", is_flag=True, help="repeat it under worse conditions")
@click.option(
    "--turned", type=int, is_flag=False, flag_value=4, metavar="[N]",
    help="turn every Nth letter of each photograph in place, one at a time; N is 4 if left out",
)  # fmt: skip
@click.option("--tile-set", metavar="ID", help="read the photographs with this set's letters only")
@click.option("--weights", metavar="FILE", type=PATH, help="another tiles.onnx")
def evaluate(
    folders: tuple[Path, ...],
    corners_given: bool,
    stress: bool,
    turned: int | None,
    tile_set: str | None,
    weights: Path | None,
) -> int:
    """Measure the weights on labelled photographs and recordings.

    Reads labelled photographs (each with a .json of corners and rows beside it), replays recordings
    (each with an expected.csv), and says how much of them is right.
    """
    from sensors.recording import Recording
    from table.evaluate.photographs import labelled, photographs, reader_of, single_turned_tiles
    from table.evaluate.recordings import is_recording, print_replays

    recordings, pictures = [], []
    for folder in folders:
        within = [folder, *sorted(folder.iterdir())] if folder.is_dir() else []
        found = [one for one in within if is_recording(one)]
        recordings += found
        if not found or any(folder.glob("*.json")):
            pictures += labelled(folder)
    if pictures:
        reader = reader_of(weights, tile_set)
        photographs(reader, pictures, corners_given=corners_given, stress=stress)
        if turned:
            single_turned_tiles(reader, pictures, turned)
    if recordings:
        sets = {folder: Recording.open(folder).meta.tile_set for folder in recordings}
        print_replays({one: reader_of(weights, sets[one]) for one in recordings}, stress=stress)
    return 0
