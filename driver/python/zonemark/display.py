"""How results are shown: a line for each object, and tables (HTML) in notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zonemark.comparison import Comparison
    from zonemark.journal import Run
    from zonemark.records import Result

_UNITS = (("ns", 1e0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9))
_MOST_ROWS = 200  # of a table in a notebook
_MOST_PICTURES = 8  # below it


def duration(ns: float | None) -> str:
    """A time in the unit in which it has one to three digits before the point; empty for None."""
    if ns is None:
        return ""
    name, size = next((u for u in reversed(_UNITS) if abs(ns) >= u[1]), _UNITS[0])
    return f"{ns / size:.4g} {name}"


def result_line(result: Result) -> str:
    """A result in one line: name, status, and what was measured or went wrong."""
    text = f"{result.name}: {result.status}"
    if result.median_ns is not None:
        text += f", {duration(result.median_ns)}{_spread(result)}"
    if result.verdict:
        text += ", " + ", ".join(result.verdict)
    if result.error:
        text += ": " + " ".join(result.error.split())
    return f"<zonemark.Result {text}>"


def run_line(run: Run) -> str:
    """A run in one line: how many results there are of each status."""
    count = len(run.results)
    counts = {r.status: sum(other.status == r.status for other in run.results) for r in run.results}
    text = f"{count} result{'s' * (count != 1)}"
    if counts:
        text += ": " + ", ".join(f"{n} {status}" for status, n in counts.items())
    if not run.complete:
        text += f"; not complete: {run.why}"
    return f"<zonemark.Run {text}>"


def run_table(run: Run) -> str:
    """A table of the results of a run, and pictures of the dispatches of the first ones that have some."""
    drawn = [r for r in run.results if r.dispatches][:_MOST_PICTURES]
    return "\n".join([_results(run_line(run), run.results), *(r.plot()._repr_html_() for r in drawn)])


def result_table(result: Result) -> str:
    """A table of one result, and a picture of its dispatches if it has some."""
    table = _results(result_line(result), [result])
    return "\n".join([table, result.plot()._repr_html_()]) if result.dispatches else table


def _results(caption: str, results: Sequence[Result]) -> str:
    names = list(dict.fromkeys(name for r in results for name in r.params))
    rows = []
    for r in results[:_MOST_ROWS]:
        said = r.error if r.status != "ok" else ", ".join(r.verdict)
        parameters = [str(r.params.get(name, "")) for name in names]
        times = [duration(r.median_ns), _spread(r).strip(" ±"), duration(r.min_ns), duration(r.p90_ns)]
        rows.append([r.name, *parameters, r.runtime, *times, r.status, said or ""])
    heads = ["name", *names, "runtime", "median", "±", "min", "p90", "status", "verdict"]
    return _table(caption, heads, rows, len(results))


def comparison_table(comparison: Comparison) -> str:
    """A table of the rows of a comparison."""
    rows = []
    for row in comparison.rows[:_MOST_ROWS]:
        values = [row.old, row.new]
        cells = [f"{v:,.0f}" if v is not None and row.by == "cycles" else duration(v) for v in values]
        change, interval = percent(row.ratio), ""
        if row.ratio_low is not None and row.ratio_high is not None:
            interval = f"{percent(row.ratio_low)} to {percent(row.ratio_high)}"
        rows.append([row.name, row.params, *cells, change, interval, row.verdict, row.by, row.code, row.notes])
    heads = ["name", "params", "old", "new", "change", "95 % interval", "verdict", "by", "code", "notes"]
    return _table(repr(comparison), heads, rows, len(comparison.rows))


def percent(ratio: float | None) -> str:
    """The change that a ratio of new to old means; empty for None."""
    return "" if ratio is None else f"{(ratio - 1) * 100:+.3g} %"


def _spread(result: Result) -> str:
    """How far the interval of the median reaches from it, in percent of it."""
    if not result.median_ns or result.ci_low_ns is None or result.ci_high_ns is None:
        return ""
    share = max(result.ci_high_ns - result.median_ns, result.median_ns - result.ci_low_ns) / result.median_ns * 100
    return f" ± {share:.2g} %" if share < 99 else f" ± {share:.0f} %"


def _table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]], count: int) -> str:
    """A table in HTML; columns without any value are left out."""
    rows = list(rows)
    kept = [at for at, head in enumerate(heads) if head == "name" or any(row[at] for row in rows)]
    if count > len(rows):
        caption += f", the first {len(rows)} of {count}"
    lines = ["<table>", f"<caption>{html.escape(caption.strip('<>'))}</caption>"]
    lines.append("<tr>" + "".join(f"<th>{html.escape(heads[at])}</th>" for at in kept) + "</tr>")
    for row in rows:
        lines.append("<tr>" + "".join(f"<td>{html.escape(row[at])}</td>" for at in kept) + "</tr>")
    return "\n".join([*lines, "</table>"])
