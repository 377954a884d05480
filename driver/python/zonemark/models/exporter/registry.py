"""The decorator that makes a function a model, and the search for such functions in folders."""

import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from types import ModuleType
from typing import Any, TypeVar

from zonemark.models.exporter import failure
from zonemark.models.exporter.failure import Failure

F = TypeVar("F", bound=Callable[..., Any])

PASSED = ("training", "config", "force_num_layers", "microbatch", "dtype", "generative")
"""The arguments of a model's function, which are passed by name to those that take them."""

_ATTRIBUTE = "__benchmark_model__"


def benchmark_model(configs: Sequence[str] = ("default",)) -> Callable[[F], F]:
    """Makes a function a model under its own name, in these configurations.

    The function may take, by name, `training` (bool), `config` (one of configs), `force_num_layers` (0: as published), `microbatch` (0: the model's
    own), `dtype` ("float32", "float16" or "bfloat16": the exporter converts weights and inputs itself) and `generative` (bool); one without a
    parameter for something does not support it.

    It returns `(modules, inputs)` or, for training, `(modules, inputs, targets)`: modules are a list of one (the device's), two (before it on the
    CPU, the device's) or three (and after it on the CPU) Modules, Keras models or modules of PyTorch, inputs the arguments of the first: arrays or tensors.
    """
    if isinstance(configs, str) or not all(isinstance(c, str) and c for c in configs) or len(set(configs)) != len(configs) or not configs:
        raise TypeError(f'configs={configs!r}: benchmark_model takes a list of different names, such as configs=["small", "large"]')

    def decorate(function: F) -> F:
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.kind == parameter.VAR_KEYWORD or parameter.kind == parameter.VAR_POSITIONAL:
                raise TypeError(f"{function.__name__}: a model names its parameters, {parameter} does not")
            if name not in PASSED and parameter.default is parameter.empty:
                raise TypeError(f"{function.__name__}: nothing is passed for the parameter {name!r}; a model may take {', '.join(PASSED)}")
        setattr(function, _ATTRIBUTE, tuple(configs))
        return function

    return decorate


@dataclass(frozen=True)
class Model:
    """A model as it was found: its function, where that is, and what it takes."""

    name: str
    function: Callable[..., Any]
    configs: tuple[str, ...]
    file: str
    line: int
    takes: frozenset[str]

    def configuration(self, asked: str) -> str:
        """The configuration that a user's choice means; "" is the only one there is."""
        if asked in self.configs:
            return asked
        choices = ", ".join(self.configs)
        if asked:
            raise Failure("unknown-config", f"{self.name} has no configuration {asked!r}, only {choices}")
        if len(self.configs) > 1:
            raise Failure("config-required", f"{self.name} has several configurations, choose one of {choices}")
        return self.configs[0]

    def described(self) -> dict[str, Any]:
        """The model's entry in the list of models."""
        documentation = (inspect.getdoc(self.function) or "").strip().splitlines()
        return {
            "name": self.name,
            "configs": list(self.configs),
            "default_config": self.configs[0] if len(self.configs) == 1 else "",
            "training": "training" in self.takes,
            "generative": "generative" in self.takes,
            "layers": "force_num_layers" in self.takes,
            "source": self.file,
            "line": self.line,
            "doc": documentation[0] if documentation else "",
        }


@dataclass
class Catalog:
    """The models of some folders, and the mistakes that kept files from being read."""

    models: dict[str, Model] = field(default_factory=dict)
    mistakes: list[Failure] = field(default_factory=list)

    def model(self, name: str) -> Model:
        """The model of a name. Where a file could not be read, the model that it may have held is reported through that."""
        if name in self.models:
            return self.models[name]
        if self.mistakes:
            raise self.mistakes[0]
        raise Failure("unknown-model", f"no model is called {name!r}; there are {', '.join(sorted(self.models))}")


def discover(folders: Iterable[str]) -> Catalog:
    """The shipped models, then those of the files in folders (or of single files) of the user's own."""
    catalog = Catalog()
    shipped = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for file in _files(shipped):
        _add(catalog, file, lambda file: importlib.import_module(f"zonemark.models.{_stem(file)}"))
    for folder in map(os.path.abspath, folders):
        if folder.endswith(".py") and os.path.isfile(folder):
            files, beside = [folder], os.path.dirname(folder)
        elif os.path.isdir(folder):
            files, beside = _files(folder), folder
            if not files:
                catalog.mistakes.append(Failure("mistake", "the folder holds no .py file", folder))
        else:
            catalog.mistakes.append(Failure("mistake", "there is no such folder or .py file of models", folder))
            continue
        sys.path.append(beside)  # files may import one another, and hide nothing that is installed
        for file in files:
            _add(catalog, file, _import_file)
    return catalog


def _installing(error: BaseException) -> str:
    """What brings a package that a file imports and the exporter's Python lacks."""
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return ""
    packages = " ".join([*(f"{name}=={version(name)}" for name in ("jax", "keras")), error.name.split(".")[0]])
    return (
        f"; models are exported by {sys.executable}, which has no package of this name: install {packages} into an environment of your own, and name "
        "that with --python"
    )


def _files(folder: str) -> list[str]:
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".py") and not name.startswith(("_", "."))]


def _stem(file: str) -> str:
    return os.path.splitext(os.path.basename(file))[0]


def _import_file(file: str) -> ModuleType:
    name = f"zonemark_user_models.{_stem(file)}"  # apart from the modules of the same name that an environment has
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError("Python does not read it as a source file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _add(catalog: Catalog, file: str, load: Callable[[str], ModuleType]) -> None:
    """Adds the models that a file defines, or the mistake for which it cannot be read."""
    try:
        module = load(file)
    except (Exception, SystemExit) as error:
        if isinstance(error, SyntaxError) and error.filename:
            catalog.mistakes.append(Failure("mistake", f"SyntaxError: {error.msg}", os.path.abspath(error.filename), error.lineno or 0))
        else:
            line, _ = failure.line_in(error.__traceback__, file)
            catalog.mistakes.append(Failure("mistake", failure.described(error) + _installing(error), file, line))
        return
    for function in list(vars(module).values()):
        configs = getattr(function, _ATTRIBUTE, None)
        if not isinstance(configs, tuple) or getattr(function, "__module__", "") != module.__name__:
            continue  # what it imported from another file is that file's
        place, line = failure.place_of(function)
        name = function.__name__
        if name in catalog.models:
            other = catalog.models[name]
            message = f"a model {name!r} is already defined in {other.file}, line {other.line}; rename this one"
            catalog.mistakes.append(Failure("mistake", message, place, line))
            continue
        catalog.models[name] = Model(name, function, configs, place, line, frozenset(inspect.signature(function).parameters))
