"""Names of files in headers: whatever a division, a player or a table is called."""

from __future__ import annotations

from pathlib import Path

import pytest
from werkzeug.http import parse_options_header

from dashboard.downloads import disposition

ODD = {
    "A.t": "A.t",
    "Ligue élite.t": "Ligue élite.t",
    "Žáci ŠKOLY.t": "Žáci ŠKOLY.t",
    "日本.t": "日本.t",
    "😀.t": "😀.t",
    'a"; filename=evil.exe;.t': "a-; filename=evil.exe;.t",
    "a\r\nSet-Cookie: x=1.t": "a--Set-Cookie- x=1.t",
    "../../etc/passwd": "-.-etc-passwd",
    "a\\b:c*d?.t": "a-b-c-d-.t",
    "a\u202eb\u2028c\x85\ud800.t": "a-b-c--.t",
    "100%.t": "100%.t",
    " .t": "file.t",
    "": "file",
    "x" * 500 + ".t": "x" * 119 + ".t",
}


@pytest.mark.parametrize("name", sorted(ODD))
def test_a_browser_reads_the_name_that_was_meant(name):
    header = disposition(name)
    header.encode("ascii")
    assert header.isprintable()
    kind, found = parse_options_header(header)
    assert kind == "attachment"
    assert found == {"filename": ODD[name]}


def test_an_old_program_gets_a_name_in_ascii():
    assert disposition("Žáci.t").startswith("attachment; filename=Zaci.t;")
    assert disposition("A B;.t") == 'attachment; filename="A B;.t"'


def test_nothing_else_writes_such_a_header():
    found = [
        str(path)
        for room in ("dashboard", "hub")
        for path in Path(room).rglob("*.py")
        if any(word in path.read_text("utf-8") for word in ("Content-Disposition", "as_attachment"))
    ]
    assert found == ["dashboard/downloads.py"]
