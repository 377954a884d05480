"""Box blur: the mean of the square around each pixel."""

import halide as hl
from scheduling import Scheduled, by_rows


@hl.alias(blur5x5={"radius": 2}, blur7x7={"radius": 3})
@hl.generator(name="blur3x3")
class Blur(Scheduled):
    """dst = (sum of src over the square + half of its area) / its area; pixels outside repeat the edge."""

    src = hl.InputBuffer(hl.UInt(8), 2)
    dst = hl.OutputBuffer(hl.UInt(8), 2)
    radius = hl.GeneratorParam(1)

    def generate(self):
        """Sums columns, then rows of these sums, in 16 bits."""
        x, y = hl.Var("x"), hl.Var("y")
        edged = hl.BoundaryConditions.repeat_edge(self.src)
        around = range(-self.radius, self.radius + 1)
        area = len(around) ** 2
        columns, square = hl.Func("columns"), hl.Func("square")
        columns[x, y] = sum((hl.u16(edged[x, y + j]) for j in around), hl.u16(0))
        square[x, y] = sum((columns[x + i, y] for i in around), hl.u16(0))
        self.dst[x, y] = hl.u8((square[x, y] + area // 2) / area)

        self.src.set_estimates([hl.Range(0, 1024)] * 2)
        self.dst.set_estimates([hl.Range(0, 1024)] * 2)
        if self.by_hand():
            lanes = self.natural_vector_size(hl.UInt(8))
            row = by_rows(self.dst, x, y, lanes, edged)
            columns.compute_at(self.dst, row).vectorize(x, lanes)


if __name__ == "__main__":
    hl.main()
