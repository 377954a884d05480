"""MobileNet v1, v2 and v3 by keras.applications, with weights that keep their signal alive.

v1: Howard and others, 2017, https://arxiv.org/abs/1704.04861; v2: Sandler and others, 2018, https://arxiv.org/abs/1801.04381; v3: Howard and others,
2019, https://arxiv.org/abs/1905.02244. The configurations are the checkpoints that the old benchmark took: resolution and width belong together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
from keras import applications, layers

from zonemark.models import benchmark_model
from zonemark.models.convolution import image, normalization_initializers
from zonemark.models.vision import Benchmark, classification
from zonemark.models.weights import Kernel

_V1_WIDTHS = {"192": 0.75, "224": 1.0}
_V2_WIDTHS = {"224": 1.0, "160": 0.75, "96": 0.35}
_V3_RESOLUTION = 224


@benchmark_model(configs=list(_V1_WIDTHS))
def mobilenet_v1(training: bool, config: str, microbatch: int = 0) -> Benchmark:
    """MobileNet v1: width 0.75 at 192×192, width 1 at 224×224."""
    return classification(build_v1(config), training, microbatch)


@benchmark_model(configs=list(_V2_WIDTHS))
def mobilenet_v2(training: bool, config: str, microbatch: int = 0) -> Benchmark:
    """MobileNet v2: width 1 at 224×224, 0.75 at 160×160, 0.35 at 96×96."""
    return classification(build_v2(config), training, microbatch)


@benchmark_model(configs=["small", "large"])
def mobilenet_v3(training: bool, config: str, microbatch: int = 0) -> Benchmark:
    """MobileNet v3, small or large, at 224×224."""
    return classification(build_v3(config), training, microbatch)


@benchmark_model(configs=["small", "large"])
def mobilenet_v3_timm(training: bool, config: str, microbatch: int = 0) -> Benchmark:
    """The old benchmark's name of mobilenet_v3."""
    return classification(build_v3(config), training, microbatch)


def build_v1(config: str) -> Any:
    """MobileNet v1: images to logits."""
    # The dropout of 0.1 % is left out: it would make a training step random.
    return _lively(applications.MobileNet, int(config), alpha=_V1_WIDTHS[config], dropout=0.0)


def build_v2(config: str) -> Any:
    """MobileNet v2: images to logits."""
    return _lively(applications.MobileNetV2, int(config), alpha=_V2_WIDTHS[config])


def build_v3(config: str) -> Any:
    """MobileNet v3: images to logits, without the dropout before the classifier."""
    network = {"small": applications.MobileNetV3Small, "large": applications.MobileNetV3Large}[config]
    return _lively(network, _V3_RESOLUTION, dropout_rate=0.0, include_preprocessing=False)


def _lively(network: Callable[..., Any], resolution: int, **options: Any) -> Any:
    """A network of Keras with our initializers: with its own, the activations of a MobileNet vanish before the tenth layer."""
    with keras.StatelessScope(initialize_variables=False):  # the weights of this one are never made
        model = network((resolution, resolution, 3), input_tensor=image(resolution), weights=None, classifier_activation=None, **options)
    return keras.models.clone_model(model, clone_function=_with_initializers)


class _Projection(layers.BatchNormalization):  # type: ignore[misc]  # Keras has no types
    """The normalization at the end of a block, before which nothing rectifies. The gradient of its shift is 0, exactly.

    What follows is a 1×1 convolution and the next normalization, which subtracts the shift again. Computed, the gradient would be rounding errors,
    different ones with every compiler.
    """

    @property
    def beta(self) -> Any:
        """The shift, where the layer computes with it."""
        return keras.ops.stop_gradient(self._shift)

    @beta.setter
    def beta(self, variable: Any) -> None:
        self._shift = variable


def _with_initializers(layer: Any) -> Any:
    config, kind = layer.get_config(), type(layer)
    if isinstance(layer, layers.DepthwiseConv2D):
        config["depthwise_initializer"] = Kernel(2.0, depthwise=True)
    elif isinstance(layer, layers.Conv2D):
        config["kernel_initializer"] = Kernel(2.0)
    elif isinstance(layer, layers.BatchNormalization) and "project" in layer.name:
        # As the end of a residual branch: with a gain of 1 the variance would more than double with every block.
        config.update(normalization_initializers(0.5))
        kind = _Projection
    elif isinstance(layer, layers.BatchNormalization):
        config.update(normalization_initializers())
    return kind.from_config(config)
