"""Runs the binary and hands out its results as they come."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from zonemark import binary, words
from zonemark.errors import BinaryError, Error, Interrupted, JournalError
from zonemark.follow import Journal, Lines
from zonemark.journal import Run
from zonemark.records import Result
from zonemark.suite import Suite, to_toml

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from zonemark import flags as keywords

StrPath: TypeAlias = words.Text

_POLL_SECONDS = 0.05  # between two looks at the journal: looking takes CPU time from what is measured
_STOP_SECONDS = 10.0  # that an interrupted run has to put its things in order
_NOT_OK = 2  # exit status: an invocation did not end ok, which its result says


def run(
    suite: StrPath | Suite | Sequence[StrPath] | Sequence[Suite] | None = None,
    *,
    journal: StrPath | None = None,
    on_result: Callable[[Result], object] | None = None,
    on_message: Callable[[str], object] | None = None,
    arguments: Sequence[str] = (),
    **flags: Unpack[keywords.Run],
) -> Run:
    """Measures with ``zonemark run`` and returns its results.

    An invocation that fails, crashes or takes too long is a result with that status, not an exception; ``Run.ok`` tells at once.

    Args:
        suite: Path of a suite or an artifact, or several; or a suite in memory: a mapping with the keys of a suite file, or the list of its
            invocations. Relative paths in it are relative to the current folder, where it is written to a temporary file. Contents of arguments
            may be NumPy arrays. None is the shipped suite.
        journal: File to keep the results in; one that exists needs the flag ``resume`` or ``overwrite``. None is a temporary one.
        on_result: Is called with each result that this run measures when it comes. An exception from it ends the run and is passed on.
        on_message: Is called with each line that the binary writes beside its report, such as warnings and what is being built.
        arguments: Further arguments of ``zonemark run``, as they stand.
        flags: Flags of ``zonemark run`` (``zonemark help run`` lists them), with underscores: ``mode="cold"``, ``restore="never"``, ``check=True``,
            ``function=["a", "b"]``, ``param={"M": [64, 128]}``. Times are seconds, a ``timedelta``, or a text with a unit (``min_time=0.1``),
            sizes of memory bytes or a text. ``input`` and ``expected_output`` take NumPy arrays: one, several in turn, or a mapping by the
            names of arguments. None leaves a flag out.

    Raises:
        ArgumentError: An argument is wrong; ``argument`` of the error is its name.
        Error: zonemark could not do its work; ``run`` of the error holds what was measured before.
        Interrupted: Ctrl-C, a KeyboardInterrupt with what was measured before.
    """
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="zonemark-", ignore_cleanup_errors=True)))
        command = [binary.find(), "run", *words.words("run", flags, folder, "run"), *arguments]
        paths = stack.enter_context(_paths(suite, folder))
        results = Journal(Path(journal) if journal is not None else folder / "journal.ndjson", bool(flags.get("resume")))
        # What stands behind "--" would be a command, so a path that looks like a flag gets a folder.
        command += ["-o", str(results.path), *(os.path.join(".", path) if path.startswith("-") else path for path in paths)]
        given = {"journal": journal, **flags}
        session = _Session(command, given, folder, results, on_result, on_message, keep=journal is not None)
        return session.run()


class _Session:
    """One run of the binary, its report and messages going to files in a folder."""

    def __init__(
        self,
        command: list[str],
        given: Mapping[str, Any],
        folder: Path,
        journal: Journal,
        on_result: Callable[[Result], object] | None,
        on_message: Callable[[str], object] | None,
        keep: bool,
    ) -> None:
        self.command, self.given = command, given
        self.report, self.errors = folder / "report", folder / "messages"
        self.journal = journal
        self.on_result, self.on_message = on_result, on_message
        self.keep = keep
        self.messages: list[str] = []

    def run(self) -> Run:
        new_group = 0
        if sys.platform == "win32":
            new_group = subprocess.CREATE_NEW_PROCESS_GROUP  # the only kind that one can interrupt alone
        with open(self.report, "wb") as out, open(self.errors, "wb") as err:
            try:
                process = subprocess.Popen(
                    self.command, env=binary.environment(), stdin=subprocess.DEVNULL, stdout=out, stderr=err, creationflags=new_group
                )
            except OSError as error:
                raise BinaryError(f"start {self.command[0]}: {error}") from error
        messages = Lines(self.errors)
        try:
            while (status := process.poll()) is None:
                self.pass_on(messages)
                time.sleep(_POLL_SECONDS)
            self.pass_on(messages)
        except KeyboardInterrupt:
            _stop(process)
            self.take(messages)
            raise Interrupted(self.results()) from None
        except BaseException:
            _stop(process)
            self.journal.close()
            raise
        finally:
            messages.close()
        if status not in (0, _NOT_OK):
            complaint = self.complaint(status)
            complaint.run = self.results()
            raise complaint
        return self.results()

    def take(self, messages: Lines) -> list[str]:
        """The messages that have come since the last call."""
        come = [line.decode("utf-8", "replace").rstrip("\r") for line in messages.new()]
        self.messages += come
        return come

    def pass_on(self, messages: Lines) -> None:
        """Passes on what has come."""
        for text in self.take(messages):
            if self.on_message:
                self.on_message(text)
        if self.on_result:
            for result in self.journal.new_results():
                self.on_result(result)

    def results(self) -> Run:
        """What the journal holds. An error in it is not raised here: the binary reports it, and better."""
        try:
            run = self.journal.close()
        except JournalError as error:
            run = Run(why=str(error))
        if not self.keep:
            run.journal_text, run.path = self.journal.path.read_bytes() if run.path else b"", None
        run.report = self.report.read_text(encoding="utf-8", errors="replace")
        run.messages = self.messages
        return run

    def complaint(self, status: int) -> Error:
        """What the binary said when it ended: its last message, which may have several lines."""
        starts = [at for at, line in enumerate(self.messages) if line.startswith("zonemark: ")]
        said = "\n".join(self.messages[starts[-1] :] if starts else self.messages[-20:]).removeprefix("zonemark: ")
        if status == 1 and said:
            return words.complaint("run", said, self.given)
        ended = f"exit status {status}" if status >= 0 else f"ended by {_signal_name(-status)}"
        return BinaryError(f"zonemark {ended}" + (f": {said}" if said else ""))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Asks the binary to end as Ctrl-C does, so that it leaves nothing behind; kills it when it does not, or when Ctrl-C comes again."""
    try:
        if sys.platform == "win32":
            process.send_signal(signal.CTRL_BREAK_EVENT)
        else:
            process.send_signal(signal.SIGINT)
        process.wait(timeout=_STOP_SECONDS)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        process.kill()
        process.wait()


@contextlib.contextmanager
def _paths(suite: StrPath | Suite | Sequence[StrPath] | Sequence[Suite] | None, folder: Path) -> Iterator[list[str]]:
    """The paths for the command line, that of a temporary file where the suite is in memory. Its arrays go to the folder."""
    if suite is None:
        yield []
    elif isinstance(suite, (str, os.PathLike)):
        yield [os.fspath(suite)]
    elif not isinstance(suite, Mapping) and all(isinstance(item, (str, os.PathLike)) for item in suite):
        if not suite:
            raise ValueError("run(): an empty list is nothing to measure; None is the shipped suite")
        yield [os.fspath(item) for item in suite if isinstance(item, (str, os.PathLike))]
    else:
        text = to_toml(suite, folder)  # type: ignore[arg-type]  # says itself what it cannot write
        try:
            handle, name = tempfile.mkstemp(prefix=".zonemark-", suffix=".toml", dir=".", text=False)
        except OSError as error:
            raise Error(f"write the suite to the current folder, which its paths are relative to: {error}") from error
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            yield [name]
        finally:
            os.unlink(name)
