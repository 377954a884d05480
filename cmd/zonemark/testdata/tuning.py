"""A pipeline of three stages for tests of tuning. Some samples misbehave if the parameter misbehave is true."""

import sys
import time

import halide as hl

x, y = hl.vars("x y")


@hl.generator(name="three")
class Three:
    src = hl.InputBuffer(hl.UInt(8), 2)
    dst = hl.OutputBuffer(hl.UInt(8), 2)
    misbehave = hl.GeneratorParam(False)

    def generate(self):
        """Takes the mean of the square of 3 × 3."""
        seed = [word for word in sys.argv if "random_dropout_seed=" in word]
        sample = int(seed[0][-4:]) if seed and self.misbehave else 0
        if sample == 1:
            raise ValueError("this sample fails")
        if sample == 2:
            time.sleep(3600)
        columns, square = hl.Func("columns"), hl.Func("square")
        edged = hl.BoundaryConditions.repeat_edge(self.src)
        columns[x, y] = hl.u16(edged[x, y - 1]) + edged[x, y] + edged[x, y + 1]
        square[x, y] = columns[x - 1, y] + columns[x, y] + columns[x + 1, y]
        mean = hl.u8(square[x, y] // 9)
        if sample == 3:  # reads far outside of the image, which Halide is told not to expect
            mean += self.src[hl.unsafe_promise_clamped(x * 8_000_000, 0, 255), y]
        if sample == 4:  # a wrong result
            mean += hl.u8(1)
        self.dst[x, y] = mean
        self.src.set_estimates([hl.Range(0, 256)] * 2)
        self.dst.set_estimates([hl.Range(0, 256)] * 2)


if __name__ == "__main__":
    hl.main()
