"""Product of quantized values, one by one."""

import halide as hl
from quantization import centred, estimate_scalars, requantize, scalars
from scheduling import Scheduled, by_rows


@hl.generator(name="mul")
class Multiply(Scheduled):
    """dst = requantize((a - a_zero) * (b - b_zero))."""

    a = hl.InputBuffer(hl.UInt(8), 2)
    b = hl.InputBuffer(hl.UInt(8), 2)
    a_zero, b_zero, multiplier, dst_zero = scalars()
    dst = hl.OutputBuffer(hl.UInt(8), 2)

    def generate(self):
        """Multiplies in 32 bits."""
        x, y = hl.Var("x"), hl.Var("y")
        product = hl.widening_mul(centred(self.a[x, y], self.a_zero), centred(self.b[x, y], self.b_zero))
        self.dst[x, y] = requantize(product, self.multiplier, self.dst_zero)

        for image in (self.a, self.b, self.dst):
            image.set_estimates([hl.Range(0, 1024)] * 2)
        estimate_scalars(self.a_zero, self.b_zero, self.multiplier, self.dst_zero, 1 << 24)
        if self.by_hand():
            by_rows(self.dst, x, y, self.natural_vector_size(hl.UInt(8)))


if __name__ == "__main__":
    hl.main()
