"""Gaussian blur with binomial weights."""

from math import comb

import halide as hl
from stencil import Stencil, around


@hl.alias(gaussian5x5={"radius": 2}, gaussian7x7={"radius": 3})
@hl.generator(name="gaussian3x3")
class Gaussian(Stencil):
    """dst = floor(sum of w[i] * w[j] * src[x + i, y + j] / (sum of w)**2), where w is a row of Pascal's triangle; edges are repeated."""

    radius = hl.GeneratorParam(1)

    def define(self, edged, x, y):
        """Weighs columns, then rows of these sums: in 16 bits, rows of seven in 32."""
        size = 2 * self.radius
        places = around(self.radius)
        weights = {i: comb(size, i + self.radius) for i in places}
        total = hl.UInt(16) if 255 << 2 * size < 1 << 16 else hl.UInt(32)
        columns, square = hl.Func("columns"), hl.Func("square")
        columns[x, y] = sum((hl.u16(edged[x, y + j]) * weights[j] for j in places), hl.u16(0))
        square[x, y] = sum((hl.cast(total, columns[x + i, y]) * weights[i] for i in places), hl.cast(total, 0))
        self.dst[x, y] = hl.u8(square[x, y] >> (2 * size))
        return [columns]


if __name__ == "__main__":
    hl.main()
