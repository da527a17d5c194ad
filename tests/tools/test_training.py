"""Each training, from drawing to a file that the reader loads, in a few steps. Needs torch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from vision.change_detector import PATCH, ChangeDetector
from vision.classifier import Classifier
from vision.labels import CLASS_NAMES
from vision.locate.locator import Locator
from vision.rectify import CROP

pytest.importorskip("torch")


def trained(what: str, out: Path, *more: str) -> None:
    command = [sys.executable, "-m", "tools.train", what, "--quick", "--out", str(out)]
    done = subprocess.run([*command, "--threads", "1", *more], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


def test_tiles(tmp_path: Path) -> None:
    trained("tiles", tmp_path)
    classifier = Classifier(tmp_path / "tiles.onnx")
    crops = np.random.default_rng(0).integers(0, 256, (7, CROP, CROP, 3)).astype(np.uint8)
    probabilities, poses, features = classifier.classify_with_features(crops)
    assert probabilities.shape == (7, len(CLASS_NAMES))
    assert np.allclose(probabilities.sum(axis=1), 1, atol=1e-4)
    assert poses.shape == (7, 3)
    assert len(features) == 7
    card = (tmp_path / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "| letters |" in card
    assert "--epochs 1 --again 1`" in card
    later = tmp_path / "later"
    trained("tiles", later, "--start", str(tmp_path))
    assert Classifier(later / "tiles.onnx").letters == classifier.letters
    assert "--start DIR --again 1`" in (later / "MODEL_CARD.md").read_text(encoding="utf-8")


def test_locate(tmp_path: Path) -> None:
    trained("locate", tmp_path)
    pictures = {file: file.stat().st_mtime_ns for file in (tmp_path / "pictures").iterdir()}
    trained("locate", tmp_path, "--only", "refine", "--start", str(tmp_path))
    assert pictures == {f: f.stat().st_mtime_ns for f in (tmp_path / "pictures").iterdir()}
    locator = Locator(tmp_path / "locate_coarse.onnx", tmp_path / "locate_refine.onnx")
    image = np.full((300, 400, 3), 128, np.uint8)
    locator.candidates(image)
    corners = np.array([[50, 50], [250, 50], [250, 250], [50, 250]], np.float32)
    locator.refine(image, corners)


def test_change(tmp_path: Path) -> None:
    trained("change", tmp_path)
    detector = ChangeDetector(tmp_path / "change.onnx")
    before, after = np.random.default_rng(0).integers(0, 256, (2, 225, PATCH, PATCH, 3))
    squares = np.array([0, 112, 224])
    nats = detector.log_likelihood_ratio(before.astype(np.uint8), after.astype(np.uint8), squares)
    assert nats.shape == (3,)
    assert np.isfinite(nats).all()
