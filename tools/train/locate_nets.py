"""The two networks that find the grid. Torch: for training only.

Both are plain fully convolutional encoders and decoders that start from nothing.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Block(nn.Sequential):  # type: ignore[misc]
    """3×3 convolution, batch norm, ReLU."""

    def __init__(self, wide: int, out: int, stride: int = 1, dilation: int = 1) -> None:
        super().__init__(
            nn.Conv2d(wide, out, 3, stride, dilation, dilation, bias=False),
            nn.BatchNorm2d(out),
            nn.ReLU(inplace=True),
        )


class Residual(nn.Module):  # type: ignore[misc]
    """Two blocks with a way round them."""

    def __init__(self, wide: int, dilation: int = 1) -> None:
        super().__init__()
        self.first = Block(wide, wide, 1, dilation)
        self.second = nn.Sequential(
            nn.Conv2d(wide, wide, 3, 1, dilation, dilation, bias=False), nn.BatchNorm2d(wide)
        )

    def forward(self, x: Tensor) -> Tensor:
        """(N, wide, h, w) in and out."""
        return torch.relu(x + self.second(self.first(x)))


class GlobalContext(nn.Module):  # type: ignore[misc]
    """Adds to every cell what the average over all cells says."""

    def __init__(self, wide: int) -> None:
        super().__init__()
        self.mix = nn.Sequential(
            nn.Conv2d(wide, wide, 1), nn.ReLU(inplace=True), nn.Conv2d(wide, wide, 1)
        )

    def forward(self, x: Tensor) -> Tensor:
        """(N, wide, h, w) in and out."""
        return x + self.mix(x.mean((2, 3), keepdim=True))


def _merge(wide: int, out: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(wide, out, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU(inplace=True)
    )


class Coarse(nn.Module):  # type: ignore[misc]
    """(N, 3, 256, 256) to (N, 2, 64, 64): logits of "in the grid" and of "a corner of it"."""

    def __init__(self, w: int = 16) -> None:
        super().__init__()
        self.s2 = Block(3, w, 2)
        self.s4 = nn.Sequential(Block(w, 2 * w, 2), Residual(2 * w))
        self.s8 = nn.Sequential(Block(2 * w, 4 * w, 2), Residual(4 * w))
        self.s16 = nn.Sequential(Block(4 * w, 6 * w, 2), Residual(6 * w, 2))
        self.s32 = nn.Sequential(
            Block(6 * w, 6 * w, 2), Residual(6 * w), GlobalContext(6 * w), Residual(6 * w, 2)
        )
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        self.d16 = nn.Sequential(_merge(12 * w, 6 * w), Block(6 * w, 6 * w))
        self.d8 = nn.Sequential(_merge(10 * w, 4 * w), Block(4 * w, 4 * w))
        self.d4 = nn.Sequential(_merge(6 * w, 2 * w), Block(2 * w, 2 * w))
        self.head = nn.Conv2d(2 * w, 2, 1)
        nn.init.constant_(self.head.bias, -2.0)

    def forward(self, x: Tensor) -> Tensor:
        """Logits (N, 2, 64, 64)."""
        a = self.s4(self.s2(x))
        b = self.s8(a)
        c = self.s16(b)
        d = self.s32(c)
        c = self.d16(torch.cat([self.up(d), c], 1))
        b = self.d8(torch.cat([self.up(c), b], 1))
        a = self.d4(torch.cat([self.up(b), a], 1))
        return self.head(a)


class Refiner(nn.Module):  # type: ignore[misc]
    """(N, 3, 240, 240) to (N, 5, 30, 30).

    Where each cell truly lies relative to the guess (right and down, in squares), the logarithms
    of the two spreads of that answer, and the logit of "in the grid".
    """

    def __init__(self, w: int = 16) -> None:
        super().__init__()
        self.s2 = Block(3, w, 2)
        self.s4 = nn.Sequential(Block(w, 2 * w, 2), Block(2 * w, 2 * w))
        self.s8 = nn.Sequential(Block(2 * w, 4 * w, 2), Residual(4 * w))
        self.s16 = nn.Sequential(
            Block(4 * w, 6 * w, 2),
            Residual(6 * w, 2),
            Residual(6 * w, 3),
            GlobalContext(6 * w),
            Residual(6 * w, 1),
        )
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        self.d8 = nn.Sequential(_merge(10 * w, 4 * w), Block(4 * w, 4 * w))
        self.head = nn.Conv2d(4 * w, 5, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Answers (N, 5, 30, 30)."""
        b = self.s8(self.s4(self.s2(x)))
        c = self.s16(b)
        return self.head(self.d8(torch.cat([self.up(c), b], 1)))
