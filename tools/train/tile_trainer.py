"""Ultralytics' classification trainer, fed from memory and with augmentation that keeps letters.

Its own augmentation mirrors letters and erases parts of them; none of it is used. Ours turns crops
by quarter turns (and their labels with them) and varies colour, light and noise, a whole batch at a
time.

Import this only after :func:`tools.train.tiles.prepare`.
"""

from __future__ import annotations

from copy import copy
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from ultralytics.models.yolo.classify import ClassificationTrainer, ClassificationValidator
from ultralytics.nn.modules import Conv

from tools.train.crops import CropSet
from tools.train.training import has_bfloat16
from vision.labels import CLASS_NAMES, LETTERS

_HEAD: Final = 64
"""Channels of each of the head's 4×4 places."""

_NOISES: Final = 16
"""Fields of noise a batch shares: drawing one for each crop would cost a tenth of a step."""


class CropDataset(torch.utils.data.Dataset):  # type: ignore[misc]
    """Crops as uint8 batches, NCHW RGB."""

    torch_transforms = None

    def __init__(self, crops: CropSet) -> None:
        self._crops: NDArray[np.uint8] = crops.crops
        self._labels = torch.from_numpy(crops.labels.astype(np.int64))
        self.samples = range(len(crops.labels))

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self.__getitems__([index])

    def __getitems__(self, indices: list[int]) -> dict[str, Any]:
        order = np.asarray(indices)
        crops = np.stack([self._crops[i] for i in order])[..., ::-1].transpose(0, 3, 1, 2)
        return {
            "img": torch.from_numpy(np.ascontiguousarray(crops)),
            "cls": self._labels[torch.from_numpy(order)],
        }

    @staticmethod
    def collate_fn(batch: dict[str, Any]) -> dict[str, Any]:
        """Batches come ready from ``__getitems__``."""
        return batch


class TileValidator(ClassificationValidator):  # type: ignore[misc]
    """Validation on crops as they are."""

    def preprocess(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Bytes to 0..1."""
        batch["img"] = batch["img"].to(self.device).float() / 255
        batch["cls"] = batch["cls"].to(self.device)
        return batch


class TileTrainer(ClassificationTrainer):  # type: ignore[misc]
    """Trains on two :class:`tools.train.crops.CropSet`, given before it is built."""

    sets: dict[str, CropSet]
    begin: dict[str, torch.Tensor] | None = None
    """Weights to begin with; None begins from nothing."""

    def get_dataset(self) -> dict[str, Any]:
        """The classes; the crops themselves are in ``sets``."""
        names = dict(enumerate(CLASS_NAMES))
        return {"train": "train", "val": "val", "nc": len(names), "names": names, "channels": 3}

    def build_dataset(self, img_path: str, mode: str = "train", batch: Any = None) -> CropDataset:  # noqa: ARG002
        """The crops of a split."""
        return CropDataset(self.sets["train" if mode == "train" else "val"])

    def get_model(self, cfg: Any = None, weights: Any = None, verbose: bool = True) -> nn.Module:
        """The network of the yaml, with a head that knows where in the crop things are."""
        model = super().get_model(cfg, None, verbose)
        head = model.model[-1]
        head.conv = Conv(head.conv.conv.in_channels, _HEAD, 1, act=nn.ReLU())
        head.pool = nn.Identity()
        head.drop = nn.Dropout(p=0.1)
        head.linear = nn.Linear(_HEAD * 16, len(CLASS_NAMES))
        if weights is not None:  # of a checkpoint
            model.load_state_dict(weights.float().state_dict())
        elif self.begin is not None:
            model.load_state_dict(self.begin)
        # Convolutions of such a processor want the channels last: a sixth less time for a step.
        return model.to(memory_format=torch.channels_last)

    def setup_model(self) -> Any:
        """As the base trainer's: the head is already the right size."""
        return super(ClassificationTrainer, self).setup_model()

    def _setup_train(self) -> None:
        super()._setup_train()
        # Half precision in 60% of the time on such a processor, and no worse.
        self.amp = self.device.type == "cpu" and has_bfloat16(self.device)

    def preprocess_batch(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Bytes to 0..1, augmented."""
        image = batch["img"].to(self.device).float() / 255
        image, batch["cls"] = augment(image, batch["cls"].to(self.device))
        batch["img"] = image.contiguous(memory_format=torch.channels_last)
        return batch

    def get_validator(self) -> TileValidator:
        """Validation between epochs."""
        self.loss_names = ["loss"]
        return TileValidator(
            self.test_loader, self.save_dir, args=copy(self.args), _callbacks=self.callbacks
        )

    def final_eval(self) -> None:
        """Nothing: the caller measures the exported model."""


def augment(image: torch.Tensor, label: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Turns, recolours and roughens a batch, float (B, 3, H, W) in 0..1; labels turn along."""
    count = len(image)
    device = image.device
    out, turns = torch.empty_like(image), torch.randint(4, (count,), device=device)
    for turn in range(4):
        mine = turns == turn
        out[mine] = torch.rot90(image[mine], -turn, (2, 3))
    letter = label < 4 * len(LETTERS)
    label = torch.where(letter, label - label % 4 + (label + turns) % 4, label)

    def some(share: float) -> torch.Tensor:
        return torch.rand(count, device=device) < share

    swapped = some(0.15)
    out[swapped] = out[swapped][:, torch.randperm(3)]
    grey = some(0.05)
    out[grey] = out[grey].mean(1, keepdim=True).expand(-1, 3, -1, -1)
    negative = some(0.05)
    out[negative] = 1 - out[negative]
    gain = torch.exp(torch.randn(count, 3, 1, 1, device=device) * 0.08)
    level = torch.exp(torch.randn(count, 1, 1, 1, device=device) * 0.15)
    offset = torch.randn(count, 1, 1, 1, device=device) * 0.03
    out.mul_(gain * level).add_(offset)
    crisp = some(0.15)
    fine = out[crisp]
    edge = fine - nn.functional.avg_pool2d(fine, 3, 1, 1, count_include_pad=False)
    out[crisp] = fine + edge * (torch.rand(len(fine), 1, 1, 1, device=device) * 1.5)
    soft = some(0.12)
    out[soft] = nn.functional.avg_pool2d(out[soft], 3, 1, 1, count_include_pad=False)
    rough = torch.rand(count, 1, 1, 1, device=device) ** 2 * 0.05
    noise = torch.randn(_NOISES, *out.shape[1:], device=device)
    out.addcmul_(noise[torch.randint(_NOISES, (count,), device=device)], rough)
    return out.clamp_(0, 1), label
