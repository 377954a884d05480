"""Follows files that another process appends lines to."""

from __future__ import annotations

import io
import os
from pathlib import Path

from zonemark.errors import JournalError
from zonemark.journal import Run, load, parse_line
from zonemark.records import Commons, Result, decode


class Lines:
    """The whole lines of a growing file, which need not be there yet."""

    def __init__(self, path: Path, offset: int = 0) -> None:
        """Begins at this byte."""
        self._path = path
        self._offset = offset
        self._file: io.FileIO | None = None

    def new(self) -> list[bytes]:
        """The lines, without their ends, that have come since the last call."""
        if self._file is None:
            try:
                self._file = io.FileIO(self._path)
            except FileNotFoundError:
                return []
        self._file.seek(self._offset)
        data = self._file.read() or b""
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        return whole.split(b"\n")[:-1]

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()


class Journal:
    """A journal that the binary is about to write, continue or replace."""

    def __init__(self, path: Path, resume: bool) -> None:
        """Looks what the file holds before the run begins. Raises JournalError where it cannot be read back."""
        self.path = path
        offset = 0
        try:
            if path.exists() and not path.is_file():
                raise JournalError(f"journal {path}: not a regular file, so that it cannot be read back; name a file")
            with open(path, "rb") as file:
                self._before = file.readline()
                if resume:
                    offset = _whole_bytes(file)
        except FileNotFoundError:
            self._before = b""
        except OSError as error:
            raise JournalError(f"journal: {error}") from error
        self._begun = resume
        self._lines = Lines(path, offset)
        self._commons = Commons()  # of this run: a run that is continued writes its own

    def new_results(self) -> list[Result]:
        """The results of this run that have come since the last call."""
        if not self._begin():
            return []
        results = []
        for line in self._lines.new():
            try:
                kind, values = parse_line(line)
                if kind == "common":
                    self._commons.add(values)
                elif kind == "result":
                    results.append(decode(Result, self._commons.whole(values)))
            except ValueError:  # load says what is wrong with it
                continue
        return results

    def _begin(self) -> bool:
        """Whether the file is this run's: every header is unlike the one before, since it says when the run started."""
        if not self._begun:
            try:
                with open(self.path, "rb") as file:
                    first = file.readline()
            except FileNotFoundError:
                return False
            self._begun = first.endswith(b"\n") and first != self._before
        return self._begun

    def close(self) -> Run:
        """All that the journal holds now, when it is this run's. Raises JournalError as load does."""
        self._lines.close()
        return load(self.path) if self._begin() and os.path.exists(self.path) else Run()


def _whole_bytes(file: io.BufferedReader) -> int:
    """The length of the lines to which a resumed run appends; it cuts off a last line that is torn or garbled."""
    file.seek(0)
    offset = 0
    for line in file:
        try:
            parse_line(line)
        except ValueError:
            break
        if not line.endswith(b"\n"):
            break
        offset += len(line)
    return offset
