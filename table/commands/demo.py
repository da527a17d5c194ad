"""``tilewatch demo``: a simulated table through the whole pipeline, in the browser."""

from __future__ import annotations

import argparse
from pathlib import Path

from table.commands.arguments import port
from table.commands.terminal import say

NAME = "demo"
HELP = "watch a simulated table being read and scored"
DESCRIPTION = (
    "Plays games on a simulated table, reads them through the whole pipeline and shows them live "
    "in a browser. Needs no hardware and no network."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("--host", default="127.0.0.1", help="address to serve on (%(default)s)")
    parser.add_argument("--port", type=port, default=8000, help="port to serve on (%(default)s)")
    parser.add_argument(
        "--speed", type=float, default=1.0, help="times as fast as real; 0: no waiting (1)"
    )
    parser.add_argument("--seed", type=int, default=8, help="which games to play (%(default)s)")
    parser.add_argument("--gcg", metavar="FILE", type=Path, help="play this game record instead")
    parser.add_argument(
        "--once",
        action="store_true",
        help="stop after one game, with status 1 if anything in it was read wrong",
    )
    parser.add_argument(
        "--mischief",
        action="store_true",
        help="tiles are knocked, turned and changed, clocks forgotten, plays challenged",
    )
    parser.add_argument(
        "--pairings",
        metavar="FILE",
        type=Path,
        help="an event's pairings (CSV, or TSH's tourney.js): table 1 gets their names, and the "
        "overlays show the event",
    )
    parser.add_argument("--no-serve", action="store_true", help="play without serving the pages")
    parser.add_argument(
        "--data", metavar="DIR", type=Path, help="keep log and evidence here; no table.toml is read"
    )


def run(args: argparse.Namespace) -> int:
    """Play until stopped, or one game with ``--once``."""
    from table.demo import demo

    if args.data is None:
        say("uses data in a folder that is deleted at the end; keep them with --data")

    return demo(
        host=args.host,
        port=args.port,
        speed=args.speed,
        seed=args.seed,
        gcg=args.gcg,
        once=args.once,
        serve=not args.no_serve,
        data=args.data,
        mischief=args.mischief,
        pairings=args.pairings,
    )
