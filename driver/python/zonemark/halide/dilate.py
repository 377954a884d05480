"""Dilation: the largest value in the square around each pixel."""

from functools import reduce

import halide as hl
from scheduling import Scheduled, by_rows


@hl.alias(dilate5x5={"radius": 2}, dilate7x7={"radius": 3})
@hl.generator(name="dilate3x3")
class Dilate(Scheduled):
    """dst = largest of src over the square; pixels outside repeat the edge."""

    src = hl.InputBuffer(hl.UInt(8), 2)
    dst = hl.OutputBuffer(hl.UInt(8), 2)
    radius = hl.GeneratorParam(1)

    def generate(self):
        """Takes the largest of columns, then of rows of these."""
        x, y = hl.Var("x"), hl.Var("y")
        edged = hl.BoundaryConditions.repeat_edge(self.src)
        around = range(-self.radius, self.radius + 1)
        columns = hl.Func("columns")
        columns[x, y] = reduce(hl.max, (edged[x, y + j] for j in around))
        self.dst[x, y] = reduce(hl.max, (columns[x + i, y] for i in around))

        self.src.set_estimates([hl.Range(0, 1024)] * 2)
        self.dst.set_estimates([hl.Range(0, 1024)] * 2)
        if self.by_hand():
            lanes = self.natural_vector_size(hl.UInt(8))
            row = by_rows(self.dst, x, y, lanes, edged)
            columns.compute_at(self.dst, row).vectorize(x, lanes)


if __name__ == "__main__":
    hl.main()
