"""Finds the zonemark binary and becomes it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from zonemark.errors import BinaryError, Error

VARIABLE = "ZONEMARK_BINARY"


def find() -> str:
    """The path of the binary: ``$ZONEMARK_BINARY``, else the one that the wheel carries.

    Raises Error when there is none.
    """
    if chosen := os.environ.get(VARIABLE):
        found = shutil.which(os.path.abspath(chosen))
        if found is None:
            raise BinaryError(f"{VARIABLE}: {chosen} is no executable file")
        return found
    name = "zonemark.exe" if sys.platform == "win32" else "zonemark"
    packaged = Path(__file__).with_name("bin") / name
    if not packaged.is_file():
        raise BinaryError(
            f"there is no zonemark binary at {packaged}: install the package (pip install ./driver/python in zonemark's repository), "
            f"or set {VARIABLE} to a zonemark binary"
        )
    return str(packaged)


def environment() -> dict[str, str]:
    """The environment for the binary: that of this process, with the virtual environment of this Python as the activated one when there is no other.

    The binary uses what is installed there, such as IREE.
    """
    variables = dict(os.environ)
    if sys.prefix != sys.base_prefix:
        variables.setdefault("VIRTUAL_ENV", sys.prefix)
    return variables


def execute(arguments: Sequence[str]) -> NoReturn:
    """Becomes ``zonemark arguments…``: its output, its exit status and its signals are those of this process.

    Where a process cannot become another program (Windows), it waits for it and exits with its status.
    """
    try:
        binary = find()
    except Error as error:
        sys.exit(f"zonemark: {error}")
    sys.stdout.flush()
    sys.stderr.flush()
    command = [binary, *arguments]
    if sys.platform != "win32":
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python, and what is ignored stays so in the next program
            signal.signal(ignored, signal.SIG_DFL)
        os.execve(binary, command, environment())
    child = subprocess.Popen(command, env=environment())
    while True:
        try:
            sys.exit(child.wait())
        except KeyboardInterrupt:  # the console sends it to the child, too, which ends in order
            continue


def main() -> NoReturn:
    """The script ``zonemark``."""
    execute(sys.argv[1:])
