"""The old benchmark's smallest programs, in which a runtime's overhead shows: one addition, one convolution."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp

from zonemark.models import Module, Parameter, benchmark_model
from zonemark.models.vision import Benchmark


@benchmark_model(configs=["default", "default1", "default2"])
def simple_add(config: str, microbatch: int = 0) -> Benchmark:
    """One addition of a weight to an array of 32×32; the old benchmark has three names for it."""

    def add(params: Any, x: Any) -> Any:
        return x + params["weights"]

    return [Module(add, {"weights": Parameter((1, 1, 32, 32), std=1.0)})], [jnp.linspace(-1.0, 1.0, 1024 * (microbatch or 1)).reshape(-1, 1, 32, 32)]


@benchmark_model(configs=["224"])
def big_conv(config: str, microbatch: int = 0) -> Benchmark:
    """The first convolution of ResNet alone, 7×7 with stride 2 on images of 224×224, its result as a matrix of pixels and channels."""
    resolution, channels, filters, kernel = int(config), 3, 64, 7
    params = {"kernel": Parameter((kernel, kernel, channels, filters), std=math.sqrt(1.0 / (kernel * kernel * channels)))}

    def convolve(params: Any, images: Any) -> Any:
        y = jax.lax.conv_general_dilated(images, params["kernel"], (2, 2), [(3, 3), (3, 3)], dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return y.reshape(y.shape[0], 1, -1, filters)

    images = jax.random.normal(jax.random.key(0), (microbatch or 1, resolution, resolution, channels))
    return [Module(convolve, params)], [images]
