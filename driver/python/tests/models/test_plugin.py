"""Exported programs, run by zonemark on XLA's CPU plugin, compute what JAX computed. $ZONEMARK_BINARY and $ZONEMARK_PJRT_CPU say where both are."""

import json
import os
import subprocess

import numpy as np
import pytest

from zonemark.models.exporter import manifest
from zonemark.models.exporter.calling import Options
from zonemark.models.exporter.formats import FORMATS
from zonemark.models.exporter.registry import discover

BINARY, PLUGIN = os.environ.get("ZONEMARK_BINARY"), os.environ.get("ZONEMARK_PJRT_CPU")

pytestmark = pytest.mark.skipif(not (BINARY and PLUGIN), reason="ZONEMARK_BINARY and ZONEMARK_PJRT_CPU do not name both a binary and a plugin")

CASES = {
    "embeddings and encoder": ("bert", Options(config="tiny")),
    "loss and gradients": ("bert", Options(config="tiny", training=True, microbatch=2)),
    "bfloat16": ("bert", Options(config="tiny", dtype="bfloat16")),
    "block format": ("bert", Options(config="tiny", block_format=FORMATS["Bfp8_b"])),
    "patches of images": ("deit", Options(config="small", layers=1)),
    "greedy decoding": ("whisper", Options(config="tiny", layers=1, generative=True)),
    "convolutions": ("mobilenet_v2", Options(config="96")),
    "encoder and decoder": ("flan_t5", Options(config="base", layers=1)),
}

# A case of two modules shows that programs and their files fit together. The large size has all.
SMALL = {"embeddings and encoder"}
LARGE = bool(os.environ.get("ZONEMARK_TEST_LARGE"))
TESTED = [case for case in CASES if case in SMALL or LARGE]

# Wrong results of these are refused, too: numbers and tokens. The program compiles again for that.
REFUSED = {"embeddings and encoder", "greedy decoding"}


def check(folder, module):
    """The exit status and the output of zonemark for one module of an export."""
    command = [BINARY, "run", "--runtime", "tt", "--plugin", PLUGIN, "--check", "--tolerance", str(module["tolerance"]["relative"])]
    command += [f"--input={folder / value['file']}" for value in module["inputs"]]
    command += [f"--expected-output={folder / value['file']}" for value in module["outputs"]]
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}  # the plugin compiles as it does for users
    process = subprocess.run([*command, str(folder / module["program"])], capture_output=True, text=True, check=False, env=environment)
    return process.returncode, process.stdout + process.stderr


@pytest.mark.parametrize("case", TESTED)
def test_the_plugin_computes_what_jax_does(tmp_path, case):
    name, options = CASES[case]
    model = discover([]).models[name]
    manifest.export(model, options, str(tmp_path), expected=True)
    content = json.loads((tmp_path / "manifest.json").read_text())
    for module in content["modules"]:
        status, output = check(tmp_path, module)
        assert status == 0, output
    if case not in REFUSED and not LARGE:
        return
    last = content["modules"][-1]
    file = tmp_path / last["outputs"][0]["file"]
    wrong = np.load(file)
    if wrong.dtype.kind in "fi":
        np.save(file, wrong + 1)
        assert check(tmp_path, last)[0] == 2, "a wrong result passes"
