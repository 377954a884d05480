"""Reads captures of Tracy with the binary: their zones and dispatches, and statistics of these."""

from __future__ import annotations

import contextlib
import csv
import functools
import io
import os
import re
import subprocess
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

from zonemark import binary, picture, tables, words
from zonemark.errors import ArgumentError, BinaryError, TraceWarning

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from typing_extensions import Unpack

    from zonemark import flags as keywords

_TABLE_ROWS = 20  # of the picture of a capture
_WARNING = "zonemark: warning: "
_CUT = "; what is shown is what came before"
_MARKED = r"^'('*[=+\-@\t\r])"  # a cell that a spreadsheet would take for a formula has an apostrophe before it


@dataclass
class Zone:
    """A zone. Times are in nanoseconds; ``start_ns`` counts from the beginning of the capture."""

    name: str
    text: str = ""
    start_ns: int = 0
    duration_ns: int = 0
    self_ns: int = 0  #: without the zones inside
    depth: int = 0
    ordinal: int = 0  #: within its thread
    parent: int = -1  #: ordinal of the zone around it; -1: none
    thread: str = ""  #: name; of a zone of a GPU, its context
    thread_id: int = 0
    function: str = ""
    src_file: str = ""
    src_line: int = 0
    unfinished: bool = False
    gpu: bool = False
    extra: dict[str, str] = field(default_factory=dict)


@dataclass
class ZoneStatistics:
    """The zones of one name and place."""

    name: str
    src_file: str = ""
    src_line: int = 0
    count: int = 0
    total_ns: int = 0
    self_ns: int = 0  #: without the zones inside
    mean_ns: float = 0.0
    median_ns: float = 0.0
    p90_ns: float = 0.0
    min_ns: int = 0
    max_ns: int = 0
    share_percent: float = 0.0  #: of all time inside zones
    track: str = ""  #: context of a GPU, or what the frames are of; empty for zones of threads
    extra: dict[str, str] = field(default_factory=dict)


T = TypeVar("T", Zone, ZoneStatistics)

_DISPATCHES: dict[str, type[Any]] = {
    **dict.fromkeys(("invocation", "invocation_name", "dispatch", "source_file", "flags", "disturbed"), str),
    **dict.fromkeys(("iteration", "ordinal", "source_line", "start_ns", "duration_ns", "total_ns", "workgroups"), int),
    **dict.fromkeys(("threads", "gap_before_ns", "calls", "p10_ns", "p90_ns"), int),
    **{"warmup": bool, "quiet_share": float},
}


class Trace:
    """A capture, which is read anew by each method.

    What a capture is known to miss comes as a TraceWarning. Keywords are the flags of the verbs of ``zonemark trace``:
    times are seconds, a ``timedelta``, or a text with its unit.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Names the capture. Raises ArgumentError if there is no such file."""
        self.path = Path(path)
        if not self.path.is_file():
            raise ArgumentError(f"{path}: there is no such file; name a capture (.tracy) or a table made of one (.csv)", "path")

    def __repr__(self) -> str:
        """The path."""
        return f"<zonemark.Trace {self.path}>"

    def _repr_html_(self) -> str:
        return self.plot()._repr_html_()

    @functools.cached_property
    def info(self) -> dict[str, str]:
        """What ``zonemark trace info`` says: "program", "host", "duration", "zones" and others, as texts for people."""
        with self._output("trace info", {}, []) as output:
            lines = [line.split(maxsplit=1) for line in _lines(output) if line.startswith("  ")]
        return {words[0]: words[1].strip() if len(words) > 1 else "" for words in lines if words}

    def zones(self, **flags: Unpack[keywords.Zones]) -> Iterator[Zone]:
        """The zones that fit the conditions, one after the other, while the capture is read."""
        return self._records(Zone, "trace zones", flags)

    def zones_to_pandas(self, **flags: Unpack[keywords.Zones]) -> pandas.DataFrame:
        """A table of the zones: the fields of Zone. Raises ImportError without pandas."""
        return self._to_pandas("zones_to_pandas", "trace zones", flags, _kinds(Zone))

    def zones_to_arrow(self, **flags: Unpack[keywords.Zones]) -> pyarrow.Table:
        """The table of zones_to_pandas for Arrow. Raises ImportError without pyarrow."""
        return self._to_arrow("zones_to_arrow", "trace zones", flags, _kinds(Zone))

    def statistics(self, **flags: Unpack[keywords.Statistics]) -> list[ZoneStatistics]:
        """Where the time went: a row for each name and place of zones, those with the most time first."""
        return list(self._records(ZoneStatistics, "trace stats", flags))

    def statistics_to_pandas(self, **flags: Unpack[keywords.Statistics]) -> pandas.DataFrame:
        """A table of the statistics: the fields of ZoneStatistics. Raises ImportError without pandas."""
        return self._to_pandas("statistics_to_pandas", "trace stats", flags, _kinds(ZoneStatistics))

    def statistics_to_arrow(self, **flags: Unpack[keywords.Statistics]) -> pyarrow.Table:
        """The table of statistics_to_pandas for Arrow. Raises ImportError without pyarrow."""
        return self._to_arrow("statistics_to_arrow", "trace stats", flags, _kinds(ZoneStatistics))

    def dispatches_to_pandas(self, **flags: Unpack[keywords.Dispatches]) -> pandas.DataFrame:
        """A table with a row for each dispatch of each iteration of each invocation. Raises ImportError without pandas."""
        return self._to_pandas("dispatches_to_pandas", "trace dispatches", flags, _DISPATCHES)

    def dispatches_to_arrow(self, **flags: Unpack[keywords.Dispatches]) -> pyarrow.Table:
        """The table of dispatches_to_pandas for Arrow. Raises ImportError without pyarrow."""
        return self._to_arrow("dispatches_to_arrow", "trace dispatches", flags, _DISPATCHES)

    def plot(self, **flags: Unpack[keywords.Statistics]) -> picture.Picture:
        """A picture of where the time went: the zones with the most time, 20 unless ``limit`` says another number."""
        flags.setdefault("limit", _TABLE_ROWS)
        return picture.of_statistics(self.path.name, self.statistics(**flags))

    def _records(self, record: type[T], verb: str, flags: Mapping[str, Any]) -> Iterator[T]:
        makers = {name: _MAKERS[kind] for name, kind in _kinds(record).items()}
        with self._output(verb, flags, ["--format=csv"]) as output:
            rows = csv.reader(_lines(output))
            names = next(rows, [])
            for row in rows:
                cells = dict(zip(names, row, strict=True))
                known = {name: make(cells.pop(name)) for name, make in makers.items() if name in cells}
                yield record(**known, extra=cells)

    def _to_pandas(self, method: str, verb: str, flags: Mapping[str, Any], kinds: Mapping[str, type[Any]]) -> pandas.DataFrame:
        library = tables.find("pandas", method)
        names = {str: "string", int: "Int64", float: "float64", bool: "boolean"}
        types = {name: "UInt64" if name == "thread_id" else names[kind] for name, kind in kinds.items()}
        empty = {name: [""] for name, kind in kinds.items() if kind is not str}  # a zone may be called "nan"
        with self._output(verb, flags, ["--format=csv"]) as output:
            table: pandas.DataFrame = library.read_csv(output, dtype=types, keep_default_na=False, na_values=empty)
        for name in table.columns:
            if kinds.get(name) is str:
                table[name] = table[name].str.replace(_MARKED, r"\1", regex=True)
        return table

    def _to_arrow(self, method: str, verb: str, flags: Mapping[str, Any], kinds: Mapping[str, type[Any]]) -> pyarrow.Table:
        library = tables.find("pyarrow", method)
        from pyarrow import compute
        from pyarrow import csv as reader

        names = {str: library.string(), int: library.int64(), float: library.float64(), bool: library.bool_()}
        types = {name: library.uint64() if name == "thread_id" else names[kind] for name, kind in kinds.items()}
        convert = reader.ConvertOptions(column_types=types, null_values=[""], strings_can_be_null=False)
        with self._output(verb, flags, ["--format=csv"]) as output:
            table = reader.read_csv(output, parse_options=reader.ParseOptions(newlines_in_values=True), convert_options=convert)
        for at, name in enumerate(table.column_names):
            if kinds.get(name) is str:
                table = table.set_column(at, name, compute.replace_substring_regex(table[name], _MARKED, r"\1"))
        return table

    @contextlib.contextmanager
    def _output(self, verb: str, flags: Mapping[str, Any], more: list[str]) -> Iterator[IO[bytes]]:
        """What the verb writes about the capture. An exception, and the end of a generator, end the binary."""
        call = {"trace stats": "statistics"}.get(verb, verb.removeprefix("trace "))
        with contextlib.ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="zonemark-", ignore_cleanup_errors=True)))
            own = words.words(verb, flags, folder, call) if flags else []
            path = os.path.join(os.curdir, str(self.path)) if str(self.path).startswith("-") else str(self.path)
            command = [binary.find(), *verb.split(), "--quiet", *more, *own, path]
            errors = stack.enter_context(open(folder / "messages", "w+b"))
            try:
                process = subprocess.Popen(
                    command, env=binary.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
                )
            except OSError as error:
                raise BinaryError(f"start {command[0]}: {error}") from error
            output = process.stdout
            assert output is not None
            try:
                yield output
                output.close()
                status = process.wait()
            except BaseException as error:
                if isinstance(error, Exception) and (output.closed or not output.read(1)):
                    _settle(verb, process.wait(), errors, flags)  # what the reader lacks has its reason there
                process.kill()
                process.wait()
                raise
            finally:
                output.close()
            _settle(verb, status, errors, flags)


def _settle(verb: str, status: int, errors: IO[bytes], flags: Mapping[str, Any]) -> None:
    """Passes on what the binary said. Raises Error if it failed, but not for a capture that was cut."""
    errors.seek(0)
    lines = errors.read().decode("utf-8", "replace").splitlines()
    for line in lines:
        if line.startswith(_WARNING):
            warnings.warn(line.removeprefix(_WARNING), TraceWarning, stacklevel=6)
    if status == 0:
        return
    said = "\n".join(line for line in lines if not line.startswith(_WARNING)).removeprefix("zonemark: ")
    if said.endswith(_CUT):
        warnings.warn(said, TraceWarning, stacklevel=6)
        return
    raise words.complaint(verb, said, flags) if said else BinaryError(f"zonemark {verb} ended with status {status}")


def _lines(output: IO[bytes]) -> Iterator[str]:
    """The lines with their ends."""
    with io.TextIOWrapper(output, encoding="utf-8", errors="replace", newline="") as text:
        yield from text


def _cell(text: str) -> str:
    return text[1:] if text.startswith("'") and re.match(_MARKED, text) else text


_MAKERS: dict[type[Any], Any] = {str: _cell, int: int, float: float, bool: lambda text: text == "true"}


def _kinds(record: type[Any]) -> dict[str, type[Any]]:
    """The fields of a record but ``extra``, with their types."""
    return dict(tables.field_types(record))


def open_trace(path: str | os.PathLike[str]) -> Trace:
    """Opens a capture of Tracy, or a table (CSV) made of one.

    Raises ArgumentError if there is no such file. What is wrong with the file itself is said when it is read.
    """
    return Trace(path)
