"""PyTorch's modules and tensors as functions and arrays of JAX, where PyTorch is installed: torch.export divides a module into operations of core
ATen, and aten.py has these in JAX. What JAX then computes is compared with PyTorch's own results when a model is exported.

Nothing here imports PyTorch unless a model has brought a value of it.
"""

from __future__ import annotations

import copy
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from zonemark.models.exporter import aten
from zonemark.models.exporter.failure import Failure


def is_module(value: Any) -> bool:
    """Whether a value is a module of PyTorch."""
    return _is(value, "torch.nn.modules.module", "Module")


def as_array(value: Any) -> Any:
    """A tensor of PyTorch as an array; any other value as it is."""
    if not _is(value, "torch", "Tensor"):
        return value
    value = value.detach().cpu()
    return (value.float() if str(value.dtype) == "torch.bfloat16" else value).numpy()


def _is(value: Any, module: str, name: str) -> bool:
    return any((base.__module__, base.__name__) == (module, name) for base in type(value).__mro__)


def variables(net: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and the buffers of a module by their names, as arrays; one that has two names is under its first."""
    return {name: as_array(p) for name, p in net.named_parameters()}, {name: as_array(b) for name, b in net.named_buffers()}


def function(net: Any) -> Callable[..., Any]:
    """A module as a function of (params, state, *inputs), whose result is an array, or a tuple of arrays in PyTorch's order."""
    net.eval()

    def call(params: dict[str, Any], state: dict[str, Any], *inputs: Any) -> Any:
        program = _divided(net, [*jax.tree.leaves(params), *inputs], inputs)
        return _evaluated(program, _held(net, {**params, **state}), inputs)

    return call


def seed(value: int) -> None:
    """Seeds the weights that PyTorch draws, if a model uses it."""
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(value)


def differs(net: Any, inputs: Sequence[Any], computed: Sequence[Any], tolerance: float) -> str:
    """What is different between JAX' results and PyTorch's own, in float32, for the same inputs; "" if they agree within a part of their size."""
    import torch

    tensors = [torch.from_numpy(np.array(x, _own_type(x))) for x in inputs]
    with torch.no_grad():
        value = net.eval().float()(*tensors)
    own = [as_array(leaf) for leaf in torch.utils._pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]
    if len(own) != len(computed):
        return f"{len(computed)} results instead of {len(own)}"
    for index, (a, b) in enumerate(zip(computed, own, strict=True)):
        if a.shape != b.shape:
            return f"result {index} has the shape {a.shape} instead of {b.shape}"
        a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
        with np.errstate(invalid="ignore"):  # infinities are equal, or not
            wrong = ~((a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= tolerance * np.maximum(np.abs(b), np.abs(b).mean())))
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            return f"result {index} at {list(at)} is {a[at]:g} instead of {b[at]:g}, and {int(wrong.sum())} of {wrong.size} differ"
    return ""


def _own_type(x: Any) -> Any:
    """PyTorch's type for an array of JAX. Integers have 64 bits there: positions and classes must."""
    if jax.numpy.issubdtype(x.dtype, jax.numpy.floating):
        return np.float32
    return {"int32": np.int64, "uint32": np.int64}.get(x.dtype.name, x.dtype)


def _divided(net: Any, values: Sequence[Any], inputs: Sequence[Any]) -> Any:
    """A module as a program of core ATen, for inputs of these shapes, in the floating-point type of the values."""
    import torch

    names = {x.dtype.name for x in values if jax.numpy.issubdtype(x.dtype, jax.numpy.floating)}
    kind = getattr(torch, names.pop() if len(names) == 1 else "float32")
    if any(t.is_floating_point() and t.dtype != kind for t in [*net.parameters(), *net.buffers()]):
        net = copy.deepcopy(net).to(kind)
    examples = []
    for x in inputs:
        own = torch.from_numpy(np.zeros(x.shape, _own_type(x)))
        examples.append(own.to(kind) if own.is_floating_point() else own)
    with torch.no_grad():
        return torch.export.export(net, tuple(examples), strict=False).run_decompositions()


def _held(net: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Parameters and buffers by all names that a module has for them."""
    first: dict[int, str] = {}
    held = dict(values)
    for tensors in net.named_parameters, net.named_buffers:
        for name, tensor in tensors(remove_duplicate=False):
            held.setdefault(name, values.get(first.setdefault(id(tensor), name)))
    return held


def _evaluated(program: Any, held: dict[str, Any], inputs: Sequence[Any]) -> Any:
    """What a program computes of inputs, operation by operation."""
    values: dict[Any, Any] = {}
    given = iter(inputs)
    specs = {spec.arg.name: spec for spec in program.graph_signature.input_specs}
    for node in program.graph.nodes:
        if node.op == "placeholder":
            spec = specs[node.name]
            if spec.target is None:
                values[node] = next(given)
            elif spec.target in held:
                values[node] = held[spec.target]
            else:  # a tensor that forward makes
                values[node] = jax.numpy.asarray(as_array(program.constants[spec.target]))
            continue
        arguments, options = _looked_up(node.args, values), _looked_up(node.kwargs, values)
        if node.op == "output":
            return _returned(program, arguments[0])
        values[node] = _applied(node, arguments, options)
    raise AssertionError("a program without an output")


def _applied(node: Any, arguments: Any, options: Any) -> Any:
    """The result of an operation."""
    name = str(node.target)
    if node.op == "call_function" and getattr(node.target, "__module__", "") == "_operator":  # of sizes, and of results that are several
        return node.target(*arguments, **options)
    operation = aten.operation(name.removeprefix("aten.")) if node.op == "call_function" and name.startswith("aten.") else None
    if operation is None:
        raise Failure("unsupported", f"zonemark does not translate PyTorch's operation {name}", *_written(node))
    try:
        return operation(*arguments, **options)
    except TypeError as error:
        raise Failure("unsupported", f"zonemark does not translate PyTorch's operation {name} as it is used here: {error}", *_written(node)) from error


def _written(node: Any) -> tuple[str, int]:
    """The file and the line in which an operation is written; "" and 0 if PyTorch does not say."""
    places = re.findall(r'^\s*File "([^"\n]*)", line (\d+)', node.meta.get("stack_trace") or "", re.M)
    return (places[-1][0], int(places[-1][1])) if places else ("", 0)


def _looked_up(value: Any, values: dict[Any, Any]) -> Any:
    """Arguments of an operation with the values of other operations in their places."""
    if isinstance(value, (list, tuple)):
        return [_looked_up(part, values) for part in value]
    if isinstance(value, dict):
        return {name: _looked_up(part, values) for name, part in value.items()}
    return values[value] if type(value).__name__ == "Node" else value


def _returned(program: Any, outputs: Sequence[Any]) -> Any:
    """What the module returns, without what it leaves in its buffers."""
    kinds = [spec.kind.name for spec in program.graph_signature.output_specs]
    own = [value for kind, value in zip(kinds, outputs, strict=True) if kind == "USER_OUTPUT" and value is not None]
    return own[0] if len(own) == 1 else tuple(own)
