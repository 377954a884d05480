"""Writes suites that are made in Python as the TOML that the binary reads."""

from __future__ import annotations

import json
import numbers
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from zonemark import arrays

Suite = Mapping[str, Any]


def to_toml(suite: Suite | Sequence[Suite], folder: Path | None = None) -> str:
    """The text of a suite: a mapping with the keys of a suite file ("defaults", "invocation"), or the list of its invocations.

    Values are texts, paths, booleans, numbers (those of NumPy, too), and mappings, lists and ranges of them. NumPy arrays that are contents of
    ``arguments`` are written to files in the folder. Raises TypeError or ValueError, naming the key, for what TOML cannot hold, and Error if an
    array cannot be written.
    """
    root: Suite = suite if isinstance(suite, Mapping) else {"invocation": suite}
    if folder is not None:
        root = {key: _saved(value, key, folder) for key, value in root.items()}
    lines: list[str] = []
    for key, value in root.items():
        if isinstance(value, Mapping):
            lines += [f"[{_key(key, 'suite')}]", *_pairs(value, key), ""]
        elif _is_list(value) and value and all(isinstance(item, Mapping) for item in value):
            for at, item in enumerate(value):
                lines += [f"[[{_key(key, 'suite')}]]", *_pairs(item, f"{key}[{at}]"), ""]
        else:  # the binary says what is wrong with it; TOML wants it before all tables
            lines.insert(0, f"{_key(key, 'suite')} = {_value(value, key)}")
    return "\n".join(lines)


def _saved(value: Any, where: str, folder: Path) -> Any:
    """The value with the paths of files in place of the arrays that are contents of arguments."""
    if isinstance(value, Mapping):
        changed = {key: _saved(inner, f"{where}.{key}", folder) for key, inner in value.items() if key != "arguments"}
        if "arguments" in value:
            given = value["arguments"]
            changed["arguments"] = _contents(given, f"{where}.arguments", folder) if isinstance(given, Mapping) else given
        return changed
    if isinstance(value, (list, tuple)):
        return [_saved(item, f"{where}[{at}]", folder) for at, item in enumerate(value)]
    return value


def _contents(given: Mapping[Any, Any], where: str, folder: Path) -> dict[Any, Any]:
    """The contents of arguments. Braces in paths are doubled, since single ones are placeholders."""
    found = {}
    for name, value in given.items():
        if arrays.is_array(value):
            arrays.element(value.dtype, f"{where}.{name}")
            path = arrays.save(value, folder / f"array{len(list(folder.glob('array*.npy')))}.npy")
            value = str(path).replace("{", "{{").replace("}", "}}")
        found[name] = value
    return found


def _pairs(table: Mapping[Any, Any], where: str) -> list[str]:
    return [f"{_key(key, where)} = {_value(value, f'{where}.{key}')}" for key, value in table.items()]


def _key(key: Any, where: str) -> str:
    if not isinstance(key, str):
        raise TypeError(f"{where}: the key {key!r} is no text")
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _text(key, where)


def _text(text: str, where: str) -> str:
    """A TOML string; JSON's escapes are TOML's, but DEL must be escaped as well."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(f"{where}: {text!r} is not valid Unicode: {error.reason}") from None
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any, where: str) -> str:
    if isinstance(value, str):
        return _text(value, where)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, os.PathLike):
        return _text(os.fspath(value), where)
    if isinstance(value, Mapping):
        pairs = _pairs(value, where)
        return "{ " + ", ".join(pairs) + " }" if pairs else "{}"
    if _is_list(value):
        return "[" + ", ".join(_value(item, f"{where}[{at}]") for at, item in enumerate(value)) + "]"
    raise TypeError(f"{where}: a suite cannot hold {type(value).__name__}; write a text, a number, a boolean, a list or a mapping")


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray))
