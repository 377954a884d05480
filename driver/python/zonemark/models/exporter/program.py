"""A module as a StableHLO program: a computation with arrays, its portable artifact and its costs."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
from jax import export
from jax.extend import core
from jax.extend.mlir import ir
from jax.extend.mlir.dialects import stablehlo

from zonemark.models.exporter.costs import flop_of

PLATFORM = "cpu"
"""What the programs are lowered for. StableHLO is the same everywhere, as long as JAX uses no kernels of its own for a platform."""


@dataclass(frozen=True)
class Value:
    """An argument or a result of a program."""

    name: str
    spec: jax.ShapeDtypeStruct


@dataclass(frozen=True)
class Program:
    """A module that is ready to be written: weights are its first arguments, before the inputs."""

    computation: core.ClosedJaxpr
    arguments: list[Value]
    results: list[Value]
    exact: core.ClosedJaxpr
    """The computation without an emulated format; the same where none is emulated."""

    @cached_property
    def jitted(self) -> Any:
        """The computation as a function for JAX, which traces one function only once, whether it is written or run."""
        return _jitted(self.computation)

    def specs(self) -> list[jax.ShapeDtypeStruct]:
        """The shapes and types of the arguments."""
        return [argument.spec for argument in self.arguments]

    def portable_artifact(self) -> bytes:
        """StableHLO as portable bytecode with the entry main and no source locations: equal programs are equal bytes, wherever they were written.

        JAX' own serialization replaces what StableHLO does not have, and says where each operation comes from; written as text and read again, it
        leaves the latter out. The version is the one for consumers that are twelve weeks older than JAX.
        """
        text = text_of(export.export(self.jitted, platforms=[PLATFORM])(*self.specs()).mlir_module_serialized)
        version = stablehlo.get_version_from_compatibility_requirement(stablehlo.StablehloCompatibilityRequirement.WEEK_12)
        return bytes(stablehlo.serialize_portable_artifact_str(text, version))

    def flop(self) -> float | None:
        """The floating-point operations of one execution, without those of emulating a format; None where they cannot be known."""
        return flop_of(self.exact)

    def run(self, arguments: list[Any]) -> list[jax.Array]:
        """JAX' own results on the CPU."""
        return list(self.jitted(*arguments))

    def run_exactly(self, arguments: list[Any]) -> list[jax.Array]:
        """JAX' own results on the CPU without an emulated format."""
        return list(_jitted(self.exact)(*arguments))


def text_of(artifact: bytes) -> str:
    """A portable artifact as StableHLO's text, without source locations."""
    with ir.Context() as context:
        stablehlo.register_dialect(context)
        return str(stablehlo.deserialize_portable_artifact(context, artifact))


def _jitted(computation: core.ClosedJaxpr) -> Any:
    def main(*arguments: Any) -> tuple[Any, ...]:
        return tuple(core.jaxpr_as_fun(computation)(*arguments))

    return jax.jit(main, keep_unused=True)
