"""Median of the square of nine around each pixel."""

import halide as hl
from stencil import Stencil


def ordered(a, b, c):
    """The smallest, the middle and the largest of three values."""
    low, high = hl.min(a, b), hl.max(a, b)
    return hl.min(low, c), hl.max(low, hl.min(high, c)), hl.max(high, c)


@hl.generator(name="median3x3")
class Median(Stencil):
    """dst = the fifth of the nine values of the square by size; pixels outside repeat the edge."""

    def define(self, edged, x, y):
        """Orders each column once. The median is the middle of: largest of the low ones, middle of the middle, smallest of the high ones."""
        columns = hl.Func("columns")
        columns[x, y] = ordered(edged[x, y - 1], edged[x, y], edged[x, y + 1])
        low, middle, high = ([columns[x + i, y][k] for i in (-1, 0, 1)] for k in range(3))
        self.dst[x, y] = ordered(ordered(*low)[2], ordered(*middle)[1], ordered(*high)[0])[1]
        return [columns]


if __name__ == "__main__":
    hl.main()
