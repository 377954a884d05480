"""Box blur: the mean of the square around each pixel."""

import halide as hl
from stencil import Stencil, around


@hl.alias(blur5x5={"radius": 2}, blur7x7={"radius": 3})
@hl.generator(name="blur3x3")
class Blur(Stencil):
    """dst = (sum of src over the square + half of its area) / its area; pixels outside repeat the edge."""

    radius = hl.GeneratorParam(1)

    def define(self, edged, x, y):
        """Sums columns, then rows of these sums, in 16 bits."""
        places = around(self.radius)
        area = len(places) ** 2
        columns, square = hl.Func("columns"), hl.Func("square")
        columns[x, y] = sum((hl.u16(edged[x, y + j]) for j in places), hl.u16(0))
        square[x, y] = sum((columns[x + i, y] for i in places), hl.u16(0))
        self.dst[x, y] = hl.u8((square[x, y] + area // 2) / area)
        return [columns]


if __name__ == "__main__":
    hl.main()
