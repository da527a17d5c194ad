"""table.toml: read strictly, and every fault named in one line."""

from __future__ import annotations

import pytest

from sensors.gpio import GpioOptions
from sensors.webcam import WebcamOptions
from table.config import ConfigError, load_config


def written(tmp_path, text: str):
    path = tmp_path / "table.toml"
    path.write_text(text, "utf-8")
    return path


def test_a_whole_configuration(tmp_path):
    config = load_config(
        written(
            tmp_path,
            """\
\ufeffname = "Table 7"
tile_set = "german"
rulebook = "psa"
data = "kept"
[camera]
kind = "webcam"
device = 2
width = 1280
[buttons]
kind = "gpio"
left = 17
edges = "edges.csv"
[announced]
clock.minutes = 22
"challenge" = "points 5 challenge"
[players]
left = "Ann"
file = "pairings.csv"
table = 7
round = 3
[serve]
port = 9000
names = ["table-1.lan", "scores.lan"]
api = "tokens"
trusted_proxy = "0:0:0:0:0:0:0:1"
[simulated]
gcg = "game.gcg"
""",
        )
    )
    assert (config.name, config.camera.kind) == ("Table 7", "webcam")  # though an editor marked it
    assert config.camera.options == WebcamOptions(device=2, width=1280)
    assert config.buttons.options == GpioOptions(left=17, edges=tmp_path / "edges.csv")
    dumped = config.model_dump(mode="json")
    assert dumped["camera"] == {"kind": "webcam", "device": 2, "width": 1280}
    assert config.announced == {"clock.minutes": 22, "challenge": "points 5 challenge"}
    assert config.data == tmp_path / "kept"
    assert config.players.file == tmp_path / "pairings.csv"
    assert config.simulated.gcg == tmp_path / "game.gcg"
    assert (config.players.table, config.players.round, config.serve.port) == (7, 3, 9000)
    assert config.serve.names == ("table-1.lan", "scores.lan")
    assert (config.serve.api, config.serve.trusted_proxy) == ("tokens", "::1")


def test_a_device_is_named_by_its_kind_alone(tmp_path):
    config = load_config(written(tmp_path, 'camera = "webcam"\nbuttons = "keyboard"\n'))
    assert (config.camera.kind, config.camera.options) == ("webcam", WebcamOptions())


def test_a_camera_with_more_options_keeps_the_paths_that_were_resolved(tmp_path):
    text = '[camera]\nkind = "webcam"\ndevice = "board-camera"\n[buttons]\nkind = "web"\n'
    camera = load_config(written(tmp_path, text)).camera.with_options({"fps": 5})
    assert camera.options == WebcamOptions(device=tmp_path / "board-camera", fps=5)
    with pytest.raises(ConfigError, match=r"^camera: unknown key 'red'; known are device"):
        camera.with_options({"red": 2.0})
