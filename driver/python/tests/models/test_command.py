"""The command line: what is printed, and which failure is reported at which place of a file of one's own."""

import json
import os
import subprocess
import sys
import textwrap

import pytest

import zonemark.models
from zonemark.models import __main__
from zonemark.models.exporter.registry import discover

TEN_LINES = """
    import jax.numpy as jnp
    from zonemark.models import Module, Parameter, benchmark_model

    @benchmark_model(configs=["small", "large"])
    def mlp(training: bool, config: str, force_num_layers: int = 0):
        "Layers of tanh."
        width = {"small": 8, "large": 16}[config]
        print("this is no answer")
        def forward(params, x):
            return jnp.tanh(x @ params["w"])
        return [Module(forward, {"w": Parameter((width, width), std=0.5)}, loss=lambda y: (y**2).sum())], [jnp.ones((4, width))]
"""


def write(folder, text, name="own.py"):
    (folder / name).write_text(textwrap.dedent(text).lstrip("\n"))
    return str(folder)


def command(*arguments):
    """The exit status and the answer of a command; its answer must be all that it prints on standard output.

    Importing JAX takes longer than most tests, so that one test starts a process, and the others run the command in this one.
    """
    process = subprocess.run([sys.executable, "-m", "zonemark.models", *arguments], capture_output=True, text=True, check=False)
    try:
        return process.returncode, json.loads(process.stdout)
    except json.JSONDecodeError:
        raise AssertionError(f"{process.stdout}\n{process.stderr}") from None


def run(*arguments):
    """The answer of a command in this process; one with an error has the status 1."""
    status, answer = __main__._run(__main__._parse(list(arguments)))
    assert status == (1 if "error" in answer else 0)
    return answer


def test_list_names_models_and_mistakes(tmp_path):
    write(tmp_path, TEN_LINES)
    write(tmp_path, "def broken(:\n    pass\n", "syntax.py")
    write(tmp_path, "import math\n\nx = math.sqrt(-1)\n", "raises.py")
    write(tmp_path, "from zonemark.models import benchmark_model\n\n\n@benchmark_model(configs='small')\ndef f(config):\n    pass\n", "decorated.py")
    write(tmp_path, "from zonemark.models import benchmark_model\n\n\n@benchmark_model()\ndef f(heads):\n    pass\n", "parameter.py")
    write(tmp_path, TEN_LINES, "twice.py")
    write(tmp_path, "import json\nimport nowhere_to_be_found.inner\n", "lacks.py")
    write(tmp_path, "raise SystemExit(3)\n", "leaves.py")
    answer = run("list", "--models", str(tmp_path), "--models", str(tmp_path / "missing"))
    assert answer["version"] == 1
    models = {model["name"]: model for model in answer["models"]}
    assert {"bert", "vit", "t5", "mlp"} <= set(models)
    assert models["mlp"] == {
        "name": "mlp",
        "configs": ["small", "large"],
        "default_config": "",
        "training": True,
        "generative": False,
        "layers": True,
        "source": str(tmp_path / "own.py"),
        "line": 4,
        "doc": "Layers of tanh.",
    }
    mistakes = {os.path.basename(m["file"]): (m["line"], m["error"]) for m in answer["mistakes"]}
    assert mistakes["syntax.py"] == (1, "SyntaxError: invalid syntax")
    assert mistakes["raises.py"] == (3, "ValueError: math domain error")
    assert mistakes["decorated.py"][0] == 4 and "a list of different names" in mistakes["decorated.py"][1]
    assert mistakes["parameter.py"][0] == 4 and "'heads'" in mistakes["parameter.py"][1]
    assert mistakes["twice.py"][0] == 4 and "already defined" in mistakes["twice.py"][1]
    assert mistakes["leaves.py"] == (1, "SystemExit: 3")
    assert "no such folder" in mistakes["missing"][1]
    assert mistakes["lacks.py"][0] == 2 and "keras==" in mistakes["lacks.py"][1] and " nowhere_to_be_found into" in mistakes["lacks.py"][1]
    assert len(mistakes) == 8


def test_export_of_ten_lines(tmp_path):
    out = tmp_path / "out"
    arguments = ["--model", "mlp", "--config", "small", "--models", write(tmp_path, TEN_LINES)]
    answer = run("export", *arguments, "--out", str(out))
    assert answer == {"version": 1, "manifest": str(out / "manifest.json")}
    manifest = json.loads((out / "manifest.json").read_text())
    written = {manifest["modules"][0]["program"], "manifest.json"}
    written |= {value.pop("file") for side in ("inputs", "outputs") for value in manifest["modules"][0][side]}
    assert written == set(os.listdir(out))
    manifest["modules"][0]["program"] = ""
    assert run("describe", *arguments) == manifest


FAILURES = [
    # arguments, what the file of models holds in the place of @, kind, line, part of the message
    (["--model", "nothing"], "pass", "unknown-model", 0, "no model is called 'nothing'; there are"),
    (["--model", "own"], "pass", "config-required", 0, "choose one of a, b"),
    (["--model", "own", "--config", "c"], "pass", "unknown-config", 0, "no configuration 'c', only a, b"),
    (["--model", "own", "--config", "a"], "raise KeyError(config)", "exception", 8, "KeyError: 'a'"),
    (["--model", "own", "--config", "a"], "raise SystemExit(2)", "exception", 8, "SystemExit: 2"),
    (["--model", "own", "--config", "a"], "return jnp.ones((2, 3)) @ jnp.ones((4, 5))", "shape", 8, "own raised: TypeError: dot_general requires"),
    (["--model", "own", "--config", "a"], "return None", "return-value", 6, "not a NoneType"),
    (["--model", "own", "--config", "a"], "return [Module(f, {})], []", "return-value", 6, "the list of inputs is empty"),
    (["--model", "own", "--config", "a"], "return Module(f, {}), [x]", "return-value", 6, "the modules are a list, not a Module"),
    (["--model", "own", "--config", "a"], "return [f], [x]", "return-value", 6, "a Module, a Keras model or a PyTorch module, not a function"),
    (["--model", "own", "--config", "a"], "return [Module(f, {})] * 4, [x]", "return-value", 6, "not 4"),
    (["--model", "own", "--config", "a"], "return [Module(f, {}), Module(g, {})], [x]", "shape", 12, "dot_general requires"),
    (["--model", "own", "--config", "a"], "return [Module(e, {})], [x]", "exception", 14, "ZeroDivisionError"),
    (["--model", "own", "--config", "a"], "return [Module(f, {})], ['text']", "return-value", 6, "no element type"),
    (["--model", "own", "--config", "a"], "return [Module(f, {'w': object()})], [x]", "return-value", 6, "is no array"),
    (["--model", "own", "--config", "a"], "return [Module(lambda p, x: None, {})], [x]", "return-value", 6, "computes nothing"),
    (["--model", "own", "--config", "a"], "return [Module(3)], [x]", "exception", 8, "not int"),
    (["--model", "own", "--config", "a", "--training"], "return [Module(f, {})], [x]", "return-value", 6, "needs Module(..., loss="),
    (["--model", "own", "--config", "a", "--training"], "return [Module(f, {}, loss=h)], [x]", "return-value", 15, "one number"),
    (["--model", "own", "--config", "a", "--training", "--generative"], "pass", "unsupported", 6, "not both"),
    (["--model", "simple", "--training"], "pass", "unsupported", 17, "no parameter training"),
    (["--model", "own", "--config", "a", "--emulate-format", "Bfp9"], "pass", "unsupported", 0, "there are Bfp8, Bfp8_b"),
    (["--model", "own", "--config", "a", "--emulate-format", "Bfp8", "--dtype", "float16"], "pass", "unsupported", 0, "leave the element type out"),
]

SOURCE = """
    import jax.numpy as jnp
    from zonemark.models import Module, benchmark_model
    x = jnp.ones((2, 3))


    @benchmark_model(configs=["a", "b"])
    def own(config, training=False):
        @
    def f(params, x):
        return x @ jnp.ones((3, 4))
    def g(params, y):
        return y @ jnp.ones((3, 4))
    def e(params, x):
        return 1 / 0
    def h(y):
        return y
    @benchmark_model()
    def simple():
        return [Module(f)], [x]
"""


@pytest.mark.parametrize(("arguments", "body", "kind", "line", "message"), FAILURES)
def test_failures_name_the_place(tmp_path, arguments, body, kind, line, message):
    answer = run("describe", *arguments, "--models", write(tmp_path, SOURCE.replace("@\n", body + "\n", 1)))
    assert answer.get("kind") == kind, answer
    assert message in answer["error"]
    assert (answer["file"], answer["line"]) == ((str(tmp_path / "own.py"), line) if line else ("", 0))


def test_a_mistake_is_what_is_said_of_a_model_that_may_be_in_the_file(tmp_path):
    answer = run("describe", "--model", "own", "--models", write(tmp_path, "import nothing_of_this_name\n"))
    assert (answer["kind"], answer["file"], answer["line"]) == ("mistake", str(tmp_path / "own.py"), 1)


def test_files_of_a_folder_import_one_another_and_a_function_elsewhere_is_placed(tmp_path):
    write(tmp_path, "def broken(params, x):\n    return x @ x\n", "parts.py")
    text = """
        import jax.numpy as jnp
        from parts import broken
        from zonemark.models import Module, benchmark_model
        @benchmark_model()
        def own():
            return [Module(broken)], [jnp.ones((2, 3))]
    """
    answer = run("describe", "--model", "own", "--models", write(tmp_path, text))
    assert (answer["kind"], answer["file"], answer["line"]) == ("shape", str(tmp_path / "parts.py"), 2)


def test_the_example_of_the_documentation_is_exported(tmp_path):
    example = zonemark.models.__doc__.split("\n\n    ", 1)[1].split("\n\nIt needs")[0]
    folder = write(tmp_path, "    " + example)
    for training in [], ["--layers", "2"]:
        answer = run("describe", "--model", "mlp", "--config", "large", "--models", folder, *training)
        assert answer["parameters"] == (2 if training else 4) * 1024**2, answer


def test_what_cannot_be_written_is_an_answer_too(tmp_path):
    (tmp_path / "file").write_text("")
    arguments = ["--model", "mlp", "--config", "small", "--models", write(tmp_path, TEN_LINES), "--out", str(tmp_path / "file")]
    status, answer = command("export", *arguments)
    assert (status, answer["kind"]) == (1, "exception") and "FileExistsError" in answer["error"]


def test_a_single_file_may_stand_for_a_folder(tmp_path):
    write(tmp_path, TEN_LINES)
    assert "mlp" in discover([str(tmp_path / "own.py")]).models
