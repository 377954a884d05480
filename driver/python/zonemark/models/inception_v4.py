"""Inception-v4 (Szegedy and others, 2016, https://arxiv.org/abs/1602.07261)."""

from __future__ import annotations

from functools import partial
from typing import Any, TypeAlias

import keras
from keras import layers

from zonemark.models import benchmark_model
from zonemark.models.convolution import classifier, convolution, image
from zonemark.models.vision import Benchmark, inference

Kernel: TypeAlias = "int | tuple[int, int]"

_ROW, _COLUMN = (1, 7), (7, 1)

# The convolutions of the publication: normalized with TensorFlow's epsilon, unpadded where it says "V", else padded to the same size.
_same = partial(convolution, padding="same", epsilon=1e-3)
_valid = partial(convolution, padding="valid", epsilon=1e-3)


@benchmark_model(configs=["224"])
def inception_v4(config: str, microbatch: int = 0) -> Benchmark:
    """Inception-v4, published for images of 299×299, on 224×224 as the old benchmark ran it."""
    return inference(build(config), microbatch)


def build(config: str) -> Any:
    """The network: images to logits."""
    inputs = image(int(config))
    x = _stem(inputs)
    for index in range(4):
        x = _block_a(x, f"a{index + 1}")
    x = _reduction_a(x, "reduce_a")
    for index in range(7):
        x = _block_b(x, f"b{index + 1}")
    x = _reduction_b(x, "reduce_b")
    for index in range(3):
        x = _block_c(x, f"c{index + 1}")
    return keras.Model(inputs, classifier(x), name=f"inception_v4_{config}")


def _chain(x: Any, name: str, *steps: tuple[int, Kernel]) -> Any:
    for index, (filters, kernel) in enumerate(steps):
        x = _same(x, filters, kernel, name=f"{name}_{index}")
    return x


def _join(name: str, *branches: Any) -> Any:
    return layers.Concatenate(name=name)(list(branches))


def _halve(x: Any, name: str) -> Any:
    return layers.MaxPooling2D(3, 2, name=name)(x)


def _mean(x: Any, name: str) -> Any:
    return layers.AveragePooling2D(3, 1, padding="same", name=name)(x)


def _stem(x: Any) -> Any:
    x = _valid(x, 32, 3, 2, name="stem1")
    x = _valid(x, 32, 3, name="stem2")
    x = _same(x, 64, 3, name="stem3")
    x = _join("stem4", _halve(x, "stem4_pool"), _valid(x, 96, 3, 2, name="stem4_conv"))
    short = _valid(_chain(x, "stem5_short", (64, 1)), 96, 3, name="stem5_short_last")
    long = _valid(_chain(x, "stem5_long", (64, 1), (64, _ROW), (64, _COLUMN)), 96, 3, name="stem5_long_last")
    x = _join("stem5", short, long)
    return _join("stem6", _valid(x, 192, 3, 2, name="stem6_conv"), _halve(x, "stem6_pool"))


def _block_a(x: Any, name: str) -> Any:
    return _join(
        name,
        _chain(x, f"{name}_point", (96, 1)),
        _chain(x, f"{name}_short", (64, 1), (96, 3)),
        _chain(x, f"{name}_long", (64, 1), (96, 3), (96, 3)),
        _chain(_mean(x, f"{name}_mean"), f"{name}_pool", (96, 1)),
    )


def _reduction_a(x: Any, name: str) -> Any:
    return _join(
        name,
        _valid(x, 384, 3, 2, name=f"{name}_short"),
        _valid(_chain(x, f"{name}_long", (192, 1), (224, 3)), 256, 3, 2, name=f"{name}_long_last"),
        _halve(x, f"{name}_pool"),
    )


def _block_b(x: Any, name: str) -> Any:
    return _join(
        name,
        _chain(x, f"{name}_point", (384, 1)),
        _chain(x, f"{name}_short", (192, 1), (224, _ROW), (256, _COLUMN)),
        _chain(x, f"{name}_long", (192, 1), (192, _COLUMN), (224, _ROW), (224, _COLUMN), (256, _ROW)),
        _chain(_mean(x, f"{name}_mean"), f"{name}_pool", (128, 1)),
    )


def _reduction_b(x: Any, name: str) -> Any:
    return _join(
        name,
        _valid(_chain(x, f"{name}_short", (192, 1)), 192, 3, 2, name=f"{name}_short_last"),
        _valid(_chain(x, f"{name}_long", (256, 1), (256, _ROW), (320, _COLUMN)), 320, 3, 2, name=f"{name}_long_last"),
        _halve(x, f"{name}_pool"),
    )


def _block_c(x: Any, name: str) -> Any:
    short = _chain(x, f"{name}_short", (384, 1))
    long = _chain(x, f"{name}_long", (384, 1), (448, (3, 1)), (512, (1, 3)))
    return _join(
        name,
        _chain(x, f"{name}_point", (256, 1)),
        _chain(short, f"{name}_short_row", (256, (1, 3))),
        _chain(short, f"{name}_short_column", (256, (3, 1))),
        _chain(long, f"{name}_long_row", (256, (1, 3))),
        _chain(long, f"{name}_long_column", (256, (3, 1))),
        _chain(_mean(x, f"{name}_mean"), f"{name}_pool", (256, 1)),
    )
