"""Turns results into the columns of tables, and those into tables of pandas and Arrow, when these are installed."""

from __future__ import annotations

import dataclasses
import importlib
import types
import typing
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from zonemark.records import Crash, Dispatch, Parameter, Result

if TYPE_CHECKING:
    import pandas
    import pyarrow

Type = Any  #: str, int, float, bool, list[str], list[int] or list[float]; None where it is for the library to find out


@dataclass
class Column:
    """A column of a table; a value that does not apply is None."""

    name: str
    type: Type
    values: list[Any]


def result_columns(results: Sequence[Result]) -> list[Column]:
    """The columns of a table of results. Dispatches have a table of their own; arguments and simulated cores are in the records only."""
    columns: list[Column] = []
    for name, kind in field_types(Result):
        if name == "params":
            columns += _parameters(results)
        elif name == "counters":
            columns += _counters(results)
        elif name == "crash":
            for inner, inner_kind in field_types(Crash):
                columns.append(Column(f"crash.{inner}", inner_kind, [getattr(r.crash, inner, None) for r in results]))
        elif name not in ("arguments", "dispatches", "simulated_cores"):
            columns.append(Column(name, kind, [getattr(r, name) for r in results]))
    return columns + _extra([r.extra for r in results], columns)


def dispatch_columns(results: Sequence[Result]) -> list[Column]:
    """The columns of a table of the dispatches of all results."""
    pairs = [(r, d) for r in results for d in r.dispatches]
    columns = [
        Column("id", str, [r.id for r, _ in pairs]),
        Column("invocation", str, [r.name for r, _ in pairs]),
        *_parameters([r for r, _ in pairs]),
    ]
    for name, kind in field_types(Dispatch):
        columns.append(Column(name, kind, [getattr(d, name) for _, d in pairs]))
    return columns + _extra([d.extra for _, d in pairs], columns)


def find(name: str, method: str) -> Any:
    """The library, which the method needs. Raises ImportError with the remedy."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{method} needs {name}: pip install {name}", name=name) from error


def to_pandas(columns: Sequence[Column], method: str) -> pandas.DataFrame:
    """A data frame of the columns. Integers that may be absent are of type Int64, texts of type string, truths of type boolean."""
    library = find("pandas", method)
    kinds = {str: "string", int: "Int64", float: "float64", bool: "boolean"}
    series = {c.name: library.Series(c.values, dtype=kinds.get(c.type, "object")) for c in columns}
    table: pandas.DataFrame = library.DataFrame(series)
    return table


def to_arrow(columns: Sequence[Column], method: str) -> pyarrow.Table:
    """An Arrow table of the columns."""
    library = find("pyarrow", method)
    plain = {str: library.string(), int: library.int64(), float: library.float64(), bool: library.bool_()}
    lists = {list[str]: library.list_(plain[str]), list[int]: library.list_(plain[int]), list[float]: library.list_(plain[float])}
    kinds: dict[Type, Any] = {**plain, **lists}
    arrays = [library.array(c.values, type=kinds.get(c.type)) for c in columns]
    return library.table(arrays, names=[c.name for c in columns])


def field_types(record: type[Any]) -> Iterable[tuple[str, Type]]:
    """The fields of a record but ``extra``, with their types but None."""
    hints = typing.get_type_hints(record)
    for field in dataclasses.fields(record):
        hint = hints[field.name]
        if field.name != "extra":
            yield field.name, typing.get_args(hint)[0] if typing.get_origin(hint) is types.UnionType else hint


def _parameters(results: Sequence[Result]) -> list[Column]:
    """A column for each parameter; of numbers when all its values are."""
    return [_parameter(f"params.{name}", [r.params.get(name) for r in results]) for name in _keys(r.params for r in results)]


def _counters(results: Sequence[Result]) -> list[Column]:
    """A column for each counter."""
    return [Column(f"counters.{name}", float, [r.counters.get(name) for r in results]) for name in _keys(r.counters for r in results)]


def _parameter(name: str, values: list[Parameter | None]) -> Column:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return Column(name, bool, values)
    if kinds <= {int, float}:
        kind = int if kinds == {int} else float
        return Column(name, kind, [None if value is None else kind(value) for value in values])
    texts = [value if value is None or isinstance(value, str) else str(value).lower() for value in values]
    return Column(name, str, texts)


def _extra(rows: Sequence[dict[str, Any]], columns: Sequence[Column]) -> list[Column]:
    """A column for each key that the records do not know, as far as its values are plain."""
    taken = {c.name for c in columns}
    found = []
    for name in _keys(rows):
        values = [row.get(name) for row in rows]
        kinds = {type(v) for v in values if v is not None}
        if kinds == {int, float}:
            kinds = {float}
        if name not in taken and len(kinds) == 1 and kinds <= {str, int, float, bool}:
            kind = kinds.pop()
            found.append(Column(name, kind, values))
    return found


def _keys(mappings: Iterable[dict[str, Any]]) -> list[str]:
    """The keys of all mappings, each once, in the order in which they come up."""
    return list(dict.fromkeys(key for mapping in mappings for key in mapping))
