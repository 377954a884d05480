"""Lightweight OpenPose (Osokin, 2018, https://arxiv.org/abs/1811.12004) on a MobileNet, for poses in two or three dimensions, as the collection of
models https://github.com/osmr/imgclsmob has it (lwopenpose2d_mobilenet_cmupan_coco and lwopenpose3d_mobilenet_cmupan_coco)."""

from __future__ import annotations

from typing import Any

import keras
from keras import layers

from zonemark.models import benchmark_model
from zonemark.models.convolution import RESIDUAL_GAIN, convolution, depthwise, image
from zonemark.models.vision import Benchmark, inference

_RESOLUTION = 224
_HEAT_MAPS = 19
_AFFINITY_FIELDS = 38
_MAPS = _HEAT_MAPS + _AFFINITY_FIELDS
_FEATURES = 128

# Channels, stride and dilation of the encoder's depthwise separable convolutions.
_ENCODER = [
    *[(64, 1, 1), (128, 2, 1), (128, 1, 1), (256, 2, 1), (256, 1, 1)],
    *[(512, 1, 1), (512, 1, 2), (512, 1, 1), (512, 1, 1), (512, 1, 1), (512, 1, 1)],
]


@benchmark_model(configs=["2d", "3d"])
def openpose_osmr_body(config: str, microbatch: int = 0) -> Benchmark:
    """Lightweight OpenPose for bodies, in two or three dimensions, on images of 224×224."""
    return inference(build(config), microbatch)


def build(config: str) -> Any:
    """The network: images to heat maps and part affinity fields (3d: and maps of the coordinates) at an eighth of the resolution."""
    inputs = image(_RESOLUTION)
    features = _encoder(inputs)

    x = features
    for index in range(3):
        x = _plain(x, _FEATURES, 3, f"initial_conv{index + 1}")
    maps = [_bend(x, 512, _HEAT_MAPS, "initial_heat"), _bend(x, 512, _AFFINITY_FIELDS, "initial_paf")]

    x = layers.Concatenate(name="refine_join")([features, *maps])
    for index in range(5):
        x = _refine(x, _FEATURES, f"refine_{index}")
    maps = [_bend(x, _FEATURES, _HEAT_MAPS, "refined_heat"), _bend(x, _FEATURES, _AFFINITY_FIELDS, "refined_paf")]
    result = layers.Concatenate(name="maps")(maps)

    if config == "3d":
        x = layers.Concatenate(name="lift_join")([features, *maps])
        for index in range(5):
            x = _residual(x, _FEATURES, f"lift_{index}")
        for index in range(2):
            x = _refine(x, _FEATURES, f"lift_refine_{index}")
        result = layers.Concatenate(name="maps_3d")([result, _bend(x, _FEATURES, _MAPS, "lift_maps")])
    return keras.Model(inputs, result, name=f"openpose_osmr_body_{config}")


def _encoder(x: Any) -> Any:
    x = convolution(x, 32, 3, 2, name="stem")
    for index, (channels, stride, dilation) in enumerate(_ENCODER):
        x = depthwise(x, 3, stride, dilation=dilation, name=f"encoder_{index}_depthwise")
        x = convolution(x, channels, 1, name=f"encoder_{index}")
    x = y = _plain(x, _FEATURES, 1, "align")
    for index in range(3):
        y = depthwise(y, 3, norm=False, activation="elu", name=f"align_{index}_depthwise")
        y = convolution(y, _FEATURES, 1, norm=False, activation="elu", name=f"align_{index}")
    return _plain(layers.Add(name="align_add")([x, y]), _FEATURES, 3, "align_last")


def _refine(x: Any, channels: int, name: str) -> Any:
    x = y = _plain(x, channels, 1, f"{name}_initial")
    y = convolution(y, channels, 3, bias=True, name=f"{name}_conv1")
    y = convolution(y, channels, 3, bias=True, dilation=2, gain=RESIDUAL_GAIN, name=f"{name}_conv2")
    return layers.Add(name=name)([x, y])


def _residual(x: Any, channels: int, name: str) -> Any:
    """A bottleneck of half the input's channels beside a shortcut; nothing follows the sum."""
    y = convolution(x, x.shape[-1] // 2, 1, bias=True, name=f"{name}_conv1")
    y = convolution(y, y.shape[-1], 3, bias=True, name=f"{name}_conv2")
    y = convolution(y, channels, 1, bias=True, activation=None, gain=RESIDUAL_GAIN, name=f"{name}_conv3")
    if x.shape[-1] != channels:
        x = convolution(x, channels, 1, bias=True, activation=None, name=f"{name}_shortcut")
    return layers.Add(name=name)([x, y])


def _bend(x: Any, inner: int, count: int, name: str) -> Any:
    x = _plain(x, inner, 1, f"{name}_conv1")
    return _plain(x, count, 1, name, activation=None)


def _plain(x: Any, filters: int, kernel: int, name: str, activation: str | None = "relu") -> Any:
    return convolution(x, filters, kernel, bias=True, norm=False, activation=activation, name=name)
