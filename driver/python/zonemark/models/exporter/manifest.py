"""Describes a model and exports it: programs, arrays and the manifest that says what belongs to what."""

import contextlib
import json
import os
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import jax
import numpy as np

from zonemark.models.exporter import arrays, torch_module
from zonemark.models.exporter.calling import Options, Returned, call
from zonemark.models.exporter.failure import Failure
from zonemark.models.exporter.registry import Model
from zonemark.models.exporter.staging import Stage, stages

TOLERANCES = {"float32": 1e-3, "float16": 2e-2, "bfloat16": 1e-1}
"""How far results may be from JAX' own, as a part of their size. Other compilers order sums of thousands of terms otherwise and keep other
intermediate results in 16 bits, over tens of layers; a lost term or a wrong weight moves results by far more."""


def describe(model: Model, options: Options) -> dict[str, Any]:
    """The manifest of an export that is not made: shapes, sizes and costs, by abstract evaluation."""
    returned = call(model, options, abstract=True)
    manifest = _head(returned)
    for stage in stages(returned):
        _add(manifest, returned, stage)
    return manifest


def export(model: Model, options: Options, folder: str, expected: bool) -> str:
    """Writes programs, arrays and, last, the manifest into a folder, and returns the manifest's path.

    With expected, JAX computes what the results must be.
    """
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "manifest.json")
    with contextlib.suppress(FileNotFoundError):
        os.remove(path)  # it would speak of files that are replaced
    returned = call(model, options, abstract=False)
    manifest = _head(returned)
    previous: list[Any] = []
    exact: list[Any] = []
    remaining = [role for role, _ in returned.modules]
    for stage in stages(returned):
        print(f"exporting {stage.role}", file=sys.stderr)
        entry = _add(manifest, returned, stage)
        remaining.remove(stage.role)
        entry["program"] = f"{stage.role}.mlir"
        with open(os.path.join(folder, entry["program"]), "wb") as file:
            file.write(stage.program.portable_artifact())
        contents = _write_arguments(folder, entry, stage, options, previous)
        if expected and options.block_format:
            exact = stage.program.run_exactly([jax.device_put(value) for value in _arguments(stage, options.seed, exact)])
        if expected or remaining:  # the module behind needs the results as its inputs
            results = stage.program.run(contents)
            _check_translation(returned, stage, entry, contents, results)
            previous = results
        contents.clear()
        if expected:
            for index, (result, value) in enumerate(zip(entry["outputs"], previous, strict=True)):
                result["file"] = f"{stage.role}.out.{index}.npy"
                arrays.save(os.path.join(folder, result["file"]), value)
    if expected and options.block_format:
        manifest["accuracy"] = arrays.accuracy(previous, exact)
    with open(f"{path}.partial", "w", encoding="utf-8") as file:
        json.dump(manifest, file, indent=1, ensure_ascii=False, allow_nan=False)
    os.replace(f"{path}.partial", path)
    return path


def _check_translation(returned: Returned, stage: Stage, entry: dict[str, Any], arguments: list[jax.Array], results: list[Any]) -> None:
    """Raises Failure if a module of PyTorch computes something else in JAX than in PyTorch itself."""
    if not stage.module.is_torch or returned.options.block_format:
        return
    inputs = arguments[len(arguments) - sum(argument.kind != "weight" for argument in stage.arguments) :]
    different = torch_module.differs(stage.module.fn, inputs, results, entry["tolerance"]["relative"])
    if different:
        message = f"the module {stage.role} computes something else than PyTorch does, as zonemark translates it: {different}"
        raise Failure("unsupported", message, returned.model.file, returned.model.line)


def _head(returned: Returned) -> dict[str, Any]:
    options = returned.options
    device = next(module for role, module in returned.modules if role == "device")
    packages = ["jax", "jaxlib", "keras", *(["torch"] if any(module.is_torch for _, module in returned.modules) else [])]
    return {
        "version": 1,
        "model": returned.model.name,
        "config": returned.config,
        "training": options.training,
        "layers": 0 if "layers" in returned.not_applied else options.layers,
        "generative": options.generative and "generative" not in returned.not_applied,
        "dtype": options.dtype,
        **({"emulated_format": options.block_format.name} if options.block_format else {}),
        "microbatch": 1,
        "tokens_per_iteration": device.tokens,
        "parameters": 0,
        "weights_bytes": 0,
        "not_applied": returned.not_applied,
        "generator": {"python": platform.python_version(), **{package: version(package) for package in packages}},
        "modules": [],
    }


def _add(manifest: dict[str, Any], returned: Returned, stage: Stage) -> dict[str, Any]:
    """Adds a module to the manifest, without files, and returns its entry."""
    inputs: list[dict[str, Any]] = []
    own = [value.spec.shape for argument, value in zip(stage.arguments, stage.program.arguments, strict=True) if argument.kind == "input"]
    if not manifest["modules"] and own and own[0]:
        manifest["microbatch"] = own[0][0]
    for argument, value in zip(stage.arguments, stage.program.arguments, strict=True):
        inputs.append({"name": value.name, "kind": argument.kind, "dtype": value.spec.dtype.name, "shape": list(value.spec.shape)})
        if argument.kind == "previous":
            inputs[-1]["output"] = argument.output
        if argument.kind == "weight":
            manifest["weights_bytes"] += value.spec.size * value.spec.dtype.itemsize
            learned = value.name.split("/")[0] == "params" and not argument.tied
            manifest["parameters"] += value.spec.size if learned else 0
    outputs = [{"name": value.name, "dtype": value.spec.dtype.name, "shape": list(value.spec.shape)} for value in stage.program.results]
    tolerance = max(TOLERANCES[returned.options.dtype], stage.module.tolerance)
    if returned.options.block_format and stage.role != "cpu-pre":  # a last bit of float32 decides between neighbours of the format
        tolerance = max(tolerance, 4 * 2.0**-returned.options.block_format.magnitude_bits)
    entry: dict[str, Any] = {"role": stage.role, "program": "", "function": "main", "inputs": inputs, "outputs": outputs}
    entry["tolerance"] = {"relative": tolerance, "absolute": tolerance}
    if (flop := stage.program.flop()) is not None:
        entry["flop"] = flop
        if stage.role == "device":
            manifest["flop"] = flop
    manifest["modules"].append(entry)
    return entry


def _write_arguments(folder: str, entry: dict[str, Any], stage: Stage, options: Options, previous: list[Any]) -> list[jax.Array]:
    """Writes the arguments one by one, weights of the device as the emulated format has them, and returns them for JAX' own execution."""
    contents: list[jax.Array] = []
    for argument, value, entry_of in zip(stage.arguments, _arguments(stage, options.seed, previous), entry["inputs"], strict=True):
        if options.block_format and stage.role == "device" and argument.kind == "weight" and arrays.is_float(value.dtype):
            value = options.block_format.round(value)
        entry_of["file"] = f"{stage.role}.in.{len(contents)}.npy"
        arrays.save(os.path.join(folder, entry_of["file"]), value)
        contents.append(jax.device_put(value))  # what is not freed here is there twice once JAX has its own
    return contents


def _arguments(stage: Stage, seed: int, previous: list[Any]) -> Iterator[np.ndarray | jax.Array]:
    """The arguments of a program, each made when it is asked for; weights are the same every time."""
    for argument, value in zip(stage.arguments, stage.program.arguments, strict=True):
        if argument.kind == "previous":
            yield previous[argument.output]
        else:
            yield arrays.value_of(argument.leaf, value.spec, seed, argument.drawn_as)
