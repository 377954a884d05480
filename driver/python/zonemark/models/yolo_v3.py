"""YOLOv3 and YOLOv3-tiny (Redmon and Farhadi, 2018, https://arxiv.org/abs/1804.02767) with the 80 classes of COCO."""

from __future__ import annotations

from functools import partial
from typing import Any

import keras
from keras import layers

from zonemark.models import benchmark_model
from zonemark.models.convolution import RESIDUAL_GAIN, convolution, image
from zonemark.models.vision import Benchmark, inference

_RESOLUTION = 512
_CLASSES = 80
_ANCHORS = 3  # boxes that each place of a grid predicts
_BOX = 5  # centre, size and confidence of a box
_DARKNET_UNITS = (1, 2, 8, 8, 4)

_leaky = partial(convolution, activation=partial(keras.ops.leaky_relu, negative_slope=0.1))


@benchmark_model(configs=["default", "tiny"])
def yolo_v3(config: str, microbatch: int = 0) -> Benchmark:
    """YOLOv3 on images of 512×512: boxes, confidences and classes on grids of three resolutions (tiny: two), before they are decoded."""
    return inference(build(config), microbatch)


def build(config: str) -> Any:
    """The network: images to its grids, the coarsest first."""
    inputs = image(_RESOLUTION)
    outputs = _tiny(inputs) if config == "tiny" else _default(inputs)
    return keras.Model(inputs, outputs, name=f"yolo_v3_{config}")


def _default(x: Any) -> list[Any]:
    features = _darknet(x)
    x, grids = None, []
    for level, channels in enumerate((512, 256, 128)):
        route = features.pop()
        if x is not None:
            x = _leaky(x, channels, 1, name=f"up{level}")
            x = layers.UpSampling2D(2, interpolation="nearest", name=f"up{level}_nearest")(x)
            route = layers.Concatenate(name=f"up{level}_join")([x, route])
        x = route
        for index in range(5):
            filters, kernel = (channels, 1) if index % 2 == 0 else (2 * channels, 3)
            x = _leaky(x, filters, kernel, name=f"neck{level}_{index}")
        grids.append(_grid(_leaky(x, 2 * channels, 3, name=f"head{level}"), f"grid{level}"))
    return grids


def _darknet(x: Any) -> list[Any]:
    """Darknet-53 without its classifier: the results of all of its stages."""
    x = _leaky(x, 32, 3, name="stem")
    stages = []
    for stage, units in enumerate(_DARKNET_UNITS):
        x = _leaky(x, 64 << stage, 3, 2, name=f"down{stage + 1}")
        for unit in range(units):
            name = f"stage{stage + 1}_{unit}"
            y = _leaky(x, 32 << stage, 1, name=f"{name}_conv1")
            y = _leaky(y, 64 << stage, 3, gain=RESIDUAL_GAIN, name=f"{name}_conv2")
            x = layers.Add(name=name)([x, y])
        stages.append(x)
    return stages


def _tiny(x: Any) -> list[Any]:
    for index, channels in enumerate((16, 32, 64, 128, 256)):
        route = x = _leaky(x, channels, 3, name=f"conv{index + 1}")
        x = layers.MaxPooling2D(2, name=f"pool{index + 1}")(x)
    x = _leaky(x, 512, 3, name="conv6")
    x = layers.MaxPooling2D(2, 1, padding="same", name="pool6")(x)
    x = _leaky(x, 1024, 3, name="conv7")
    x = _leaky(x, 256, 1, name="conv8")
    coarse = _grid(_leaky(x, 512, 3, name="head0"), "grid0")
    x = layers.UpSampling2D(2, interpolation="nearest", name="up1_nearest")(_leaky(x, 128, 1, name="up1"))
    x = layers.Concatenate(name="up1_join")([x, route])
    return [coarse, _grid(_leaky(x, 256, 3, name="head1"), "grid1")]


def _grid(x: Any, name: str) -> Any:
    return convolution(x, _ANCHORS * (_BOX + _CLASSES), 1, bias=True, norm=False, activation=None, name=name)
