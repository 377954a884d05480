import unittest
from xml.etree import ElementTree

import zonemark
from zonemark import Dispatch, Result, Run, picture

from fake import FolderTest

SVG = "{http://www.w3.org/2000/svg}"


def texts(shown):
    """The texts and tooltips of a picture, which must be one file of XML."""
    return [e.text for e in ElementTree.fromstring(shown.svg).iter() if e.tag in (SVG + "text", SVG + "title")]


def widths(shown):
    return [float(e.get("width")) for e in ElementTree.fromstring(shown.svg).iter(SVG + "rect")]


def dispatched(count, **values):
    """A result with dispatches of which three in a row have one name, the last names being the hottest."""
    dispatches = [Dispatch(f"dispatch_{at // 3}", at, 7, 100.0 * (at // 3 + 1)) for at in range(count)]
    return Result("1", "ok", "<a> & b", median_ns=5e3, dispatches=dispatches, **values)


class BarsTest(FolderTest):
    def test_dispatches_of_a_call(self):
        """In the order of the program, with shares of the whole call."""
        shown = dispatched(4, gap_ns=0.0, host_ns=250.0, unexplained_ns=250.0).plot()
        self.assertEqual(
            [text for text in texts(shown) if not text.startswith(("dispatch", "host:", "unexp"))],
            ["<a> & b: ok, 5 µs", "100 ns, 10.0%", "100 ns, 10.0%", "100 ns, 10.0%", "200 ns, 20.0%", "host", "250 ns, 25.0%", "250 ns, 25.0%"],
        )
        found = widths(shown)
        self.assertEqual(len(found), 6)
        self.assertAlmostEqual(found[0] / found[5], 0.4, places=3)
        self.assertEqual([t for t in texts(shown) if t.startswith("unexp")], ["unexplained: 250 ns, 25.0%", "unexplained"])
        shown.save(self.folder / "a.svg")
        self.assertEqual((self.folder / "a.svg").read_text(encoding="utf-8"), shown.svg)
        self.assertEqual(repr(shown), "<zonemark.Picture <a> & b: ok, 5 µs>")

    def test_many_dispatches(self):
        """As in the binary's table: the hottest names, and one bar for the others."""
        rows = picture._dispatch_bars(dispatched(102))
        self.assertEqual([(rows[0].name, rows[0].length, rows[0].label[-2:]), len(rows)], [("dispatch_33", 10200.0, "×3"), 21])
        self.assertEqual((rows[20].name, rows[20].length), ("42 other dispatches", 31500.0))
        self.assertEqual(len(picture._dispatch_bars(dispatched(63))), 21)

    def test_names(self):
        """Long names keep both ends, and what XML cannot hold is replaced."""
        long = "main_dispatch_12_" + 60 * "x" + "_softmax\x00"
        shown = picture.bars("t", [picture.Bar(long, 1.0, "1 ns")])
        title, tooltip, name, label = texts(shown)
        self.assertEqual(tooltip, long.replace("\x00", "\ufffd") + ": 1 ns")
        self.assertTrue(name.startswith("main_dispatch_12_xxxxx…") and name.endswith("_softmax\ufffd") and len(name) <= 44, name)

    def test_run(self):
        results = [
            Result("1", "ok", "a", median_ns=10.0, ci_low_ns=5.0, ci_high_ns=20.0),
            Result("2", "crashed", "b"),
            Result("3", "ok", "c", median_ns=20.0),
        ]
        shown = Run(results=results, complete=True).plot()
        self.assertEqual(texts(shown), ["3 results: 2 ok, 1 crashed", "a: 10 ns", "a", "10 ns", "c: 20 ns", "c", "20 ns"])
        a, c = widths(shown)
        self.assertAlmostEqual(a / c, 0.5, places=3)
        (line,) = ElementTree.fromstring(shown.svg).iter(SVG + "line")
        self.assertAlmostEqual(float(line.get("x2")) - float(line.get("x1")), 0.75 * c, delta=0.3)

    def test_histogram(self):
        result = Result("1", "ok", "a", median_ns=11.0, overhead_ns=1.0, samples_ns=[10.0] * 30 + [12.0] * 60 + [16.0] * 9 + [99.0])
        said = [text for text in texts(result.plot()) if "batches" in text]
        self.assertEqual(len(said), 61)
        self.assertEqual(sum(int(text.split()[0]) for text in said), 100)
        self.assertEqual([text for text in said if not text.startswith("0 ")][0], "30 of 100 batches: 10 ns to 10.1 ns")
        self.assertEqual([text for text in texts(result.plot()) if "batches" not in text], ["a: ok, 11 ns", "10 ns", "99 ns", "median 12 ns"])
        self.assertEqual(len(widths(Result("1", "ok", samples_ns=[0.0, 0.0]).plot())), 61)

    def test_nothing_to_draw(self):
        for nothing in (Result("1", "failed", "a", error="no"), Run()):
            with self.assertRaisesRegex(zonemark.Error, "times to draw"):
                nothing.plot()


class NotebookTest(unittest.TestCase):
    def test_pictures_below_the_table(self):
        result = dispatched(2)
        self.assertEqual(result._repr_html_().count("<svg"), 1)
        self.assertIn("<caption>zonemark.Result &lt;a&gt; &amp; b: ok, 5 µs</caption>", result._repr_html_())
        self.assertEqual(Run(results=[result] * 20)._repr_html_().count("<svg"), 8)
        self.assertEqual(Result("1", "ok", "a")._repr_html_().count("<svg"), 0)
