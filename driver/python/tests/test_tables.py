import sys
import unittest
from unittest import mock

from zonemark import Crash, Dispatch, Result, Run
from zonemark.tables import dispatch_columns, result_columns

from fake import library

RUN = Run(
    results=[
        Result(
            "1",
            "ok",
            "a",
            params={"M": 8, "S": 0.5, "T": "x"},
            median_ns=1.5,
            iterations=7,
            extra={"queue": 3},
            launches=2,
            launch_medians_ns=[1.4, 1.6],
            counters={"instructions": 12.0},
            exact=["instructions"],
            dispatches=[Dispatch("d", 0, 2, 0.5)],
        ),
        Result("2", "crashed", "b", params={"M": 16, "S": 1000, "T": 1}, crash=Crash("SIGSEGV"), notes=["n"]),
    ]
)


def cells(columns):
    return {c.name: c.values for c in columns}


class ColumnsTest(unittest.TestCase):
    def test_results(self):
        columns = cells(result_columns(RUN.results))
        self.assertEqual(columns["median_ns"], [1.5, None])
        self.assertEqual(columns["params.M"], [8, 16])
        self.assertEqual(columns["params.S"], [0.5, 1000.0])
        self.assertEqual(columns["params.T"], ["x", "1"])
        self.assertEqual(columns["crash.signal"], [None, "SIGSEGV"])
        self.assertEqual(columns["queue"], [3, None])
        self.assertEqual(columns["counters.instructions"], [12.0, None])
        self.assertEqual(columns["launch_medians_ns"], [[1.4, 1.6], []])
        self.assertEqual({len(values) for values in columns.values()}, {2})
        self.assertNotIn("dispatches", columns)
        self.assertNotIn("counters", columns)

    def test_dispatches(self):
        columns = cells(dispatch_columns(RUN.results))
        self.assertEqual({name: columns[name] for name in ("id", "invocation", "params.M", "name", "median_ns", "threads")},
                         {"id": ["1"], "invocation": ["a"], "params.M": [8], "name": ["d"], "median_ns": [0.5], "threads": [None]})  # fmt: skip

    def test_the_same_columns_without_results(self):
        with_results = {c.name for c in result_columns(RUN.results)} - {"params.M", "params.S", "params.T", "counters.instructions", "queue"}
        self.assertEqual({c.name for c in result_columns([])}, with_results)


class LibraryTest(unittest.TestCase):
    def test_without_them(self):
        for name, methods in (("pandas", ("to_pandas", "dispatches_to_pandas")), ("pyarrow", ("to_arrow", "dispatches_to_arrow"))):
            with mock.patch.dict(sys.modules, {name: None}):
                for method in methods:
                    with self.assertRaisesRegex(ImportError, f"{method} needs {name}: pip install {name}"):
                        getattr(RUN, method)()

    def test_pandas(self):
        pandas = library(self, "pandas")
        table = RUN.to_pandas()
        self.assertEqual(str(table["iterations"].dtype), "Int64")
        self.assertTrue(pandas.isna(table["median_ns"][1]))
        self.assertEqual(table["params.M"].sum(), 24)
        self.assertEqual(table["counters.instructions"].sum(), 12)
        self.assertEqual(str(table["launches"].dtype), "Int64")
        self.assertEqual(RUN.dispatches_to_pandas()["median_ns"].tolist(), [0.5])
        self.assertEqual(len(Run().to_pandas()), 0)

    def test_arrow(self):
        pyarrow = library(self, "pyarrow")
        table = RUN.to_arrow()
        self.assertEqual(table["median_ns"].to_pylist(), [1.5, None])
        self.assertEqual(table["notes"].to_pylist(), [[], ["n"]])
        self.assertEqual(table["counters.instructions"].to_pylist(), [12.0, None])
        self.assertEqual(table["launch_medians_ns"].to_pylist(), [[1.4, 1.6], []])
        self.assertEqual(RUN.dispatches_to_arrow()["name"].to_pylist(), ["d"])
        self.assertEqual(Run().to_arrow().schema.field("median_ns").type, pyarrow.float64())
