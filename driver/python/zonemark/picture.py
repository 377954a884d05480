"""Draws results as pictures (SVG) that notebooks show inline; nothing else is needed for them."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zonemark import display
from zonemark.errors import Error

if TYPE_CHECKING:
    from zonemark.journal import Run
    from zonemark.records import Result
    from zonemark.trace import ZoneStatistics

FEW = 20  #: dispatches up to which each has a bar of its own, in the order of the program
_MOST = 200  # bars of a picture
_WIDTH, _ROW, _TOP = 900, 20, 26  # of a picture, a bar with the space around it, and the line above
_CHARACTER = 7.25  # width of one, of a font of 12 pixels
_NAME = 44  # characters of a name
_LABEL = 22  # characters of the text behind a bar
_BLUE, _GREY = "#4a7ebb", "#999999"
_BINS = 60


class Picture:
    """A picture in a notebook. ``svg`` is its text."""

    def __init__(self, svg: str, title: str) -> None:
        """Holds the text of a whole SVG file."""
        self.svg, self._title = svg, title

    def __repr__(self) -> str:
        """What it shows."""
        return f"<zonemark.Picture {self._title}>"

    def _repr_html_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to an SVG file, which is replaced."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)


@dataclass
class Bar:
    """A bar, with its text behind it."""

    name: str
    length: float
    label: str
    own: bool = True  #: of what was measured; grey otherwise
    low: float | None = None  #: ends of an interval around the length
    high: float | None = None


def of_result(result: Result) -> Picture:
    """The dispatches of a call, and the time outside of them; without dispatches, how the samples are distributed.

    Raises Error if the result has no times.
    """
    title = display.result_line(result).strip("<>").removeprefix("zonemark.Result ")
    if result.dispatches:
        return bars(title, _dispatch_bars(result))
    if result.samples_ns:
        return _histogram(title, result)
    raise Error(f"{title}; there are no times to draw")


def of_run(run: Run) -> Picture:
    """The medians of the results with their intervals. Raises Error if there is none."""
    measured = [r for r in run.results if r.median_ns is not None]
    if not measured:
        raise Error("no result of the run has times to draw")
    found = []
    for r in measured:
        median = r.median_ns or 0.0
        found.append(Bar(r.name, median, display.duration(median), r.ok, r.ci_low_ns, r.ci_high_ns))
    return bars(display.run_line(run).strip("<>").removeprefix("zonemark.Run "), found)


def of_statistics(title: str, rows: Sequence[ZoneStatistics]) -> Picture:
    """The times in zones by name."""
    found = [Bar(r.name, r.total_ns, f"{display.duration(r.total_ns)} in {r.count:,}", not r.track) for r in rows]
    return bars(title, found)


def _dispatch_bars(result: Result) -> list[Bar]:
    """The rows of the binary's table of dispatches: as in the program if they are few, else the hottest names."""
    rows = [(d.name, d.median_ns or 0.0, 1) for d in result.dispatches]
    if len(rows) > FEW:
        rows = _hottest(rows)
    others = (("gaps", result.gap_ns), ("host", result.host_ns), ("unexplained", result.unexplained_ns))
    outside = [(name, ns) for name, ns in others if ns]
    whole = sum(ns for _, ns, _ in rows) + sum(ns for _, ns in outside) or 1.0
    found = []
    for name, ns, count in rows:
        times = f" ×{count}" if count > 1 else ""
        found.append(Bar(name, ns, f"{display.duration(ns)}, {ns / whole:.1%}{times}"))
    return found + [Bar(name, ns, f"{display.duration(ns)}, {ns / whole:.1%}", False) for name, ns in outside]


def _hottest(rows: Sequence[tuple[str, float, int]]) -> list[tuple[str, float, int]]:
    names: dict[str, tuple[float, int]] = {}
    for name, ns, count in rows:
        before = names.get(name, (0.0, 0))
        names[name] = before[0] + ns, before[1] + count
    ordered = sorted(((name, ns, count) for name, (ns, count) in names.items()), key=lambda row: -row[1])
    if len(ordered) <= FEW + 1:
        return ordered
    rest = ordered[FEW:]
    count = sum(row[2] for row in rest)
    return [*ordered[:FEW], (f"{count:,} other dispatches", sum(row[1] for row in rest), count)]


def bars(title: str, given: Sequence[Bar]) -> Picture:
    """A picture with a bar in each line. The longest one, or the end of its interval, fills the width."""
    shown = given[:_MOST]
    if len(given) > len(shown):
        title += f", the first {len(shown)} of {len(given)}"
    characters = max([len(_short(bar.name)) for bar in shown], default=0)
    left = 12 + characters * _CHARACTER
    space = _WIDTH - left - _LABEL * _CHARACTER
    longest = max([max(bar.length, bar.high or 0.0) for bar in shown], default=0.0) or 1.0
    lines = []
    for at, bar in enumerate(shown):
        top = _TOP + at * _ROW
        width = max(1.0, bar.length / longest * space)
        end = width
        lines.append(f"<g><title>{_escaped(f'{bar.name}: {bar.label}')}</title>")
        lines.append(_text(left - 6, top + 14, _short(bar.name), "end"))
        lines.append(
            f'<rect x="{left:.1f}" y="{top + 3}" width="{width:.1f}" height="{_ROW - 6}" fill="{_BLUE if bar.own else _GREY}"/>'
        )
        if bar.low is not None and bar.high is not None:
            low, end = left + bar.low / longest * space, max(width, bar.high / longest * space)
            line = f'x1="{low:.1f}" x2="{left + bar.high / longest * space:.1f}" y1="{top + _ROW // 2}" y2="{top + _ROW // 2}"'
            lines.append(f'<line {line} stroke="currentColor" stroke-width="2"/>')
        lines.append(_text(left + end + 6, top + 14, bar.label) + "</g>")
    return _picture(title, lines, _TOP + len(shown) * _ROW)


def _histogram(title: str, result: Result) -> Picture:
    """How many batches took how long. The last column is of all that took longer than 98 % of them."""
    ordered = sorted(result.samples_ns)
    low, high = ordered[0], ordered[min(len(ordered) - 1, int(len(ordered) * 0.98))]
    step = (high - low) / _BINS or max(low, 1.0) / _BINS
    counts = [0] * (_BINS + 1)
    for sample in ordered:
        counts[max(0, min(_BINS, int((sample - low) / step)))] += 1
    height, left, column = 160, 12, (_WIDTH - 24) / (_BINS + 1)
    lines = []
    for at, count in enumerate(counts):
        tall = count / max(counts) * height
        more = "or longer" if at == _BINS else f"to {display.duration(low + (at + 1) * step)}"
        said = f"{count} of {len(ordered)} batches: {display.duration(low + at * step)} {more}"
        place = f'x="{left + at * column:.1f}" y="{_TOP + height - tall:.1f}" width="{column - 1:.1f}" height="{tall:.1f}"'
        lines.append(f'<rect {place} fill="{_GREY if at == _BINS else _BLUE}"><title>{_escaped(said)}</title></rect>')
    below = _TOP + height + 16
    lines.append(_text(left, below, display.duration(low)))
    lines.append(_text(_WIDTH - 12, below, display.duration(ordered[-1]), "end"))
    if result.median_ns is not None and low <= (net := result.median_ns + (result.overhead_ns or 0.0)) <= high:
        x = left + (net - low) / step * column  # samples are gross
        lines.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{_TOP + height}" stroke="currentColor" stroke-dasharray="3 3"/>'
        )
        lines.append(_text(min(max(x, 180), _WIDTH - 180), below, f"median {display.duration(net)}", "middle"))
    return _picture(title, lines, below + 8)


def _picture(title: str, lines: Sequence[str], height: float) -> Picture:
    head = f'viewBox="0 0 {_WIDTH} {height:.0f}" width="{_WIDTH}" style="max-width:100%;height:auto" fill="currentColor"'
    font = "font-family:ui-monospace,Menlo,Consolas,monospace;font-size:12px"
    body = [f'<svg xmlns="http://www.w3.org/2000/svg" {head} role="img">', f'<g style="{font}">', _text(12, 16, title), *lines]
    return Picture("\n".join([*body, "</g></svg>\n"]), title)


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}">{_escaped(text)}</text>'


def _short(name: str) -> str:
    """The name with its middle left out if it is long: names of dispatches differ at their ends."""
    return name if len(name) <= _NAME else f"{name[: _NAME // 2]}…{name[-_NAME // 2 + 1 :]}"


def _escaped(text: str) -> str:
    """The text without what XML cannot hold."""
    return html.escape("".join(c if c.isprintable() else "\ufffd" for c in text))
