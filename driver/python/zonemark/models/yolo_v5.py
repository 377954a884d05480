"""YOLOv5 in the sizes s and m, release 6 (https://github.com/ultralytics/yolov5), with the 80 classes of COCO."""

from __future__ import annotations

from functools import partial
from typing import Any

import keras
from keras import layers

from zonemark.models import benchmark_model
from zonemark.models.convolution import RESIDUAL_GAIN, convolution, image
from zonemark.models.vision import Benchmark, inference

_RESOLUTION = {"s": 320, "m": 640}  # as the old benchmark ran them
_DEPTH = {"s": 1, "m": 2}  # bottlenecks for each three of the largest network
_WIDTH = {"s": 32, "m": 48}  # channels of the first convolution
_GRID_CHANNELS = 3 * (5 + 80)  # three boxes of centre, size and confidence with a score for each class

_silu = partial(convolution, activation="silu", epsilon=1e-3)


@benchmark_model(configs=["s", "m"])
def yolo_v5(config: str, microbatch: int = 0) -> Benchmark:
    """YOLOv5s at 320×320 and YOLOv5m at 640×640: boxes, confidences and classes on grids of three resolutions, before they are decoded."""
    return inference(build(config), microbatch)


def build(config: str) -> Any:
    """The network: images to its grids, the finest first."""
    width, depth = _WIDTH[config], _DEPTH[config]
    inputs = image(_RESOLUTION[config])

    # The first kernel is even: PyTorch's padding of 2 on every side.
    x = layers.ZeroPadding2D(2, name="stem_pad")(inputs)
    x = _silu(x, width, 6, 2, padding="valid", name="stem")
    features = []
    for stage, count in enumerate((depth, 2 * depth, 3 * depth, depth), start=1):
        x = _silu(x, width << stage, 3, 2, name=f"down{stage}")
        x = _cross_stage(x, width << stage, count, True, f"stage{stage}")
        features.append(x)
    x = _pyramid_pool(x, "spatial_pool")

    fine, middle = features[1], features[2]
    top = _silu(x, width << 3, 1, name="top_reduce")
    x = _cross_stage(_join("top_join", _double(top, "top_up"), middle), width << 3, depth, False, "top")
    between = _silu(x, width << 2, 1, name="middle_reduce")
    small = _cross_stage(_join("middle_join", _double(between, "middle_up"), fine), width << 2, depth, False, "small")
    x = _join("medium_join", _silu(small, width << 2, 3, 2, name="medium_down"), between)
    medium = _cross_stage(x, width << 3, depth, False, "medium")
    x = _join("large_join", _silu(medium, width << 3, 3, 2, name="large_down"), top)
    large = _cross_stage(x, width << 4, depth, False, "large")

    grids = [_grid(x, f"grid{index}") for index, x in enumerate((small, medium, large))]
    return keras.Model(inputs, grids, name=f"yolo_v5_{config}")


def _grid(x: Any, name: str) -> Any:
    return convolution(x, _GRID_CHANNELS, 1, bias=True, norm=False, activation=None, name=name)


def _cross_stage(x: Any, channels: int, count: int, shortcut: bool, name: str) -> Any:
    """Half of the channels go through bottlenecks, half past them."""
    y = _silu(x, channels // 2, 1, name=f"{name}_deep")
    for index in range(count):
        z = _silu(y, channels // 2, 1, name=f"{name}_{index}_conv1")
        z = _silu(z, channels // 2, 3, gain=RESIDUAL_GAIN if shortcut else 1.0, name=f"{name}_{index}_conv2")
        y = layers.Add(name=f"{name}_{index}")([y, z]) if shortcut else z
    past = _silu(x, channels // 2, 1, name=f"{name}_past")
    return _silu(_join(f"{name}_halves", y, past), channels, 1, name=name)


def _pyramid_pool(x: Any, name: str) -> Any:
    """Maxima over windows of 5, 9 and 13 elements, made of windows of 5 in a row."""
    channels = x.shape[-1]
    x = _silu(x, channels // 2, 1, name=f"{name}_reduce")
    results = [x]
    for index in range(3):
        results.append(layers.MaxPooling2D(5, 1, padding="same", name=f"{name}_{index}")(results[-1]))
    return _silu(_join(f"{name}_join", *results), channels, 1, name=name)


def _join(name: str, *branches: Any) -> Any:
    return layers.Concatenate(name=name)(list(branches))


def _double(x: Any, name: str) -> Any:
    return layers.UpSampling2D(2, interpolation="nearest", name=name)(x)
