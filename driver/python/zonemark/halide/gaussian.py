"""Gaussian blur with binomial weights."""

from math import comb

import halide as hl
from scheduling import Scheduled, by_rows


@hl.alias(gaussian5x5={"radius": 2}, gaussian7x7={"radius": 3})
@hl.generator(name="gaussian3x3")
class Gaussian(Scheduled):
    """dst = floor(sum of w[i] * w[j] * src[x + i, y + j] / (sum of w)**2), where w is a row of Pascal's triangle; edges are repeated."""

    src = hl.InputBuffer(hl.UInt(8), 2)
    dst = hl.OutputBuffer(hl.UInt(8), 2)
    radius = hl.GeneratorParam(1)

    def generate(self):
        """Weighs columns, then rows of these sums: in 16 bits, rows of seven in 32."""
        x, y = hl.Var("x"), hl.Var("y")
        edged = hl.BoundaryConditions.repeat_edge(self.src)
        size = 2 * self.radius
        around = range(-self.radius, self.radius + 1)
        weights = {i: comb(size, i + self.radius) for i in around}
        total = hl.UInt(16) if 255 << 2 * size < 1 << 16 else hl.UInt(32)
        columns, square = hl.Func("columns"), hl.Func("square")
        columns[x, y] = sum((hl.u16(edged[x, y + j]) * weights[j] for j in around), hl.u16(0))
        square[x, y] = sum((hl.cast(total, columns[x + i, y]) * weights[i] for i in around), hl.cast(total, 0))
        self.dst[x, y] = hl.u8(square[x, y] >> (2 * size))

        self.src.set_estimates([hl.Range(0, 1024)] * 2)
        self.dst.set_estimates([hl.Range(0, 1024)] * 2)
        if self.by_hand():
            lanes = self.natural_vector_size(hl.UInt(8))
            row = by_rows(self.dst, x, y, lanes, edged)
            columns.compute_at(self.dst, row).vectorize(x, lanes)


if __name__ == "__main__":
    hl.main()
