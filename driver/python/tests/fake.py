"""A zonemark that is a Python script, for what the real one does rarely, journals for it to write, and libraries."""

import importlib
import json
import os
import shutil
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from unittest import mock


def line(kind, **values):
    return json.dumps({"kind": kind, **values}, separators=(",", ":")) + "\n"


def header(started="2026-01-01T00:00:00Z", kind="header"):
    return line(kind, version=1, zonemark="devel", started=started, environment={"os": "linux"})


def result(name="a", status="ok", **values):
    return line("result", id=f"id-{name}", name=name, status=status, **values)


def end(**by_status):
    return line("end", results=sum(by_status.values()), by_status=by_status)


def library(test, name):
    """The library; without it, the test is skipped, or fails in CI."""
    try:
        return importlib.import_module(name)
    except ImportError:
        if os.environ.get("CI") == "true":
            raise
        test.skipTest(f"{name} is not installed")


def needs_compiler(test):
    """Skips the test without a C compiler, or fails it in CI."""
    if not shutil.which("cc"):
        (test.fail if os.environ.get("CI") == "true" else test.skipTest)("there is no C compiler")


class FolderTest(unittest.TestCase):
    """A test in an empty folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path


@unittest.skipIf(sys.platform == "win32", "a script is no program on Windows")
class FakeTest(FolderTest):
    """A test against a binary that is a script; ``journal`` is the path that it was given."""

    def fake(self, script):
        preamble = """
            import json, os, signal, sys, time
            journal = sys.argv[sys.argv.index("-o") + 1] if "-o" in sys.argv else None
            def append(text):
                with open(journal, "a") as f:
                    f.write(text)
            def wait():  # in one long sleep, a signal that comes just before it is handled after it
                while True:
                    time.sleep(0.01)
        """
        self.write("fake_zonemark.py", textwrap.dedent(preamble) + textwrap.dedent(script))
        binary = self.write("zonemark", f'#!/bin/sh\nexec "{sys.executable}" "{self.folder}/fake_zonemark.py" "$@"\n')
        binary.chmod(0o755)
        variables = mock.patch.dict(os.environ, {"ZONEMARK_BINARY": str(binary)})
        variables.start()
        self.addCleanup(variables.stop)
