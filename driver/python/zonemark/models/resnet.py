"""ResNet (He and others, 2015, https://arxiv.org/abs/1512.03385) with the stride in the 3×3 convolution, as PyTorch and NVIDIA publish it.

keras.applications has only the network with 50 layers, with the stride elsewhere and with biases. Here all depths, and single stages, are one code.
"""

from __future__ import annotations

from typing import Any

import keras
from keras import layers

from zonemark.models import benchmark_model
from zonemark.models.convolution import RESIDUAL_GAIN, classifier, convolution, image, max_pool
from zonemark.models.vision import Benchmark, classification, inference

_UNITS = {"resnet18": (2, 2, 2, 2), "resnet50": (3, 4, 6, 3)}
_TOLERANCE = {"resnet18": 0.0, "resnet50": 0.2}
"""Of gradients: one rectifier that decides otherwise, in fifty layers of them, changes those of its channel by a tenth."""

_STEM_CHANNELS = 64
_EXPANSION = 4  # channels of a bottleneck's result over those of its 3×3 convolution


@benchmark_model(configs=["resnet18", "resnet50"])
def resnet(training: bool, config: str, microbatch: int = 0) -> Benchmark:
    """ResNet with 18 or 50 layers on ImageNet-sized images."""
    return classification(build(config), training, microbatch, _TOLERANCE[config])


@benchmark_model(configs=["head", "layer1", "layer2", "layer3", "layer4"])
def resnet50_layer(config: str, microbatch: int = 0) -> Benchmark:
    """One stage of ResNet-50 alone: the head with its 7×7 convolution, or one of the four stages of bottlenecks."""
    return inference(build_stage(config), microbatch)


def build(config: str) -> Any:
    """The whole network: images of 224×224 to logits."""
    x = inputs = image(224)
    x = _stem(x)
    for stage, units in enumerate(_UNITS[config]):
        x = _stage(x, stage, units, bottleneck=config == "resnet50")
    return keras.Model(inputs, classifier(x), name=config)


def build_stage(config: str) -> Any:
    """A stage of the network with 50 layers, on inputs of the size that it has there."""
    if config == "head":
        inputs = image(224)
        return keras.Model(inputs, _stem(inputs), name="resnet50_head")
    stage = int(config.removeprefix("layer")) - 1
    channels = _STEM_CHANNELS if stage == 0 else _EXPANSION * _STEM_CHANNELS << (stage - 1)
    inputs = image(56 >> max(stage - 1, 0), channels, "features")
    return keras.Model(inputs, _stage(inputs, stage, _UNITS["resnet50"][stage], bottleneck=True), name=f"resnet50_{config}")


def _stem(x: Any) -> Any:
    # With the usual shift, no maximum of nine would be zero, and the next normalization would subtract it: its gradient would be rounding errors.
    return max_pool(convolution(x, _STEM_CHANNELS, 7, 2, shift=0.0, name="stem"), "stem_pool")


def _stage(x: Any, stage: int, units: int, bottleneck: bool) -> Any:
    for unit in range(units):
        stride = 2 if stage > 0 and unit == 0 else 1
        name = f"layer{stage + 1}_{unit}"
        if bottleneck:
            x = bottleneck_unit(x, _STEM_CHANNELS << stage, stride, name=name)
        else:
            x = basic_unit(x, _STEM_CHANNELS << stage, stride, name=name)
    return x


def basic_unit(x: Any, channels: int, stride: int = 1, *, name: str) -> Any:
    """Two 3×3 convolutions beside a shortcut."""
    y = convolution(x, channels, 3, stride, name=f"{name}_conv1")
    y = convolution(y, channels, 3, activation=None, gain=RESIDUAL_GAIN, name=f"{name}_conv2")
    return _join(x, y, stride, name)


def bottleneck_unit(x: Any, channels: int, stride: int = 1, *, name: str) -> Any:
    """A 3×3 convolution between two 1×1 ones, beside a shortcut; the result has four times ``channels``."""
    y = convolution(x, channels, 1, name=f"{name}_conv1")
    y = convolution(y, channels, 3, stride, name=f"{name}_conv2")
    y = convolution(y, channels * _EXPANSION, 1, activation=None, gain=RESIDUAL_GAIN, name=f"{name}_conv3")
    return _join(x, y, stride, name)


def _join(x: Any, y: Any, stride: int, name: str) -> Any:
    if stride != 1 or x.shape[-1] != y.shape[-1]:
        x = convolution(x, y.shape[-1], 1, stride, activation=None, name=f"{name}_shortcut")
    return layers.Activation("relu", name=name)(layers.Add(name=f"{name}_add")([x, y]))
