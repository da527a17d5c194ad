"""``python -m tools.train``: its help, and one line for what it cannot use."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tools.train.__main__ import main


def test_help_names_each_training(capsys):
    assert main(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    named = {line.split()[0] for line in lines if line.startswith("  ")}
    assert named == {"tiles", "locate", "change", "pool", "promise"}


@pytest.mark.parametrize("arguments", [[], ["bogus"], ["--bogus"]])
def test_a_training_that_is_not_named_is_asked_for(arguments, capsys):
    assert main(arguments) == 2
    said_in_one_line = "tools.train: name one of tiles, locate, change, pool, promise\n"
    assert capsys.readouterr().err == said_in_one_line


@pytest.mark.parametrize("what", ["tiles", "locate", "change", "pool", "promise"])
def test_a_training_without_its_packages_says_how_to_get_them(what):
    code = (
        "import sys\nsys.modules['torch'] = sys.modules['onnx'] = None\n"
        f"from tools.train.__main__ import main\nsys.exit(main([{what!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("tools.train: training needs ")
    assert done.stderr.endswith("install it with: sh install.sh --train\n")
    assert done.stderr.count("\n") == 1
