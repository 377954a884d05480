"""Runs node tests of the package onnx through IREE's tools and zonemark; see onnxnodes.sh. Arguments: zonemark, a folder for scratch files, the
folder of the tests, how many tests each one stands for, and the file of results."""

import collections
import glob
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import onnx
from onnx import numpy_helper

program, work, nodes, every, results = sys.argv[1:]
compiler, tools = os.environ["ZONEMARK_IREE_COMPILE"], os.environ["ZONEMARK_IREE_TOOLS"]
importer = [sys.executable, "-m", "iree.compiler.tools.import_onnx"]
target = ["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host"]
TIMEOUT = 120  # seconds of a command


def run(*command):
    """The exit status and the output of a command; its status is 124 if it takes too long."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return 124, "timeout"
    return done.returncode, done.stdout + done.stderr


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


def last(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    bad = [line for line in lines if re.search("error|FAILED|failed|mismatch|skipped|crashed|timeout", line)]
    return (bad or lines or [""])[0][:300].replace("\t", " ")


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
    status, text = run(*importer, model, "-o", mlir)
    if status != 0:
        return "import", last(text)
    status, text = run(compiler, mlir, "-o", module, *target)
    if status != 0:
        return "compile", last(text)
    with open(mlir, encoding="utf-8") as file:
        name = re.search(r'func\.func @("[^"]*"|[\w.$-]+)', file.read()).group(1).strip('"')
    arguments = [f"--input=@{path}" for path in inputs] + [f"--expected_output={signless(path)}" for path in outputs]
    status, text = run(f"{tools}/iree-run-module", f"--module={module}", f"--function={name}", "--device=local-sync", *arguments)
    return ("run", last(text)) if status != 0 or "[SUCCESS]" not in text else ("", "")


def zonemark(model, inputs, outputs):
    arguments = [word for path in inputs for word in ("--input", path)] + [word for path in outputs for word in ("--expected-output", path)]
    status, text = run(program, "run", model, "--check", *arguments)
    return ("", "") if status == 0 and "1 invocation: 1 ok" in text else (f"exit status {status}", last(text))


def test(name):
    folder = os.path.join(nodes, name)
    inputs, outputs = arrays(folder, "input"), arrays(folder, "output")
    if inputs is None or outputs is None:
        return "no tensors", ""
    model = shutil.copy(f"{folder}/model.onnx", f"{work}/model.onnx")
    stage, said = iree(model, inputs, outputs)
    if stage:
        return f"IREE: {stage}", said
    stage, said = zonemark(model, inputs, outputs)
    return ("only IREE", f"{stage}: {said}") if stage else ("both", "")


def main():
    names = sorted(os.listdir(nodes))[:: int(every)]
    known = {}
    if os.path.exists(results):
        with open(results, encoding="utf-8") as file:
            known = {line.split("\t")[0]: line.rstrip("\n").split("\t")[1:] for line in file if line.endswith("\n")}
    with open(results, "a", encoding="utf-8") as file:
        for name in names:
            if name not in known:
                known[name] = test(name)
                print(name, *known[name], sep="\t", file=file, flush=True)
    count = collections.Counter(known[name][0] for name in names)
    labels = {
        "both": "work with IREE's tools and zonemark", "only IREE": "work with IREE's tools, not with zonemark",
        "IREE: import": "IREE does not import", "IREE: compile": "IREE does not compile", "IREE: run": "IREE's results differ, or it fails",
        "no tensors": "have values that are no tensors of NumPy's types",
    }  # fmt: skip
    print(f"{len(names):6} node tests of onnx")
    for key, label in labels.items():
        print(f"{count[key]:6} {label}")
    for name in names:
        if known[name][0] == "only IREE":
            print(f"{name}: {known[name][1]}")
    return 1 if count["only IREE"] else 0


sys.exit(main())
