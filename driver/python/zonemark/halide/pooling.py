"""Pooling: squares of three by three, two apart, become one value; channels come first in memory."""

from functools import reduce

import halide as hl
from scheduling import Scheduled


class Pool(Scheduled):
    """A pool of channels, x, y and batch."""

    src = hl.InputBuffer(hl.UInt(8), 4)
    dst = hl.OutputBuffer(hl.UInt(8), 4)

    def generate(self):
        """Reduces the nine values of a square."""
        c, x, y, n = hl.Var("c"), hl.Var("x"), hl.Var("y"), hl.Var("n")
        self.dst[c, x, y, n] = self.pooled([self.src[c, 2 * x + i, 2 * y + j, n] for j in range(3) for i in range(3)])

        self.src.set_estimates([hl.Range(0, 64), hl.Range(0, 225), hl.Range(0, 225), hl.Range(0, 1)])
        self.dst.set_estimates([hl.Range(0, 64), hl.Range(0, 112), hl.Range(0, 112), hl.Range(0, 1)])
        if self.by_hand():
            task, row = hl.Var("task"), hl.Var("row")
            self.dst.split(y, task, row, 8).parallel(task).vectorize(c, self.natural_vector_size(hl.UInt(8)))


@hl.generator(name="average_pool")
class AveragePool(Pool):
    """dst = (sum of the square + 4) / 9."""

    def pooled(self, values):
        """The mean of nine values, rounded to the nearest."""
        return hl.u8((sum((hl.u16(v) for v in values), hl.u16(0)) + 4) / 9)


@hl.generator(name="max_pool")
class MaxPool(Pool):
    """dst = largest of the square."""

    def pooled(self, values):
        """The largest of nine values."""
        return reduce(hl.max, values)


if __name__ == "__main__":
    hl.main()
