"""What is exported: programs, arrays and a manifest, checked against NumPy and against itself."""

import json
import sys
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import keras
import numpy as np
import pytest
from jax.extend import core

from zonemark.models import Module, Parameter
from zonemark.models.exporter import arrays, manifest
from zonemark.models.exporter.calling import Options
from zonemark.models.exporter.costs import flop_of
from zonemark.models.exporter.emulation import emulated
from zonemark.models.exporter.formats import FORMATS
from zonemark.models.exporter.program import text_of
from zonemark.models.exporter.registry import PASSED, Model


def model_of(function, takes=PASSED):
    """A model as it is found in a file, without the file."""
    return Model(function.__name__, function, ("default",), __file__, function.__code__.co_firstlineno, frozenset(takes))


def exported(folder, function, takes=("training", "generative"), expected=True, **options):
    """The manifest of an export, and a function that reads the arrays of a module's side."""
    path = manifest.export(model_of(lambda **choices: function(), takes), Options(**options), str(folder), expected)
    with open(path, encoding="utf-8") as file:
        content = json.load(file)

    def arrays(module, side):
        return [np.load(folder / value["file"]) for value in content["modules"][module][side]]

    return content, arrays


X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)


def three_modules():
    def before(params, tokens):
        return params["table"][tokens], tokens

    def device(params, x, tokens):
        return {"y": jnp.tanh(x @ params["kernel"]), "tokens": tokens}

    def after(params, tokens, y):
        return y.sum(-1) + tokens

    modules = [Module(before, {"table": Parameter((5, 4), std=1.0)}), Module(device, {"kernel": Parameter((4, 6), std=0.5)}), Module(after)]
    return modules, [np.array([4, 0, 2])]


def test_modules_follow_one_another(tmp_path):
    content, arrays = exported(tmp_path, three_modules)
    assert [module["role"] for module in content["modules"]] == ["cpu-pre", "device", "cpu-post"]
    table, tokens = arrays(0, "inputs")
    kernel, x, also_tokens = arrays(1, "inputs")
    assert np.array_equal(x, table[tokens]) and np.array_equal(also_tokens, tokens) and tokens.dtype == np.int32
    result_tokens, y = arrays(1, "outputs")
    np.testing.assert_allclose(y, np.tanh(x @ kernel), rtol=1e-5)
    np.testing.assert_allclose(arrays(2, "outputs")[0], y.sum(-1) + tokens, rtol=1e-5)
    assert [(i["name"], i["kind"], i.get("output")) for i in content["modules"][2]["inputs"]] == [("tokens", "previous", 0), ("y", "previous", 1)]
    assert [o["name"] for o in content["modules"][1]["outputs"]] == ["tokens", "y"]
    assert (content["parameters"], content["weights_bytes"], content["microbatch"]) == (20 + 24, 4 * 44, 3)


def test_without_expected_results_all_inputs_are_there(tmp_path):
    content, arrays = exported(tmp_path, three_modules, expected=False)
    assert all("file" not in value for module in content["modules"] for value in module["outputs"])
    assert len(arrays(2, "inputs")) == 2


def test_exports_are_the_same_and_programs_are_for_other_weights(tmp_path):
    contents = {}
    for name, seed in ("first", 0), ("second", 0), ("other", 1):
        exported(tmp_path / name, three_modules, seed=seed)
        contents[name] = {file.name: file.read_bytes() for file in sorted((tmp_path / name).iterdir())}
    assert contents["first"] == contents["second"]
    different = {name for name in contents["first"] if contents["first"][name] != contents["other"][name]}
    assert {"cpu-pre.in.0.npy", "device.in.0.npy"} <= different
    assert not any(name.endswith(".mlir") for name in different)


def test_programs_are_portable_and_name_no_place(tmp_path):
    exported(tmp_path, three_modules)
    artifact = (tmp_path / "device.mlir").read_bytes()
    assert artifact.startswith(b"ML\xefR") and b"StableHLO_v1." in artifact[:40]
    assert __file__.encode() not in artifact and b"test_exporter" not in artifact
    text = text_of(artifact)
    assert "@main(" in text and "constant dense" not in text


def test_weights_that_are_not_used_stay_arguments(tmp_path):
    content, _ = exported(tmp_path, lambda: ([Module(lambda params, x: x + 1, {"unused": Parameter((7,))})], [X]))
    assert [value["name"] for value in content["modules"][0]["inputs"]] == ["params/unused", "x"]
    assert "tensor<7xf32>" in text_of((tmp_path / "device.mlir").read_bytes())


def test_training_is_loss_and_gradients(tmp_path):
    def linear():
        module = Module(lambda params, x: x @ params["w"], {"w": Parameter((4, 2), std=1.0)}, loss=lambda y, target: ((y - target) ** 2).mean())
        return [module], [X], [np.ones((3, 2), np.float32)]

    content, arrays = exported(tmp_path, linear, training=True)
    w, x, target = arrays(0, "inputs")
    loss, gradient = arrays(0, "outputs")
    np.testing.assert_allclose(loss, ((x @ w - target) ** 2).mean(), rtol=1e-5)
    np.testing.assert_allclose(gradient, 2 * x.T @ (x @ w - target) / 6, rtol=1e-5, atol=1e-6)
    assert [value["name"] for value in content["modules"][0]["inputs"]] == ["params/w", "x", "target"]


def keras_model():
    layers = [keras.layers.Dense(5, activation="relu"), keras.layers.BatchNormalization(), keras.layers.Dense(2)]
    return [Module(keras.Sequential([keras.Input((4,)), *layers]), loss=lambda y: (y**2).sum())], [X]


def test_a_keras_model_stands_for_a_module(tmp_path):
    content, arrays = exported(tmp_path / "inference", keras_model)
    values = {value["name"].split("/", 2)[-1]: array for value, array in zip(content["modules"][0]["inputs"], arrays(0, "inputs"), strict=True)}
    hidden = np.maximum(X @ values["dense/kernel"] + values["dense/bias"], 0)
    moving = (hidden - values["batch_normalization/moving_mean"]) / np.sqrt(values["batch_normalization/moving_variance"] + 1e-3)
    want = (moving * values["batch_normalization/gamma"] + values["batch_normalization/beta"]) @ values["dense_1/kernel"] + values["dense_1/bias"]
    np.testing.assert_allclose(arrays(0, "outputs")[0], want, rtol=1e-4, atol=1e-5)
    assert content["parameters"] == 20 + 5 + 10 + 10 + 2, "the moving statistics are not learned"

    trained, _ = exported(tmp_path / "training", keras_model, training=True)
    learned = [value["name"] for value in trained["modules"][0]["inputs"] if value["name"].startswith("params/")]
    assert [value["name"].replace("gradients/", "params/") for value in trained["modules"][0]["outputs"][1:]] == learned
    described = manifest.describe(model_of(lambda **choices: keras_model(), ()), Options())
    assert described["modules"][0]["inputs"][0]["shape"] == content["modules"][0]["inputs"][0]["shape"]


def test_describing_a_keras_model_makes_no_weights():
    def enormous():
        return keras.Sequential([keras.Input((2**20,)), keras.layers.Dense(2**20)]), [np.zeros((1, 2**20), np.float32)]

    described = manifest.describe(model_of(lambda **choices: ([enormous()[0]], enormous()[1]), ()), Options())
    assert described["parameters"] == 2**40 + 2**20


@pytest.mark.parametrize(("dtype", "saved"), [("float16", "<f2"), ("bfloat16", "|V2")])
def test_element_types_are_those_of_weights_inputs_and_results(tmp_path, dtype, saved):
    for function in three_modules, keras_model:
        content, arrays = exported(tmp_path / function.__name__, function, dtype=dtype)
        for module in range(len(content["modules"])):
            for side in "inputs", "outputs":
                for value, array in zip(content["modules"][module][side], arrays(module, side), strict=True):
                    assert (value["dtype"], array.dtype.str) in ((dtype, saved), ("int32", "<i4")), value


def test_what_means_nothing_is_said():
    returned = manifest.describe(model_of(lambda **choices: three_modules(), ()), Options(layers=3, microbatch=5, generative=True))
    assert set(returned["not_applied"]) == {"layers", "microbatch", "generative"}
    assert (returned["layers"], returned["generative"], returned["microbatch"]) == (0, False, 3)


def test_one_parameter_in_two_modules_is_one_weight(tmp_path):
    table = Parameter((5, 4), std=1.0)
    modules = [Module(lambda params, i: params["t"][i], {"t": table}), Module(lambda params, x: x @ params["same"].T, {"same": table})]
    content, arrays = exported(tmp_path, lambda: (modules, [np.array([1, 2])]))
    assert np.array_equal(arrays(0, "inputs")[0], arrays(1, "inputs")[0])
    assert (content["parameters"], content["weights_bytes"]) == (20, 160)


def test_emulation_rounds_weights_once_and_products_at_both_ends(tmp_path):
    block_format = FORMATS["Bfp4_b"]
    modules = [Module(lambda params, x: (x @ params["w"]) + params["b"], {"w": Parameter((4, 20), std=1.0), "b": Parameter((20,), std=1.0)})]
    content, arrays = exported(tmp_path, lambda: (modules, [X]), block_format=block_format)
    b, w, x = arrays(0, "inputs")
    assert np.array_equal(w, block_format.round(Parameter((4, 20), std=1.0).draw(0, "device/params/w")))
    assert np.array_equal(x, X)
    want = block_format.round(block_format.round(x) @ w) + b
    np.testing.assert_allclose(arrays(0, "outputs")[0], want, rtol=1e-6, atol=1e-6)
    exact = X @ Parameter((4, 20), std=1.0).draw(0, "device/params/w") + Parameter((20,), std=1.0).draw(0, "device/params/b")
    assert content["emulated_format"] == "Bfp4_b"
    assert content["accuracy"]["max_abs"] == pytest.approx(np.abs(want - exact).max(), rel=1e-4)
    cosine = (want * exact).sum() / np.sqrt((want**2).sum() * (exact**2).sum())
    assert content["accuracy"]["cosine"] == pytest.approx(cosine, rel=1e-6)
    assert 0.9 < cosine < 1


WITH_DERIVATIVE = jax.custom_jvp(lambda w, x: x @ w @ w @ w)
WITH_DERIVATIVE.defjvps(None, None)

LOOPS = SimpleNamespace(
    scan=lambda w, x: jax.lax.scan(lambda carry, _: (carry @ w, None), x, None, length=3)[0],
    stacked=lambda w, x: jax.lax.scan(lambda carry, each: (carry @ each, None), x, jnp.stack([w, w, w]))[0],
    loop=lambda w, x: jax.lax.while_loop(lambda carry: carry[0] < 3, lambda carry: (carry[0] + 1, carry[1] @ w), (0, x))[1],
    choice=lambda w, x: jax.lax.cond(x.sum() < 1e9, lambda x: x @ w @ w @ w, lambda x: x, x),
    jitted=lambda w, x: jax.jit(lambda w, x: x @ w @ w @ w)(w, x),
    derivative=lambda w, x: WITH_DERIVATIVE(w, x),
    checkpoint=lambda w, x: jax.checkpoint(lambda w, x: x @ w @ w @ w)(w, x),
)


@pytest.mark.parametrize("way", sorted(vars(LOOPS)))
def test_emulation_reaches_into_loops_and_calls(way):
    block_format = FORMATS["Bfp8_b"]
    random = np.random.default_rng(3)
    w, x = (random.standard_normal(shape).astype(np.float32) for shape in ((20, 20), (2, 20)))
    w = block_format.round(w)
    (got,) = core.jaxpr_as_fun(emulated(jax.make_jaxpr(getattr(LOOPS, way))(w, x), block_format, weights=1))(w, x)
    want = x
    for _ in range(3):
        want = block_format.round(block_format.round(want) @ w)
    np.testing.assert_allclose(got, want, rtol=1e-2)
    assert not np.allclose(got, x @ w @ w @ w, rtol=1e-5)


def test_transposed_weights_are_not_rounded_again():
    block_format = FORMATS["Bfp4_b"]
    w = block_format.round(np.random.default_rng(4).standard_normal((20, 20)).astype(np.float32) * np.logspace(-2, 2, 20, dtype=np.float32)[:, None])
    x = np.eye(20, dtype=np.float32)
    (got,) = core.jaxpr_as_fun(emulated(jax.make_jaxpr(lambda w, x: x @ w.T)(w, x), block_format, weights=1))(w, x)
    assert np.array_equal(got, block_format.round(np.ascontiguousarray(w.T)))
    assert not np.array_equal(got, w.T)


def test_operations_in_loops_count_as_often_as_they_run():
    w, x = jax.ShapeDtypeStruct((16, 16), np.float32), jax.ShapeDtypeStruct((4, 16), np.float32)

    def nested(w, x):
        return jax.lax.scan(lambda c, _: (LOOPS.scan(w, c), None), x, None, length=5)[0]

    once = 2 * 4 * 16 * 16
    assert flop_of(jax.make_jaxpr(lambda w, x: x @ w)(w, x)) == once
    assert 3 * once <= flop_of(jax.make_jaxpr(LOOPS.scan)(w, x)) < 3.1 * once
    assert 15 * once <= flop_of(jax.make_jaxpr(nested)(w, x)) < 15.2 * once
    assert flop_of(jax.make_jaxpr(LOOPS.loop)(w, x)) is None
    assert flop_of(jax.make_jaxpr(lambda x: x.T)(x)) == 0


def test_accuracy_by_hand_and_of_what_is_no_number():
    b = np.array([1.0, np.inf, 3.0], np.float32)
    assert arrays.accuracy([b], [b])["max_abs"] == 0
    assert arrays.accuracy([np.array([1.0, np.nan, 3.0])], [b]) == {"cosine": 0.0, "max_abs": sys.float_info.max, "max_rel": sys.float_info.max}
    exact = np.array([3.0, 4.0, 0.0])
    near = arrays.accuracy([np.array([3.0, 4.5, 0.7]), np.array([7])], [exact, np.array([9])])
    assert near["max_abs"] == pytest.approx(0.7) and near["max_rel"] == pytest.approx(0.7 / (7 / 3))
    assert near["cosine"] == pytest.approx(27 / np.sqrt(25 * (9 + 4.5**2 + 0.7**2)))
