"""Compiles MLIR files and calls their functions by IREE's tools and zonemark; see ireemlir.sh. Arguments: zonemark, a folder for scratch files,
the folder of the files, how many files each one stands for, and the file of results."""

import glob
import os
import re
import shlex
import sys

import ireetools
from ireetools import last

program, work, folder, every, results = sys.argv[1:]
os.environ["ZONEMARK_HOME"] = f"{work}/home"
FUNCTIONS = 3  # of a file that are called, at most
FUNCTION = re.compile(r"\b(?:func|util)\.func\s+(?:public\s+)?@([\w.$-]+)\s*\(")


def closing(text, at, pair="()"):
    """The position behind the bracket that closes the one before at, outside of strings; -1 if there is none."""
    depth, quoted = 1, False
    while at < len(text):
        c = text[at]
        at += 1
        if c == '"':
            quoted = not quoted
        elif not quoted and c in pair:
            depth += 1 if c == pair[0] else -1
            if depth == 0:
                return at
    return -1


def returning(text):
    """A module whose functions return what they would check: the wheels have no iree-check-module, and the other tools leave the checks out."""
    out, at = "", 0
    for f in FUNCTION.finditer(text):
        behind = closing(text, f.end())
        opened = text.find("{", behind)
        if behind < 0 or opened < at or text[behind:opened].strip():
            continue  # it returns something already, or has attributes
        end = closing(text, opened + 1, "{}")
        body, values, types = text[opened + 1 : end - 1], [], []
        for check in [*re.finditer(r"check\.expect_\w+\(", body)][::-1]:  # from the end, so that positions stay
            inside = closing(body, check.end())
            kind = re.match(r"\s*:\s*(\S.*)", body[inside:])
            operands = re.findall(r"%[\w.$#-]+", body[check.end() : inside])
            if kind is None or not operands:
                return None
            values, types = operands + values, [kind.group(1)] * len(operands) + types
            body = body[: check.start()] + body[inside + kind.end() :]
        left, ending, right = body.rpartition("return")
        if not values or not ending or right.strip():
            continue
        out += text[at:behind] + f" -> ({', '.join(types)}) {{" + left + f"return {', '.join(values)} : {', '.join(types)}\n}}"
        at = end
    return out + text[at:] if out else None


def declared(text):
    """The functions that can be called, with the types of their arguments."""
    found = []
    for f in FUNCTION.finditer(text):
        end = closing(text, f.end())
        types = re.findall(r"%[\w.$#-]+\s*:\s*((?:tensor<[^>]*>|[^,{)]+))", text[f.end() : end - 1])
        found.append((f.group(1), [t.strip() for t in types]))
    return found


def filled(kind):
    """An input of a type of MLIR, as iree-run-module takes it: open dimensions are 4."""
    tensor = re.fullmatch(r"tensor<([^,>]*)[^>]*>", kind)
    return tensor.group(1).replace("?", "4") + "=1" if tensor else "1"


def said_in_run_lines(text, beside):
    """What the first RUN command that has iree-run-module says to it and to iree-compile: flags, the function, inputs, files of parameters in the
    folder of the file."""
    for command in re.findall(r"^// RUN:((?:.*\\\n// RUN:)*.*)$", text, re.M):
        lexer = shlex.shlex(re.sub(r"\\\n// RUN:", " ", command).replace("%p", beside), posix=True, punctuation_chars="()|;&")
        lexer.whitespace_split = True
        words = list(lexer)
        if "iree-run-module" not in words:
            continue
        flags = [w for w in words if w.startswith("--iree-") and "%" not in w and not re.match("--iree-(hal-(target|local)|llvmcpu-target)", w)]
        said = {name: [w.split("=", 1)[1] for w in words if w.startswith(f"--{name}=")] for name in ("function", "input", "parameters")}
        return flags, (said["function"] or [None])[0], said["input"], [p for p in said["parameters"] if "%" not in p]
    return [], None, [], []


def expected(module, function, inputs, parameters):
    """What iree-run-module returns, as expected outputs; None and what it says if it fails."""
    arguments = [f"--input={i}" for i in inputs] + [f"--parameters={p}" for p in parameters]
    status, text = ireetools.run_module(module, function, *arguments)
    if status != 0:
        return None, last(text)
    outputs, files = [], []
    for n, (kind, value) in enumerate(re.findall(r"^result\[\d+\]: (?:hal\.buffer_view\n([^\n=]*)|(.*))", text, re.M)):
        files.append(f"--output=@{work}/{n}.bin")
        if not kind and "=" not in value:
            value = "=(ignored)"  # such as (null)
        outputs.append(f"{kind}=@{work}/{n}.bin" if kind else value.split("=", 1)[1])
    status, text = ireetools.run_module(module, function, *arguments, *files)
    return (outputs, "") if status == 0 else (None, last(text))


def test(name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        text = file.read()
    checks = " (check)" if "check.expect_" in text else ""
    flags, only, inputs, parameters = said_in_run_lines(text, os.path.abspath(os.path.dirname(os.path.join(folder, name))))
    text = re.sub(r"^\s*//.*$", "", text, flags=re.M)
    path, module = f"{work}/m.mlir", f"{work}/m.vmfb"
    if checks:
        text = returning(text) or text
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    functions = [f for f in declared(text) if only in (None, f[0])][:FUNCTIONS]
    if not functions:
        return "no function" + checks, ""
    status, said = ireetools.compile_mlir(path, module, *flags)
    if status != 0:
        return "IREE: compile" + checks, last(said)
    for function, types in functions:
        given = inputs or [filled(t) for t in types]
        outputs, said = expected(module, function, given, parameters)
        if outputs is None:
            return "IREE: run" + checks, f"{function}: {said}"
        arguments = [w for i in given for w in ("--input", i)] + [w for o in outputs for w in ("--expected-output", o)]
        if parameters:
            arguments += ["--parameter-files", ",".join(parameters)]
        if flags:
            arguments += ["--compile-flags", " ".join(flags)]
        said = ireetools.zonemark(program, path, "--function", function, *arguments)
        if said:
            return "only IREE" + checks, f"{function}: {said}"
    return "both" + checks, ""


names = sorted(os.path.relpath(path, folder) for path in glob.glob(f"{folder}/**/*.mlir", recursive=True))
found = ireetools.compared(names[:: int(every)], results, test)
kinds = {
    "both": "work with IREE's tools and zonemark", "only IREE": "work with IREE's tools, not with zonemark",
    "IREE: compile": "IREE does not compile for this processor", "IREE: run": "IREE's tools do not run with these inputs",
    "no function": "have no function to call",
}  # fmt: skip
labels = kinds | {f"{key} (check)": f"{label}; what they would check is compared" for key, label in kinds.items()}
sys.exit(ireetools.table(found, "files", labels))
