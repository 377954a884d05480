import json
import unittest
import unittest.mock
import warnings

import zonemark
from zonemark import tables, trace

from fake import FakeTest, FolderTest, library

HEAD = "name,text,start_ns,duration_ns,self_ns,depth,ordinal,parent,thread,thread_id,function,src_file,src_line,unfinished,gpu,later\n"
ROWS = (
    "nan,,5,7,6,0,0,-1,NA,18446744073709551615,f,a.c,3,false,false,x\n"
    '\'=1+1,"two\nlines, ""quoted""",1,2,2,1,1,0,\'\'=t,2,,,0,true,true,\n'
)
STATISTICS = "name,src_file,src_line,count,total_ns,self_ns,mean_ns,median_ns,p90_ns,min_ns,max_ns,share_percent,track\n"


class FakeTraceTest(FakeTest):
    """Against a binary that writes what it is told to."""

    def opened(self, out, err="", status=0):
        self.fake(f"""
            json.dump(sys.argv[1:], open("arguments", "w"))
            sys.stdout.write({out!r}); sys.stderr.write({err!r}); sys.exit({status})
        """)
        return zonemark.open_trace(self.write("x.tracy", ""))

    def test_zones(self):
        one, two = self.opened(HEAD + ROWS).zones(filter="a", min_duration=0.001, from_="1s", sort="start")
        self.assertEqual((one.name, one.thread, one.thread_id, one.gpu, one.extra), ("nan", "NA", 2**64 - 1, False, {"later": "x"}))
        self.assertEqual((two.name, two.text, two.thread, two.unfinished), ("=1+1", 'two\nlines, "quoted"', "'=t", True))
        arguments = json.loads((self.folder / "arguments").read_text())
        self.assertEqual(arguments[:4], ["trace", "zones", "--quiet", "--format=csv"])
        self.assertEqual(arguments[4:], ["--filter=a", "--min-duration=1000000ns", "--from=1s", "--sort=start", str(self.folder / "x.tracy")])

    def test_older_spelling(self):
        list(self.opened(HEAD + ROWS).zones(name="a"))
        arguments = json.loads((self.folder / "arguments").read_text())
        self.assertEqual(arguments[4], "--name=a")
        with self.assertRaisesRegex(zonemark.ArgumentError, "'nam'.$"):  # what is not shown is not suggested
            list(self.opened(HEAD + ROWS).zones(nam="a"))

    def test_pandas(self):
        library(self, "pandas")
        table = self.opened(HEAD + ROWS).zones_to_pandas()
        self.assertEqual(table["name"].tolist(), ["nan", "=1+1"])
        self.assertEqual(table["thread"].tolist(), ["NA", "'=t"])
        self.assertEqual(table["text"].tolist(), ["", 'two\nlines, "quoted"'])
        self.assertEqual(table["thread_id"].tolist(), [2**64 - 1, 2])
        self.assertEqual([str(table[name].dtype) for name in ("duration_ns", "gpu")], ["Int64", "boolean"])
        self.assertEqual(self.opened(HEAD).zones_to_pandas().shape, (0, 16))

    def test_arrow(self):
        pyarrow = library(self, "pyarrow")
        table = self.opened(HEAD + ROWS).zones_to_arrow()
        self.assertEqual(table["name"].to_pylist(), ["nan", "=1+1"])
        self.assertEqual(table["thread"].to_pylist(), ["NA", "'=t"])
        self.assertEqual(table["text"].to_pylist(), ["", 'two\nlines, "quoted"'])
        self.assertEqual(table["thread_id"].to_pylist(), [2**64 - 1, 2])
        self.assertEqual(table["gpu"].to_pylist(), [False, True])
        self.assertEqual(self.opened(HEAD).zones_to_arrow().schema.field("duration_ns").type, pyarrow.int64())

    def test_stopped_early(self):
        """Whoever wants no more zones ends the binary."""
        self.fake(f"""
            sys.stdout.write({HEAD + ROWS!r} * 1); sys.stdout.flush()
            wait()
        """)
        zones = zonemark.open_trace(self.write("x.tracy", "")).zones()
        self.assertEqual(next(zones).name, "nan")
        zones.close()

    def test_warnings_and_errors(self):
        opened = self.opened(STATISTICS, "zonemark: warning: x.tracy: PARTIAL\n")
        with self.assertWarnsRegex(zonemark.TraceWarning, "^x.tracy: PARTIAL$"):
            self.assertEqual(opened.statistics(), [])
        cut = "x.tracy: byte 7: ends in a zone; what is shown is what came before"
        opened = self.opened(STATISTICS + "a,a.c,1,2,4,4,2,2,2,1,3,100,\n", f"zonemark: {cut}\n", 1)
        with self.assertWarnsRegex(zonemark.TraceWarning, cut):
            self.assertEqual(opened.statistics(), [zonemark.ZoneStatistics("a", "a.c", 1, 2, 4, 4, 2.0, 2.0, 2.0, 1, 3, 100.0)])
        self.fake("sys.exit('zonemark: x.tracy: no capture')")
        methods = ["statistics", *(name for name, lib in (("zones_to_pandas", "pandas"), ("zones_to_arrow", "pyarrow")) if library(self, lib))]
        for name in methods:
            with self.assertRaisesRegex(zonemark.Error, "^x.tracy: no capture$"):
                getattr(opened, name)()
        with self.assertRaisesRegex(zonemark.ArgumentError, r"statistics\(\) got an unexpected keyword argument 'sorted'. Did you mean 'sort'"):
            opened.statistics(sorted="self")
        with self.assertRaisesRegex(zonemark.ArgumentError, "nowhere: there is no such file; name a capture") as caught:
            zonemark.open_trace("nowhere")
        self.assertEqual(caught.exception.argument, "path")

    def test_without_libraries(self):
        opened = self.opened("")
        with unittest.mock.patch.dict("sys.modules", {"pandas": None, "pyarrow": None}):
            for name in ("zones_to_pandas", "statistics_to_arrow"):
                with self.assertRaisesRegex(ImportError, f"{name} needs p.*: pip install"):
                    getattr(opened, name)()


class RealTraceTest(FolderTest):
    """Against the binary that is installed, and a table that Tracy's exporter could have written."""

    def setUp(self):
        super().setUp()
        try:
            zonemark.run(arguments=["--help"])
        except zonemark.BinaryError as error:
            self.skipTest(str(error))
        lines = ["name,src_file,src_line,ns_since_start,exec_time_ns,thread,value"]
        lines += [f"{name},a.c,{at % 3},{1000 * at},{10 * at + 10},7,0" for at, name in enumerate(["nan", "=a", "b"] * 4)]
        self.trace = zonemark.open_trace(self.write("x.csv", "\n".join(lines) + "\n"))

    def test_all_forms_are_the_same(self):
        pandas, pyarrow = library(self, "pandas"), library(self, "pyarrow")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", zonemark.TraceWarning)
            for name, record, flags in (("zones", zonemark.Zone, {"sort": "start"}), ("statistics", zonemark.ZoneStatistics, {})):
                rows = list(getattr(self.trace, name)(**flags))
                frame = getattr(self.trace, f"{name}_to_pandas")(**flags)
                table = getattr(self.trace, f"{name}_to_arrow")(**flags)
                self.assertTrue(isinstance(frame, pandas.DataFrame) and isinstance(table, pyarrow.Table))
                fields = [field for field, _ in tables.field_types(record)]
                self.assertEqual([fields, fields], [list(frame.columns), table.column_names])
                self.assertEqual([row.extra for row in rows], [{}] * len(rows))
                for field in fields:
                    want = [getattr(row, field) for row in rows]
                    self.assertEqual([want, want], [frame[field].tolist(), table[field].to_pylist()], field)
        self.assertEqual({row.name for row in rows}, {"nan", "=a", "b"})
        self.assertEqual(sum(row.count for row in rows), 12)

    def test_flags_in_words_of_python(self):
        with self.assertRaisesRegex(zonemark.ArgumentError, r"^filter='\(': .*parenthes|^filter: .*missing closing") as caught:
            list(self.trace.zones(filter="("))
        self.assertEqual(caught.exception.argument, "filter")
        with self.assertRaisesRegex(zonemark.ArgumentError, "^to is not after from_$"):
            list(self.trace.zones(from_=2, to=1))

    def test_picture(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", zonemark.TraceWarning)
            svg = self.trace.plot(limit=2).svg
        self.assertEqual(svg.count("<rect"), 2)


class CellTest(unittest.TestCase):
    def test_apostrophes(self):
        """As foreign.Uncell of the binary reads them."""
        for cell, text in (("'=1", "=1"), ("''=1", "'=1"), ("'a", "'a"), ("'", "'"), ("=1", "=1"), ("'+", "+")):
            self.assertEqual(trace._cell(cell), text)
