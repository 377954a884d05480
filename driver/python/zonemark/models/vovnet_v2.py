"""VoVNetV2 (Lee and Park, 2019, https://arxiv.org/abs/1911.06667) as timm builds it: ese_vovnet19b_dw, ese_vovnet39b, ese_vovnet99b.

A block makes a chain of convolutions and joins all their results at once (one-shot aggregation); a gate then weighs the channels (effective
squeeze-excitation).
"""

from __future__ import annotations

from typing import Any

import keras
from keras import layers

from zonemark.models import benchmark_model
from zonemark.models.convolution import RESIDUAL_GAIN, classifier, convolution, depthwise, image
from zonemark.models.vision import Benchmark, inference
from zonemark.models.weights import Kernel

_BLOCKS = {"19": (1, 1, 1, 1), "39": (1, 1, 2, 2), "99": (1, 3, 9, 3)}
_INNER_CHANNELS = (128, 160, 192, 224)
_OUTER_CHANNELS = (256, 512, 768, 1024)


@benchmark_model(configs=list(_BLOCKS))
def vovnet_v2(config: str, microbatch: int = 0) -> Benchmark:
    """VoVNetV2 with 19 (depthwise), 39 or 99 layers on ImageNet-sized images."""
    return inference(build(config), microbatch)


def build(config: str) -> Any:
    """The network: images of 224×224 to logits."""
    separable = config == "19"
    x = inputs = image(224)
    x = convolution(x, 64, 3, 2, name="stem1")
    x = _convolution(x, 64, 1, separable, "stem2")
    x = _convolution(x, 64 if separable else 128, 2, separable, "stem3")
    for stage, blocks in enumerate(_BLOCKS[config]):
        if stage > 0:
            x = layers.MaxPooling2D(3, 2, padding="same", name=f"stage{stage + 1}_pool")(x)
        for block in range(blocks):
            x = _aggregate(
                x,
                _INNER_CHANNELS[stage],
                _OUTER_CHANNELS[stage],
                convolutions=3 if separable else 5,
                separable=separable,
                residual=block > 0,
                gated=block == blocks - 1,
                name=f"stage{stage + 1}_{block}",
            )
    return keras.Model(inputs, classifier(x), name=f"vovnet_v2_{config}")


def _aggregate(x: Any, inner: int, outer: int, *, convolutions: int, separable: bool, residual: bool, gated: bool, name: str) -> Any:
    results = [x]
    y = convolution(x, inner, 1, name=f"{name}_reduce") if separable and x.shape[-1] != inner else x
    for index in range(convolutions):
        y = _convolution(y, inner, 1, separable, f"{name}_conv{index + 1}")
        results.append(y)
    y = layers.Concatenate(name=f"{name}_join")(results)
    y = convolution(y, outer, 1, gain=RESIDUAL_GAIN if residual else 1.0, name=f"{name}_concat")
    if gated:
        y = _gate(y, f"{name}_gate")
    return layers.Add(name=f"{name}_add")([x, y]) if residual else y


def _convolution(x: Any, channels: int, stride: int, separable: bool, name: str) -> Any:
    if not separable:
        return convolution(x, channels, 3, stride, name=name)
    x = depthwise(x, 3, stride, norm=False, activation=None, name=f"{name}_depthwise")
    return convolution(x, channels, 1, name=name)


def _gate(x: Any, name: str) -> Any:
    channels = x.shape[-1]
    weight = layers.GlobalAveragePooling2D(keepdims=True, name=f"{name}_mean")(x)
    weight = layers.Conv2D(channels, 1, kernel_initializer=Kernel(1.0), name=name)(weight)
    weight = layers.Activation("hard_sigmoid", name=f"{name}_sigmoid")(weight)
    return layers.Multiply(name=f"{name}_scale")([x, weight])
