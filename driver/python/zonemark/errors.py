"""What can go wrong in zonemark itself. How an invocation ended is no error: it is the status of its result."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zonemark.journal import Run


class Error(Exception):
    """A fault of zonemark or of what it was given; the message says where and what to do.

    ``run`` holds what was measured before, and is None when nothing was begun.
    """

    def __init__(self, message: str, run: Run | None = None) -> None:
        """Keeps the results so far beside the message."""
        super().__init__(message)
        self.run = run


class ArgumentError(Error, ValueError):
    """An argument of the call is wrong, or does not fit the others. ``argument`` is its name in Python."""

    def __init__(self, message: str, argument: str, run: Run | None = None) -> None:
        """Keeps the name of the argument beside the message."""
        super().__init__(message, run)
        self.argument = argument

    def __reduce__(self) -> tuple[type[ArgumentError], tuple[str, str, Run | None]]:
        """Lets the error go to other processes."""
        return type(self), (str(self), self.argument, self.run)


class UnknownArgumentError(ArgumentError, TypeError):
    """The function has no argument of this name."""


class FunctionError(Error, TypeError):
    """A function cannot be handed to the process that measures it."""


class JournalError(Error):
    """A journal cannot be read."""


class BinaryError(Error):
    """The binary is not there, cannot be started, or was killed."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C came during a run. ``run`` holds what was measured before it."""

    def __init__(self, run: Run) -> None:
        """Keeps the results so far."""
        super().__init__(f"{len(run.results)} results were finished")
        self.run = run


class TraceWarning(UserWarning):
    """A capture of a trace does not hold everything that happened, or holds what cannot be."""
