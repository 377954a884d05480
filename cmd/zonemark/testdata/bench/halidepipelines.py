# Pipelines for halide.sh: a tiny one, which shows what a call costs, and three kernels. Each line of the standard input
# is a command line of a generator.
import shlex
import sys

import halide as hl

x, y = hl.Var("x"), hl.Var("y")


@hl.generator(name="tiny")
class Tiny:
    a = hl.InputBuffer(hl.Float(32), 1)
    b = hl.OutputBuffer(hl.Float(32), 1)

    def generate(self):
        self.b[x] = self.a[x] * 2.0 + 1.0
        self.b.vectorize(x, 8)
        self.a.set_estimates([hl.Range(0, 64)])
        self.b.set_estimates([hl.Range(0, 64)])


@hl.generator(name="gaussian")
class Gaussian:
    src = hl.InputBuffer(hl.UInt(8), 2)
    dst = hl.OutputBuffer(hl.UInt(8), 2)

    def generate(self):
        src, rows, yi = hl.BoundaryConditions.repeat_edge(self.src), hl.Func("rows"), hl.Var("yi")
        rows[x, y] = hl.cast(hl.UInt(16), src[x - 1, y]) + 2 * hl.cast(hl.UInt(16), src[x, y]) + src[x + 1, y]
        self.dst[x, y] = hl.cast(hl.UInt(8), (rows[x, y - 1] + 2 * rows[x, y] + rows[x, y + 1]) >> 4)
        self.dst.split(y, y, yi, 32).vectorize(x, 32)
        rows.store_at(self.dst, y).compute_at(self.dst, yi).vectorize(x, 32)
        for buffer in (self.src, self.dst):
            buffer.set_estimates([hl.Range(0, 512), hl.Range(0, 512)])


@hl.generator(name="matmul")
class Matmul:
    a = hl.InputBuffer(hl.Float(32), 2)
    b = hl.InputBuffer(hl.Float(32), 2)
    c = hl.OutputBuffer(hl.Float(32), 2)

    def generate(self):
        size, k, product, yi = 192, hl.RDom([(0, 192)]), hl.Func("product"), hl.Var("yi")
        product[x, y] = 0.0
        product[x, y] += self.a[k.x, y] * self.b[x, k.x]
        self.c[x, y] = product[x, y]
        self.c.split(y, y, yi, 4).vectorize(x, 16)
        product.compute_at(self.c, y).vectorize(x, 16).update(0).reorder(y, x, k.x).vectorize(x, 16).unroll(y)
        for buffer in (self.a, self.b, self.c):
            buffer.set_estimates([hl.Range(0, size), hl.Range(0, size)])


@hl.generator(name="sobel")
class Sobel:
    src = hl.InputBuffer(hl.UInt(8), 2)
    dst = hl.OutputBuffer(hl.UInt(8), 2)

    def generate(self):
        wide, across, down = hl.Func("wide"), hl.Func("across"), hl.Func("down")
        wide[x, y] = hl.cast(hl.Int(16), hl.BoundaryConditions.repeat_edge(self.src)[x, y])
        across[x, y] = wide[x - 1, y] + 2 * wide[x, y] + wide[x + 1, y]
        down[x, y] = wide[x, y - 1] + 2 * wide[x, y] + wide[x, y + 1]
        edges = hl.absd(across[x, y - 1], across[x, y + 1]) + hl.absd(down[x - 1, y], down[x + 1, y])
        self.dst[x, y] = hl.cast(hl.UInt(8), hl.clamp(edges, 0, 255))
        self.dst.vectorize(x, 32)
        for buffer in (self.src, self.dst):
            buffer.set_estimates([hl.Range(0, 512), hl.Range(0, 512)])


for line in sys.stdin:
    sys.argv = [sys.argv[0]] + shlex.split(line)
    hl.main()
