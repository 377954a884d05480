"""Turns the modules that a model returned into programs: one after the other, each on the results of the one before."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jax
from jax.extend import core

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
    targets: list[Any] = returned.targets if trained else []
    inputs: list[Any] = returned.inputs if previous is None else [value.spec for value in previous]
    try:
        specs = [jax.tree.map(lambda leaf: arrays.shape_of(leaf, options.dtype), tree) for tree in (module.params, module.state, inputs, targets)]
    except TypeError as error:
        raise returned.failure(f"the module {role}: a weight or an input is no array: {error}") from error

    arguments, names = _weights(role, module, weights)
    if previous is None:
        arguments += [Argument("input", leaf) for leaf in jax.tree.leaves(inputs)]
    else:
        arguments += [Argument("previous", None, output) for output in range(len(previous))]
    arguments += [Argument("input", leaf) for leaf in jax.tree.leaves(targets)]
    for prefixes, values in (module.input_names(len(inputs)), inputs), (_target_names(len(targets)), targets):
        names += [name for prefix, value in zip(prefixes, values, strict=True) for name in arrays.names_of(value, prefix)]
    values = [Value(name, leaf) for name, leaf in zip(names, jax.tree.leaves(specs), strict=True)]

    exact, result = _traced(returned, role, module, trained, specs)
    results = [Value(name, leaf) for name, leaf in zip(_result_names(result, trained), jax.tree.leaves(result), strict=True)]
    if not results:
        raise returned.failure(f"the module {role} computes nothing: its function returned no array")
    computation = exact
    if role == "device" and options.block_format:
        computation = emulated(exact, options.block_format, sum(argument.kind == "weight" for argument in arguments))
    return Stage(role, module, Program(computation, values, results, exact), arguments)


def _weights(role: str, module: Module, known: dict[int, str]) -> tuple[list[Argument], list[str]]:
    """The weights and the state of a module as arguments, and their names. One that is known by its identity keeps the name that it has."""
    arguments, names = [], []
    trees: dict[str, Tree] = {"params": module.params, "state": module.state}
    for prefix, tree in trees.items():
        for leaf, name in zip(jax.tree.leaves(tree), arrays.names_of(tree, prefix), strict=True):
            first = known.setdefault(id(leaf), f"{role}/{name}")
            arguments.append(Argument("weight", leaf, drawn_as=first, tied=first != f"{role}/{name}"))
            names.append(name)
    return arguments, names


def _traced(returned: Returned, role: str, module: Module, trained: bool, specs: list[Any]) -> tuple[core.ClosedJaxpr, Tree]:
    """The computation of a module for arguments of these shapes, and the shapes of its results."""
    compute = _training_step(returned, module) if trained else _forward(module, returned.options.training)
    model = returned.model
    try:
        computation, result = jax.make_jaxpr(compute, return_shape=True)(*specs)
    except (Exception, SystemExit) as error:
        # The model's own file is the place to look at, unless only the file of the module's function has a part in it.
        in_model = failure.line_in(error.__traceback__, model.file)[0]
        definition = model.function if in_model else module.definition() or model.function
        raise failure.of_exception(error, definition, f"the module {role} of {model.name}") from error
    return computation, result


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


def _target_names(count: int) -> list[str]:
    return ["target"] if count == 1 else [f"target{index}" for index in range(count)]


def _result_names(result: Tree, trained: bool) -> list[str]:
    if trained:
        return [*arrays.names_of(result[0], "loss"), *arrays.names_of(result[1], "gradients")]
    names = arrays.names_of(result, "")
    return [name.removeprefix("/") or "result" for name in names]
