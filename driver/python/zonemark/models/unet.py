"""U-Net (Ronneberger and others, 2015, https://arxiv.org/abs/1505.04597) with batch normalization and 32 initial channels, as published for the
segmentation of brain MRI (https://github.com/mateuszbuda/brain-segmentation-pytorch), which the old benchmark ran."""

from __future__ import annotations

from typing import Any

import keras
from keras import layers

from zonemark.models import benchmark_model
from zonemark.models.convolution import convolution, image
from zonemark.models.vision import Benchmark, segmentation
from zonemark.models.weights import Normal

_CHANNELS = 32
_DEPTH = 4


@benchmark_model(configs=["256"])
def unet(training: bool, config: str, microbatch: int = 0) -> Benchmark:
    """U-Net that segments images of 256×256 into foreground and background."""
    return segmentation(build(config), training, microbatch)


def build(config: str) -> Any:
    """The network: images to the probability of the foreground at each pixel."""
    x = inputs = image(int(config))
    skipped = []
    for level in range(_DEPTH):
        x = _block(x, _CHANNELS << level, f"encoder{level + 1}")
        skipped.append(x)
        x = layers.MaxPooling2D(2, name=f"pool{level + 1}")(x)
    x = _block(x, _CHANNELS << _DEPTH, "bottleneck")
    for level in reversed(range(_DEPTH)):
        x = _up(x, _CHANNELS << level, f"up{level + 1}")
        x = layers.Concatenate(name=f"join{level + 1}")([x, skipped[level]])
        x = _block(x, _CHANNELS << level, f"decoder{level + 1}")
    x = convolution(x, 1, 1, bias=True, norm=False, activation="sigmoid", name="segment")
    return keras.Model(inputs, x, name=f"unet_{config}")


def _block(x: Any, channels: int, name: str) -> Any:
    x = convolution(x, channels, name=f"{name}_conv1")
    return convolution(x, channels, name=f"{name}_conv2")


def _up(x: Any, channels: int, name: str) -> Any:
    # Stride and kernel are equal: each element of the result comes from one of the input, so the sum is over the input's channels alone.
    return layers.Conv2DTranspose(channels, 2, strides=2, kernel_initializer=Normal(float(x.shape[-1]) ** -0.5), name=name)(x)
