# Generators of the pipelines that the tests run. Each line of the standard input is a command line of one of them; so
# one start of Python builds all.
import shlex
import sys

import halide as hl

x, y = hl.Var("x"), hl.Var("y")


@hl.generator(name="double")
class Double:
    a = hl.InputBuffer(hl.Float(32), 1)
    b = hl.OutputBuffer(hl.Float(32), 1)

    def generate(self):
        self.b[x] = self.a[x] * 2.0 + 1.0
        self.a.set_estimates([hl.Range(0, 64)])
        self.b.set_estimates([hl.Range(0, 64)])


@hl.generator(name="box")
class Box:
    src = hl.InputBuffer(hl.UInt(8), 2)
    gain = hl.InputScalar(hl.Float(32))
    dst = hl.OutputBuffer(hl.UInt(8), 2)
    scheduled = hl.GeneratorParam(1)
    edge = hl.GeneratorParam(1)

    def generate(self):
        src = hl.BoundaryConditions.repeat_edge(self.src) if self.edge else self.src
        rows, columns = hl.Func("rows"), hl.Func("columns")
        rows[x, y] = hl.cast(hl.UInt(16), src[x - 1, y]) + src[x, y] + src[x + 1, y]
        columns[x, y] = rows[x, y - 1] + rows[x, y] + rows[x, y + 1]
        self.dst[x, y] = hl.cast(hl.UInt(8), hl.clamp(hl.cast(hl.Float(32), columns[x, y]) * self.gain, 0.0, 255.0))
        if self.scheduled:
            rows.compute_root().vectorize(x, 16).parallel(y)
            self.dst.vectorize(x, 16).parallel(y)
        self.src.set_estimates([hl.Range(0, 320), hl.Range(0, 240)])
        self.gain.set_estimate(0.125)
        self.dst.set_estimates([hl.Range(0, 320), hl.Range(0, 240)])


if __name__ == "__main__":
    for line in sys.stdin:
        sys.argv = [sys.argv[0]] + shlex.split(line)
        hl.main()
