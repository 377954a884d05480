"""Reads journals: files of JSON lines, a header, a line for each result, and an end line with counts."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zonemark import display, tables
from zonemark.errors import JournalError
from zonemark.records import Commons, End, Header, Result, decode

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from zonemark.picture import Picture

VERSION = 1  #: of the journal's lines that this package reads


@dataclass(repr=False)
class Run:
    """What a run measured: the contents of its journal."""

    header: Header | None = None  #: None when nothing was begun
    results: list[Result] = field(default_factory=list)  #: in the order of the suite
    end: End | None = None
    complete: bool = False  #: the run came to its end
    why: str = "it has no header"  #: the reason in words when it is not complete
    resumes: list[Header] = field(default_factory=list)  #: one for each time that the run was continued
    path: Path | None = None  #: of the journal; None when it was temporary
    report: str = ""  #: what the binary printed; empty when the journal was loaded from a file
    messages: list[str] = field(default_factory=list)  #: lines that the binary wrote beside its report
    journal_text: bytes = field(default=b"", compare=False)  #: of a temporary journal, which is gone; else empty

    def __repr__(self) -> str:
        """One line with the number of results of each status."""
        return display.run_line(self)

    def _repr_html_(self) -> str:
        return display.run_table(self)

    def plot(self) -> Picture:
        """A picture of the medians of the results with their intervals. Raises Error if there is none."""
        from zonemark import picture

        return picture.of_run(self)

    @property
    def ok(self) -> bool:
        """Whether the run came to its end and all results are "ok" or "skipped", as exit status 0 of the binary says."""
        return self.complete and all(r.status in ("ok", "skipped") for r in self.results)

    def to_pandas(self) -> pandas.DataFrame:
        """A table with a row for each result: the fields of Result, parameters as "params.NAME", counters as "counters.NAME".

        Raises ImportError without pandas.
        """
        return tables.to_pandas(tables.result_columns(self.results), "to_pandas")

    def dispatches_to_pandas(self) -> pandas.DataFrame:
        """A table with a row for each dispatch: the fields of Dispatch, behind "id", "invocation" (the name) and parameters of the result.

        Raises ImportError without pandas.
        """
        return tables.to_pandas(tables.dispatch_columns(self.results), "dispatches_to_pandas")

    def to_arrow(self) -> pyarrow.Table:
        """The table of to_pandas for Arrow. Raises ImportError without pyarrow."""
        return tables.to_arrow(tables.result_columns(self.results), "to_arrow")

    def dispatches_to_arrow(self) -> pyarrow.Table:
        """The table of dispatches_to_pandas for Arrow. Raises ImportError without pyarrow."""
        return tables.to_arrow(tables.dispatch_columns(self.results), "dispatches_to_arrow")


def load(path: str | os.PathLike[str]) -> Run:
    """Reads a journal, that of a run which is active or was killed included: its ``complete`` is False, and ``why`` says why.

    Of several results with one id the last counts. Raises JournalError, naming the line, where the file is no journal or is
    garbled before its last line.
    """
    try:
        with open(path, "rb") as file:
            return _read(file, Path(path))
    except OSError as error:
        raise JournalError(f"journal: {error}") from error


def parse_line(line: bytes) -> tuple[str, dict[str, Any]]:
    """The kind of a line and its other keys. Raises ValueError for what is not one JSON object with a kind."""
    values = parse_json(line)
    if not isinstance(values, dict) or not isinstance(kind := values.pop("kind", None), str):
        raise ValueError('want an object with the key "kind"')
    return kind, values


def parse_json(line: bytes) -> Any:
    """The value of a line of JSON. Raises ValueError."""
    try:
        return json.loads(line.decode("utf-8"), parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("values nest too deep") from None


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


def _read(lines: Iterable[bytes], path: Path) -> Run:
    run = Run(path=path)
    reader = _Reader(run)
    garbled: JournalError | None = None  # the line before this one
    offset = 0
    for number, line in enumerate(lines, 1):
        if garbled:
            raise garbled
        at = f"journal {path}: line {number} (byte {offset})"
        offset += len(line)
        if not line.endswith(b"\n"):
            if number == 1 and not (line.startswith(_START) or _START.startswith(line)):
                raise JournalError(f"{at}: {_NO_JOURNAL}")
            run.complete, run.why = False, "its last line is torn"
            break
        try:
            kind, values = parse_line(line)
        except ValueError as error:
            if number == 1:
                raise JournalError(f"{at}: {_NO_JOURNAL}") from error
            garbled = JournalError(f"{at}: garbled: {error}")
            continue
        try:
            reader.add(number, kind, values)
        except ValueError as error:
            if number == 1 or not isinstance(error, _GarbledError):
                raise JournalError(f"{at}: {error}") from error
            garbled = JournalError(f"{at}: garbled: {error}")
    if garbled:
        run.complete, run.why = False, "its last line is garbled"
    if all(r.place is not None for r in run.results):  # else an earlier version wrote some of them
        run.results.sort(key=lambda r: r.place or 0)
    return run


_START = b'{"kind":"header"'
_NO_JOURNAL = f"not a zonemark journal: it does not begin with {_START.decode()}"


class _GarbledError(ValueError):
    """A line that a killed run may have left, if it is the last one."""


class _Reader:
    """Takes the lines of a journal in turn into a run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.lines: Counter[str] = Counter()  # of results, by status
        self.position: dict[str, int] = {}  # of an id in the results
        self.commons = Commons()

    def add(self, number: int, kind: str, values: dict[str, Any]) -> None:
        if (number == 1) != (kind == "header"):
            raise ValueError(_NO_JOURNAL if number == 1 else "a second header: two journals in one file")
        self.run.complete, self.run.why = False, "it has no end line: the run was interrupted or is still active"
        self.run.end = None
        if kind in ("header", "resume"):
            if values.get("version") != VERSION:
                raise ValueError(
                    f"version {values.get('version')}, this package knows version {VERSION}: use the package of the zonemark that wrote it"
                )
            header = self.decode(Header, values)
            if kind == "header":
                self.run.header = header
            else:
                self.run.resumes.append(header)
        elif kind == "common":
            self.common(values)
        elif kind == "result":
            self.add_result(self.decode(Result, self.whole(values)))
        elif kind == "end":
            self.add_end(self.decode(End, values))
        else:
            raise ValueError(f"a line of unknown kind {kind!r}: read it with the package of the zonemark that wrote it")

    @staticmethod
    def decode(record: type[Any], values: dict[str, Any]) -> Any:
        try:
            return decode(record, values)
        except ValueError as error:
            raise _GarbledError(str(error)) from None

    def common(self, values: dict[str, Any]) -> None:
        try:
            self.commons.add(values)
        except ValueError as error:
            raise _GarbledError(str(error)) from None

    def whole(self, values: dict[str, Any]) -> dict[str, Any]:
        try:
            return self.commons.whole(values)
        except ValueError as error:
            raise _GarbledError(str(error)) from None

    def add_result(self, result: Result) -> None:
        self.lines[result.status] += 1
        at = self.position.setdefault(result.id, len(self.run.results))
        self.run.results[at : at + 1] = [result]

    def add_end(self, end: End) -> None:
        self.run.end = end
        found = sum(self.lines.values())
        if end.results != found:
            self.run.why = f"its end line counts {end.results} results, the file holds {found}"
        elif Counter(end.by_status) != self.lines:
            self.run.why = f"its end line counts {end.by_status} results by status, the file holds {dict(self.lines)}"
        else:
            self.run.complete, self.run.why = True, ""
