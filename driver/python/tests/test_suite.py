import unittest
from pathlib import Path

from zonemark.suite import to_toml

try:
    import tomllib
except ImportError:  # before Python 3.11
    tomllib = None


class TomlTest(unittest.TestCase):
    def test_text(self):
        self.assertEqual(
            to_toml({"defaults": {"artifact": Path("sizes.hat")}, "invocation": [{"name": "a", "axes": {"M": range(8, 25, 8), "mode": ["warm"]}}]}),
            '[defaults]\nartifact = "sizes.hat"\n\n[[invocation]]\nname = "a"\naxes = { M = [8, 16, 24], mode = ["warm"] }\n',
        )

    @unittest.skipIf(tomllib is None, "tomllib comes with Python 3.11")
    def test_a_parser_reads_the_same(self):
        entry = {
            "name": 'quotes "\\" and\nlines\t\x00\x1f\x7f\u2028 é 𝄞',
            "a key": {"ä.ö": [1, -(2**63), 2**63 - 1], "": {}, "x": []},
            "numbers": [0.1, 1e300, 1e-7, -0.0, 3.0, 1e22, float("inf")],
            "truth": [True, False],
            "exclude": [{"M": 1}, {"M": 2}],
        }
        for suite in ({"defaults": {}, "invocation": [entry, {}], "other": 3}, {"invocation": []}):
            self.assertEqual(tomllib.loads(to_toml(suite)), suite)
        self.assertEqual(tomllib.loads(to_toml([entry])), {"invocation": [entry]})

    def test_refused(self):
        for value, error, text in (
            (None, TypeError, r"invocation\[0\].x: a suite cannot hold NoneType"),
            ({"y": [b"z"]}, TypeError, r"invocation\[0\].x.y\[0\]: a suite cannot hold bytes"),
            ({1: 2}, TypeError, r"invocation\[0\].x: the key 1 is no text"),
            ("\ud800", ValueError, r"invocation\[0\].x: .* not valid Unicode"),
        ):
            with self.assertRaisesRegex(error, text):
                to_toml([{"x": value}])
