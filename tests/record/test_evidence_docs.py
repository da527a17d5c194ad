"""docs/evidence.md says what is true, and the verifier in bundles is short and stands alone."""

from __future__ import annotations

import ast
import subprocess
import sys
import zipfile
from pathlib import Path

from game.events import EVENT_TYPES
from game.schema import Adjustment, StatedFlag, StatedTurn, Statement
from record import strict_json
from record.bundle import archive as bundle
from record.bundle import manifest
from record.bundle.derived_files import verifier_text
from record.chain import PAYLOAD_VERSION
from record.evidence import PICTURES_STOP_BYTES
from record.log import schema
from record.log.disk import RESERVE_BYTES
from record.retention import DEFAULT_BYTES, NOTICE_NS
from record.seals import digest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "evidence.md").read_text("utf-8")


def test_every_event_and_field_is_in_the_tables():
    program = [sys.executable, str(DOCS / "make_event_tables.py"), "--check"]
    done = subprocess.run(program, cwd=DOCS.parent, capture_output=True, text=True)
    assert done.returncode == 0, "run python docs/make_event_tables.py" + done.stderr
    assert all(f"| **{name}** |" in PAGE for name in EVENT_TYPES)


def test_figures_in_the_text_are_those_of_the_code():
    assert f"`user_version` {schema.VERSION})" in PAGE
    assert f"0x{schema.APPLICATION_ID:X}" in PAGE
    assert f"## Payloads, version {PAYLOAD_VERSION}\n" in PAGE
    assert f"| `version` | {bundle.VERSION} |" in PAGE
    assert f'| `format` | `"{bundle.FORMAT}"` |' in PAGE
    assert f"at most {bundle.MAX_ENTRIES:,} entries and 2^32 - 1 bytes" in PAGE
    assert bundle.MAX_FILE == 2**32 - 1
    assert f"at most {bundle.MAX_TEXT >> 20} MiB" in PAGE
    assert f"a line of `events.jsonl` of more than {bundle.MAX_LINE >> 20} MiB" in PAGE
    assert f"nested more than {strict_json.MAX_DEPTH} deep" in PAGE
    assert f"less than {PICTURES_STOP_BYTES >> 20} MiB free" in PAGE
    assert f"sets {RESERVE_BYTES >> 20} MiB aside" in PAGE
    assert f"({DEFAULT_BYTES // 10**9} GB unless" in PAGE
    assert f"only {NOTICE_NS // (3600 * 10**9)} hours after" in PAGE


def test_every_key_of_the_manifest_is_described(honest):
    manifest = honest.forger().manifest
    assert [key for key in manifest if f"`{key}`" not in PAGE] == []
    assert [key for key in manifest["game"] if f"`{key}`" not in PAGE] == []


def test_the_verifier_in_bundles_is_short_and_independent():
    text = verifier_text().decode()
    assert len(text.splitlines()) < 1260
    named = [one.name for one in ast.parse(text).body if isinstance(one, ast.FunctionDef)]
    assert len(named) == len(set(named)), "a module hides another's function when they are joined"
    imported = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(str(node.module).partition(".")[0])
    assert imported - set(sys.stdlib_module_names) == {"cryptography"}


def test_the_verifier_runs_by_itself_as_any_program_unpacks_it(honest, tmp_path):
    folder = tmp_path / "unpacked"
    with zipfile.ZipFile(honest.path) as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
    assert "<section" in (folder / "index.html").read_text("utf-8")
    assert len(list((folder / "pictures").iterdir())) == 9
    verifier = folder / "verify_bundle.py"
    assert verifier.read_bytes() == verifier_text()

    def run(*arguments: object) -> tuple[int, str]:
        program = [sys.executable, "-I", str(verifier), *map(str, arguments)]
        done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True)
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout + done.stderr

    head, key = honest.forger().manifest["head"], honest.key
    for what in (honest.path, folder):
        status, output = run(what)
        assert (status, "sound in itself, but no key was compared" in output) == (0, True)
        assert key.fingerprint in output
        assert head["digest"] in output
    keyed = ("--key", key.fingerprint, "--code", digest(head["hash"]))
    assert run(honest.path, *keyed)[0] == 0
    assert run(honest.path, "--code", "AAAA-AAAA-AAAA")[0] == 1
    assert run(honest.path, "--key", "0" * 64)[0] == 1
    assert run(tmp_path / "none.zip")[0] == 2
    picture = next((folder / "pictures").iterdir())
    linked = ", ".join(honest.forger().manifest["pictures"][picture.stem])
    picture.write_bytes(picture.read_bytes()[:-1] + b"x")
    status, output = run(folder)
    assert status == 1
    assert (
        f"a picture: is not the one that the table kept: {linked} (pictures/{picture.name})"
        in output
    )


def test_the_form_that_is_checked_is_that_of_the_schema():
    for shape, form in (
        (Statement, manifest.GAME),
        (StatedTurn, manifest.TURN),
        (StatedFlag, manifest.FLAG),
        (Adjustment, manifest.ADJUSTMENT),
    ):
        assert shape.model_fields.keys() == form.keys()
