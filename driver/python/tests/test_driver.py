import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

import zonemark
from zonemark.driver import translate

from fake import FakeTest


class TranslateTest(unittest.TestCase):
    def test_flags_of_the_driver(self):
        self.assertEqual(
            translate(["--trace-file", "t", "--dataframe-csv-file=d", "--only-check-correctness", "-t", "x", "--trace-file=", "suite"]),
            ["-t", "t", "-d", "d", "-c", "-t", "x", "-t", "", "suite"],
        )

    def test_everything_else_stands(self):
        arguments = ["--mode=cold", "-cq", "a.toml", "--param", "M=--trace-file", "--", "--trace-file"]
        self.assertEqual(translate(arguments), arguments)


class ProcessTest(FakeTest):
    """Runs the driver as a process of its own."""

    def start(self, *arguments, module="zonemark.driver", **options):
        here = Path(zonemark.__file__).parent.parent
        environment = {**os.environ, "PYTHONPATH": str(here)}
        return subprocess.Popen([sys.executable, "-m", module, *arguments], env=environment, stdout=subprocess.PIPE, text=True, **options)

    def test_arguments_and_status(self):
        self.fake("print(json.dumps(sys.argv[1:])); sys.exit(7)")
        for module, want in (
            ("zonemark.driver", ["run", "-c", "x y", "-t", "f"]),
            ("zonemark", ["--only-check-correctness", "x y", "--trace-file", "f"]),
        ):
            with self.start("--only-check-correctness", "x y", "--trace-file", "f", module=module) as process:
                out, _ = process.communicate()
            self.assertEqual((json.loads(out), process.returncode), (want, 7))

    def test_help_shows_both(self):
        self.fake("print('help of run:', sys.argv[1:])")
        with self.start("--help") as process:
            out, _ = process.communicate()
        self.assertRegex(out, r"(?s)--dataframe-csv-file.*help of run: \['run', '--help'\]")

    def test_interrupt(self):
        """Ctrl-C at a terminal goes to the whole process group; the binary's own end is the driver's."""
        self.fake("""
            signal.signal(signal.SIGINT, lambda *_: (print("in order"), sys.exit(1)))
            open("ready", "w")
            wait()
        """)
        with self.start(start_new_session=True, stderr=subprocess.PIPE) as process:
            while not os.path.exists("ready"):
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            os.killpg(process.pid, signal.SIGINT)
            out, err = process.communicate()
        self.assertEqual((out, err, process.returncode), ("in order\n", "", 1))

    @unittest.skipUnless(os.path.exists("/proc/self/status"), "only Linux shows which signals a process ignores")
    def test_signals_that_python_ignores_are_not_ignored(self):
        self.fake("")
        self.write("zonemark", "#!/bin/sh\ngrep SigIgn /proc/$$/status\n")
        with self.start() as process:
            out, _ = process.communicate()
        self.assertEqual(int(out.split()[-1], 16) & (1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1), 0, out)

    def test_no_binary(self):
        os.environ["ZONEMARK_BINARY"] = "nowhere"
        self.addCleanup(os.environ.pop, "ZONEMARK_BINARY")
        with self.start(stderr=subprocess.PIPE) as process:
            out, err = process.communicate()
        self.assertEqual((out, err, process.returncode), ("", "zonemark: ZONEMARK_BINARY: nowhere is no executable file\n", 1))
