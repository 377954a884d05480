"""The parts that a model is made of: a function of weights and inputs, and weights that are drawn only when they are written."""

import hashlib
import inspect
from collections.abc import Callable
from typing import Any

import jax
import keras
import numpy as np

from zonemark.models.exporter import torch_module

Tree = Any
"""A pytree of JAX: arrays in nested lists, tuples and dictionaries."""


class Parameter:
    """A weight that is not drawn yet: independent normal values, or one value everywhere where std is 0.

    Describing a model then costs no memory, and exporting it no more than its arrays. The values depend only on the seed and on the place of the
    parameter in the module. One Parameter in two modules, or twice in one, is one weight: it has the same values in both and counts once.
    """

    def __init__(self, shape: tuple[int, ...], *, mean: float = 0.0, std: float = 0.0) -> None:
        """A weight of a shape, with the mean and the standard deviation of its values."""
        self.shape = tuple(int(size) for size in shape)
        self.mean, self.std = mean, std

    def draw(self, seed: int, name: str) -> np.ndarray:
        """The float32 values for a seed and the parameter's name."""
        if self.std == 0:
            return np.full(self.shape, self.mean, np.float32)
        key = int.from_bytes(hashlib.blake2b(f"{seed}/{name}".encode(), digest_size=16).digest(), "little")
        values = np.random.Generator(np.random.Philox(key=key)).standard_normal(self.shape, np.float32)
        values *= np.float32(self.std)
        values += np.float32(self.mean)
        return values


class Module:
    """What runs on one device: a function of weights and inputs.

    `fn(params, *inputs)` returns an array, a tuple or a pytree of arrays; a module behind another gets the arrays of that one's result as its inputs.
    `params` is a pytree of arrays or Parameters. With `state`, a pytree of arrays that training does not change by gradients, it is
    `fn(params, state, *inputs)`. A Keras model, or a module of PyTorch, may stand for the function; its variables are the weights then.

    `loss(result, *targets)` makes a module trainable: the exported program computes the loss and its gradients with respect to params. `tokens` is
    how many tokens one execution generates for each sequence of its batch, 0 for what generates none. `tolerance` is how far its results may be from
    JAX' own, relative to their size, where that is more than the element type's tolerance.
    """

    def __init__(
        self,
        fn: Callable[..., Tree],
        params: Tree = None,
        *,
        state: Tree = None,
        loss: Callable[..., Any] | None = None,
        tokens: int = 0,
        tolerance: float = 0.0,
    ) -> None:
        """A module as the class describes it; TypeError for what is none."""
        if not callable(fn):
            raise TypeError(f"Module takes a function, a Keras model or a PyTorch module, not {type(fn).__name__}")
        if loss is not None and not callable(loss):
            raise TypeError(f"loss is a function of the module's result and the targets, not {type(loss).__name__}")
        self.fn, self.params, self.state, self.loss, self.tokens = fn, {} if params is None else params, state, loss, tokens
        self.tolerance = tolerance
        self.is_keras, self.is_torch = _is_keras(fn), torch_module.is_module(fn)
        if self.is_torch and loss is not None:
            raise TypeError("a PyTorch module is not trained here: gradients are those of JAX; leave loss out")
        if self.is_keras or self.is_torch:
            if params is not None or state is not None:
                raise TypeError("the weights of a Keras model or a PyTorch module are its own; leave params and state out")
            self.params, self.state = torch_module.variables(fn) if self.is_torch else _variables(fn)

    def function(self, training: bool) -> Callable[..., Tree]:
        """The function of (params, state, *inputs) that computes the module's result.

        training chooses how layers of Keras behave that know both, such as batch normalization.
        """
        if self.is_keras:
            return _keras_function(self.fn, training)
        if self.is_torch:
            return torch_module.function(self.fn)
        if self.state is None:
            return lambda params, state, *inputs: self.fn(params, *inputs)
        return self.fn

    def input_names(self, count: int) -> list[str]:
        """Names for the inputs: those that the function's parameters have, where they tell."""
        if self.is_keras:
            names = [tensor.name for tensor in getattr(self.fn, "inputs", None) or []]
        else:
            try:
                parameters = list(inspect.signature(self.fn.forward if self.is_torch else self.fn).parameters.values())
            except (TypeError, ValueError):
                parameters = []
            skipped = 0 if self.is_torch else 1 if self.state is None else 2
            names = [p.name for p in parameters[skipped:] if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        return names[:count] if len(names) >= count else [f"input{i}" for i in range(count)]

    def definition(self) -> Callable[..., Any] | None:
        """The Python function that was written for the module, for messages; a Keras model has none, nor has a module that is PyTorch's own."""
        if self.is_torch and not type(self.fn).__module__.startswith("torch."):
            return type(self.fn).forward
        return self.fn if inspect.isfunction(self.fn) else None


def as_module(value: Any) -> Module | None:
    """A module for what a model returned in the place of one: itself, a Keras model or a module of PyTorch."""
    if isinstance(value, Module):
        return value
    return Module(value) if _is_keras(value) or torch_module.is_module(value) else None


def _is_keras(value: Any) -> bool:
    return any(base.__module__.startswith("keras.") and base.__name__ == "Layer" for base in type(value).__mro__)


def _variables(model: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The trainable and the other variables of a Keras model by their paths, as arrays, or as shapes while no variables are made."""
    return _by_path(model.trainable_variables), _by_path(model.non_trainable_variables)


def _by_path(variables: list[Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for path, variable in zip(_paths(variables), variables, strict=True):
        # Keras has no public way to ask for a variable that is not made without making it.
        values[path] = jax.ShapeDtypeStruct(tuple(variable.shape), variable.dtype) if variable._value is None else variable.value
    return values


def _paths(variables: list[Any]) -> list[str]:
    """The path of each variable; of those that have the same one, the later ones are numbered."""
    paths: list[str] = []
    for variable in variables:
        path, count = variable.path, 2
        while path in paths:
            path, count = f"{variable.path}#{count}", count + 1
        paths.append(path)
    return paths


def _keras_function(model: Any, training: bool) -> Callable[..., Tree]:
    names_of_params, names_of_state = _paths(model.trainable_variables), _paths(model.non_trainable_variables)

    def call(params: dict[str, Any], state: dict[str, Any], *inputs: Any) -> Tree:
        # At the end of a scope that is within no other, Keras draws all variables that wait for their values: in this computation, as part of it.
        with keras.StatelessScope(initialize_variables=False):
            result, _ = model.stateless_call(
                [params[name] for name in names_of_params],
                [state[name] for name in names_of_state],
                inputs[0] if len(inputs) == 1 else list(inputs),
                training=training,
            )
        return result

    return call
