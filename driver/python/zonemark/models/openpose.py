"""OpenPose (Cao and others, 2016, https://arxiv.org/abs/1611.08050): poses of bodies and, with the network of Simon and others (2017,
https://arxiv.org/abs/1704.07809), of hands. A VGG-19 makes features; stages of 7×7 convolutions refine the heat maps of the one before."""

from __future__ import annotations

from typing import Any

import keras
from keras import layers

from zonemark.models import benchmark_model
from zonemark.models.convolution import convolution, image
from zonemark.models.vision import Benchmark, inference

_RESOLUTION = 224
_STAGES = range(2, 7)
_BODY_MAPS = {"paf": 38, "heat": 19}  # part affinity fields: two components of 19 limbs; heat maps: 18 key points and the background
_HAND_MAPS = 22  # 21 key points and the background


@benchmark_model(configs=["body", "hand"])
def openpose(config: str, microbatch: int = 0) -> Benchmark:
    """OpenPose as published, for bodies (18 key points of COCO) or hands (21 key points), on images of 224×224."""
    return inference(build_body() if config == "body" else build_hand(), microbatch)


@benchmark_model(configs=["basic"])
def openpose_hand(config: str, microbatch: int = 0) -> Benchmark:
    """The old benchmark's name of openpose with the configuration hand."""
    return inference(build_hand(), microbatch)


def build_body() -> Any:
    """The network for bodies: images to part affinity fields and heat maps, at an eighth of the resolution."""
    inputs = image(_RESOLUTION)
    x = _vgg(inputs, convolutions_of_512=2)
    x = _convolution(x, 256, 3, "conv4_3_CPM")
    features = _convolution(x, 128, 3, "conv4_4_CPM")
    maps = []
    for branch, count in _BODY_MAPS.items():
        x = features
        for index in range(3):
            x = _convolution(x, 128, 3, f"stage1_{branch}_conv{index + 1}")
        x = _convolution(x, 512, 1, f"stage1_{branch}_conv4")
        maps.append(_convolution(x, count, 1, f"stage1_{branch}", activation=None))
    for stage in _STAGES:
        x = layers.Concatenate(name=f"stage{stage}_join")([*maps, features])
        maps = [_refine(x, count, f"stage{stage}_{branch}") for branch, count in _BODY_MAPS.items()]
    return keras.Model(inputs, maps, name="openpose_body")


def build_hand() -> Any:
    """The network for hands: images to heat maps at an eighth of the resolution."""
    inputs = image(_RESOLUTION)
    x = _vgg(inputs, convolutions_of_512=4)
    for index in range(2):
        x = _convolution(x, 512, 3, f"conv5_{index + 1}")
    features = _convolution(x, 128, 3, "conv5_3_CPM")
    x = _convolution(features, 512, 1, "stage1_conv")
    maps = _convolution(x, _HAND_MAPS, 1, "stage1", activation=None)
    for stage in _STAGES:
        maps = _refine(layers.Concatenate(name=f"stage{stage}_join")([maps, features]), _HAND_MAPS, f"stage{stage}")
    return keras.Model(inputs, maps, name="openpose_hand")


def _vgg(x: Any, convolutions_of_512: int) -> Any:
    """The first four blocks of VGG-19, without the last pooling."""
    for block, (channels, count) in enumerate([(64, 2), (128, 2), (256, 4), (512, convolutions_of_512)], start=1):
        for index in range(count):
            x = _convolution(x, channels, 3, f"conv{block}_{index + 1}")
        if block < 4:
            x = layers.MaxPooling2D(2, name=f"pool{block}")(x)
    return x


def _refine(x: Any, count: int, name: str) -> Any:
    for index in range(5):
        x = _convolution(x, 128, 7, f"{name}_conv{index + 1}")
    x = _convolution(x, 128, 1, f"{name}_conv6")
    return _convolution(x, count, 1, name, activation=None)


def _convolution(x: Any, filters: int, kernel: int, name: str, activation: str | None = "relu") -> Any:
    return convolution(x, filters, kernel, bias=True, norm=False, activation=activation, name=name)
