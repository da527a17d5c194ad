"""``tilewatch hub``, ``enrol`` and ``join``: many tables in one hall."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from table.commands.options import HUB, PATH, TABLE, Given, as_json, given, port
from table.commands.terminal import answer, answer_json, columns, interrupted_by_signals, say

if TYPE_CHECKING:
    from hub.store import HubStore


@click.command()
@given(HUB)
@click.option("--host", help="the address that the pages are served on")
@click.option("--port", type=port, help="the port that the pages are served on")
@click.option(
    "--https", is_flag=True, help="serve the pages over TLS, with a certificate of the hub's own"
)
@click.option(
    "--publish",
    metavar="TARGET",
    help="publish the public site as files: to a folder, sftp://, rsync:// or s3://",
)
@click.option(
    "--archive", metavar="FOLDER", type=PATH, help="write the public site to a folder, and end"
)
def hub(
    given: Given,
    host: str | None,
    port: int | None,
    https: bool,
    publish: str | None,
    archive: Path | None,
) -> int:
    """Run the hub of a hall of tables.

    Runs the hub and its broker: mirrors the logs of all tables of a hall, shows them, and carries
    the director's rulings to them. Tables are let in with: tilewatch enrol. With --archive it runs
    nothing: the event's site becomes a folder of files that any browser reads.
    """
    from hub.run import archive_hub, run_hub

    config = given.hub()
    if archive is not None:
        answer(f"{archive}: {archive_hub(config, config.folder, archive)} files")
        return 0
    if publish is not None:
        changed = config.publish.model_copy(update={"target": publish})
        config = config.model_copy(update={"publish": changed})
    named = {"host": host, "port": port, "https": https or None}
    changes = {name: value for name, value in named.items() if value is not None}
    config = config.model_copy(update={"serve": config.serve.model_copy(update=changes)})
    try:
        with interrupted_by_signals():
            return run_hub(config, config.folder, say)
    except KeyboardInterrupt:
        say("Stopped; the tables play on and catch up when the hub is back.")
        return 0


@click.command()
@click.argument("table", required=False, help="the table's id, like table-12")
@click.option("--name", help="what people call it (default: its id)")
@click.option("--revoke", is_flag=True, help="keep the table out from now on")
@click.option("--readmit", is_flag=True, help="let it in again")
@click.option(
    "--hub", metavar="URL", help="the address of the hub's pages (default: where it last ran)"
)
@click.option("--no-qr", is_flag=True, help="do not print the QR code")
@as_json
@given(HUB)
def enrol(
    given: Given,
    table: str | None,
    name: str | None,
    revoke: bool,
    readmit: bool,
    hub: str | None,
    no_qr: bool,
    as_json: bool,
) -> int:
    """Let a table into the hub's hall, or keep it out.

    Makes a short code, good for one table and a quarter of an hour; at the table it is redeemed
    with: tilewatch join. The hub may be running. Without TABLE, lists the tables.
    """
    from hub.config import own_address
    from hub.enrolment import new_code, readmit_table, revoke_table
    from hub.errors import HubError
    from hub.store import DATABASE, PAGES, HubStore

    if revoke and readmit:
        raise click.UsageError(
            "--revoke and --readmit exclude each other", click.get_current_context()
        )
    folder = given.folder()
    if not (folder / DATABASE).is_file():
        raise HubError(f"{folder}: no hub has run here; start it once: tilewatch hub")
    with HubStore(folder) as store:
        if table is None:
            return _list(store, as_json=as_json)
        if revoke:
            revoke_table(store, table, "kept out at the command line")
            say(f"{table}: kept out")
            return 0
        if readmit:
            readmit_table(store, table)
            say(f"{table}: let in again")
            return 0
        code = new_code(store, table, name or table)
        where = hub or store.setting(PAGES) or f"http://{own_address()}:8000"
    command = f"tilewatch join {code} --hub {where}"
    if as_json:
        answer_json({"table": table, "code": str(code), "command": command})
        return 0
    if not no_qr:
        from dashboard.qr_code import qr_text

        answer(*qr_text(command).splitlines())
    answer(str(code))
    say(f"at the table, within a quarter of an hour: {command}")
    return 0


def _list(store: HubStore, *, as_json: bool) -> int:
    known = store.enrolled()
    if as_json:
        answer_json([{"id": t.id, "name": t.name, "revoked": t.revoked} for t in known.values()])
        return 0
    answer(*columns([[t.id, t.name, t.kept_out or ""] for t in known.values()]))
    if not known:
        say("no table has been let in yet")
    return 0


@click.command()
@click.argument("code", required=False, help="the code, like K7QM-2D9F-XW3T")
@click.option("--hub", metavar="URL", help="where the hub's pages are")
@click.option("--leave", is_flag=True, help="belong to no hub any more")
@given(TABLE)
def join(given: Given, code: str | None, hub: str | None, leave: bool) -> int:
    """Tie this table to a hub, with a code from the director's desk.

    Redeems a code that tilewatch enrol made at the hub, and keeps what the hub answers beside the
    table's log. From its next start the table sends its log to the hub. --leave unties it.
    """
    from hub.errors import HubError
    from hub.table_side import joining

    folder = given.folder()
    if leave:
        joining.leave(folder)
        say("this table belongs to no hub any more")
        return 0
    if not code or not hub:
        raise HubError("say the code and where the hub is: tilewatch join CODE --hub URL")
    member = joining.join(code, hub, folder)
    answer(
        f"{member.name}: table {member.table} of {member.venue}, broker at {member.host} port "
        f"{member.port}"
    )
    say("the table is tied to the hub when it is started the next time")
    trouble = joining.broker_trouble(member, folder)
    if trouble is not None:
        say(f"but it could not be now: {trouble}")
    return 0 if trouble is None else 1
