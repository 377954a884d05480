"""The blocks that convolutional models are made of: padded convolutions, batch normalization, activations, and weights that keep values alive.

Arrays are NHWC. Weights are random, but chosen so that a signal passes a hundred layers with its magnitude: He initialization by the true fan-in, and
batch normalization whose scales, shifts and statistics are all different, so that a runtime that confuses two of them computes something else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import keras
from keras import layers

from zonemark.models.weights import Kernel, Normal, Uniform

Activation: TypeAlias = "str | Callable[[Any], Any] | None"

IMAGENET_CLASSES = 1000
RESIDUAL_GAIN = 0.25
"""Scale of the last normalization of a residual branch: with 1, the variance would double with every unit and leave float16 after thirty."""

TORCH_EPSILON = 1e-5
"""The epsilon of batch normalization in models that were published for PyTorch, which is its default."""


def image(resolution: int, channels: int = 3, name: str = "image") -> Any:
    """The input of a model: square images with values around 0, batch dimension left open."""
    return keras.Input((resolution, resolution, channels), name=name)


def convolution(
    x: Any,
    filters: int,
    kernel: int | tuple[int, int] = 3,
    stride: int = 1,
    *,
    name: str,
    dilation: int = 1,
    padding: str = "torch",
    bias: bool = False,
    norm: bool = True,
    activation: Activation = "relu",
    gain: float = 1.0,
    shift: float | None = None,
    epsilon: float = TORCH_EPSILON,
) -> Any:
    """A convolution with the normalization and activation that usually follow it.

    Args:
        x: Symbolic input, NHWC.
        filters: Channels of the result.
        kernel: Height and width of the kernel, one number if they are equal.
        stride: Step in both directions.
        name: Names the weights: NAME/kernel, NAME/bias and NAME_norm/….
        dilation: Step between the kernel's elements.
        padding: "torch" pads half the kernel on every side, which differs from "same" where the stride is not 1; or a padding of Keras.
        bias: Whether a bias is added; the published count of parameters depends on it even where a normalization makes it useless.
        norm: Whether batch normalization follows.
        activation: What Keras takes as an activation; None for none.
        gain: Scale of the normalization.
        shift: Mean shift of the normalization, ``gain`` unless given.
        epsilon: Epsilon of the normalization.
    """
    height, width = (kernel, kernel) if isinstance(kernel, int) else kernel
    x, padding = _pad(x, (height, width), stride, dilation, padding, name)
    x = layers.Conv2D(
        filters,
        (height, width),
        strides=stride,
        padding=padding,
        dilation_rate=dilation,
        use_bias=bias,
        kernel_initializer=Kernel(_power(activation)),
        bias_initializer=Normal(0.05),
        name=name,
    )(x)
    return _finish(x, norm, activation, gain, epsilon, name, shift)


def depthwise(
    x: Any,
    kernel: int = 3,
    stride: int = 1,
    *,
    name: str,
    dilation: int = 1,
    padding: str = "torch",
    norm: bool = True,
    activation: Activation = "relu",
    epsilon: float = TORCH_EPSILON,
) -> Any:
    """A convolution of each channel alone; the arguments are those of ``convolution``."""
    x, padding = _pad(x, (kernel, kernel), stride, dilation, padding, name)
    x = layers.DepthwiseConv2D(
        kernel,
        strides=stride,
        padding=padding,
        dilation_rate=dilation,
        use_bias=False,
        depthwise_initializer=Kernel(_power(activation), depthwise=True),
        name=name,
    )(x)
    return _finish(x, norm, activation, 1.0, epsilon, name)


def normalization(gain: float = 1.0, epsilon: float = TORCH_EPSILON, name: str | None = None, shift: float | None = None) -> Any:
    """Batch normalization with random parameters and statistics, the scale around ``gain``."""
    return layers.BatchNormalization(epsilon=epsilon, name=name, **normalization_initializers(gain, shift))


def normalization_initializers(gain: float = 1.0, shift: float | None = None) -> dict[str, Any]:
    """Initializers of a normalization by the names of its arguments.

    The shift is as large as the scale, so that a rectifier zeroes a sixth of the values and not half: with a shift of 0, gradients behind fifty
    normalizations depend on the last bit of the image, and no two machines would agree on them.
    """
    return {
        "gamma_initializer": Uniform(0.8 * gain, 1.2 * gain),
        "beta_initializer": Normal(0.1 * gain, mean=gain if shift is None else shift),
        "moving_mean_initializer": Normal(0.1),
        "moving_variance_initializer": Uniform(0.8, 1.2),
    }


def classifier(x: Any, classes: int = IMAGENET_CLASSES, name: str = "classifier") -> Any:
    """The mean over the image, then a dense layer: logits."""
    x = layers.GlobalAveragePooling2D(name="pool")(x)
    return layers.Dense(classes, kernel_initializer=Kernel(1.0), name=name)(x)


def max_pool(x: Any, name: str) -> Any:
    """Halves an image by the maximum over 3×3 elements, padded by one on every side."""
    # The padding is zeros: the input comes from a ReLU, so they never win over an element of the image.
    x = layers.ZeroPadding2D(1, name=f"{name}_pad")(x)
    return layers.MaxPooling2D(3, 2, name=name)(x)


def _power(activation: Activation) -> float:
    """What keeps the mean square: twice it before a rectifier, which takes about half away; and what keeps a sigmoid from its ends."""
    if activation is None:
        return 1.0
    return 0.05 if activation == "sigmoid" else 2.0


def _pad(x: Any, kernel: tuple[int, int], stride: int, dilation: int, padding: str, name: str) -> tuple[Any, str]:
    if padding != "torch":
        return x, padding
    if stride == 1:
        return x, "same"  # the same for odd kernels, without an operation of its own
    amount = tuple((size - 1) * dilation // 2 for size in kernel)
    if any(amount):
        x = layers.ZeroPadding2D(amount, name=f"{name}_pad")(x)
    return x, "valid"


def _finish(x: Any, norm: bool, activation: Activation, gain: float, epsilon: float, name: str, shift: float | None = None) -> Any:
    if norm:
        x = normalization(gain, epsilon, f"{name}_norm", shift)(x)
    if activation is not None:
        x = layers.Activation(activation, name=f"{name}_activation")(x)
    return x
