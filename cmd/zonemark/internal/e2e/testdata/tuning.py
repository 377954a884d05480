"""A pipeline of three stages for tests of tuning."""

import halide as hl

x, y = hl.vars("x y")


@hl.generator(name="three")
class Three:
    src = hl.InputBuffer(hl.UInt(8), 2)
    dst = hl.OutputBuffer(hl.UInt(8), 2)

    def generate(self):
        """Takes the mean of the square of 3 × 3."""
        columns, square = hl.Func("columns"), hl.Func("square")
        edged = hl.BoundaryConditions.repeat_edge(self.src)
        columns[x, y] = hl.u16(edged[x, y - 1]) + edged[x, y] + edged[x, y + 1]
        square[x, y] = columns[x - 1, y] + columns[x, y] + columns[x + 1, y]
        self.dst[x, y] = hl.u8(square[x, y] // 9)
        self.src.set_estimates([hl.Range(0, 256)] * 2)
        self.dst.set_estimates([hl.Range(0, 256)] * 2)


if __name__ == "__main__":
    hl.main()
