import json
import unittest

import zonemark
from zonemark import Result, Row, Run, display
from zonemark.records import decode, parameter

from fake import FakeTest, end, header, line, result


class LineTest(unittest.TestCase):
    def test_one_line(self):
        r = Result("1", "ok", "a", median_ns=1500.0, ci_low_ns=1470.0, ci_high_ns=1530.0, verdict=["clean"], samples_ns=[1.0] * 999)
        self.assertEqual(repr(r), "<zonemark.Result a: ok, 1.5 µs ± 2 %, clean>")
        self.assertEqual(repr(Run(results=[r, r, Result("2", "crashed")], complete=True)), "<zonemark.Run 3 results: 2 ok, 1 crashed>")
        self.assertEqual(repr(Result("2", "failed", "b", error="one\ntwo")), "<zonemark.Result b: failed: one two>")
        self.assertEqual(repr(Run()), "<zonemark.Run 0 results; not complete: it has no header>")

    def test_durations(self):
        for ns, text in ((None, ""), (0.0, "0 ns"), (0.25, "0.25 ns"), (999.0, "999 ns"), (1e3, "1 µs"), (2.5e9, "2.5 s"), (-5e6, "-5 ms")):
            self.assertEqual(display.duration(ns), text)

    def test_parameters(self):
        for text, value in (("8", 8), ("-1", -1), ("0.5", 0.5), ("1e-06", 1e-06), ("1e+21", 1e21), ("true", True), ("007", "007"),
                            ("1.10", "1.10"), ("nan", "nan"), ("1e999", "1e999"), ("x", "x"), ("1" * 30, "1" * 30)):  # fmt: skip
            self.assertEqual((parameter(text), type(parameter(text))), (value, type(value)))
        self.assertEqual(decode(Result, {"id": "1", "status": "ok", "params": {"a": "3", "b": "x"}}).params, {"a": 3, "b": "x"})
        with self.assertRaisesRegex(ValueError, "params: want str, not int"):
            decode(Result, {"id": "1", "status": "ok", "params": {"a": 3}})

    def test_version(self):
        self.assertRegex(zonemark.__version__, r"^(devel|\d+\.\d+.*)$")
        with self.assertRaisesRegex(AttributeError, "no attribute 'versio'"):
            zonemark.versio  # noqa: B018


class TableTest(unittest.TestCase):
    def test_run(self):
        run = Run(results=[
            Result("1", "ok", "<b>", params={"n": 4}, median_ns=1500.0, verdict=["clean"], runtime="c"),
            Result("2", "crashed", "c", error="SIGSEGV & so on"),
        ])  # fmt: skip
        text = run._repr_html_()
        self.assertIn("<th>name</th><th>n</th><th>runtime</th><th>median</th><th>status</th><th>verdict</th>", text)
        self.assertIn("<td>&lt;b&gt;</td><td>4</td><td>c</td><td>1.5 µs</td><td>ok</td><td>clean</td>", text)
        self.assertIn("<td>crashed</td><td>SIGSEGV &amp; so on</td>", text)
        self.assertNotIn("±", text)

    def test_many_rows(self):
        text = Run(results=[Result(str(i), "ok", f"r{i}") for i in range(300)])._repr_html_()
        self.assertEqual(text.count("<tr>"), 201)
        self.assertIn("the first 200 of 300", text)

    def test_comparison(self):
        rows = [Row("a", "slower", by="time", old=1e3, new=2e3, ratio=2.0, ratio_low=1.9, ratio_high=2.1), Row("b", "same", by="cycles", old=4e6)]
        comparison = zonemark.Comparison(rows, True, False)
        self.assertEqual(repr(comparison), "<zonemark.Comparison 1 slower, 1 same>")
        text = comparison._repr_html_()
        self.assertIn("<td>1 µs</td><td>2 µs</td><td>+100 %</td><td>+90 % to +110 %</td><td>slower</td>", text)
        self.assertIn("<td>4,000,000</td>", text)


class CompareTest(FakeTest):
    def test_rows(self):
        """The binary gets the runs as files, and its lines become rows."""
        self.fake(f"""
            if sys.argv[1] == "run":
                append({header()!r} + {result("b", place=1)!r} + {result("a", place=0)!r} + {end(ok=2)!r})
                sys.exit(0)
            texts = [open(path).read() for path in sys.argv[-2:]]
            assert texts[0] == texts[1] and texts[0].count("id-a") == 1, texts
            json.dump(sys.argv[1:-2], open("arguments", "w"))
            print({json.dumps({"name": "a", "verdict": "slower", "ratio": 2, "new_key": 1})!r})
            print("a note", file=sys.stderr)
            sys.exit(3)
        """)
        run = zonemark.run("s.toml")
        self.assertEqual([r.name for r in run.results], ["a", "b"])
        found = zonemark.compare(run, run, fdr=True, margin="2%")
        self.assertEqual(found.rows, [Row("a", "slower", ratio=2.0, extra={"new_key": 1})])
        self.assertEqual((found.worse, found.undecided, found.messages), (True, False, ["a note"]))
        self.assertEqual(json.loads((self.folder / "arguments").read_text()), ["compare", "--format=ndjson", "--fdr", "--margin=2%"])

    def test_errors(self):
        self.fake("print('zonemark: old: no such file', file=sys.stderr); sys.exit(1)")
        with self.assertRaisesRegex(zonemark.Error, "^old: no such file$"):
            zonemark.compare("old", "new")
        with self.assertRaisesRegex(zonemark.Error, "run without results"):
            zonemark.compare(Run(), "new")
        self.fake("print('[]')")
        with self.assertRaisesRegex(zonemark.Error, "a row that this package cannot read: want an object"):
            zonemark.compare("old", "new")

    def test_order_of_older_journals(self):
        """Without places, results stay in the order of the lines."""
        path = self.write("j", header() + result("b", place=1) + result("a") + line("end", results=2, by_status={"ok": 2}))
        self.assertEqual([r.name for r in zonemark.load(path).results], ["b", "a"])
