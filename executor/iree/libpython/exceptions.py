"""Turns an exception into text, for Go."""

import traceback


def describe(kind, value, trace):
    text = "".join(traceback.format_exception(kind, value, trace))
    return "\0".join(part.replace("\0", "\ufffd") for part in (kind.__name__, str(value), text))
