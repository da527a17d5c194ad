"""The steps about the machine, the game, the clock, the players and the pages."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Final

from dashboard.accounts.store import Accounts, random_password
from dashboard.qr_code import qr_picture, qr_text
from dashboard.web_db import WebDb
from game.events import Edge
from game.rulebooks.loading import DEFAULT_RULEBOOK, rulebook_ids
from game.tileset import tile_set_ids
from sensors.drivers import BUTTONS, SIMULATED
from table.address import in_the_network
from table.doctor.buttons import buttons
from table.doctor.configuration import port
from table.doctor.run import data_checks, machine_checks
from table.setup.walk.asking import Fault, a_name, a_port, one_of, other_than
from table.setup.walk.configuration import ALL_ADDRESSES, THIS_MACHINE
from table.setup.walk.step import Context, Outcome, first_fault, with_hands

EDGES: Final[tuple[Edge, ...]] = ("bottom", "top", "left", "right")


def machine(context: Context) -> Outcome:
    """Check the disk, the clocks, the temperature and the power."""
    done = [*data_checks(context.machine, context.data), *machine_checks(context.machine)]
    well = sum(check.ok for check in done)
    return Outcome(f"{well} of {len(done)} checks are well", first_fault(done))


def game(context: Context) -> Outcome:
    """Ask after the table's name, its tiles and the rules."""
    context.close_view()  # another set has other letters
    name = context.ask("name", "the table's name", a_name, "Table 1")
    sets, books = tile_set_ids(), rulebook_ids()
    tile_set = context.ask(
        "tile_set", f"the tile set ({', '.join(sets)})", one_of(*sets), "english"
    )
    rulebook = context.ask(
        "rulebook", f"the rulebook ({', '.join(books)})", one_of(*books), DEFAULT_RULEBOOK
    )
    return Outcome(f"{name}, {tile_set} tiles, {rulebook}")


def clock(context: Context) -> Outcome:
    """Ask after the clock, and see that its buttons can be read."""
    kinds = [kind for kind in BUTTONS if kind != SIMULATED]
    kinds = kinds if context.machine.is_pi else [kind for kind in kinds if kind != "gpio"]
    about = "; ".join(f"{kind}: {BUTTONS[kind].title}" for kind in kinds)
    kind = context.ask("clock", f"the clock ({about})", one_of(*kinds), "none")
    if kind == "none":
        return _without_clock(context)
    done = list(buttons(context.machine, context.config.buttons, running=False))
    return Outcome("; ".join(check.says for check in done), first_fault(done))


def _without_clock(context: Context) -> Outcome:
    """Ask where the players sit."""
    edges = f"edge of the picture across which the {{}} player's hand comes ({', '.join(EDGES)})"
    left = context.ask("left_hand", edges.format("left"), one_of(*EDGES), "bottom")
    opposite = {"bottom": "top", "top": "bottom", "left": "right", "right": "left"}[left]
    right = context.ask("right_hand", edges.format("right"), one_of(*EDGES), opposite)
    if left == right:
        fault = Fault(f"both hands come across the {left} edge", "give each an edge", grave=True)
        return Outcome("no clock", fault)
    hands: dict[Edge, str] = {}
    for edge in EDGES:
        hands |= {edge: "left"} if edge == left else {edge: "right"} if edge == right else {}
    image = with_hands(context.view.capture().pictures[-1], hands)
    says = f"no clock; the left player's hand comes from the {left}, the right's from the {right}"
    return Outcome(says, None, context.picture("clock", image))


def players(context: Context) -> Outcome:
    """Ask after the players' names."""
    left = context.ask("left", "the left player's name", a_name, "Left")
    right = context.ask("right", "the right player's name", other_than(left, a_name), "Right")
    return Outcome(f"{left} and {right}")


def pages(context: Context) -> Outcome:
    """Ask who may reach the pages, show their address, and make the director's account."""
    where = context.ask(
        "pages",
        "the pages (network: phones in this network reach them; here: only this machine)",
        one_of("network", "here"),
        "network",
    )
    number = context.ask("port", "their port", a_port, "8000")
    director = context.ask("director", "the director's name, to log in with", a_name, "director")
    taken = first_fault(list(port(context.config.serve, running=False)))
    if taken is not None:
        remedy = "press Enter and give another port, or stop what listens there"
        taken = replace(taken, remedy=remedy)
    host = ALL_ADDRESSES if where == "network" else THIS_MACHINE
    url = in_the_network(f"http://{THIS_MACHINE}:{number}", host)
    picture = context.picture("pages", qr_picture(url))

    def finish() -> list[str]:
        shown = [*qr_text(url).splitlines(), f"phones open {url}"] if where == "network" else []
        return [*shown, *_director_account(context, director, url)]

    return Outcome(url, taken, picture, finish)


def _director_account(context: Context, name: str, url: str) -> list[str]:
    """Make the director's account if there is none; return the line that says how to log in."""
    with closing(WebDb(context.data)) as db:
        accounts = Accounts(db)
        if accounts.all():
            return []
        password = random_password()
        accounts.add(name, "director", password)
    return [f"the director's desk is at {url}/director: log in as {name}, password {password}"]
