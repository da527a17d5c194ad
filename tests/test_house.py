"""What every room keeps: style, types, and who may import whom."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import click
import pytest

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
ROOMS = SETTINGS["importlinter"]["root_packages"]
INSTALLED = SETTINGS["hatch"]["build"]["targets"]["wheel"]["packages"]
"""The packages of the wheel: all rooms but the tools."""


def _program(tool: str) -> Path:
    program = Path(sys.executable).with_name(tool)
    if program.exists():
        return program
    found = shutil.which(tool)
    if found is None:
        pytest.skip(f"{tool} is not installed; sh install.sh --dev")
    return Path(found)


def _run(tool: str, *arguments: str) -> None:
    command = [_program(tool), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff_finds_nothing():
    _run("ruff", "check", ".")


def test_ruff_would_not_format_anything():
    _run("ruff", "format", "--check", ".")


def test_biome_finds_nothing_in_the_scripts_of_the_pages():
    """Format, lint and complexity of each function; without npm or its package this is skipped."""
    program = ROOT / "node_modules" / ".bin" / "biome"
    if not program.exists() or shutil.which("node") is None:
        pytest.skip("Biome is not installed; npm install")
    command = [program, "check", "--error-on-warnings", "--colors=off"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def _scripts() -> Iterator[tuple[str, str]]:
    """Yield the path and text of each script of a page that is ours."""
    for room in ("dashboard", "hub", "record"):
        for file in sorted((ROOT / room).rglob("*.js")):
            if file.parent.name != "vendor":
                yield str(file.relative_to(ROOT)), file.read_text("utf-8")


def test_no_line_of_a_script_is_over_120_characters():
    """The formatter leaves templates and texts as they are written."""
    found = [
        f"{path}:{number}"
        for path, text in _scripts()
        for number, line in enumerate(text.splitlines(), 1)
        if len(line) > 120
    ]
    assert found == []


def test_scripts_make_elements_from_templates():
    """A canvas, a frame and SVG are no templates of a page; the bundle's script stands alone."""
    by_hand = re.compile(r'\bcreateElement\((?!"(?:canvas|iframe)")')
    makers = {path for path, text in _scripts() if by_hand.search(text)}
    assert makers == {"dashboard/static/html.js", "record/bundle/assets/bundle.js"}


@pytest.mark.slow
def test_mypy_strict_finds_nothing():
    _run("mypy")


@pytest.mark.slow
def test_benchmarks_and_examples_use_what_there_is():
    """Nobody runs them for months; meanwhile what they call is renamed."""
    scripts = [*(ROOT / "benchmarks").glob("*.py"), *(ROOT / "examples").glob("*.py")]
    options = ["--check-untyped-defs", "--ignore-missing-imports", "--follow-imports=silent"]
    program = _program("mypy")
    command = [program, "--config-file=", *options, *scripts]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    faults = ("[attr-defined]", "[call-arg]", "[name-defined]", "[import-not-found]", "[syntax]")
    assert done.returncode in (0, 1), done.stdout + done.stderr
    assert [line for line in done.stdout.splitlines() if line.endswith(faults)] == []
    assert "checked" in done.stdout


def test_rooms_import_only_what_they_may():
    _run("lint-imports")


def test_the_contract_breaks_when_a_room_imports_what_it_may_not(tmp_path):
    """The contract above can fail: a copy in which game imports vision is refused."""
    for room in ROOMS:
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").write_text("")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "game" / "__init__.py").write_text("import vision\n")
    program = Path(sys.executable).with_name("lint-imports")
    if not program.exists():
        pytest.skip("import-linter is not installed; sh install.sh --dev")
    done = subprocess.run([program, "--no-cache"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "game is pure: it imports no other room BROKEN" in done.stdout


def test_the_contracts_and_the_wheel_name_the_same_rooms():
    assert {*ROOMS} - {*INSTALLED} == {"tools"}
    contracts = SETTINGS["importlinter"]["contracts"]
    (tools,) = [one for one in contracts if one.get("forbidden_modules") == ["tools"]]
    assert {*tools["source_modules"]} == {*INSTALLED}


@pytest.mark.slow
def test_an_installed_table_has_no_tools_and_needs_none(tmp_path):
    """Every module of the wheel can be imported beside it, and a drawn table is read."""
    pytest.importorskip("hatchling", reason="hatchling is not installed; sh install.sh --dev")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        tops = {Path(name).parts[0] for name in packed.namelist()}
        packed.extractall(tmp_path / "installed")
    assert {top for top in tops if not top.endswith(".dist-info")} == {*INSTALLED}
    code = f"""
import importlib, pkgutil, sys
sys.modules["tools"] = None  # whoever imports it fails
for room in {INSTALLED!r}:
    package = importlib.import_module(room)
    for module in pkgutil.walk_packages(package.__path__, room + "."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
import game, numpy
from models.scenes.render import Renderer
from simulation.appearance import look
from table.calibrated_reader import board_reader
from game.tileset import load_tile_set
rows = ("." * 15,) * 7 + ("." * 7 + "CAT" + "." * 5,) + ("." * 15,) * 7
frame = Renderer(look(3, load_tile_set("english"))).frame(rows, numpy.random.default_rng(1))
print(game.__file__, *board_reader("english").read(frame.image).rows[7:8])
"""
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "installed")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    file, row = done.stdout.split()
    assert Path(file).is_relative_to(tmp_path)
    assert row == ".......CAT....."


def test_help_needs_no_heavy_package():
    """Answering ``--help`` imports neither OpenCV nor onnxruntime, Flask, torch or pins."""
    heavy = [
        "cv2",
        "onnxruntime",
        "flask",
        "torch",
        "ultralytics",
        "numpy",
        "gpiozero",
        "picamera2",
        "pydantic",
    ]
    code = (
        "import sys\nfrom table.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        f"print('heavy:', *(m for m in {heavy!r} if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.rstrip().endswith("heavy:"), done.stdout + done.stderr


def test_the_base_install_asks_for_click_alone_and_a_table_for_no_torch_and_no_hardware():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["dependencies"] == ["click>=8.5"]
    assert metadata.requires("click") in (None, [])
    extras = project["optional-dependencies"]
    table = " ".join(extras["table"])
    for heavy in ("torch", "ultralytics", "picamera2", "gpiozero", "lgpio", "pillow"):
        assert heavy not in table
    assert "opencv-python" in table
    more = [name for name in extras if name != "table"]
    assert [name for name in more if "tilewatch[table]" not in extras[name]] == []


@pytest.mark.parametrize(
    ("command", "status", "says"),
    [
        (["--help"], 0, "score"),
        (["rulebooks", "psa"], 0, "challenge"),
        (["score", "GAME"], 0, "ok (1 turn"),
        (["demo"], 2, "tilewatch[table]"),
    ],
)
def test_what_the_base_install_has_needs_no_library_but_click(tmp_path, command, status, says):
    """Without other site-packages: records are scored, and a table says what it lacks."""
    (tmp_path / "click").symlink_to(Path(click.__file__).parent)
    record = tmp_path / "game.gcg"
    record.write_text("#incomplete\n#player1 a A\n#player2 b B\n>a: CAT 8G CAT +10 10\n")
    code = (
        f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(tmp_path)!r}]\n"
        "from table.cli import main\n"
        f"sys.exit(main({[str(record) if one == 'GAME' else one for one in command]!r}))"
    )
    run = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == status, done.stderr
    assert says in done.stdout + done.stderr


def test_files_that_the_documents_name_are_there():
    documents = [
        found
        for pattern in ("*.md", "docs/*.md", "*/README.md", "tests/*/README.md", "deploy/*.sh")
        for found in ROOT.glob(pattern)
    ]
    assert len(documents) > 20
    path = re.compile(r"(?<![\w/])(?:tests|benchmarks|docs|deploy|examples)/[\w/-]+\.(?:py|md|sh)")
    gone = [
        f"{document.name}: {name}"
        for document in documents
        for name in path.findall(document.read_text("utf-8"))
        if not (ROOT / name).exists()
    ]
    assert gone == []


def test_a_page_cites_each_benchmark_or_a_benchmark_that_is_cited_imports_it():
    """Nobody keeps a measurement in order whose figures stand nowhere."""
    benchmarks = {file.stem: file.read_text("utf-8") for file in (ROOT / "benchmarks").glob("*.py")}
    pages = "".join(
        file.read_text("utf-8")
        for pattern in ("*.md", "docs/*.md", "*/weights/*.md", "deploy/*.sh")
        for file in ROOT.glob(pattern)
    )
    used = {name for name in benchmarks if f"{name}.py" in pages}
    while more := {
        name
        for name in benchmarks.keys() - used
        if any(re.search(rf"^(?:from|import) {name}\b", benchmarks[user], re.M) for user in used)
        or any(f"{name}.py" in benchmarks[user] for user in used)
    }:
        used |= more
    assert sorted(benchmarks.keys() - used) == []


BANNED = {
    *("said", "told", "laid", "lies", "hush", "weigh", "keep", "hearsay", "seer", "favour", "news"),
    *("BoardMemory", "Seer", "Looks", "Settler", "LaidWatch", "Tally", "Circumstances", "Hearsay"),
    *(
        "Spool",
        "Vitals",
        "Troubles",
        "Clerk",
        "Floor",
        "Roll",
        "Courier",
        "Workbench",
        "Everywhere",
    ),
}
"""Words of a private language: each has a term of the field (CONTRIBUTING.md, "Words")."""


def _names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name


def test_names_are_the_terms_of_the_field():
    # Most files have none of these words anywhere, and to parse them all takes long.
    somewhere = re.compile(rf"(?<![^\W_])(?:{'|'.join(BANNED)})\b")
    found = [
        f"{file.relative_to(ROOT)}: {name}"
        for room in (*ROOMS, "tests")
        for file in sorted((ROOT / room).rglob("*.py"))
        for text in [file.read_text("utf-8")]
        if somewhere.search(text)
        for name in _names(ast.parse(text))
        if name.lstrip("_") in BANNED
    ]
    assert found == []


def test_names_in_scripts_are_the_terms_of_the_field():
    made = re.compile(r"\b(?:const|let|function|class)\s+(\w+)|\.(\w+)\s*=(?!=)")
    names = [
        (path, declared or assigned)
        for path, text in _scripts()
        for declared, assigned in made.findall(text)
    ]
    assert len(names) > 500
    assert [f"{file}: {name}" for file, name in names if name in BANNED] == []


LONG_FUNCTIONS = {"compare", "glyphs", "blueprint", "view"}
"""Functions of more than 60 lines, each with its reason in a comment or a list of routes."""


def test_functions_and_constructors_stay_small():
    too_large = []
    for room in ROOMS:
        for file in sorted((ROOT / room).rglob("*.py")):
            text, path = file.read_text("utf-8"), file.relative_to(ROOT)
            for node in ast.walk(ast.parse(text)):
                if not isinstance(node, ast.FunctionDef):
                    continue
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > 60 and node.name not in LONG_FUNCTIONS:
                    too_large.append(f"{path}: {node.name} has {lines} lines")
                if node.name == "__init__" and len(node.args.args) + len(node.args.kwonlyargs) > 9:
                    too_large.append(f"{path}:{node.lineno}: a constructor of more than 8")
    assert too_large == []


def test_the_changelog_is_what_a_user_notices():
    versions = (ROOT / "CHANGELOG.md").read_text("utf-8").split("\n## ")[1:]
    assert versions[0].startswith("0.3.0")
    assert len(versions[0].splitlines()) <= 60
    assert sum(len(one.splitlines()) for one in versions) <= 75
