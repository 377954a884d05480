import json
import os
import signal
import sys
import tempfile
import unittest
from datetime import timedelta
from pathlib import Path
from unittest import mock

import zonemark
from zonemark import binary

from fake import FakeTest, FolderTest, end, header, result


class RunTest(FakeTest):
    def test_results_come_before_the_end(self):
        """The binary goes on only when the first result has been handed over."""
        self.fake(f"""
            append({header()!r} + {result("a")!r})
            while not os.path.exists("seen"):
                time.sleep(0.01)
            append({result("b", "crashed")!r} + {end(ok=1, crashed=1)!r})
            print("the report")
            print("a message", file=sys.stderr)
            sys.exit(2)
        """)
        seen, said = [], []

        def on_result(r):
            seen.append(r.name)
            Path("seen").touch()

        run = zonemark.run("s.toml", on_result=on_result, on_message=said.append)
        self.assertEqual(seen, ["a", "b"])
        self.assertTrue(run.complete)
        self.assertFalse(run.ok)
        self.assertEqual((run.report, run.messages, said), ("the report\n", ["a message"], ["a message"]))
        self.assertIsNone(run.path)

    def test_command(self):
        self.fake("open('arguments', 'w').write(json.dumps(sys.argv[1:]))")
        zonemark.run(["a.toml", Path("-b.hat")], journal="j", arguments=["-v"], seed=3)
        self.assertEqual(json.loads(Path("arguments").read_text()), ["run", "--seed=3", "-v", "-o", "j", "a.toml", os.path.join(".", "-b.hat")])
        with self.assertRaisesRegex(ValueError, "nothing to measure"):
            zonemark.run([])

    def test_suite_in_memory(self):
        """It lies in the current folder, which its relative paths are relative to, and is removed."""
        self.fake("path = sys.argv[-1]; open('copy', 'w').write(os.path.dirname(os.path.abspath(path)) + ' ' + open(path).read())")
        for suite in ({"invocation": [{"artifact": "a.hat"}]}, [{"artifact": "a.hat"}]):
            zonemark.run(suite)
            self.assertEqual(Path("copy").read_text(), f'{self.folder} [[invocation]]\nartifact = "a.hat"\n')
        self.assertEqual(list(self.folder.glob(".zonemark*")), [])

    def test_error_keeps_what_was_measured(self):
        self.fake(f"""
            append({header()!r} + {result("a")!r} + '{{"kind":"res')
            print("note", file=sys.stderr)
            print("zonemark: the disk is full", file=sys.stderr)
            print("1 of 2 invocations were finished", file=sys.stderr)
            sys.exit(1)
        """)
        with self.assertRaises(zonemark.Error) as caught:
            zonemark.run("s.toml")
        self.assertEqual(str(caught.exception), "the disk is full\n1 of 2 invocations were finished")
        self.assertEqual([r.name for r in caught.exception.run.results], ["a"])
        self.assertFalse(caught.exception.run.complete)

    def test_killed(self):
        self.fake(f"append({header()!r} + {result()!r}); os.kill(os.getpid(), signal.SIGKILL)")
        with self.assertRaisesRegex(zonemark.Error, "SIGKILL") as caught:
            zonemark.run("s.toml")
        self.assertEqual(len(caught.exception.run.results), 1)

    def test_refused_journal_is_not_taken_for_the_run(self):
        self.write("j", header() + result() + end(ok=1))
        self.fake("sys.exit('zonemark: exists and is not empty')")
        seen = []
        with self.assertRaisesRegex(zonemark.Error, "exists") as caught:
            zonemark.run("s.toml", journal="j", on_result=seen.append)
        self.assertEqual((seen, caught.exception.run.results), ([], []))

    def test_overwritten_journal(self):
        self.write("j", header("before") + result("old") * 20 + end(ok=1))
        self.fake(f"time.sleep(0.2); open(journal, 'w'); append({header('now')!r} + {result('new')!r} + {end(ok=1)!r})")
        seen = []
        run = zonemark.run("s.toml", journal="j", overwrite=True, on_result=seen.append)
        self.assertEqual(([r.name for r in seen], [r.name for r in run.results], run.path), (["new"], ["new"], Path("j")))

    def test_resumed_journal(self):
        """Only what this run measures is handed out as it comes; a torn line is cut off before."""
        whole = header() + result("old")
        self.write("j", whole + '{"kind":"result"}torn\n')
        self.fake(f"""
            os.truncate(journal, {len(whole)})
            append({header(kind="resume")!r} + {result("new")!r} + {end(ok=2)!r})
        """)
        seen = []
        run = zonemark.run("s.toml", journal="j", resume=True, on_result=seen.append)
        self.assertEqual(([r.name for r in seen], [r.name for r in run.results]), (["new"], ["old", "new"]))
        self.assertTrue(run.complete)

    def test_journal_that_is_no_file(self):
        os.mkfifo("pipe")
        self.fake("")
        with self.assertRaisesRegex(zonemark.Error, "not a regular file"):
            zonemark.run("s.toml", journal="pipe")

    def test_callback_that_fails_ends_the_run(self):
        self.fake(f"""
            def stop(*_):
                open("stopped", "w")
                sys.exit(1)
            signal.signal(signal.SIGINT, stop)
            append({header()!r} + {result()!r})
            wait()
        """)

        def on_result(r):
            raise KeyError(r.name)

        with self.assertRaises(KeyError):
            zonemark.run("s.toml", on_result=on_result)
        self.assertTrue(Path("stopped").exists())

    def test_interrupted(self):
        self.fake(f"""
            signal.signal(signal.SIGINT, lambda *_: (append({result("last")!r}), sys.exit(1)))
            append({header()!r} + {result("first")!r})
            os.kill(os.getppid(), signal.SIGINT)
            wait()
        """)
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, handler)
        with self.assertRaises(KeyboardInterrupt) as caught:
            zonemark.run("s.toml")
        self.assertIsInstance(caught.exception, zonemark.Interrupted)
        self.assertEqual([r.name for r in caught.exception.run.results], ["first", "last"])

    def test_nothing_is_left_behind(self):
        os.mkdir("temporary")
        self.fake(f"""
            assert os.path.dirname(os.path.dirname(journal)) == {str(self.folder / "temporary")!r}, journal
            append({header()!r} + {end()!r})
        """)
        with mock.patch.object(tempfile, "tempdir", str(self.folder / "temporary")):
            self.assertTrue(zonemark.run([{"artifact": "a"}]).ok)
        self.assertEqual(sorted(os.listdir()), ["fake_zonemark.py", "temporary", "zonemark"])
        self.assertEqual(os.listdir("temporary"), [])


class BinaryTest(FolderTest):
    def test_virtual_environment(self):
        with mock.patch.object(sys, "prefix", "/mine"), mock.patch.dict(os.environ):
            os.environ.pop("VIRTUAL_ENV", None)
            self.assertEqual(binary.environment()["VIRTUAL_ENV"], "/mine")
            os.environ["VIRTUAL_ENV"] = "/activated"
            self.assertEqual(binary.environment()["VIRTUAL_ENV"], "/activated")
        with mock.patch.object(sys, "prefix", sys.base_prefix), mock.patch.dict(os.environ):
            os.environ.pop("VIRTUAL_ENV", None)
            self.assertNotIn("VIRTUAL_ENV", binary.environment())

    def test_variable(self):
        for value in ("nowhere", str(self.write("data", "no program"))):
            with mock.patch.dict(os.environ, {binary.VARIABLE: value}):
                with self.assertRaisesRegex(zonemark.Error, f"{binary.VARIABLE}: .*{Path(value).name}"):
                    zonemark.run("s.toml")


@unittest.skipUnless(os.environ.get("ZONEMARK_EXAMPLE"), "ZONEMARK_EXAMPLE names no folder with the shipped examples")
class RealTest(FolderTest):
    """Against the binary that is installed."""

    def setUp(self):
        super().setUp()
        self.example = os.environ["ZONEMARK_EXAMPLE"]

    def test_suite(self):
        seen = []
        quick = {"min_time": "5ms", "max_time": "20ms", "launches": 2, "filter": "16x"}
        run = zonemark.run(Path(self.example, "sizes.toml"), journal="j", on_result=lambda r: seen.append(r.name), **quick)
        self.assertTrue(run.ok, run)
        self.assertEqual(sorted(seen), ["product 16x16", "product 16x32", "product 16x8"])
        self.assertEqual([r.name for r in run.results], ["product 16x8", "product 16x16", "product 16x32"])
        for r in run.results:
            self.assertTrue(r.median_ns and r.samples_ns and r.sets and r.params["K"] == 64, r)
            self.assertEqual(r.extra, {})
        self.assertEqual((run.header.extra, run.end.extra), ({}, {}))
        self.assertEqual(zonemark.load("j").results, run.results)
        self.assertIn("3 invocations: 3 ok", run.report)

    def test_suite_in_memory(self):
        os.symlink(self.example, "packages")
        entry = {
            "artifact": "packages/sizes.hat",
            "function": "product",
            "check_only": True,
            "params": {"K": 8},
            "axes": {"M": [1, 2], "N": range(3, 5)},
        }
        run = zonemark.run([entry])
        self.assertTrue(run.ok, run)
        self.assertEqual(sorted((r.params["M"], r.params["N"]) for r in run.results), [(1, 3), (1, 4), (2, 3), (2, 4)])
        with self.assertRaisesRegex(zonemark.Error, r"toml:2: invocation.artefact: .*artifact"):
            zonemark.run([{"artefact": "packages/sizes.hat"}])

    def test_wrong_flag(self):
        """An unknown keyword is refused before anything is run, and a wrong value in the words of Python."""
        for call, argument, said in (
            ({"mod": "cold"}, "mod", r"^run\(\) got an unexpected keyword argument 'mod'. Did you mean 'mode'\?$"),
            ({"mode": "cld"}, "mode", "^mode='cld': want one of warm, cold, "),
            ({"precision": 4}, "precision", "^precision=4: want a fraction"),
            ({"seed": "abc"}, "seed", "^seed='abc': want a whole number$"),
            ({"min_time": 3, "max_time": "1s"}, "min_time", "^min_time 3s is longer than max_time 1s; leave one of them out$"),
            ({"param": {"M": 1}}, "param", "sizes.toml: param and input do not apply to a suite; "),
            ({"check": True, "journal": "/nowhere/j"}, "journal", "^journal /nowhere/j: there is no folder"),
        ):
            with self.subTest(call), self.assertRaisesRegex(zonemark.ArgumentError, said) as caught:
                zonemark.run(Path(self.example, "sizes.toml"), **call)
            self.assertEqual(caught.exception.argument, argument, call)
        with self.assertRaisesRegex(zonemark.Error, "^nowhere.toml: there is no such file") as caught:
            zonemark.run("nowhere.toml", mode="cold")
        self.assertIs(type(caught.exception), zonemark.Error)

    @unittest.skipIf(sys.platform == "win32", "signals")
    def test_interrupted(self):
        """The binary ends in order when the Python process gets Ctrl-C, and what it had measured is there."""
        seen = []

        def on_result(r):
            seen.append(r.id)
            raise KeyboardInterrupt

        with self.assertRaises(zonemark.Interrupted) as caught:
            zonemark.run(Path(self.example, "sizes.toml"), on_result=on_result, launches=1, min_time=0.3, max_time=timedelta(seconds=1))
        run = caught.exception.run
        self.assertFalse(run.complete)
        self.assertTrue(set(seen) <= {r.id for r in run.results})
        self.assertIn("zonemark: interrupted", run.messages)
