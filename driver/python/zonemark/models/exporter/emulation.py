"""Rounds what a computation feeds to matrix products and convolutions, and what comes out of them, to a block format, without the model's doing.

The computation is traced to JAX' intermediate form and evaluated again, operation by operation, with the rounding put in. Weights are rounded before,
as they are when they are written to a device, and not once more on their way to a product: transposed, other values would share an exponent.
"""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend import core

from zonemark.models.exporter.formats import BlockFormat

_PRODUCTS = {"dot_general", "conv_general_dilated"}
_LAYOUTS = {"transpose", "reshape", "squeeze", "expand_dims", "broadcast_in_dim", "slice", "rev", "copy", "copy_p", "convert_element_type"}
"""Operations whose result holds the very values of their operand."""


def emulated(closed: core.ClosedJaxpr, block_format: BlockFormat, weights: int) -> core.ClosedJaxpr:
    """A computation with its products rounded; its first arguments, as many as weights says, are rounded already."""
    return _rounded_body(closed, [index < weights for index in range(len(closed.in_avals))], block_format)


def _evaluate(closed: core.ClosedJaxpr, arguments: Sequence[Any], weights: Sequence[bool], block_format: BlockFormat) -> list[Any]:
    """The results of a computation on arguments, of which some are weights as they were written."""
    values: dict[core.Var, Any] = {}
    unchanged: set[core.Var] = set()

    def read(atom: Any) -> Any:
        return atom.val if isinstance(atom, core.Literal) else values[atom]

    def is_weight(atom: Any) -> bool:
        return not isinstance(atom, core.Literal) and atom in unchanged

    values.update(zip(closed.jaxpr.constvars, closed.consts, strict=True))
    values.update(zip(closed.jaxpr.invars, arguments, strict=True))
    unchanged.update(variable for variable, weight in zip(closed.jaxpr.invars, weights, strict=True) if weight)
    for equation in closed.jaxpr.eqns:
        operands = [read(atom) for atom in equation.invars]
        flags = [is_weight(atom) for atom in equation.invars]
        name = equation.primitive.name
        if name in _PRODUCTS:
            rounded = [value if weight else _round(value, block_format) for value, weight in zip(operands, flags, strict=True)]
            results = [_round(equation.primitive.bind(*rounded, **equation.params), block_format)]
        elif name in ("scan", "while", "cond"):
            results = equation.primitive.bind(*operands, **_rounded_bodies(equation, flags, block_format))
        elif (called := _called(equation)) is not None:
            results = _evaluate(called, operands, flags, block_format)
        else:
            results = equation.primitive.bind(*operands, **equation.params)
            results = results if equation.primitive.multiple_results else [results]
            if name in _LAYOUTS and flags[:1] == [True]:
                unchanged.update(equation.outvars)
        values.update(zip(equation.outvars, results, strict=True))
    return [read(atom) for atom in closed.jaxpr.outvars]


def _round(value: Any, block_format: BlockFormat) -> Any:
    if not jnp.issubdtype(value.dtype, jnp.floating):
        return value
    return block_format.round(jnp.asarray(value).astype(jnp.float32)).astype(value.dtype)


def _called(equation: core.JaxprEqn) -> core.ClosedJaxpr | None:
    """The computation that an operation only calls: that of a jitted function, of one with its own derivatives, of one that is computed again."""
    for name in ("jaxpr", "call_jaxpr", "fun_jaxpr"):
        inner = equation.params.get(name)
        if isinstance(inner, core.Jaxpr):
            inner = core.ClosedJaxpr(inner, ())
        if isinstance(inner, core.ClosedJaxpr) and len(inner.jaxpr.invars) == len(equation.invars):
            return inner
    return None


def _rounded_bodies(equation: core.JaxprEqn, weights: list[bool], block_format: BlockFormat) -> dict[str, Any]:
    """The parameters of a loop or a choice with its bodies' products rounded. What a loop carries is no weight; what it only reads may be."""
    parameters = dict(equation.params)
    if equation.primitive.name == "scan":
        constants, carried = parameters["num_consts"], parameters["num_carry"]
        flags = [*weights[:constants], *[False] * carried, *weights[constants + carried :]]  # a slice of stacked weights is one
        parameters["jaxpr"] = _rounded_body(parameters["jaxpr"], flags, block_format)
    elif equation.primitive.name == "while":
        in_condition, in_body = parameters["cond_nconsts"], parameters["body_nconsts"]
        carried = len(weights) - in_condition - in_body
        flags = weights[:in_condition] + [False] * carried
        parameters["cond_jaxpr"] = _rounded_body(parameters["cond_jaxpr"], flags, block_format)
        flags = weights[in_condition : in_condition + in_body] + [False] * carried
        parameters["body_jaxpr"] = _rounded_body(parameters["body_jaxpr"], flags, block_format)
    else:
        parameters["branches"] = tuple(_rounded_body(branch, weights[1:], block_format) for branch in parameters["branches"])
    return parameters


def _rounded_body(body: core.ClosedJaxpr, weights: list[bool], block_format: BlockFormat) -> core.ClosedJaxpr:
    shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak_type) for a in body.in_avals]
    return jax.make_jaxpr(lambda *arguments: _evaluate(body, arguments, weights, block_format))(*shapes)
