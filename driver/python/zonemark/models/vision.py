"""What models of images have in common beside their networks: the images, and the targets and losses with which they are trained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from zonemark.models import Module

Benchmark: TypeAlias = "tuple[list[Module], list[Any]] | tuple[list[Module], list[Any], list[Any]]"
"""What a model returns: its modules, their inputs, and for training the targets."""

_MICROBATCH = 1  # images at a time, where the user does not choose

_SEGMENTATION_TOLERANCE = 0.05
"""Of the gradients of segmentation, relative to their size: batch statistics are sums over as many terms as an image has pixels, one after the other
in float32, and what is left of a gradient when its mean is taken away is a hundredth of it."""


def inference(network: Any, microbatch: int) -> Benchmark:
    """A network that is only run: a Keras model of one input, on random images.

    Args:
        network: The model; its input has an open batch dimension.
        microbatch: Images at a time; 0 is one.
    """
    return [Module(network)], [_images(network, microbatch)]


def classification(network: Any, training: bool, microbatch: int, tolerance: float = 0.0) -> Benchmark:
    """A network that gives logits, to be run or, with random labels, to be trained to gradients within ``tolerance``."""
    return _trainable(network, training, microbatch, cross_entropy, _labels, tolerance)


def segmentation(network: Any, training: bool, microbatch: int) -> Benchmark:
    """A network that gives a probability for each pixel, to be run or, with discs as masks, to be trained."""
    return _trainable(network, training, microbatch, dice, _masks, _SEGMENTATION_TOLERANCE)


def cross_entropy(logits: Any, labels: Any) -> Any:
    """The mean cross entropy of logits of any shape (…, classes) and integer labels (…), in float32."""
    logarithms = jax.nn.log_softmax(logits.astype(jnp.float32))
    return -jnp.take_along_axis(logarithms, labels[..., None], axis=-1).mean()


def dice(probabilities: Any, masks: Any) -> Any:
    """The Dice loss of a segmentation, in float32: one minus twice the intersection over the sum, both smoothed by one pixel."""
    probabilities, masks = probabilities.astype(jnp.float32), masks.astype(jnp.float32)
    intersection = (probabilities * masks).sum()
    return 1.0 - (2.0 * intersection + 1.0) / (probabilities.sum() + masks.sum() + 1.0)


def _trainable(
    network: Any, training: bool, microbatch: int, loss: Callable[..., Any], targets: Callable[..., Any], tolerance: float = 0.0
) -> Benchmark:
    images = _images(network, microbatch)
    if not training:
        return [Module(network)], [images]
    return [Module(network, loss=loss, tolerance=tolerance)], [images], [targets(network.outputs[0].shape, len(images))]


def _images(network: Any, microbatch: int) -> np.ndarray:
    shape = network.inputs[0].shape
    return np.random.default_rng(0).standard_normal((microbatch or _MICROBATCH, *shape[1:]), np.float32)


def _labels(shape: tuple[int, ...], count: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, shape[-1], count, np.int32)


def _masks(shape: tuple[int, ...], count: int) -> np.ndarray:
    """A disc in the middle of each image. In the gradients of random masks, pixels would cancel each other out, and rounding errors remain."""
    _, height, width, channels = shape
    y, x = np.ogrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    disc = (x * x + y * y < 0.25).astype(np.float32)
    return np.broadcast_to(disc[None, :, :, None], (count, height, width, channels)).copy()
