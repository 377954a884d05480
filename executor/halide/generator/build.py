# Lists the generators of a Python file, or lets one of them make files. Standard input holds a request, a JSON object:
#   source       the file, an absolute path
#   answer       where the list goes, a path; empty if a generator is to make files
#   arguments    the command line of the generator
#   unscheduled  a generator's own schedule is left out: using_autoscheduler() is true, and nothing schedules
# An error is printed as Halide prints one: "Unhandled exception: TYPE: TEXT", then "At:" and the calls, innermost
# first.
import json
import os
import sys
import traceback
import types

import halide as hl
from halide import _generator_helpers as helpers


def load(path):
    """Runs the file as a script, whose call of hl.main() does nothing, and returns the real hl.main."""
    main, hl.main = hl.main, lambda: None
    sys.argv = [path]
    sys.path.insert(0, os.path.dirname(path))
    module = types.ModuleType("__main__")
    module.__file__ = path
    sys.modules["__main__"] = module
    with open(path, "rb") as f:
        code = compile(f.read(), path, "exec")
    exec(code, module.__dict__)
    hl.main = main
    return main


def parameters(cls):
    """Returns the parameters of a generator's class with their defaults, as text, in the order of the source."""
    found = {}
    for c in reversed(cls.__mro__):
        for name, value in vars(c).items():
            if isinstance(value, hl.GeneratorParam):
                found[name] = text(value._value)
    for name, value in getattr(cls, "_halide_alias_generator_params", {}).items():
        found[name] = text(value)
    return [{"name": name, "default": default} for name, default in found.items()]


def text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def keep_parameters_of_autoscheduler():
    """The release 21 sets a parameter in a copy, so that every autoscheduler runs with its defaults."""
    original = helpers.Generator._set_generatorparam_value

    def set_value(self, name, value):
        if not name.startswith("autoscheduler."):
            return original(self, name, value)
        chosen = self.autoscheduler()
        chosen.extra = {**chosen.extra, name.removeprefix("autoscheduler."): value}

    helpers.Generator._set_generatorparam_value = set_value


def fail(error):
    kind = type(error).__name__
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != "<string>"]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append(traceback.FrameSummary(error.filename, error.lineno, "<module>", lookup_line=False))
    print(f"Unhandled exception: {kind}: {error}\n\nAt:", file=sys.stderr)
    for frame in reversed(frames):
        print(f"  {frame.filename}({frame.lineno}): {frame.name}", file=sys.stderr)
    sys.stderr.flush()
    os._exit(1)


def run(request):
    try:
        main = load(request["source"])
    except BaseException as error:
        fail(error)
    if request["answer"]:
        listed = [
            {"name": name, "parameters": parameters(cls)}
            for name, cls in helpers._python_generators.items()
            if isinstance(cls, type)
        ]
        with open(request["answer"], "w") as f:
            json.dump(listed, f)
        return
    keep_parameters_of_autoscheduler()
    if request["unscheduled"]:
        helpers.Generator.using_autoscheduler = lambda self: True
    sys.argv = [request["source"], *request["arguments"]]
    try:
        main()
    except RuntimeError as error:
        if not str(error).startswith("Generator failed"):  # of which Halide has printed the cause
            fail(error)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)


run(json.loads(sys.stdin.buffer.read()))
