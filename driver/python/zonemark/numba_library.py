"""Makes a shared library of a cfunc of numba, whose machine code is in the memory of this process only.

The code comes from the LLVM module that numba shows (``inspect_llvm``), after its optimizations. It is compiled for
this processor and linked by the C compiler.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

from zonemark import native
from zonemark.errors import FunctionError

# Symbols of Python and numba that code uses when it raises an exception, or frees what it has allocated. A function
# that prints uses some of them, too. In the executor, each one ends the process with a message.
_EXCEPTIONS = re.compile(
    "_?Py[A-Z_].*|numba_(gil_ensure|gil_release|unpickle|do_raise|runtime_build_excinfo_struct)|"
    "NRT_(MemInfo_call_dtor|Free)"
)

_ENDING = r"""#include <stdio.h>
#include <stdlib.h>

static void end(const char *called) {
    fprintf(stderr, "the function raised an exception or needs Python: it called %s\n", called);
    abort();
}
"""


def describe(function: Any, folder: Path) -> native.Native:
    """Says what a cfunc is, and makes its library in the folder. Raises FunctionError if it needs Python while it runs."""
    name = function.__name__
    symbol = f"numba_{name}" if name.isidentifier() and name.isascii() else "numba_function"
    try:
        parameters, result = native.types_of(function.ctypes, name)
    except (TypeError, NotImplementedError) as error:
        raise FunctionError(f"{name}: its types cannot be handed over: {error}; use numbers and CPointer of numbers") from error
    library = folder / f"{symbol}.so"
    _link(name, _compile(function, symbol, folder), library)
    return native.Native(name, library, symbol, parameters, result)


def _compile(function: Any, symbol: str, folder: Path) -> list[Path]:
    """Writes an object file with the function, and a C file with what takes the place of Python's functions."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(function.inspect_llvm())
    module.get_function(function.native_name).name = symbol
    declared = [*module.functions, *module.global_variables]
    missing = [one.name for one in declared if one.is_declaration and not one.name.startswith("llvm.")]
    needed = [one for one in missing if re.match(r"(NRT|numba)_", one) and not _EXCEPTIONS.fullmatch(one)]
    if needed:
        raise FunctionError(
            f"{function.__name__}: it calls {', '.join(needed)} of numba's runtime, which is in this process only; "
            "let it write into arrays that are handed in, and allocate nothing"
        )
    # The same processor and features as numba's own, but code that may lie anywhere.
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3, reloc="pic"
    )
    code, ending = folder / f"{symbol}.o", folder / f"{symbol}_ending.c"
    code.write_bytes(machine.emit_object(module))
    trapped = [one for one in missing if _EXCEPTIONS.fullmatch(one)]
    lines = [f"void *{one};" if "Exc_" in one else f'void {one}(void) {{ end("{one}"); }}' for one in trapped]
    ending.write_text(_ENDING + "\n".join(lines) + "\n", encoding="utf-8")
    return [code, ending]


def _link(name: str, inputs: list[Path], library: Path) -> None:
    undefined = [] if os.uname().sysname == "Darwin" else ["-Wl,-z,defs"]  # macOS refuses undefined symbols by itself
    compiler = shlex.split(os.environ.get("CC", "")) or [next(filter(shutil.which, ("cc", "gcc", "clang")), "cc")]
    command = [*compiler, "-shared", "-fPIC", *undefined, "-o", str(library), *map(str, inputs), "-lm"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    except OSError as error:
        raise FunctionError(f"{name}: a C compiler links numba's code, and {compiler[0]} cannot be started: {error}") from error
    if done.returncode != 0:
        raise FunctionError(f"{name}: {compiler[0]} could not link numba's code:\n{done.stderr.strip()}")
