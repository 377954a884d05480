"""The floating-point operations of a computation by XLA's cost analysis."""

from collections.abc import Iterator
from typing import Any

import jax
from jax.extend import core


def flop_of(closed: core.ClosedJaxpr) -> float | None:
    """The floating-point operations of a computation, None where XLA does not say or where a loop runs as often as its data want.

    XLA's analysis counts the body of a loop once, so that what it does more often is added, for loops of known length.
    """
    total = _by_xla(closed)
    for loop in _loops(closed.jaxpr):
        body = loop.params["jaxpr"] if loop.primitive.name == "scan" else None
        once = _by_xla(body) if body is not None else None
        all_of_it = flop_of(body) if body is not None else None
        if total is None or once is None or all_of_it is None:
            return None
        total += loop.params["length"] * all_of_it - once
    return total


def _by_xla(closed: core.ClosedJaxpr) -> float | None:
    shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in closed.in_avals]
    costs = jax.jit(core.jaxpr_as_fun(closed), keep_unused=True).lower(*shapes).cost_analysis()
    flop = costs.get("flops", 0.0) if isinstance(costs, dict) else -1.0  # no key: nothing but copies
    return float(flop) if flop >= 0 else None


def _loops(jaxpr: Any) -> Iterator[Any]:
    """The outermost loops of a computation."""
    for equation in jaxpr.eqns:
        if equation.primitive.name in ("scan", "while"):
            yield equation
            continue
        for parameter in equation.params.values():
            for inner in parameter if isinstance(parameter, (tuple, list)) else (parameter,):
                inner = getattr(inner, "jaxpr", inner)
                if hasattr(inner, "eqns"):
                    yield from _loops(inner)
