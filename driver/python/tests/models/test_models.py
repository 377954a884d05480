"""The shipped transformers: as many weights as published, and generating the tokens that a pass over all of them says follow."""

import importlib

import numpy as np
import pytest

from zonemark.models.exporter import arrays, manifest
from zonemark.models.exporter.calling import Options, call
from zonemark.models.exporter.registry import discover
from zonemark.models.exporter.staging import stages

MODELS = discover([]).models

# Learned weights of the published checkpoints as PyTorch counts parameters: bert-tiny (prajjwal1), bert-base-uncased and bert-large-uncased with
# their pooler; google/vit-base-patch16-224 and vit-large; facebook/deit; t5 and google/flan-t5; openai/whisper without the encoder's sinusoids.
PUBLISHED = {
    ("bert", "tiny"): 4_385_920,
    ("bert", "base"): 109_482_240,
    ("bert", "large"): 335_141_888,
    ("bert", "base_tc"): 109_483_778,
    ("bert", "large_tc"): 335_143_938,
    ("vit", "base"): 86_567_656,
    ("vit", "large"): 304_326_632,
    ("deit", "base"): 86_567_656,
    ("deit", "small"): 22_050_664,
    ("deit", "large"): 304_326_632,  # as vit-large
    ("t5", "base"): 222_903_552,
    ("t5", "large"): 737_668_096,
    ("flan_t5", "base"): 247_577_856,
    ("flan_t5", "large"): 783_150_080,
    ("whisper", "tiny"): 37_184_640,
    ("whisper", "small"): 240_582_912,
    ("whisper_decoder", "tiny"): 29_552_256,
    ("whisper_decoder", "small"): 153_580_800,
}

GENERATIVE = [name for name, model in MODELS.items() if "generative" in model.takes]


def test_no_shipped_file_is_a_mistake():
    assert discover([]).mistakes == []


@pytest.mark.parametrize(("name", "config"), PUBLISHED)
def test_parameters_are_as_many_as_published(name, config):
    assert config in MODELS[name].configs
    assert manifest.describe(MODELS[name], Options(config=config))["parameters"] == PUBLISHED[name, config]


@pytest.mark.parametrize("name", GENERATIVE)
def test_generating_holds_the_same_weights(name):
    config = MODELS[name].configs[0]
    described = manifest.describe(MODELS[name], Options(config=config, generative=True))
    assert described["parameters"] == PUBLISHED[name, config]
    assert described["tokens_per_iteration"] == 32
    assert described["flop"] > manifest.describe(MODELS[name], Options(config=config, layers=1, generative=True))["flop"] > 0


def staged(name, **options):
    returned = call(MODELS[name], Options(config=MODELS[name].configs[0], layers=1, microbatch=2, **options), abstract=False)
    return list(stages(returned))


def arguments(stage, values):
    """The arguments of a program: those in values by their names, the model's own otherwise, which are put into values."""
    for argument, value in zip(stage.arguments, stage.program.arguments, strict=True):
        if value.name not in values:
            values[value.name] = arrays.value_of(argument.leaf, value.spec, 0, argument.drawn_as)
        yield values[value.name]


@pytest.mark.parametrize("name", GENERATIVE)
def test_generated_tokens_are_those_of_one_pass(name, monkeypatch):
    module = importlib.import_module(MODELS[name].function.__module__)
    monkeypatch.setattr(module, "VOCABULARY", 5000)  # large ones take time and test no more
    monkeypatch.setattr(module, "START", 17, raising=False)
    weights = {}
    (generating,) = staged(name, generative=True)
    tokens = np.asarray(generating.program.run(list(arguments(generating, weights)))[0])
    assert tokens.shape == (2, 32)
    assert len(np.unique(tokens)) > 2, "the model repeats one token, which tells little"

    *before, reading = staged(name)
    first = np.full((2, 1), 17 if name == "whisper" else 0, np.int32)
    values = weights | {"text" if name == "whisper" else "answer": np.concatenate([first, tokens[:, :-1]], axis=1)}
    for stage in before:
        results = stage.program.run(list(arguments(stage, values)))
        inputs = reading.program.arguments[-len(results) :]
        values |= {argument.name: value for argument, value in zip(inputs, results, strict=True)}
    if name == "t5":
        values["params/logits"] = weights["params/embedding"]
    drawn = len(values)
    (logits,) = reading.program.run(list(arguments(reading, values)))
    assert len(values) == drawn, "the two ways have the same weights"
    chosen = np.take_along_axis(np.asarray(logits), tokens[..., None], axis=-1)[..., 0]
    best = np.asarray(logits).max(axis=-1)
    assert np.all(best - chosen <= 1e-4 * np.abs(best)), (best - chosen).max()


@pytest.mark.parametrize("name", ["bert", "vit", "deit"])
def test_training_gives_a_loss_and_a_gradient_for_each_weight(name):
    config = "small" if name == "deit" else MODELS[name].configs[0]
    described = manifest.describe(MODELS[name], Options(config=config, layers=1, training=True, microbatch=2))
    device = described["modules"][-1]
    weights = [(value["name"], value["shape"]) for value in device["inputs"] if value["kind"] == "weight"]
    loss, *gradients = device["outputs"]
    assert (loss["name"], loss["shape"]) == ("loss", [])
    assert [(value["name"].replace("gradients/", "params/"), value["shape"]) for value in gradients] == weights


def test_every_configuration_is_described():
    for name in {name for name, _ in PUBLISHED}:
        for config in MODELS[name].configs:
            assert (name, config) in PUBLISHED
