"""Compiles generators in this process and calls them on the contents of files: python realize.py FOLDER < CASES.

FOLDER holds the generators' files. CASES is a JSON list of objects: "file" and "generator", "schedule" (none, manual, or the name of an
autoscheduler), "calls", each a list of arguments in any order. An argument has a "name" and either a "value" or "type", "extents", "path"
of the raw contents and "output". For each case one line is printed, {"error": text or ""}, before the next one begins.
"""

import importlib
import json
import os
import sys

import halide as hl

TYPES = {"uint8": (hl.UInt(8), "B"), "int8": (hl.Int(8), "b"), "int32": (hl.Int(32), "i"), "float32": (hl.Float(32), "f")}


def main():
    sys.path.insert(0, sys.argv[1])
    cases = json.load(sys.stdin)
    for case in cases:
        try:
            pipeline = compiled(case)
            for call in case["calls"]:
                run(pipeline, call)
            error = ""
        except Exception as e:
            error = f"{type(e).__name__}: {e}"
        print(json.dumps({"error": error}), flush=True)


def compiled(case):
    """The pipeline as a function of its arguments."""
    importlib.import_module(case["file"].removesuffix(".py"))
    target, scheduler, parameters = hl.get_host_target(), hl.AutoschedulerParams(), {}
    if case["schedule"] in ("none", "manual"):
        parameters = {"schedule": case["schedule"]}
    else:
        plugin = "libautoschedule_" + case["schedule"].lower() + ".so"
        hl.load_plugin(os.path.join(os.path.dirname(hl.__file__), "lib64", plugin))
        scheduler = hl.AutoschedulerParams(case["schedule"], case["parameters"])
    with hl.GeneratorContext(target, scheduler):
        generator = hl._generator_helpers._python_generators[case["generator"]](parameters)
        if not scheduler.name:
            return generator.compile_to_callable()
        pipeline = generator._build_pipeline()
        pipeline.apply_autoscheduler(target, scheduler)
        inputs = [i for i in generator._get_arginfos() if i.dir == hl.ArgInfoDirection.Input]
        return pipeline.compile_to_callable([generator._get_input_parameter(i.name)._to_argument() for i in inputs], target)


def run(pipeline, call):
    """Calls it, and writes the outputs to their files."""
    arguments, outputs = {}, []
    for argument in call:
        if "value" in argument:
            arguments[argument["name"]] = argument["value"]
            continue
        kind, letter = TYPES[argument["type"]]
        shape = argument["extents"][::-1]
        if argument["output"]:
            size = kind.bytes()
            for extent in shape:
                size *= extent
            data = bytearray(b"\xa5" * size)
            outputs.append((argument["path"], data))
        else:
            with open(argument["path"], "rb") as f:
                data = bytearray(f.read())
        arguments[argument["name"]] = hl.Buffer(memoryview(data).cast(letter, shape), reverse_axes=True)
    pipeline(**arguments)
    for path, data in outputs:
        with open(path, "wb") as f:
            f.write(data)


main()
