import functools
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from fake import library

TESTS = Path(__file__).resolve().parent
PACKAGE = sorted((TESTS.parent / "zonemark").glob("*.py"))
USERS = TESTS / "users"


@functools.cache
def said():
    """What mypy says in its strict mode of the package and its users, line by line. One process checks all: libraries take most of its time.

    What it has found out about libraries stays in the cache of the tests if they have one, apart for each checkout; in the large size, mypy begins
    anew.
    """
    home = os.environ.get("ZONEMARK_HOME")
    with tempfile.TemporaryDirectory() as fresh:
        kept = home and not os.environ.get("ZONEMARK_TEST_LARGE")
        cache = Path(home) / "mypy" / re.sub(r"\W", "-", str(TESTS)) if kept else fresh
        command = [sys.executable, "-m", "mypy", "--cache-dir", str(cache), *map(str, PACKAGE), str(USERS / "good.py"), str(USERS / "bad.py")]
        done = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True)
    if done.stderr:
        raise AssertionError(done.stderr)
    return [line for line in done.stdout.splitlines() if ": note:" not in line]


class TypesTest(unittest.TestCase):
    """Models need JAX, and generators Halide: those are checked where these are installed."""

    def setUp(self):
        for name in ("mypy", "numpy", "pandas"):  # the calls have types of the latter two
            library(self, name)

    def test_package_and_right_calls(self):
        """All errors are in the file of wrong calls."""
        *errors, last = said()
        self.assertEqual([line for line in errors if "bad.py:" not in line], [])
        self.assertEqual(last, f"Found {len(errors)} errors in 1 file (checked {len(PACKAGE) + 2} source files)")

    def test_wrong_calls(self):
        lines = (USERS / "bad.py").read_text(encoding="utf-8").splitlines()
        marked = [(at, line.split("# error: ")[1]) for at, line in enumerate(lines, 1) if "# error: " in line]
        self.assertGreater(len(marked), 10)
        found = re.findall(r"bad\.py:(\d+): error: .*\[([a-z-]+)\]$", "\n".join(said()), re.MULTILINE)
        self.assertEqual([(int(at), code) for at, code in found], marked)
