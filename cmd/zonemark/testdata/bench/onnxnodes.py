"""Runs node tests of the package onnx through IREE's tools and zonemark; see onnxnodes.sh. Arguments: zonemark, a folder for scratch files, the
folder of the tests, how many tests each one stands for, and the file of results."""

import glob
import os
import re
import shutil
import sys

import ireetools
import numpy as np
import onnx
from ireetools import last
from onnx import numpy_helper

program, work, nodes, every, results = sys.argv[1:]
importer = [sys.executable, "-m", "iree.compiler.tools.import_onnx"]


def arrays(folder, kind):
    """The files of a test's inputs or outputs as .npy files; None if one is no tensor that NumPy has."""
    paths = []
    for n in range(len(glob.glob(f"{folder}/test_data_set_0/{kind}_*.pb"))):
        tensor = onnx.TensorProto()
        try:
            with open(f"{folder}/test_data_set_0/{kind}_{n}.pb", "rb") as file:
                tensor.ParseFromString(file.read())
            array = numpy_helper.to_array(tensor)
        except Exception:  # a sequence, an optional value
            return None
        if array.dtype.kind not in "biuf" or tensor.data_type >= onnx.TensorProto.BFLOAT16:
            return None
        paths.append(f"{work}/{kind}_{n}.npy")
        np.save(paths[-1], array)
    return paths


def signless(path):
    """An expected output as iree-run-module compares it: results have integers without a sign, and files have one."""
    array = np.load(path)
    if array.dtype.kind not in "iu":
        return f"@{path}"
    array.tofile(path + ".bin")
    return "x".join([*map(str, array.shape), f"i{8 * array.dtype.itemsize}"]) + f"=@{path}.bin"


def iree(model, inputs, outputs):
    """The stage at which IREE's tools fail, and what they say; no stage if all work."""
    mlir, module = f"{work}/m.mlir", f"{work}/m.vmfb"
    status, text = ireetools.run(*importer, model, "-o", mlir)
    if status != 0:
        return "import", last(text)
    status, text = ireetools.compile_mlir(mlir, module)
    if status != 0:
        return "compile", last(text)
    with open(mlir, encoding="utf-8") as file:
        name = re.search(r'func\.func @("[^"]*"|[\w.$-]+)', file.read()).group(1).strip('"')
    arguments = [f"--input=@{path}" for path in inputs] + [f"--expected_output={signless(path)}" for path in outputs]
    status, text = ireetools.run_module(module, name, *arguments)
    return ("run", last(text)) if status != 0 or "[SUCCESS]" not in text else ("", "")


def test(key):
    """What comes of a node test with one of the two: "zonemark test_add" or "IREE test_add"."""
    tool, name = key.split()
    folder = os.path.join(nodes, name)
    inputs, outputs = arrays(folder, "input"), arrays(folder, "output")
    if inputs is None or outputs is None:
        return "no tensors", ""
    model = shutil.copy(f"{folder}/model.onnx", f"{work}/model.onnx")
    if tool == "IREE":
        stage, said = iree(model, inputs, outputs)
        return stage or "ok", said
    arguments = [word for path in inputs for word in ("--input", path)] + [word for path in outputs for word in ("--expected-output", path)]
    said = ireetools.zonemark(program, model, *arguments)
    if " mismatch " in said and not ireetools.zonemark(program, model, *arguments, "--tolerance", f"{absolute(outputs):g}"):
        return "narrower", said
    return "failed" if said else "ok", said


def absolute(outputs):
    """zonemark's tolerance, a part of an output's mean magnitude, that is iree-run-module's: 1e-4, whatever the magnitude."""
    return max([1e-4, *(1e-4 / max(np.abs(np.load(path)).astype(float).mean(), 1e-30) for path in outputs)])


def together(ours, theirs):
    """What came of a node test with both."""
    if ours[0] == "no tensors":
        return ours
    if theirs[0] != "ok":
        return "only zonemark" if ours[0] == "ok" else f"neither: {theirs[0]}", theirs[1]
    return {"ok": "both", "narrower": "both, by IREE's tolerance"}.get(ours[0], "only IREE"), ours[1]


names = sorted(os.listdir(nodes))[:: int(every)]
ours = ireetools.compared([f"zonemark {name}" for name in names], results, test)
names.sort(key=lambda name: ours[f"zonemark {name}"][0] == "ok")  # what is not as it should be is known early
theirs = ireetools.compared([f"IREE {name}" for name in names], results, test)
found = {name: together(ours[f"zonemark {name}"], theirs[f"IREE {name}"]) for name in names}
labels = {
    "both": "work with IREE's tools and zonemark", "only IREE": "work with IREE's tools, not with zonemark",
    "both, by IREE's tolerance": "work with both by IREE's tolerance for float32 (1e-4), and zonemark's is narrower (1e-3 of the mean magnitude)",
    "only zonemark": "work with zonemark, not with IREE's tools", "neither: import": "IREE does not import",
    "neither: compile": "IREE does not compile", "neither: run": "IREE's results differ, or it fails; zonemark's, too",
    "no tensors": "have values that are no tensors of NumPy's types",
}  # fmt: skip
sys.exit(ireetools.table(found, "node tests of onnx", labels))
