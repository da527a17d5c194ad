"""The archive of the program's own source: whoever gets it can build and change the program."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
import tomllib
from pathlib import Path

import pytest

from dashboard import source_code

TOP = Path(__file__).resolve().parents[2]
NO_PACKAGES = {"tests", "benchmarks", "docs"}


@pytest.fixture(scope="module")
def names():
    with tarfile.open(fileobj=io.BytesIO(source_code.archive())) as tar:
        return {name.removeprefix("tilewatch/") for name in tar.getnames()}


def test_every_package_is_in_it(names):
    packages = {path.parent.name for path in TOP.glob("*/__init__.py")} - NO_PACKAGES
    assert "hub" in packages
    assert packages == {name.split("/")[0] for name in names if name.endswith("/__init__.py")}


def test_every_file_that_building_and_installing_take_is_in_it(names):
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]
    assert {
        "pyproject.toml",
        "install.sh",
        "deploy/install-pi.sh",
        "deploy/hub/install.sh",
    } <= names
    assert {project["readme"], *project["license-files"]} <= names


def test_every_tracked_file_of_a_package_is_in_it(names):
    if shutil.which("git") is None or not (TOP / ".git").exists():
        pytest.skip("not a git checkout")
    packages = sorted({name.split("/")[0] for name in names if "/" in name} - {"docs"})
    listed = subprocess.run(
        ["git", "-C", str(TOP), "-c", f"safe.directory={TOP}", "ls-files", "-z", "--", *packages],
        capture_output=True,
        check=True,
        text=True,
    )
    tracked = {name for name in listed.stdout.split("\0") if name and (TOP / name).is_file()}
    assert tracked
    assert tracked <= names


def test_nothing_that_was_made_by_running_is_in_it(names):
    made = ("__pycache__", ".db", ".log", ".pt", ".key")
    assert not [name for name in names if any(part in name for part in made)]


def test_an_installed_wheel_has_the_files_in_its_metadata(tmp_path, monkeypatch):
    """Without a checkout beside the packages, what building takes comes from the metadata."""
    metadata = tmp_path / "tilewatch-1.dist-info" / "extra_metadata"
    metadata.mkdir(parents=True)
    shutil.copy(TOP / "pyproject.toml", metadata)
    (tmp_path / "tilewatch-1.dist-info" / "METADATA").write_text("Name: tilewatch\nVersion: 1\n")
    (tmp_path / "tilewatch-1.dist-info" / "RECORD").write_text(
        "tilewatch-1.dist-info/METADATA,,\ntilewatch-1.dist-info/extra_metadata/pyproject.toml,,\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(source_code, "__file__", str(tmp_path / "dashboard" / "source_code.py"))
    found = dict(source_code._files())
    assert found["pyproject.toml"] == metadata / "pyproject.toml"
    assert "hub/service.py" in found
