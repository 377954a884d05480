"""Runs generators' files as programs, one after the other: python programs.py < CASES.

CASES is a JSON list of command lines, each a list of the file's path and its arguments. Each runs in a process of its
own, which has read Halide already: that takes most of the time of a program. For each one line is printed, its exit
status, before the next one begins.
"""

import json
import os
import runpy
import sys

import halide  # noqa: F401


def main():
    for arguments in json.load(sys.stdin):
        sys.stdout.flush()
        process = os.fork()
        if process == 0:
            run(arguments)
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)


def run(arguments):
    """Runs a file as Python does, and ends this process."""
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # standard output holds statuses
    sys.argv = arguments
    sys.path[0] = os.path.dirname(arguments[0])
    status = 1
    try:
        runpy.run_path(arguments[0], run_name="__main__")
        status = 0
    except SystemExit as e:
        status = 0 if e.code is None else e.code if isinstance(e.code, int) else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(status)


main()
