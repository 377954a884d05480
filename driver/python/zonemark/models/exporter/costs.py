"""The floating-point operations of a computation by XLA's cost analysis."""

from collections.abc import Iterator
from typing import Any

import jax
from jax.extend import core


def flop_of(closed: core.ClosedJaxpr) -> float | None:
    """The floating-point operations of a computation, None where XLA does not say or where a loop runs as often as its data want.

    XLA's analysis counts the body of a loop once, so that what it does more often is added, for loops of known length.
    """
    return _counted(closed)[1]


def _counted(closed: core.ClosedJaxpr) -> tuple[float | None, float | None]:
    """The operations of a computation with the bodies of its loops counted once, and as often as they run."""
    once = total = _by_xla(closed)
    for loop in _loops(closed.jaxpr):
        body_once, body_total = _counted(loop.params["jaxpr"]) if loop.primitive.name == "scan" else (None, None)
        if total is None or body_once is None or body_total is None:
            return once, None
        total += loop.params["length"] * body_total - body_once
    return once, total


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
