"""Turns the modules that a model returned into programs: one after the other, each on the results of the one before."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jax

from zonemark.models.exporter import arrays, failure
from zonemark.models.exporter.calling import Returned
from zonemark.models.exporter.emulation import emulated
from zonemark.models.exporter.failure import Failure
from zonemark.models.exporter.module import Module, Tree
from zonemark.models.exporter.program import Program, Value


@dataclass(frozen=True)
class Argument:
    """Where an argument of a program comes from: a weight or an input (the leaf that the model returned), or a result of the module before."""

    kind: str  # weight, input or previous
    leaf: Any
    output: int = 0
    drawn_as: str = ""
    """The name under which a weight's values are drawn."""
    tied: bool = False
    """Whether a weight is one that came before."""


@dataclass(frozen=True)
class Stage:
    """One module as a program."""

    role: str
    module: Module
    program: Program
    arguments: list[Argument]


def stages(returned: Returned) -> Iterator[Stage]:
    """The programs of a model, by abstract evaluation."""
    previous: list[Value] = []
    names: dict[int, str] = {}
    for index, (role, module) in enumerate(returned.modules):
        stage = _stage(returned, role, module, previous if index else None, names)
        previous = stage.program.results
        yield stage


def _stage(returned: Returned, role: str, module: Module, previous: list[Value] | None, weights: dict[int, str]) -> Stage:
    """A module as a program of its weights, its state and its inputs: what the module before computes, and targets where it is trained.

    weights are the names of those that came before, by identity, and takes up the module's.
    """
    options = returned.options
    trained = role == "device" and options.training

    def spec(leaf: Any) -> jax.ShapeDtypeStruct:
        return arrays.shape_of(leaf, options.dtype)

    targets: list[Any] = returned.targets if trained else []
    try:
        own: list[Any] = returned.inputs if previous is None else []
        trees: dict[str, Tree] = {"params": module.params, "state": module.state}
        inputs = [value.spec for value in previous] if previous is not None else [jax.tree.map(spec, value) for value in own]
        specs = [jax.tree.map(spec, module.params), jax.tree.map(spec, module.state), inputs, [jax.tree.map(spec, value) for value in targets]]
    except TypeError as error:
        raise returned.failure(f"the module {role}: a weight or an input is no array: {error}") from error

    arguments, names = [], []
    for prefix, tree in trees.items():
        for leaf, name in zip(jax.tree.leaves(tree), arrays.names_of(tree, prefix), strict=True):
            first = weights.setdefault(id(leaf), f"{role}/{name}")
            arguments.append(Argument("weight", leaf, drawn_as=first, tied=first != f"{role}/{name}"))
            names.append(name)
    if previous is None:
        arguments += [Argument("input", leaf) for leaf in jax.tree.leaves(own)]
        names += [name for prefix, value in zip(module.input_names(len(own)), own, strict=True) for name in arrays.names_of(value, prefix)]
    else:
        arguments += [Argument("previous", None, output) for output in range(len(previous))]
        names += module.input_names(len(previous))
    arguments += [Argument("input", leaf) for leaf in jax.tree.leaves(targets)]
    names += [name for index, value in enumerate(targets) for name in arrays.names_of(value, f"target{index}" if len(targets) > 1 else "target")]

    compute = _training_step(returned, module) if trained else _forward(module, options.training)
    definition = module.definition() or returned.model.function
    try:
        exact, result = jax.make_jaxpr(compute, return_shape=True)(*specs)
    except Exception as error:
        placed = failure.of_exception(error, definition, f"the module {role} of {returned.model.name}")
        if placed.file != returned.model.file and failure.line_in(error.__traceback__, returned.model.file)[0]:
            placed = failure.of_exception(error, returned.model.function, f"the module {role} of {returned.model.name}")
        raise placed from error
    results = [Value(name, leaf) for name, leaf in zip(_result_names(result, trained), jax.tree.leaves(result), strict=True)]
    if not results:
        raise returned.failure(f"the module {role} computes nothing: its function returned no array")
    computation = exact
    if role == "device" and options.block_format:
        computation = emulated(exact, options.block_format, sum(argument.kind == "weight" for argument in arguments))
    values = [Value(name, leaf) for name, leaf in zip(names, jax.tree.leaves(specs), strict=True)]
    return Stage(role, module, Program(computation, values, results, exact), arguments)


def _forward(module: Module, training: bool) -> Any:
    function = module.function(training)
    return lambda params, state, inputs, targets: function(params, state, *inputs)


def _training_step(returned: Returned, module: Module) -> Any:
    """The loss and its gradients with respect to the weights."""
    function, loss = module.function(True), module.loss
    assert loss is not None

    def step(params: Tree, state: Tree, inputs: list[Any], targets: list[Any]) -> tuple[Any, Tree]:
        def forward(params: Tree) -> Any:
            value = loss(function(params, state, *inputs), *targets)
            if getattr(value, "shape", None) != ():
                message = f"the loss of {returned.model.name} is one number, not {value!r}"
                raise Failure("return-value", message, *failure.place_of(loss, returned.model.function))
            return value

        return jax.value_and_grad(forward)(params)

    return step


def _result_names(result: Tree, trained: bool) -> list[str]:
    if trained:
        return [*arrays.names_of(result[0], "loss"), *arrays.names_of(result[1], "gradients")]
    names = arrays.names_of(result, "")
    return [name.removeprefix("/") or "result" for name in names]
