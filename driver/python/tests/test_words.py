import fractions
import pickle
import unittest
from datetime import timedelta
from pathlib import Path

import zonemark
from zonemark import flags
from zonemark.words import complaint, words

from fake import FolderTest, library


class WordsTest(FolderTest):
    def words(self, **given):
        return words("run", given, self.folder, "run")

    def test_flags(self):
        given = {
            "mode": ["dispatch", "cold"],
            "min_time": "1s",
            "check": True,
            "trace_file": Path("t"),
            "resume": False,
            "cpu": None,
            "precision": 0.5,
            "function": ["a", "b"],
            "param": {"M": [1, 2], "N": range(3, 5), "K": 4, "T": True},
            "shell": True,
            "group": False,
            "dim": "batch=1",
        }
        self.assertEqual(
            self.words(**given),
            [
                *("--mode=dispatch", "--mode=cold", "--min-time=1s", "--check", "--trace-file=t", "--resume=false", "--precision=0.5"),
                *("--function=a", "--function=b", "--param=M=1,2", "--param=N=3,4", "--param=K=4", "--param=T=true", "--shell", "--dim=batch=1"),
            ],
        )
        self.assertEqual(words("trace zones", {"from_": 2, "depth": 1}, self.folder, "zones"), ["--from=2000000000ns", "--depth=1"])

    def test_times_and_sizes(self):
        for value, text in (
            (2, "2000000000ns"),
            (0.1, "100000000ns"),
            (1e-05, "10000ns"),
            (fractions.Fraction(1, 4), "250000000ns"),
            (timedelta(milliseconds=250), "250000us"),
            (timedelta(days=1, microseconds=1), "86400000001us"),
            ("1h", "1h"),
        ):
            self.assertEqual(self.words(max_time=value), [f"--max-time={text}"])
        self.assertEqual(self.words(memory=2**29), ["--memory=536870912B"])
        self.assertEqual(self.words(memory="1GiB", timeout=1), ["--memory=1GiB", "--timeout=1000000000ns"])

    def test_refused(self):
        for given, argument, said in (
            ({"max_time": True}, "max_time", "max_time: want seconds, a timedelta, or a text such as '250ms', got True"),
            ({"max_time": float("nan")}, "max_time", "got nan"),
            ({"check": 1}, "check", "check is True or False, not 1"),
            ({"mode": True}, "mode", "mode: want a text, a path or a number, got True"),
            ({"format": ["a"]}, "format", r"format: want a text, a path or a number, got \['a'\]"),
            ({"function": ["a", None]}, "function[1]", r"function\[1\]: want"),
            ({"param": {"M": object}}, "param['M']", r"param\['M'\]: want"),
            ({"max_tme": 1}, "max_tme", r"run\(\) got an unexpected keyword argument 'max_tme'. Did you mean 'max_time'\?"),
            ({"output": "j"}, "output", "Did you mean 'journal'"),
        ):
            with self.subTest(given), self.assertRaisesRegex(zonemark.ArgumentError, said) as caught:
                self.words(**given)
            self.assertEqual(caught.exception.argument, argument)
        self.assertIsInstance(caught.exception, TypeError)
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((type(again), str(again), again.argument), (type(caught.exception), str(caught.exception), "output"))

    def test_arrays(self):
        numpy = library(self, "numpy")

        class Other:
            def __array__(self, dtype=None, copy=None):
                return numpy.array([7], "int8")

        square = numpy.arange(4, dtype="float32").reshape(2, 2)
        given = {"a": square.T, "b": square[:, ::2].astype(">f4"), "c": Other(), "d": 3, "e": "zeros", "f": numpy.float32(0.5), "g": numpy.array(1.0)}
        line = dict(word.removeprefix("--input=").split("=", 1) for word in self.words(input=given))
        self.assertEqual((line["d"], line["e"], line["f"]), ("3", "zeros", "0.5"))
        for name, want in (("a", [[0, 2], [1, 3]]), ("b", [[0], [2]]), ("c", [7]), ("g", 1.0)):
            held = numpy.load(line[name])
            self.assertEqual(held.tolist(), want)
            self.assertTrue(held.dtype.isnative and held.flags.c_contiguous)
        (one,) = self.words(expected_output=square)
        self.assertEqual(numpy.load(one.removeprefix("--expected-output=@")).tolist(), square.tolist())
        self.assertEqual(len(self.words(input=[square, "4xf32=1"])), 2)
        with self.assertRaisesRegex(zonemark.ArgumentError, r"input\[1\]: arrays of <U1 cannot"):
            self.words(input=[1, numpy.array(["a"])])


class ComplaintTest(unittest.TestCase):
    def complaint(self, said, **given):
        error = complaint("run", said, given)
        return type(error), str(error), getattr(error, "argument", None)

    def test_words_of_python(self):
        for said, given, text, argument in (
            (
                'invalid argument "x" for "--max-time" flag: want a time; "zonemark run --help" shows what there is',
                {"max_time": "x"},
                "max_time='x': want a time, or seconds as a number",
                "max_time",
            ),
            ('invalid argument "3" for "-c, --check" flag: no truth', {}, "check='\"3\"': no truth", "check"),
            (
                "--precision 4: want a fraction below 1, or percent:\n  zonemark run --precision 4% x.toml",
                {"precision": 4},
                "precision=4: want a fraction below 1, or percent",
                "precision",
            ),
            (
                "--max-time 20 ms: want a time with its unit:\n  zonemark run --max-time 20ms x.toml",
                {"max_time": "20 ms"},
                "max_time='20 ms': want a time with its unit, or seconds as a number",
                "max_time",
            ),
            ("leave out -t and --dispatches tracy", {"dispatches": "tracy"}, "leave out trace_file and dispatches tracy", "dispatches"),
            ("--shard needs the number: --shards N", {}, "shard needs the number: shards N", "shard"),
        ):
            self.assertEqual(self.complaint(said, **given), (zonemark.ArgumentError, text, argument))

    def test_commands_are_left_out(self):
        said = "k.x: there is no such file or folder; did you mean k.c?"
        self.assertEqual(self.complaint(said + "\n  zonemark run -q k.c"), (zonemark.Error, said, None))

    def test_other_words_stay(self):
        for said in (
            "cc -O2 -c k.c: exit status 1",
            "iree-compile --iree-hal-target=x -o y: exit status 1",
            "a.hat: no function",
            "--input: wrong\n  ld -o x",
            "unknown flag: --new; did you mean --env?",
        ):
            self.assertEqual(self.complaint(said, check=True), (zonemark.Error, said, None))


class KeywordsTest(unittest.TestCase):
    def test_types_are_of_the_same_flags(self):
        """TestPythonFlags holds both against the binary."""
        for verb, types in (
            ("run", flags.Run),
            ("compare", flags.Compare),
            ("trace stats", flags.Statistics),
            ("trace zones", flags.Zones),
            ("trace dispatches", flags.Dispatches),
        ):
            self.assertEqual(set(types.__annotations__), set(flags.KINDS[verb]))
            self.assertTrue(set(flags.LETTERS[verb].values()) <= set(flags.KINDS[verb]))
        self.assertEqual(set(flags.Run.__annotations__) - set(flags.Measure.__annotations__), {"function", "input", "param", "expected_output"})

    def test_measure_has_those_of_run_but_what_it_says_itself(self):
        for name in ("param", "max_tme", "output"):
            with self.assertRaisesRegex(zonemark.UnknownArgumentError, rf"measure\(\) got an unexpected keyword argument '{name}'"):
                zonemark.measure(len, [], **{name: 1})
