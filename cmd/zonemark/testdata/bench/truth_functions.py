"""The table of truth.sh: which functions are measured, on what, and which reasons for not being clean are right.

A reason is a regular expression. It is looked for in "status failed: its error", "verdict contended" and "note: …" of
a row. What is right for every function is in ANY: the machine was disturbed, and the row says so. A row that did not
converge is right, too, if its interval holds the truth.
"""

import dataclasses
import random
import re
import struct

# The last: what calls find in the processor decides, and some callers find what the loop in C does not.
ANY = [r"^verdict (contended|frequency|throttled)$", r"^note: .*one in twenty takes"]
TOO_SHORT = r"^verdict too-short$"  # of calls that hide behind the loop around them
PLACED = r"^verdict bimodal$|^note: .*(lies|placement)"  # where code or data lie decides about the time
PAGES = r"^verdict not-converged$"  # which pages a process gets decides: in C, processes take 0.88 to 1.3 µs
THREADS = r"^note: .*threads"
WAKES = r"^verdict not-converged$"  # how soon a system wakes a thread changes from minute to minute
ONE_LAUNCH = r"^verdict not-converged$"  # of calls that take as long as there is time
CODES = {"double": "<f8", "float": "<f4", "int": "<i4", "long": "<i8", "uint64_t": "<u8", "uint8_t": "|u1",
         "int8_t": "|i1"}
PACKS = {"<f8": "d", "<f4": "f", "<i4": "i", "<i8": "q", "<u8": "Q", "|u1": "B", "|i1": "b"}


@dataclasses.dataclass
class Array:
    """An array that a function gets: its element type, extents, and whether the function may change it."""

    name: str
    element: str
    shape: list
    changes: bool
    contents: object  # a function of the array: the list of its values

    def bytes(self):
        return self.count() * struct.calcsize("<" + PACKS[CODES[self.element]])

    def count(self):
        n = 1
        for extent in self.shape:
            n *= extent
        return n

    def write(self, path):
        """Writes the contents as a file of NumPy's format, version 1."""
        shape = ", ".join(map(str, self.shape)) + ","
        head = f"{{'descr': '{CODES[self.element]}', 'fortran_order': False, 'shape': ({shape}), }}"
        head = head.ljust((10 + len(head)) // 64 * 64 + 64 - 11) + "\n"
        with open(path, "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
            file.write(struct.pack(f"<{self.count()}{PACKS[CODES[self.element]]}", *self.contents(self)))


def uniform(array):
    return [random.random() for _ in range(array.count())]


def numbers(below):
    return lambda array: [random.randrange(below) for _ in range(array.count())]


def zeros(array):
    return [0] * array.count()


def dominant(array):
    """A symmetric matrix with a large diagonal: Cholesky and LU find positive pivots."""
    n = array.shape[0]
    a = [[random.random() for _ in range(n)] for _ in range(n)]
    return [(a[i][j] + a[j][i]) / 2 + n * (i == j) for i in range(n) for j in range(n)]


def small_first(array):
    """Coefficients of a filter that can be inverted, as autocorrelations are."""
    return [0.5 ** (i + 1) for i in range(array.count())]


def cycle(array):
    """The successor of each position in one cycle through all of them."""
    order = list(range(1, array.count()))
    random.shuffle(order)
    following = [0] * array.count()
    for here, there in zip([0] + order, order + [0]):
        following[here] = there
    return following


@dataclasses.dataclass
class Function:
    """A function of the table. The prototype says what it is called with."""

    prototype: str
    params: dict = dataclasses.field(default_factory=dict)
    contents: dict = dataclasses.field(default_factory=dict)  # of arrays by name; else uniform from 0 to 1, or 0 to 9
    name: str = ""
    kind: str = "core"  # cycles of the core decide; "wall": another clock does, such as a timer's
    in_place: bool = False  # calls change what the next call finds
    reordered: bool = False  # each call finds its random numbers in another order, which alone decides about its time
    cycles: dict = dataclasses.field(default_factory=dict)  # of a call, by the vendor of the processor
    reasons: list = dataclasses.field(default_factory=list)  # that are right for it, beside ANY
    truth: bool = True  # false: no time is right
    needs: tuple = ()  # flags of the processor
    library: str = "kernels"  # or libm
    keys: dict = dataclasses.field(default_factory=dict)  # of the suite
    init: str = ""
    slow: bool = False  # 50 ms and more
    allocates: bool = False  # memory, which takes longer in a program with threads or freed blocks: all are right

    def __post_init__(self):
        head, _, rest = self.prototype.partition("(")
        self.symbol = head.split()[-1]
        self.name = self.name or self.symbol
        self.arguments = [text.strip() for text in rest.rstrip(") ").split(",") if text.strip() not in ("", "void")]

    def arrays(self):
        found = []
        for text in self.arguments:
            if match := re.fullmatch(r"(const )?(\w+) (\w+)((?:\[.+?\])+)", text):
                const, element, name, extents = match.groups()
                shape = [int(e) if e.isdigit() else int(self.params[e]) for e in re.findall(r"\[(.+?)\]", extents)]
                standard = uniform if element in ("float", "double") else numbers(10)
                found.append(Array(name, element, shape, not const, self.contents.get(name, standard)))
        return found

    def passed(self):
        """Returns the arguments of a call in C; the arrays are array0 and so on."""
        list_, arrays = [], 0
        for text in self.arguments:
            if "[" in text:
                list_.append(f"array{arrays}")
                arrays += 1
            else:
                list_.append(str(self.params[text.split()[-1]]))
        return ", ".join(list_)


def chain(name, thousands, latencies, **more):
    """A chain of dependent operations; a latency is in cycles."""
    return Function(
        f"void chain_{name}(long thousands, {more.pop('element', 'uint64_t')} state[1])", {"thousands": thousands},
        name=f"chain {name} {thousands}k", cycles={v: 1000 * thousands * c for v, c in latencies.items()}, **more)


ADD = {"GenuineIntel": 1, "AuthenticAMD": 1}
MULTIPLY = {"GenuineIntel": 3, "AuthenticAMD": 3}
FMA = {"GenuineIntel": 4, "AuthenticAMD": 4}
PRODUCT = {}  # 4 or 3, by the model

CHAINS = [
    *[chain("add", k, ADD) for k in (1, 10, 100, 4000)],
    chain("add", 100 * 1000, ADD, slow=True),
    chain("add", 2 * 1000 * 1000, ADD, slow=True, reasons=[ONE_LAUNCH]),
    *[chain("multiply", k, MULTIPLY) for k in (1, 100)],
    *[chain("fma", k, FMA, element="double", needs=("fma",)) for k in (1, 100)],
    *[chain("product", k, PRODUCT, element="double") for k in (1, 20)],
    Function("void chain_divide(long n, double state[1])", {"n": 2000}),
]

SHORT = [
    Function("void increment(long state[1])", reasons=[TOO_SHORT]),
    Function("void four_additions(float state[1])", reasons=[TOO_SHORT]),
    Function("double half(double x)", {"x": 1.5}, reasons=[TOO_SHORT]),
]

LOOPS = [
    Function("double sum(long n, const double x[n])", {"n": 1000}),
    Function("double dot4(long n, const double x[n], const double y[n])", {"n": 2048}),
    Function("void scale(long n, const float x[n], float y[n])", {"n": 256}, reasons=[PLACED]),
    Function("void scale(long n, const float x[n], float y[n])", {"n": 4096}, name="scale 4096", reasons=[PLACED]),
    Function("uint64_t hash(long n, const uint8_t text[n])", {"n": 2000}),
    Function("uint64_t random_steps(long n, uint64_t state[1])", {"n": 1000}),
    Function("long count_large(long n, const float x[n])", {"n": 20000}),
    Function("void gather(long n, const int index[n], const float table[n], float y[n])", {"n": 2048},
             {"index": numbers(2048)}, reasons=[PLACED]),
    Function("void copy(long n, const uint8_t from[n], uint8_t to[n])", {"n": 8192}, reasons=[PLACED]),
    # not 50, at which two callers differ by 7 % at any distance of the arrays; why is not known
    Function("void transpose(long n, const float x[n][n], float y[n][n])", {"n": 64}, reasons=[PLACED]),
    Function("void exps(long n, const double x[n], double y[n])", {"n": 1000}, reasons=[PLACED]),
    Function("void sines(long n, const double x[n], double y[n])", {"n": 1000}, reasons=[PLACED]),
    Function("void saxpy(long n, float a, const float x[n], float y[n])", {"n": 4096, "a": 1.5}, reasons=[PLACED]),
    Function("void add1024(const float a[1024], const float b[1024], float c[1024])", reasons=[PLACED]),
    *[Function("void stencil3(long n, const float x[n], float y[n])", {"n": n}, name=f"stencil3 {n}",
               reasons=[PLACED]) for n in (4080, 4096, 4112, 4160)],
]

VECTORS = [
    Function("double fma_scalar(const double x[128])", needs=("avx2", "fma")),
    Function("double fma_narrow(const double x[128])", needs=("avx2", "fma")),
    Function("double fma_wide(const double x[128])", needs=("avx512f",)),
    Function("double fma_wide_chain(const double x[128])", needs=("avx512f",)),
    Function("long sum_wide(long n, const int x[n])", {"n": 8192}, needs=("avx512f",)),
    Function("void scale_narrow(long n, const float x[n], float y[n])", {"n": 4096}, needs=("avx2",),
             reasons=[PLACED]),
    Function("void tiles(const int8_t a[1024], const int8_t b[1024], int c[256])", needs=("amx_tile", "amx_int8"),
             contents={"a": numbers(100), "b": numbers(100)}),
]

CHANGING = [
    Function("void insertion_sort(long n, float y[n])", {"n": 1000}, in_place=True),
    Function("void library_sort(long n, float y[n])", {"n": 2000}, in_place=True),
    # 2,000 differ by 15 % between callers, perhaps since the same branches come again and are learned
    Function("void quicksort(long n, float y[n])", {"n": 20000}, in_place=True),
    Function("void decay(long steps, long n, float y[n])", {"steps": 20, "n": 4096}, in_place=True),
    Function("void running_sum(long n, double y[n])", {"n": 4096}, in_place=True),
    Function("void fft(long n, double re[n], double im[n])", {"n": 1024}, in_place=True),
    Function("void accumulate(long n, const float a[n][n], const float b[n][n], float c[n][n])", {"n": 48},
             in_place=True),
    Function("void machine(int state[1], long n, const uint8_t text[n], int count[16])", {"n": 10000},
             {"state": zeros, "count": zeros}, in_place=True),
    Function("void visit_once(long n, const int next[n], uint8_t seen[n], long steps[1])", {"n": 4096},
             {"next": cycle, "seen": zeros, "steps": zeros}, in_place=True),
]

REORDERED = [
    Function("long ascents(long n, const float x[n])", {"n": 1000}, reordered=True),
    Function("void insertion_sort(long n, float y[n])", {"n": 100}, name="insertion_sort new", reordered=True),
    Function("void quicksort(long n, float y[n])", {"n": 100}, name="quicksort new 100", reordered=True),
    Function("void quicksort(long n, float y[n])", {"n": 1000}, name="quicksort new", reordered=True),
    Function("void library_sort(long n, float y[n])", {"n": 500}, name="library_sort new", reordered=True),
]

LIBM = [
    Function(prototype, params, name=name, library="libm")
    for name, prototype, params in [
        ("exp", "double exp(double x)", {"x": 1.5}),
        ("sin 0.5", "double sin(double x)", {"x": 0.5}),
        ("sin 1.5", "double sin(double x)", {"x": 1.5}),
        ("cbrt", "double cbrt(double x)", {"x": 1.5}),
        ("tanhf", "float tanhf(float x)", {"x": 1.5}),
        ("expf", "float expf(float x)", {"x": 1.5}),
        ("log", "double log(double x)", {"x": 1.5}),
        ("pow", "double pow(double x, double y)", {"x": 1.5, "y": 2.5}),
        ("atan2", "double atan2(double y, double x)", {"x": 1.5, "y": 2.5}),
        ("tgamma", "double tgamma(double x)", {"x": 1.5}),
    ]
]


def kernel(name, prototype, n, contents=None, in_place=False):
    return Function(f"void k{name}({prototype})", {"n": n}, contents or {}, name="polybench " + name,
                    in_place=in_place, reasons=[PLACED])


POLYBENCH = [
    kernel("2mm", "long n, const double A[n][n], const double B[n][n], const double C[n][n], double D[n][n], "
           "double T[n][n]", 28, in_place=True),
    kernel("3mm", "long n, const double A[n][n], const double B[n][n], const double C[n][n], const double D[n][n], "
           "double E[n][n], double F[n][n], double G[n][n]", 26),
    kernel("adi", "long n, double u[n][n], double v[n][n], double p[n][n], double q[n][n]", 40, in_place=True),
    kernel("atax", "long n, const double A[n][n], const double x[n], double y[n]", 90),
    kernel("bicg", "long n, const double A[n][n], const double p[n], const double r[n], double q[n], double s[n]", 90),
    kernel("cholesky", "long n, double A[n][n]", 50, {"A": dominant}, in_place=True),
    kernel("correlation", "long n, double data[n][n], double corr[n][n], double mean[n], double dev[n]", 36,
           in_place=True),
    kernel("covariance", "long n, double data[n][n], double cov[n][n], double mean[n]", 36, in_place=True),
    kernel("deriche", "long n, const float in[n][n], float out[n][n], float y[n][n], float z[n][n]", 64),
    kernel("doitgen", "long n, double A[n][n][n], const double C[n][n], double sum[n]", 14, in_place=True),
    kernel("durbin", "long n, const double r[n], double y[n], double z[n]", 120, {"r": small_first}),
    kernel("fdtd2d", "long n, double ex[n][n], double ey[n][n], double hz[n][n]", 40, in_place=True),
    kernel("floydwarshall", "long n, int path[n][n]", 40, {"path": numbers(1000)}, in_place=True),
    kernel("gemm", "long n, const double A[n][n], const double B[n][n], double C[n][n]", 40, in_place=True),
    kernel("gemver", "long n, double A[n][n], const double u[n], const double v[n], double x[n], const double y[n], "
           "double w[n]", 70, in_place=True),
    kernel("gesummv", "long n, const double A[n][n], const double B[n][n], const double x[n], double y[n]", 70),
    kernel("gramschmidt", "long n, double A[n][n], double R[n][n], double Q[n][n]", 32, in_place=True),
    kernel("heat3d", "long n, double A[n][n][n], double B[n][n][n]", 16, in_place=True),
    kernel("jacobi1d", "long n, double A[n], double B[n]", 1000, in_place=True),
    kernel("jacobi2d", "long n, double A[n][n], double B[n][n]", 60, in_place=True),
    kernel("lu", "long n, double A[n][n]", 44, {"A": dominant}, in_place=True),
    kernel("ludcmp", "long n, double A[n][n], const double b[n], double x[n], double y[n]", 40, {"A": dominant},
           in_place=True),
    kernel("mvt", "long n, const double A[n][n], double x[n], double y[n], const double u[n], const double v[n]", 80,
           in_place=True),
    kernel("nussinov", "long n, const int seq[n], int table[n][n]", 56, {"seq": numbers(4), "table": zeros},
           in_place=True),
    kernel("seidel2d", "long n, double A[n][n]", 70, in_place=True),
    kernel("symm", "long n, const double A[n][n], const double B[n][n], double C[n][n]", 36, in_place=True),
    kernel("syr2k", "long n, const double A[n][n], const double B[n][n], double C[n][n]", 36, in_place=True),
    kernel("syrk", "long n, const double A[n][n], double C[n][n]", 44, in_place=True),
    kernel("trisolv", "long n, const double L[n][n], const double b[n], double x[n]", 120, {"L": dominant}),
    kernel("trmm", "long n, const double A[n][n], double B[n][n]", 40, in_place=True),
]

SYSTEM = [
    Function("void allocate(long bytes)", {"bytes": 64}, allocates=True),
    Function("void allocate(long bytes)", {"bytes": 4000}, name="allocate 4000", allocates=True),
    Function("void allocate_list(long n)", {"n": 500}, allocates=True),
    Function("void touch_pages(long bytes)", {"bytes": 1 << 20}, allocates=True, reasons=[PAGES]),
    Function("long parent(void)", reasons=[r"^verdict sandboxed$"]),
    Function("long clock_reads(long n)", {"n": 100}),
    Function("void nap(long us)", {"us": 1000}, kind="wall"),
    Function("void nap(long us)", {"us": 100}, name="nap 100", kind="wall", reasons=[WAKES]),
    Function("void nap(long us)", {"us": 200000}, name="nap 200000", kind="wall", slow=True),
    Function("void spin(long us)", {"us": 50}, kind="wall"),
    Function("void nap_and_work(long us, uint64_t state[1])", {"us": 500}, kind="mixed"),
    Function("void one_thread(uint64_t state[1])", kind="mixed", reasons=[THREADS]),
    Function("void two_threads(uint64_t state[32])", kind="mixed", reasons=[THREADS]),
    Function("int forks(int status)", {"status": 0}, kind="mixed",
             reasons=[r"refused.*(clone|fork)", r"^note: .*(clone|fork).*refused"]),
    Function("int lookup(long n, const int x[n], float y[n])", {"n": 4096}, {"x": numbers(4096)},
             reasons=[r"refused.*open", r"^note: .*returned -1"]),
    Function("double roots(long n, const int x[n])", {"n": 1000}, {"x": numbers(1024)}, init="set_up"),
]

POLYNOMIAL = "(long n, const float x[n], float y[n])"
FALSE = [
    Function(f"void honest{POLYNOMIAL}", {"n": 1024}),
    Function(f"void first_only{POLYNOMIAL}", {"n": 1024}, truth=False, reasons=["^status mismatch"],
             keys={"verify": {"reference": "honest"}, "prototype": f"void honest{POLYNOMIAL}"}),
    Function(f"void hands_over{POLYNOMIAL}", {"n": 1024}, truth=False, reasons=["^verdict unfinished"]),
    *[Function(f"void {name}{POLYNOMIAL}", {"n": 64}, truth=False, reasons=["^status failed.*" + what],
               needs=("sse2",)) for name, what in [("loses_r12", "r12"), ("loses_rbx", "rbx"),
                                                   ("loses_rounding", "MXCSR"),
                                                   ("leaves_direction", "direction")]],
]

FUNCTIONS = [*CHAINS, *SHORT, *LOOPS, *VECTORS, *CHANGING, *REORDERED, *LIBM, *POLYBENCH, *SYSTEM, *FALSE]
