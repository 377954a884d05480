"""Median of the square of nine around each pixel."""

import halide as hl
from scheduling import Scheduled, by_rows


def ordered(a, b, c):
    """The smallest, the middle and the largest of three values."""
    low, high = hl.min(a, b), hl.max(a, b)
    return hl.min(low, c), hl.max(low, hl.min(high, c)), hl.max(high, c)


@hl.generator(name="median3x3")
class Median(Scheduled):
    """dst = the fifth of the nine values of the square by size; pixels outside repeat the edge."""

    src = hl.InputBuffer(hl.UInt(8), 2)
    dst = hl.OutputBuffer(hl.UInt(8), 2)

    def generate(self):
        """Orders each column once. The median is the middle of: largest of the low ones, middle of the middle, smallest of the high ones."""
        x, y = hl.Var("x"), hl.Var("y")
        edged = hl.BoundaryConditions.repeat_edge(self.src)
        columns = hl.Func("columns")
        columns[x, y] = ordered(edged[x, y - 1], edged[x, y], edged[x, y + 1])
        low, middle, high = ([columns[x + i, y][k] for i in (-1, 0, 1)] for k in range(3))
        self.dst[x, y] = ordered(ordered(*low)[2], ordered(*middle)[1], ordered(*high)[0])[1]

        self.src.set_estimates([hl.Range(0, 1024)] * 2)
        self.dst.set_estimates([hl.Range(0, 1024)] * 2)
        if self.by_hand():
            lanes = self.natural_vector_size(hl.UInt(8))
            row = by_rows(self.dst, x, y, lanes, edged)
            columns.compute_at(self.dst, row).vectorize(x, lanes)


if __name__ == "__main__":
    hl.main()
