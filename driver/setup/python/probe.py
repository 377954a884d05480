# Prints, as one JSON object, what zonemark must know of this Python and of the packages in it. Run with -E, so that a stray PYTHONPATH has no say.
import sys

sys.path = [p for p in sys.path if p]  # not the current folder
import importlib.metadata
import importlib.util
import json
import os
import platform
import sysconfig


def distribution(name):
    try:
        found = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return None
    return {"version": found.version, "site": os.path.realpath(str(found.locate_file("")))}


variables = ("INSTSONAME", "LDLIBRARY", "LDVERSION", "LIBDIR", "LIBPL", "MULTIARCH", "PYTHONFRAMEWORKPREFIX")
json.dump(
    {
        "version": platform.python_version(),
        "implementation": sys.implementation.name,
        "executable": sys.executable,
        "base_prefix": sys.base_prefix,
        "site": sysconfig.get_path("platlib"),
        "venv": all(importlib.util.find_spec(m) is not None for m in ("venv", "ensurepip")),
        "config": {v: str(sysconfig.get_config_var(v) or "") for v in variables},
        "runtime": distribution("iree-base-runtime"),
        "compiler": distribution("iree-base-compiler"),
        "jax": distribution("jax"),
        "keras": distribution("keras"),
        "torch": distribution("torch"),
        "halide": distribution("halide"),
        "onnx": distribution("onnx"),
    },
    sys.stdout,
)
