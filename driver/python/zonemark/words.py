"""Writes keywords as the words of a command line, and says in Python's words what the binary has to say of them."""

from __future__ import annotations

import math
import numbers
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from zonemark import arrays
from zonemark.errors import ArgumentError, Error, UnknownArgumentError


class SupportsArray(Protocol):
    """What NumPy makes an array of: its own arrays, and those of other libraries."""

    def __array__(self) -> Any:
        """The array."""


Text: TypeAlias = "str | os.PathLike[str]"
Time: TypeAlias = "float | timedelta | str"  #: seconds; a text has its unit, such as "250ms"
Size: TypeAlias = "int | str"  #: bytes; a text has its unit, such as "512MiB"
Fraction: TypeAlias = "float | str"  #: a text may be in percent, such as "1%"
Value: TypeAlias = "str | int | float | os.PathLike[str]"
Pairs: TypeAlias = "Mapping[str, Value | Sequence[Value]] | str | Sequence[str]"
Content: TypeAlias = "Value | SupportsArray"

_FLAG = re.compile(r"(?<![\w/.=-])--?[A-Za-z][\w-]*")
_MISUSED = re.compile(r'; "zonemark [^"]* --help" shows what there is$')
# What a person at a terminal would type instead, with the words that lead to it.
_COMMANDS = re.compile(r"(; the default is|; without it)?:?(\n  [^\n]*\bzonemark [^\n]*)+$")
_REFUSED = re.compile(r"(--[a-z0-9-]+) (.+?): (want .*)", re.DOTALL)
_INVALID = re.compile(r'invalid argument ("(?:[^"\\]|\\.)*") for "(?:-\w, )?(--[a-z0-9-]+)" flag: (.*)', re.DOTALL)


def words(verb: str, flags: Mapping[str, Any], folder: Path, call: str) -> list[str]:
    """The flags of a verb. Arrays go to files in the folder.

    Raises UnknownArgumentError for a keyword that is none, and ArgumentError for a value that has no text; ``call`` is
    the name of the function that has them.
    """
    from zonemark.flags import FORMERLY, KINDS

    kinds, line = {**FORMERLY[verb], **KINDS[verb]}, []
    check(call, flags, KINDS[verb], FORMERLY[verb])
    for name, value in flags.items():
        if value is not None:
            line += [f"--{name.strip('_').replace('_', '-')}{text}" for text in _values(kinds[name], name, value, folder)]
    return line


def check(call: str, given: Iterable[str], known: Collection[str], formerly: Collection[str]) -> None:
    """Raises UnknownArgumentError if one of the given keywords is none that the function ``call`` knows.

    Older spellings are taken, and never suggested.
    """
    for name in given:
        if name not in known and name not in formerly:
            import difflib

            said = f"{call}() got an unexpected keyword argument {name!r}."
            if name == "output":
                said += " Did you mean 'journal'?"
            elif near := difflib.get_close_matches(name, known, 1):
                said += f" Did you mean {near[0]!r}?"
            raise UnknownArgumentError(said, name)


def _values(kind: str, name: str, value: Any, folder: Path) -> list[str]:
    """What stands behind the name of the flag, for each time that it is given."""
    if kind == "switch":
        if not isinstance(value, bool):
            raise ArgumentError(f"{name} is True or False, not {value!r:.80}", name)
        return ["" if value else "=false"]
    if kind == "optional" and isinstance(value, bool):
        return [""] if value else []
    if kind == "time":
        return ["=" + _time(name, value)]
    if kind == "size" and isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return [f"={int(value)}B"]
    if kind == "contents":
        return ["=" + text for text in _contents(name, value, folder)]
    if kind == "pairs" and isinstance(value, Mapping):
        return [f"={key}={_joined(f'{name}[{key!r}]', inner)}" for key, inner in value.items()]
    if kind in ("many", "pairs") and _is_list(value):
        return [f"={_text(f'{name}[{at}]', item)}" for at, item in enumerate(value)]
    return ["=" + _text(name, value)]


def _time(name: str, value: Any) -> str:
    """The time as the binary reads it: whole nanoseconds, since its numbers have no exponents."""
    if isinstance(value, str):
        return value
    if isinstance(value, timedelta):
        return f"{value // timedelta(microseconds=1)}us"
    if isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value):
        return f"{round(float(value) * 1e9)}ns"
    raise ArgumentError(f"{name}: want seconds, a timedelta, or a text such as '250ms', got {value!r:.80}", name)


def _contents(name: str, value: Any, folder: Path) -> list[str]:
    """The contents of arguments or outputs, in turn or by their names."""
    if isinstance(value, Mapping):
        return [f"{key}={_content(f'{name}[{key!r}]', one, folder).removeprefix('@')}" for key, one in value.items()]
    if _is_list(value):
        return [_content(f"{name}[{at}]", one, folder) for at, one in enumerate(value)]
    return [_content(name, value, folder)]


def _content(what: str, value: Any, folder: Path) -> str:
    if isinstance(value, (str, os.PathLike, numbers.Real)) or not hasattr(value, "__array__"):
        return _text(what, int(value) if isinstance(value, bool) else value)
    import numpy

    array = numpy.asarray(value)
    arrays.element(array.dtype, what)
    array = numpy.array(array, array.dtype.newbyteorder("="), order="C", copy=True)
    count = len(list(folder.glob("content*.npy")))
    return f"@{arrays.save(array, folder / f'content{count}.npy')}"


def _joined(what: str, value: Any) -> str:
    if _is_list(value):
        return ",".join(_text(f"{what}[{at}]", item) for at, item in enumerate(value))
    return str(value).lower() if isinstance(value, bool) else _text(what, value)


def _text(what: str, value: Any) -> str:
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return str(value)
    raise ArgumentError(f"{what}: want a text, a path or a number, got {value!r:.80}", what)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray))


def complaint(verb: str, said: str, given: Mapping[str, Any]) -> Error:
    """The error that the binary's message means.

    If it is about flags of this verb, it is an ArgumentError with the names of the keywords, the given one first.
    Messages with flags of other programs, such as command lines of compilers, stay as they are. The commands that a message
    shows are for people at a terminal, and left out.
    """
    from zonemark.flags import KINDS, LETTERS

    text = _COMMANDS.sub("", _MISUSED.sub("", said))
    flag = typed = wanted = ""
    if match := _INVALID.fullmatch(text):
        typed, flag, wanted = match.groups()
    elif match := _REFUSED.fullmatch(text):
        flag, typed, wanted = match.groups()
    if name := _keyword(flag, KINDS[verb], {}) if flag else "":
        more = ", or seconds as a number" if KINDS[verb][name] == "time" else ""
        return ArgumentError(f"{name}={given.get(name, typed)!r:.80}: {wanted}{more}", name)
    letters = LETTERS[verb] | ({"o": "journal"} if verb == "run" else {})
    found = [_keyword(flag, KINDS[verb], letters) for flag in _FLAG.findall(text)]
    names = [name for name in found if name]
    if not names or len(names) < len(found) or "\n" in text:
        return Error(_COMMANDS.sub("", said))
    text = _FLAG.sub(lambda match: _keyword(match[0], KINDS[verb], letters), text)
    own = [name for name in names if given.get(name) is not None]
    return ArgumentError(text, own[0] if own else names[0]) if own or text != said else Error(text)


def _keyword(flag: str, kinds: Mapping[str, str], letters: Mapping[str, str]) -> str:
    """The keyword for a flag with its dashes; empty if it is none of these."""
    if not flag.startswith("--"):
        return letters.get(flag[1:], "")
    name = flag[2:].replace("-", "_")
    return next((one for one in (name, name + "_") if one in kinds), "")
