"""The convolutional models: that they are the published networks, that their signal lives to the end, and that they can be trained."""

from __future__ import annotations

import functools
import math
import os
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from published import PUBLISHED, Published

from zonemark.models import vision, weights
from zonemark.models.exporter import arrays, calling, staging
from zonemark.models.exporter.calling import Options
from zonemark.models.exporter.registry import discover

OUTPUTS = {
    "resnet": [(1, 1000)],
    "resnet50_layer": {
        "head": [(1, 56, 56, 64)],
        "layer1": [(1, 56, 56, 256)],
        "layer2": [(1, 28, 28, 512)],
        "layer3": [(1, 14, 14, 1024)],
        "layer4": [(1, 7, 7, 2048)],
    },
    "mobilenet_v1": [(1, 1000)],
    "mobilenet_v2": [(1, 1000)],
    "mobilenet_v3": [(1, 1000)],
    "mobilenet_v3_timm": [(1, 1000)],
    "unet": [(1, 256, 256, 1)],
    "yolo_v3": {"default": [(1, 16, 16, 255), (1, 32, 32, 255), (1, 64, 64, 255)], "tiny": [(1, 16, 16, 255), (1, 32, 32, 255)]},
    "yolo_v5": {"s": [(1, 40, 40, 255), (1, 20, 20, 255), (1, 10, 10, 255)], "m": [(1, 80, 80, 255), (1, 40, 40, 255), (1, 20, 20, 255)]},
    "inception_v4": [(1, 1000)],
    "vovnet_v2": [(1, 1000)],
    "hrnet": [(1, 1000)],
    "openpose": {"body": [(1, 28, 28, 38), (1, 28, 28, 19)], "hand": [(1, 28, 28, 22)]},
    "openpose_hand": [(1, 28, 28, 22)],
    "openpose_osmr_body": {"2d": [(1, 28, 28, 57)], "3d": [(1, 28, 28, 114)]},
    "simple_add": [(1, 1, 32, 32)],
    "big_conv": [(1, 1, 112 * 112, 64)],
}
TRAINABLE = {"resnet", "mobilenet_v1", "mobilenet_v2", "mobilenet_v3", "mobilenet_v3_timm", "unet"}


CATALOG = discover([])
CONFIGURATIONS = [(name, config) for name in OUTPUTS for config in CATALOG.model(name).configs]

# These take long to trace and differ from others in the number of channels or of equal blocks only, so they are tested on request.
LARGE = {("hrnet", f"v2_w{channels}") for channels in (30, 32, 40, 44, 48, 64)} | {("vovnet_v2", "39"), ("vovnet_v2", "99"), ("yolo_v5", "m")}
TESTED = [pair for pair in CONFIGURATIONS if pair not in LARGE or os.environ.get("ZONEMARK_TEST_LARGE")]


@functools.cache
def described(model: str, config: str) -> staging.Stage:
    """The device's program without weights, made once for all tests."""
    return stage(model, config=config)


def stage(model: str, abstract: bool = True, **options: Any) -> staging.Stage:
    """The device's program of a model that has no other."""
    (only,) = staging.stages(calling.call(CATALOG.model(model), Options(**options), abstract))
    return only


@pytest.mark.parametrize(("model", "config"), TESTED)
def test_every_configuration_computes_what_it_says(model: str, config: str) -> None:
    shapes = OUTPUTS[model]
    expected = shapes[config] if isinstance(shapes, dict) else shapes
    assert [result.spec.shape for result in described(model, config).program.results] == expected


# Multiply-adds per image by the networks' publications or, where marked, by the library that the parameters are counted by.
GIGA_MULTIPLY_ADDS = {
    ("resnet", "resnet18"): 1.82,  # timm
    ("resnet", "resnet50"): 4.11,  # timm
    ("mobilenet_v1", "192"): 0.233,  # slim
    ("mobilenet_v1", "224"): 0.569,
    ("mobilenet_v2", "224"): 0.300,
    ("mobilenet_v2", "160"): 0.107,  # slim
    ("mobilenet_v2", "96"): 0.011,  # slim
    ("mobilenet_v3", "small"): 0.056,
    ("mobilenet_v3", "large"): 0.219,
    ("vovnet_v2", "19"): 1.34,  # timm
    ("vovnet_v2", "39"): 7.09,  # timm
    ("vovnet_v2", "99"): 16.51,  # timm
    ("hrnet", "w18"): 2.62,
    ("hrnet", "v2_w64"): 29.0,
}


@pytest.mark.parametrize(("model", "config"), [pair for pair in GIGA_MULTIPLY_ADDS if pair in TESTED])
def test_operations_are_those_published(model: str, config: str) -> None:
    flop = described(model, config).program.flop()
    assert flop is not None
    # XLA leaves out what multiplies padding, and counts normalizations and activations.
    assert 0.85 < flop / 2e9 / GIGA_MULTIPLY_ADDS[model, config] < 1.25


def test_programs_draw_no_random_numbers() -> None:
    for model, config in ("mobilenet_v2", "96"), ("mobilenet_v3", "small"):
        assert "random_bits" not in str(described(model, config).program.computation)


@pytest.mark.parametrize("published", [p for p in PUBLISHED if (p.model, p.config) in TESTED], ids=lambda p: f"{p.model}-{p.config}")
def test_parameters_are_those_published(published: Published) -> None:
    counts = {
        argument.name: argument.spec.size
        for argument in described(published.model, published.config).program.arguments
        if argument.name.startswith("params/") and (published.normalizations or not argument.name.endswith(("/gamma", "/beta")))
    }
    count = sum(counts.values())
    assert abs(count - published.count) <= max(published.unit // 2, published.within * published.count), published.source


def test_every_published_network_has_a_count() -> None:
    counted = {(published.model, published.config) for published in PUBLISHED}
    parts = {"resnet50_layer", "simple_add", "big_conv"}
    assert counted == {(model, config) for model, config in CONFIGURATIONS if model not in parts}


@pytest.mark.parametrize(("model", "config"), [("resnet50_layer", "layer4"), ("simple_add", "default")])
def test_the_signal_lives_to_the_end(model: str, config: str) -> None:
    for result in run(stage(model, abstract=False, config=config)):
        assert np.isfinite(result).all()
        assert 0.05 < result.std() < 50


def test_every_half_of_an_image_counts() -> None:
    halves = [np.s_[:48], np.s_[48:], np.s_[:, :48], np.s_[:, 48:]]
    network = stage("mobilenet_v2", abstract=False, config="96", microbatch=1 + len(halves))
    (images,) = (argument.leaf for argument in network.arguments if argument.kind == "input")
    images[:] = images[0]
    for image, half in zip(images[1:], halves, strict=True):
        image[half] = 0
    (logits,) = run(network)
    assert np.isfinite(logits).all()
    assert 0.05 < logits[0].std() < 50
    for changed in logits[1:]:
        assert np.abs(changed - logits[0]).max() > 0.02 * logits[0].std()


def test_weights_follow_the_seed() -> None:
    first, same, other = ([np.asarray(a.leaf) for a in head.arguments] for head in (head_of_resnet(seed) for seed in (0, 0, 1)))
    assert all(np.array_equal(a, b) for a, b in zip(first, same, strict=True))
    assert not any(np.array_equal(a, b) for a, b in zip(first[:-1], other[:-1], strict=True))  # the last is the image


def head_of_resnet(seed: int) -> staging.Stage:
    return stage("resnet50_layer", abstract=False, config="head", seed=seed)


@functools.cache
def trained() -> staging.Stage:
    """A small network with its weights, made once for all tests."""
    return stage("mobilenet_v2", abstract=False, config="96", training=True, microbatch=2)


@pytest.mark.parametrize("model", sorted(TRAINABLE))
def test_training_gives_a_loss_and_a_gradient_of_every_parameter(model: str) -> None:
    network = trained() if model == "mobilenet_v2" else stage(model, config=CATALOG.model(model).configs[0], training=True)
    program = network.program
    parameters = {a.name.removeprefix("params"): a.spec.shape for a in program.arguments if a.name.startswith("params/")}
    gradients = {r.name.removeprefix("gradients"): r.spec.shape for r in program.results[1:]}
    assert program.results[0].name == "loss"
    assert program.results[0].spec.shape == ()
    assert gradients == parameters


def test_models_that_are_not_trained_say_so() -> None:
    assert {name for name in OUTPUTS if "training" in CATALOG.model(name).takes} == TRAINABLE


def test_gradients_are_finite_and_reach_the_first_layer() -> None:
    loss, *gradients = run(trained())
    assert 0 < loss < 50
    for value, gradient in zip(trained().program.results[1:], gradients, strict=True):
        assert np.isfinite(gradient).all(), value.name
        # The shift of a projection is subtracted again by the next normalization.
        assert (np.abs(gradient).max() > 0) == ("project" not in value.name or not value.name.endswith("/beta")), value.name


def test_microbatch_is_the_batch_dimension() -> None:
    assert stage("resnet", config="resnet18", microbatch=3).program.results[0].spec.shape == (3, 1000)


def test_cross_entropy() -> None:
    logits = jnp.log(jnp.array([[0.25, 0.75], [0.9, 0.1]]))
    loss = vision.cross_entropy(logits, jnp.array([1, 0]))
    assert math.isclose(loss, -(math.log(0.75) + math.log(0.9)) / 2, rel_tol=1e-6)


def test_dice() -> None:
    # Three pixels of the foreground, four of the mask, two in both, one pixel of smoothing: 1 - (2·2 + 1)/(3 + 4 + 1).
    probabilities = jnp.array([1.0, 1.0, 1.0, 0.0, 0.0])
    masks = jnp.array([0.0, 1.0, 1.0, 1.0, 1.0])
    assert math.isclose(vision.dice(probabilities, masks), 1 - 5 / 8, rel_tol=1e-6)
    assert math.isclose(vision.dice(masks, masks), 0, abs_tol=1e-6)


@pytest.mark.parametrize(("shape", "depthwise", "summed"), [((3, 3, 64, 512), False, 576), ((3, 3, 4096, 1), True, 9), ((1024, 64), False, 1024)])
def test_kernels_keep_the_mean_square(shape: tuple[int, ...], depthwise: bool, summed: int) -> None:
    kernel = weights.Kernel(2.0, depthwise)
    assert math.isclose(float(jnp.square(kernel(shape)).mean()), 2 / summed, rel_tol=0.05)
    assert np.array_equal(kernel(shape), kernel(shape))
    assert not np.array_equal(kernel(shape), weights.Kernel(2.0, depthwise)(shape))


def test_weights_are_not_drawn_while_a_computation_is_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights.Normal, "draw", None)
    assert jax.eval_shape(lambda: weights.Normal(1.0)((2, 3), "float16")) == jax.ShapeDtypeStruct((2, 3), jnp.float16)


def run(stage: staging.Stage) -> list[np.ndarray]:
    return [np.asarray(result) for result in stage.program.run(arguments_of(stage))]


def arguments_of(stage: staging.Stage) -> list[np.ndarray]:
    pairs = zip(stage.arguments, stage.program.arguments, strict=True)
    return [arrays.value_of(argument.leaf, value.spec, 0, value.name) for argument, value in pairs]
