"""Says which results became faster or slower, by ``zonemark compare``."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zonemark import binary, display, journal, launch, words
from zonemark.errors import ArgumentError, Error
from zonemark.records import decode

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from zonemark import flags as keywords

_STATUSES = (0, 3, 4)  # of the binary: the same or better, something is worse, some rows are undecided


@dataclass
class DispatchChange:
    """A dispatch that changed."""

    name: str
    old_ns: float
    new_ns: float
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass
class Row:
    """One invocation on both sides. Values are nanoseconds, or cycles if ``by`` says so; ratios are new to old."""

    name: str
    verdict: str  #: "faster", "slower", "same", "undecided", "broken", "mended", "missing", "skipped", "failed", "only old"… (docs/compare.md)
    params: str = ""
    by: str = ""  #: what was compared: "cycles", "reference clock" or "time"; empty if nothing was
    old: float | None = None
    new: float | None = None
    ratio: float | None = None
    ratio_low: float | None = None  #: 95 % interval of the ratio
    ratio_high: float | None = None
    p: float | None = None  #: before the correction for many rows
    detectable: float | None = None  #: relative difference that would have been found
    code: str = ""  #: whether the instructions are the same
    notes: str = ""
    dispatches: list[DispatchChange] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(repr=False)
class Comparison:
    """What became of the rows of two runs."""

    rows: list[Row]
    worse: bool  #: something is slower, broken or missing
    undecided: bool  #: nothing is worse, and some rows are undecided
    messages: list[str] = field(default_factory=list)  #: lines that the binary wrote beside its report

    def __repr__(self) -> str:
        """One line with the number of rows of each verdict."""
        counts = {row.verdict: sum(other.verdict == row.verdict for other in self.rows) for row in self.rows}
        return f"<zonemark.Comparison {', '.join(f'{n} {verdict}' for verdict, n in counts.items()) or 'no rows'}>"

    def _repr_html_(self) -> str:
        return display.comparison_table(self)


def compare(
    old: launch.StrPath | journal.Run, new: launch.StrPath | journal.Run, **flags: Unpack[keywords.Compare]
) -> Comparison:
    """Compares two runs, or files with results, as ``zonemark compare`` does.

    Args:
        old: A run of this package, or the path of a journal or of results of another tool.
        new: Likewise.
        flags: Flags of ``zonemark compare``, with underscores: ``margin=0.02``, ``alpha=0.05``, ``fdr=True``.

    Raises:
        ArgumentError: An argument is wrong; ``argument`` of the error is its name.
        Error: A file cannot be read, or a run has nothing to compare.
    """
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="zonemark-")))
        paths = [_path(side, name, folder) for side, name in ((old, "old"), (new, "new"))]
        command = [binary.find(), "compare", "--format=ndjson", *words.words("compare", flags, folder, "compare"), *paths]
        environment = binary.environment()
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8"
        )
    if done.returncode not in _STATUSES:
        said = done.stderr.strip().removeprefix("zonemark: ")
        raise words.complaint("compare", said or f"zonemark compare ended with status {done.returncode}", flags)
    return Comparison(list(_rows(done.stdout)), done.returncode == 3, done.returncode == 4, done.stderr.splitlines())


def _path(side: launch.StrPath | journal.Run, name: str, folder: Path) -> str:
    """The path of a file with the results, which is in the folder if there was none. ``name`` is the argument's."""
    if not isinstance(side, journal.Run):
        return os.path.join(os.curdir, path) if (path := os.fspath(side)).startswith("-") else path
    if side.journal_text:
        file = folder / f"{name}.ndjson"
        file.write_bytes(side.journal_text)
        return str(file)
    if side.path is None:
        raise ArgumentError(f"{name}: a run without results cannot be compared; measure it, or load its journal", name)
    return str(side.path)


def _rows(text: str) -> Iterator[Row]:
    for line in text.splitlines():
        try:
            yield decode(Row, journal.parse_json(line.encode()))
        except ValueError as error:
            raise Error(f"zonemark compare wrote a row that this package cannot read: {error}") from error
