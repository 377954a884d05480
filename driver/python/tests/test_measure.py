import contextlib
import ctypes
import functools
import math
import os
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

import zonemark
from zonemark import callables

from fake import FolderTest, library, needs_compiler

KERNELS = """
#include <stddef.h>
#include <stdint.h>
void saxpy(long n, float a, const float *x, float *y) { for (long i = 0; i < n; i++) y[i] += a * x[i]; }
double sum(int32_t rows, uint8_t columns, const double *x)
{
    double s = 0;
    for (int i = 0; i < rows * columns; i++) s += x[i];
    return s;
}
void swap(float *pairs, _Bool really) { float t = pairs[0]; if (really) { pairs[0] = pairs[1]; pairs[1] = t; } }
void crash(float *x) { *(volatile int *)0 = 1; }
void many(const char *format, ...) {}
void copy(size_t n, const char *x, char *y) { for (size_t i = 0; i < n; i++) y[i] = x[i]; }
static void hidden(float *x) {}
void *address_of_hidden(void) { return (void *)hidden; }
"""
QUICK = {"min_time": "1ms", "max_time": "20ms", "launches": 2, "quiet": True}


@unittest.skipUnless(os.environ.get("ZONEMARK_EXAMPLE"), "ZONEMARK_EXAMPLE says that the real binary is there")
class NativeTest(FolderTest):
    """Functions of a library that is compiled here."""

    def setUp(self):
        super().setUp()
        self.np = library(self, "numpy")
        needs_compiler(self)
        self.write("kernels.c", KERNELS)
        self.path = self.folder / "libkernels.so"
        subprocess.check_call(["cc", "-O2", "-shared", "-fPIC", "-o", self.path, "kernels.c"])
        self.library = ctypes.CDLL(str(self.path))
        self.x = self.np.linspace(0, 1, 4096, dtype="float32")
        self.y = self.np.ones(4096, "float32")

    def function(self, name, *types, result=None):
        function = self.library[name]  # a new object each time
        function.argtypes, function.restype = types, result
        return function

    def saxpy(self):
        return self.function("saxpy", ctypes.c_long, ctypes.c_float, ctypes.c_void_p, ctypes.POINTER(ctypes.c_float))

    def only(self, run):
        self.assertEqual(len(run.results), 1, run)
        return run.results[0]

    def check(self, run, status="ok", usages=None):
        """The only result has the status, and its arguments the usages."""
        result = self.only(run)
        self.assertEqual(result.status, status, result.error)
        if usages is not None:
            self.assertEqual([a.usage for a in result.arguments], usages)
        return result

    def test_ctypes(self):
        """The outputs of the function are those of NumPy, and its times are there."""
        kept = self.y.copy()
        run = zonemark.measure(self.saxpy(), 4096, 2.0, self.x, self.y, out=[self.y], verify=2 * self.x + self.y, **QUICK)
        result = self.check(run, usages=["input", "input", "input", "input_output"])
        self.assertEqual((result.name, result.runtime, result.params), ("saxpy", "c", {"arg1": 4096, "arg2": 2.0}))
        self.assertTrue(result.median_ns > 0 and result.samples_ns and "none" not in result.layers, run.report)
        self.assertTrue((self.y == kept).all(), "the array of this process changed")

    def test_wrong_output_is_a_mismatch(self):
        run = zonemark.measure(self.saxpy(), 4096, 2.0, self.x, self.y, out=[3], verify=3 * self.x + self.y, check=True)
        self.assertIn("as expected", self.check(run, "mismatch").error)

    def test_writable_arrays_are_outputs(self):
        self.x.flags.writeable = False
        run = zonemark.measure(self.saxpy(), 4096, 2.0, self.x, self.y, verify=[2 * self.x + self.y], check=True)
        self.check(run, usages=["input", "input", "input", "input_output"])

    def test_return_value_and_integers(self):
        x = self.np.arange(12.0).reshape(3, 4)
        total = self.function("sum", ctypes.c_int32, ctypes.c_uint8, self.np.ctypeslib.ndpointer("float64"), result=ctypes.c_double)
        result = self.check(zonemark.measure(total, 3, self.np.uint8(4), x, out=[], verify=66.0, check=True))
        self.assertEqual(result.arguments[2].shape, [3, 4])
        self.check(zonemark.measure(total, 3, 4, x.T, out=[], verify=66.0, check=True))  # column-major, the same memory
        self.check(zonemark.measure(total, 3, 4, x, out=[], verify=67, check=True), "mismatch")

    def test_layouts_and_types_of_references(self):
        """References are compared element by element, whatever the order of rows and columns, and the type."""
        add = self.function("saxpy", ctypes.c_long, ctypes.c_float, ctypes.c_void_p, ctypes.c_void_p)
        x = self.np.arange(12, dtype="float32").reshape(3, 4)
        for change in (self.np.ascontiguousarray, self.np.asfortranarray):
            given, doubled = change(x), 2 * x.astype("float64")
            for reference in (doubled, self.np.asfortranarray(doubled)):
                y = given.copy(order="K")
                self.check(zonemark.measure(add, 12, 1, given, y, out=y, verify=reference, check=True))
        for reference, text in ((doubled.T, r"has the shape \(4, 3\)"), (doubled + 1j, "holds complex128")):
            with self.assertRaisesRegex(zonemark.Error, text):
                zonemark.measure(add, 12, 1, x, x.copy(), out=[3], verify=reference)

    def test_element_types(self):
        copy = self.function("copy", ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p)
        names = ["bool", "float16", "float64"] + [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
        for name in names:
            x = self.np.array([0, 1, 1, 0, 1]).astype(name)
            run = zonemark.measure(copy, x.nbytes, x, self.np.zeros_like(x), out=[2], verify=x, check=True)
            self.assertEqual(self.check(run).arguments[1].element, name)

    def test_complex_numbers(self):
        swap = self.function("swap", ctypes.c_void_p, ctypes.c_bool)
        x = self.np.array(1 + 2j, dtype="complex64")
        self.check(zonemark.measure(swap, x, True, verify=self.np.array(2 + 1j, dtype="complex64"), check=True))
        self.check(zonemark.measure(swap, x, False, verify=self.np.array(2 + 1j, dtype="complex64"), check=True), "mismatch")

    def test_crash_is_a_result(self):
        result = self.check(zonemark.measure(self.function("crash", ctypes.c_void_p), self.y, check=True), "crashed")
        self.assertEqual(result.crash.signal, "SIGSEGV")

    def test_refused(self):
        np, saxpy, c = self.np, self.saxpy(), ctypes
        untyped = self.library["saxpy"]
        pointer = c.CFUNCTYPE(None, c.c_void_p)(self.function("address_of_hidden", result=c.c_void_p)())
        callback = c.CFUNCTYPE(None)(lambda: None)
        for function, arguments, text, *more in (
            (untyped, (1,), "set saxpy.argtypes"),
            (pointer, (self.x,), "exports no function at this address"),
            (callback, (), "belongs to no library"),
            (c.pythonapi.Py_IsInitialized, (), "Python's own API"),
            (self.function("swap", c.Structure), (1,), "swap: argument 1: the type Structure cannot be handed over"),
            (self.function("swap", c.POINTER(c.c_void_p)), (1,), "a pointer to a pointer"),
            (self.function("swap", c.c_longdouble), (1,), "c_longdouble"),
            (saxpy, (1, 2), "takes 4 arguments, and 2 are given"),
            (saxpy, (1.5, 2, self.x, self.y), "argument 1 is int64_t, and 1.5 is given"),
            (saxpy, (1, "a", self.x, self.y), "argument 2 is float, and 'a' is given"),
            (saxpy, (1, 2, [1.0], self.y), "argument 3 is void \\*, and list is given"),
            (saxpy, (1, 2, self.x, self.y.astype("float64")), "argument 4 is float \\*, and the array holds float64"),
            (saxpy, (1, 2, self.x[::2], self.y), "argument 3: the array has gaps"),
            (saxpy, (1, 2, self.x[:0], self.y), "argument 3: the array is empty"),
            (saxpy, (1, 2, self.x.astype(">f4"), self.y), "foreign byte order"),
            (saxpy, (1, 2, np.array(["a"]), self.y), "arrays of <U1 cannot"),
            (saxpy, (1, 2, self.x, self.x), "arguments 3 and 4 share memory"),
            (saxpy, (1, 2, self.x, self.y), "out= names 1", {"out": [1]}),
            (saxpy, (1, 2, self.x, self.y), "has 1 values, and the function has 2 outputs", {"verify": self.y}),
        ):
            with self.subTest(text), self.assertRaisesRegex(zonemark.Error, text):
                zonemark.measure(function, *arguments, **(more[0] if more else {}))

    def test_library_that_is_gone(self):
        saxpy = self.saxpy()
        self.path.unlink()
        with self.assertRaisesRegex(zonemark.Error, "libkernels.so is not there"):
            zonemark.measure(saxpy, 1, 2, self.x, self.y)

    def test_cffi(self):
        ffi = library(self, "cffi").FFI()
        ffi.cdef("void saxpy(long n, float a, const float *x, float *y); void many(const char *format, ...);")
        opened = ffi.dlopen(str(self.path))
        y = self.y
        self.check(zonemark.measure(opened.saxpy, 4096, 2.0, self.x, y, out=y, verify=2 * self.x + y, check=True))
        for function, text in ((opened.many, "variable number"), (ffi.new("int *"), "no function of a library")):
            with self.assertRaisesRegex(zonemark.Error, text):
                zonemark.measure(function)

    def test_arrays_in_suites(self):
        entry = {
            "artifact": "kernels.c",
            "function": "saxpy",
            "prototype": "void saxpy(long n, float a, const float x[n], float y[n])",
            "arguments": {"x": self.x},
            "axes": {"n": [4096], "a": [2, 1]},
        }
        expected = self.folder / "expected.npy"
        self.np.save(expected, self.x * 2 + self.np.ones(4096, "float32"))
        run = zonemark.run({"defaults": {"arguments": {"y": self.y}}, "invocation": [entry]}, check=True, expected_output=f"@{expected}")
        self.assertEqual([(r.params["a"], r.status) for r in run.results], [(2, "ok"), (1, "mismatch")])
        with self.assertRaisesRegex(zonemark.Error, r"arguments.x: arrays of <U1"):
            zonemark.run([{"arguments": {"x": self.np.array(["a"])}}])

    def test_arrays_as_input(self):
        """By name and in turn, whatever their layout, and as what must come out."""
        prototype = "void saxpy(long n, float a, const float x[n], float y[n])"
        x, y = self.x[::2], self.y[:2048]
        given = {"function": prototype, "param": {"n": 2048, "a": 2}, "check": True}
        for contents in ({"x": x, "y": y.astype(">f4")}, {"x": x, "y": 1}):
            self.check(zonemark.run("kernels.c", input=contents, expected_output=2 * x + y, **given))
            self.check(zonemark.run("kernels.c", input=contents, expected_output=[3 * x + y], **given), "mismatch")
        self.check(zonemark.run("kernels.c", function=prototype, input=[2048, 2, x, y], expected_output=2 * x + y, check=True))

    def test_runs_are_compared(self):
        runs = [zonemark.measure(self.saxpy(), 4096, 2.0, self.x, self.y, **QUICK) for _ in range(2)]
        comparison = zonemark.compare(*runs, margin=0.5)
        self.assertEqual([(r.name, r.extra) for r in comparison.rows], [("saxpy", {})])
        self.assertGreater(comparison.rows[0].ratio, 0)


@unittest.skipUnless(os.environ.get("ZONEMARK_EXAMPLE"), "ZONEMARK_EXAMPLE says that the real binary is there")
class NumbaTest(FolderTest):
    """Functions that numba compiles."""

    def setUp(self):
        super().setUp()
        self.np, self.numba = library(self, "numpy"), library(self, "numba")
        needs_compiler(self)
        self.x, self.y = self.np.linspace(0, 1, 64, dtype="float32"), self.np.ones(64, "float32")

    def test_cfunc(self):
        carray, sine = self.numba.carray, math.sin

        @self.numba.cfunc("float64(int64, float32, CPointer(float32), CPointer(float32))")
        def step(n, a, x, y):
            xs, ys = carray(x, n), carray(y, n)
            for i in range(n):
                ys[i] += a * sine(xs[i])
            return ys[0]

        expected = self.y + 2 * self.np.sin(self.x)
        run = zonemark.measure(step, 64, 2.0, self.x, self.y, out=[3], verify=[expected, 1.0], **QUICK)
        self.assertEqual([(r.function, r.status, r.error) for r in run.results], [("numba_step", "ok", None)])

    def test_exception_ends_the_executor_with_words(self):
        carray = self.numba.carray

        @self.numba.cfunc("void(int64, CPointer(float32))")
        def fails(n, x):
            if n > 3:
                raise ValueError("too many")
            carray(x, n)[0] = 1

        run = zonemark.measure(fails, 64, self.y, check=True)
        self.assertEqual((run.results[0].status, run.results[0].crash.signal), ("crashed", "SIGABRT"))
        self.assertRegex(run.results[0].crash.stderr[-1], "the function raised an exception or needs Python: it called")
        self.assertTrue(zonemark.measure(fails, 3, self.y, check=True).ok)

    def test_refused(self):
        carray = self.numba.carray

        @self.numba.cfunc("void(int64, CPointer(float32))")
        def allocates(n, x):
            xs = carray(x, n)
            xs[:] = xs * 2

        @self.numba.cfunc("void(complex128)")
        def unusual(z):
            pass

        for function, text in ((allocates, "allocates: it calls .*NRT_"), (unusual, "unusual: its types cannot be handed over: .*complex128")):
            with self.assertRaisesRegex(zonemark.Error, text):
                zonemark.measure(function, 64, self.y)
        with mock.patch.dict(os.environ, {"CC": "no-such-compiler"}), self.assertRaisesRegex(zonemark.Error, "no-such-compiler"):

            @self.numba.cfunc("void(int64)")
            def plain(n):
                pass

            zonemark.measure(plain, 1)


@contextlib.contextmanager
def without_cloudpickle():
    with mock.patch.dict(sys.modules, {"cloudpickle": None}):
        yield


class CallableTest(FolderTest):
    """Functions of Python."""

    def setUp(self):
        super().setUp()
        self.write("kernel_of_test.py", "import sys\ndef work(n):\n    print('noise')\n    return sum(range(n))\ndef fail(x):\n    return 1 / x\n")
        sys.path.insert(0, str(self.folder))
        self.addCleanup(sys.path.remove, str(self.folder))
        self.addCleanup(sys.modules.pop, "kernel_of_test", None)

    def kernel(self):
        import kernel_of_test

        return kernel_of_test

    @unittest.skipUnless(os.environ.get("ZONEMARK_EXAMPLE"), "ZONEMARK_EXAMPLE says that the real binary is there")
    def test_measured_in_fresh_interpreters(self):
        run = zonemark.measure(self.kernel().work, 100, **QUICK)
        result = run.results[0]
        self.assertEqual((result.name, result.runtime, result.status, result.launches), ("work", "python", "ok", 2), run.report)
        self.assertTrue(result.median_ns > 0 and result.calls_per_batch > 1 and result.command[0] == sys.executable)
        self.assertIn("fresh interpreter that is not confined", "\n".join(result.notes))
        partial = functools.partial(self.kernel().fail, 0)
        result = zonemark.measure(partial, **QUICK).results[0]
        self.assertEqual((result.name, result.status), ("fail", "failed"))
        self.assertRegex(result.error, r"kernel_of_test.py:6: in fail; ZeroDivisionError: division by zero$")

    @unittest.skipUnless(os.environ.get("ZONEMARK_EXAMPLE"), "ZONEMARK_EXAMPLE says that the real binary is there")
    def test_closure_with_cloudpickle(self):
        library(self, "cloudpickle")
        n = 7
        run = zonemark.measure(lambda m: n * m, 6, check=True)
        self.assertEqual([(r.name.rsplit(".", 1)[-1], r.status) for r in run.results], [("<lambda>", "ok")], run.report)

    def test_what_cannot_be_handed_over(self):
        main = self.kernel().work
        main.__module__ = "__main__"
        with without_cloudpickle():
            for function in (lambda: 1, main, functools.partial(main, 3)):
                with self.assertRaisesRegex(zonemark.Error, "put it into a module, or install cloudpickle"):
                    callables.suite(function, [], self.folder)
            with self.assertRaisesRegex(zonemark.Error, "cannot be handed to a fresh interpreter"):
                callables.suite(len, [sys.stderr], self.folder)
        with self.assertRaisesRegex(zonemark.Error, "3 cannot be called"):
            zonemark.measure(3)
        with self.assertRaisesRegex(zonemark.Error, "native functions"):
            zonemark.measure(len, [], out=[0])

    def test_suite(self):
        with mock.patch.object(sys, "executable", "/a {b}/python"):
            (entry,) = callables.suite(len, [[1]], self.folder)
        self.assertEqual((entry["name"], entry["runtime"], entry["command"][0]), ("len", "python", "/a {{b}}/python"))
        self.assertEqual(Path(entry["command"][2]), self.folder / "call.pickle")
