"""What the stencils share: their image, its edges and their schedule."""

import halide as hl
from scheduling import Scheduled, by_rows


class Stencil(Scheduled):
    """A kernel that reads a square of pixels of 8 bits around each pixel; pixels outside repeat the edge.

    ``define`` defines ``dst`` and returns the functions of columns that it reads, which the manual schedule computes row by row.
    """

    src = hl.InputBuffer(hl.UInt(8), 2)
    dst = hl.OutputBuffer(hl.UInt(8), 2)

    def generate(self):
        """Defines and schedules the kernel."""
        x, y = hl.Var("x"), hl.Var("y")
        edged = hl.BoundaryConditions.repeat_edge(self.src)
        read = self.define(edged, x, y)

        self.src.set_estimates([hl.Range(0, 1024)] * 2)
        self.dst.set_estimates([hl.Range(0, 1024)] * 2)
        if self.by_hand():
            lanes = self.natural_vector_size(hl.UInt(8))
            row = by_rows(self.dst, x, y, lanes, edged)
            for columns in read:
                columns.compute_at(self.dst, row).vectorize(x, lanes)


def around(radius):
    """The places of a row of the square, from the middle."""
    return range(-radius, radius + 1)
