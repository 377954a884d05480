"""The driver: measures the shipped microbenchmark suite, or what it is given, and prints a report.

    python -m zonemark.driver [-t FILE] [-d FILE] [-c] [ARGUMENT…]

    -t, --trace-file FILE           keep the Tracy capture
    -d, --dataframe-csv-file FILE   write the times of all dispatches as CSV
    -c, --only-check-correctness    check outputs, measure nothing

Everything else goes on to "zonemark run", as it stands. The exit status is that of "zonemark run": 0 good, 1 error or interrupted, 2 an invocation
did not end ok.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

from zonemark.binary import execute

# The long spellings of the driver, by the flags of "zonemark run" that mean the same.
_WITH_VALUE = {"--trace-file": "-t", "--dataframe-csv-file": "-d"}
_SWITCHES = {"--only-check-correctness": "-c"}


def translate(arguments: Sequence[str]) -> list[str]:
    """The arguments of "zonemark run" that mean the same as these of the driver."""
    translated: list[str] = []
    for at, argument in enumerate(arguments):
        if argument == "--":
            return [*translated, *arguments[at:]]
        name, equals, value = argument.partition("=")
        if name in _WITH_VALUE:
            translated += [_WITH_VALUE[name], value] if equals else [_WITH_VALUE[name]]
        else:
            translated.append(_SWITCHES.get(argument, argument))
    return translated


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the driver with these arguments, by default those of the command line, and ends the process with the status of the run."""
    arguments = sys.argv[1:] if arguments is None else arguments
    translated = translate(arguments)
    if "-h" in arguments or "--help" in arguments:
        print(__doc__)
    execute(["run", *translated])


if __name__ == "__main__":
    main()
