"""HRNet (Wang and others, 2019, https://arxiv.org/abs/1908.07919) for classification: branches of several resolutions, fused again and again."""

from __future__ import annotations

from typing import Any

import keras
from keras import layers

from zonemark.models import benchmark_model
from zonemark.models.convolution import RESIDUAL_GAIN, classifier, convolution, image
from zonemark.models.resnet import basic_unit, bottleneck_unit
from zonemark.models.vision import Benchmark, inference

_WIDTHS = {"w18": 18, "v2_w18": 18, "v2_w30": 30, "v2_w32": 32, "v2_w40": 40, "v2_w44": 44, "v2_w48": 48, "v2_w64": 64}
_SMALL = "w18"  # the old benchmark's name of HRNet-W18-Small-v2
_HEAD_CHANNELS = (32, 64, 128, 256)


@benchmark_model(configs=list(_WIDTHS))
def hrnet(config: str, microbatch: int = 0) -> Benchmark:
    """HRNet-W18-Small-v2 (w18) and HRNetV2-W18 to W64 on ImageNet-sized images."""
    return inference(build(config), microbatch)


def build(config: str) -> Any:
    """The network: images of 224×224 to logits."""
    width = _WIDTHS[config]
    units = 2 if config == _SMALL else 4
    modules = (1, 3, 2) if config == _SMALL else (1, 4, 3)

    x = inputs = image(224)
    x = convolution(x, 64, 3, 2, name="stem1")
    x = convolution(x, 64, 3, 2, name="stem2")
    for unit in range(units):
        x = bottleneck_unit(x, 64, name=f"layer1_{unit}")
    branches = [x]
    for stage, count in enumerate(modules, start=2):
        branches = _transition(branches, [width << branch for branch in range(stage)], f"transition{stage - 1}")
        for module in range(count):
            name = f"stage{stage}_{module}"
            branches = [_units(branch, units, f"{name}_branch{index}") for index, branch in enumerate(branches)]
            branches = [_fuse(branches, index, f"{name}_fuse{index}") for index in range(stage)]
    return keras.Model(inputs, classifier(_head(branches)), name=f"hrnet_{config}")


def _transition(branches: list[Any], channels: list[int], name: str) -> list[Any]:
    """Brings the branches to their channels, and makes a new one of half the resolution out of the last."""
    result = []
    for index, count in enumerate(channels):
        if index == len(branches):
            result.append(convolution(branches[-1], count, 3, 2, name=f"{name}_{index}"))
        elif branches[index].shape[-1] == count:
            result.append(branches[index])
        else:
            result.append(convolution(branches[index], count, 3, name=f"{name}_{index}"))
    return result


def _units(x: Any, units: int, name: str) -> Any:
    for unit in range(units):
        x = basic_unit(x, x.shape[-1], name=f"{name}_{unit}")
    return x


def _fuse(branches: list[Any], target: int, name: str) -> Any:
    """The sum of all branches at the resolution and with the channels of one of them."""
    channels = branches[target].shape[-1]
    terms = []
    for source, x in enumerate(branches):
        label = f"{name}_from{source}"
        if source > target:
            x = convolution(x, channels, 1, activation=None, gain=RESIDUAL_GAIN, name=label)
            x = layers.UpSampling2D(1 << (source - target), interpolation="nearest", name=f"{label}_up")(x)
        elif source < target:
            for step in range(target - source - 1):
                x = convolution(x, x.shape[-1], 3, 2, name=f"{label}_{step}")
            x = convolution(x, channels, 3, 2, activation=None, gain=RESIDUAL_GAIN, name=f"{label}_{target - source - 1}")
        terms.append(x)
    return layers.Activation("relu", name=name)(layers.Add(name=f"{name}_add")(terms))


def _head(branches: list[Any]) -> Any:
    """Widens each branch and adds them up from the finest resolution to the coarsest."""
    widened = [bottleneck_unit(x, _HEAD_CHANNELS[index], name=f"head_widen{index}") for index, x in enumerate(branches)]
    x = widened[0]
    for index, coarser in enumerate(widened[1:]):
        x = convolution(x, coarser.shape[-1], 3, 2, bias=True, name=f"head_down{index}")
        x = layers.Add(name=f"head_add{index}")([x, coarser])
    return convolution(x, 2048, 1, bias=True, name="head_final")
