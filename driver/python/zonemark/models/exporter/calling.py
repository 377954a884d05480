"""Calls a model's function with the user's choices and checks what it returns."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import jax
import keras

from zonemark.models.exporter import failure, torch_module
from zonemark.models.exporter.failure import Failure
from zonemark.models.exporter.formats import BlockFormat
from zonemark.models.exporter.module import Module, as_module
from zonemark.models.exporter.registry import Model

ROLES = {1: ("device",), 2: ("cpu-pre", "device"), 3: ("cpu-pre", "device", "cpu-post")}
"""Where the modules of a model run, by their number."""

DTYPES = ("float32", "float16", "bfloat16")
"""The element types of weights and activations."""


@dataclass(frozen=True)
class Options:
    """What a user chose for a model. 0 layers and a microbatch of 0 are the model's own."""

    config: str = ""
    training: bool = False
    generative: bool = False
    layers: int = 0
    microbatch: int = 0
    dtype: str = "float32"
    block_format: BlockFormat | None = None
    seed: int = 0


@dataclass
class Returned:
    """What a model's function returned: modules with their roles, inputs of the first, targets of the loss.

    not_applied says why choices of the user mean nothing to this model.
    """

    model: Model
    config: str
    options: Options
    modules: list[tuple[str, Module]]
    inputs: list[Any]
    targets: list[Any]
    not_applied: dict[str, str] = field(default_factory=dict)

    def failure(self, message: str) -> Failure:
        """A wrong return value, at the model's definition."""
        return Failure("return-value", f"{self.model.name}: {message}", self.model.file, self.model.line)


def call(model: Model, options: Options, abstract: bool) -> Returned:
    """Calls the model's function. With abstract, the variables of Keras models are not made, only their shapes are known."""
    config = model.configuration(options.config)
    if options.training and options.generative:
        raise Failure("unsupported", f"{model.name}: a model generates or is trained, not both", model.file, model.line)
    if options.training and "training" not in model.takes:
        raise Failure("unsupported", f"{model.name} cannot be trained: its function has no parameter training", model.file, model.line)
    if options.block_format and options.dtype != "float32":
        raise Failure("unsupported", f"{options.block_format.name} is emulated with float32, not with {options.dtype}; leave the element type out")
    choices = {
        "training": options.training,
        "config": config,
        "force_num_layers": options.layers,
        "microbatch": options.microbatch,
        "dtype": options.dtype,
        "generative": options.generative,
    }
    try:
        with _keras_settings(options, abstract):
            value = model.function(**{name: choice for name, choice in choices.items() if name in model.takes})
    except (Exception, SystemExit) as error:
        raise failure.of_exception(error, model.function, f"{model.name} raised") from error
    returned = Returned(model, config, options, [], [], [])
    _check(returned, value)
    if options.layers and "force_num_layers" not in model.takes:
        returned.not_applied["layers"] = f"{model.name} has no choice of layers; its configuration decides"
    if options.microbatch and "microbatch" not in model.takes:
        returned.not_applied["microbatch"] = f"{model.name} has no choice of a microbatch; its inputs decide"
    if options.generative and "generative" not in model.takes:
        returned.not_applied["generative"] = f"{model.name} generates no tokens"
    return returned


@contextlib.contextmanager
def _keras_settings(options: Options, abstract: bool) -> Iterator[None]:
    """Keras as every model finds it: names counted from the start, seeds set, layers in the chosen element type."""
    keras.utils.clear_session()
    keras.utils.set_random_seed(options.seed)
    torch_module.seed(options.seed)
    keras.config.set_dtype_policy(options.dtype)
    keras.config.disable_traceback_filtering()
    # Within this scope Keras knows the shapes of variables and makes none.
    scope = keras.StatelessScope(initialize_variables=False) if abstract else contextlib.nullcontext()
    try:
        with scope:
            yield
    finally:
        keras.config.set_dtype_policy("float32")


def _check(returned: Returned, value: Any) -> None:
    expected = "a model returns (modules, inputs), or (modules, inputs, targets) for training"
    if not isinstance(value, tuple) or len(value) not in (2, 3):
        raise returned.failure(f"{expected}, not {_said(value)}")
    modules, inputs, targets = value if len(value) == 3 else (*value, ())
    for what, part in ("modules", modules), ("inputs", inputs), ("targets", targets):
        if not isinstance(part, (list, tuple)):
            raise returned.failure(f"{expected}; the {what} are a list, not {_said(part)}")
    if len(modules) not in ROLES:
        raise returned.failure(f"a model has one module (the device's), two (before it, on the CPU) or three (and after it), not {len(modules)}")
    for role, part in zip(ROLES[len(modules)], modules, strict=True):
        module = as_module(part)
        if module is None:
            raise returned.failure(f"the module {role} is a Module, a Keras model or a PyTorch module, not {_said(part)}")
        returned.modules.append((role, module))
    returned.inputs, returned.targets = (jax.tree.map(torch_module.as_array, list(part)) for part in (inputs, targets))
    if not returned.inputs:
        raise returned.failure("the list of inputs is empty")
    device = next(module for role, module in returned.modules if role == "device")
    if returned.options.training and device.loss is None:
        raise returned.failure("to be trained, the device's module needs Module(..., loss=function of the result and the targets)")
    if not returned.options.training:
        returned.targets = []


def _said(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)} ({', '.join(type(part).__name__ for part in value[:6])}{', …' if len(value) > 6 else ''})"
    return f"{'an' if type(value).__name__[:1] in 'aeiouAEIOU' else 'a'} {type(value).__name__}"
