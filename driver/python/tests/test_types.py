import os
import re
import subprocess
import sys
from pathlib import Path

from fake import FolderTest, library

TESTS = Path(__file__).resolve().parent


class TypesTest(FolderTest):
    """What mypy says in its strict mode."""

    def setUp(self):
        super().setUp()
        library(self, "mypy")
        for name in ("numpy", "pandas"):  # whose types the calls have
            library(self, name)

    def cache(self):
        """Where mypy keeps what it has found out about libraries, which takes most of its time.

        It stays in the cache of the tests if they have one, apart for each checkout; in the large size, mypy begins anew.
        """
        home = os.environ.get("ZONEMARK_HOME")
        if not home or os.environ.get("ZONEMARK_TEST_LARGE"):
            return self.folder / "cache"
        return Path(home) / "mypy" / re.sub(r"\W", "-", str(TESTS))

    def check(self, *files):
        """The lines that mypy writes about files that use the package's sources."""
        command = [sys.executable, "-m", "mypy", "--cache-dir", str(self.cache()), *map(str, files)]
        done = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return [line for line in done.stdout.splitlines() if ": note:" not in line]

    def test_package(self):
        """Models need JAX, and generators Halide: those are checked where these are installed."""
        files = sorted((TESTS.parent / "zonemark").glob("*.py"))
        self.assertEqual(self.check(*files), [f"Success: no issues found in {len(files)} source files"])

    def test_calls(self):
        self.assertEqual(self.check(TESTS / "users" / "good.py"), ["Success: no issues found in 1 source file"])
        bad = TESTS / "users" / "bad.py"
        lines = bad.read_text(encoding="utf-8").splitlines()
        marked = [(at, line.split("# error: ")[1]) for at, line in enumerate(lines, 1) if "# error: " in line]
        self.assertGreater(len(marked), 10)
        found = re.findall(r"bad\.py:(\d+): error: .*\[([a-z-]+)\]$", "\n".join(self.check(bad)), re.MULTILINE)
        self.assertEqual([(int(at), code) for at, code in found], marked)
