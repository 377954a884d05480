"""Dilation: the largest value in the square around each pixel."""

from functools import reduce

import halide as hl
from stencil import Stencil, around


@hl.alias(dilate5x5={"radius": 2}, dilate7x7={"radius": 3})
@hl.generator(name="dilate3x3")
class Dilate(Stencil):
    """dst = largest of src over the square; pixels outside repeat the edge."""

    radius = hl.GeneratorParam(1)

    def define(self, edged, x, y):
        """Takes the largest of columns, then of rows of these."""
        places = around(self.radius)
        columns = hl.Func("columns")
        columns[x, y] = reduce(hl.max, (edged[x, y + j] for j in places))
        self.dst[x, y] = reduce(hl.max, (columns[x + i, y] for i in places))
        return [columns]


if __name__ == "__main__":
    hl.main()
