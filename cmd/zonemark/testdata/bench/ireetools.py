"""What onnxnodes.py and ireemlir.py share: IREE's tools as they run here, results that are kept, and the table."""

import collections
import os
import re
import subprocess

compiler, tools = os.environ["ZONEMARK_IREE_COMPILE"], os.environ["ZONEMARK_IREE_TOOLS"]
TARGET = ["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host"]
TIMEOUT = 120  # seconds of a command


def run(*command):
    """The exit status and the output of a command; its status is 124 if it takes too long."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return 124, "timeout"
    return done.returncode, done.stdout + done.stderr


def last(text):
    """The last line that says what is wrong, or the last one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    bad = [line for line in lines if re.search("^zonemark:|error|FAILED|failed|mismatch|skipped|crashed|timeout", line)]
    return (bad or lines or [""])[0][:300].replace("\t", " ")


def compile_mlir(mlir, module, *flags):
    """Compiles for this processor, as zonemark does; the exit status and the output."""
    return run(compiler, mlir, "-o", module, *TARGET, *flags)


def run_module(module, function, *arguments):
    """Calls a function by iree-run-module; the exit status and the output."""
    return run(f"{tools}/iree-run-module", f"--module={module}", f"--function={function}", "--device=local-sync", *arguments)


def zonemark(program, path, *arguments):
    """Has zonemark check one function: what it says is wrong, "" if nothing is."""
    status, text = run(program, "run", path, "--check", *arguments)
    return "" if status == 0 and "1 invocation: 1 ok" in text else f"exit status {status}: {last(text)}"


def compared(names, path, test):
    """The results of all names, (what came of it, what was said): those that the file at path has, and those of test, which it keeps there."""
    known = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            known = {line.split("\t")[0]: line.rstrip("\n").split("\t")[1:] for line in file if line.endswith("\n")}
    with open(path, "a", encoding="utf-8") as file:
        for name in names:
            if name not in known:
                known[name] = test(name)
                print(name, *known[name], sep="\t", file=file, flush=True)
    return {name: known[name] for name in names}


def table(results, title, labels):
    """Prints how often each of the labels came, and what only IREE's tools do; the exit status of the script."""
    count = collections.Counter(result for result, _ in results.values())
    print(f"{len(results):6} {title}")
    for key, label in labels.items():
        print(f"{count[key]:6} {label}")
    failed = {name: said for name, (result, said) in results.items() if result.startswith("only IREE")}
    for name, said in failed.items():
        print(f"{name}: {said}")
    return 1 if failed else 0
