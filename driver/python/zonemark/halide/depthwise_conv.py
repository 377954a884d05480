"""A quantized convolutional layer of three by three whose channels do not mix; channels come first in memory."""

import halide as hl
from quantization import centred, estimate_scalars, requantize, scalars
from scheduling import Scheduled


@hl.generator(name="depthwise_conv")
class DepthwiseLayer(Scheduled):
    """dst[c, x, y, n] = requantize(bias[c] + sum over i, j of (src[c, x + i, y + j, n] - src_zero) * (weights[c, i, j] - weights_zero))."""

    src = hl.InputBuffer(hl.UInt(8), 4)
    weights = hl.InputBuffer(hl.UInt(8), 3)
    bias = hl.InputBuffer(hl.Int(32), 1)
    src_zero, weights_zero, multiplier, dst_zero = scalars()
    dst = hl.OutputBuffer(hl.UInt(8), 4)

    def generate(self):
        """Sums the square in 32 bits."""
        c, x, y, n = hl.Var("c"), hl.Var("x"), hl.Var("y"), hl.Var("n")
        total = self.bias[c]
        for j in range(3):
            for i in range(3):
                value = centred(self.src[c, x + i, y + j, n], self.src_zero)
                total += hl.widening_mul(value, centred(self.weights[c, i, j], self.weights_zero))
        self.dst[c, x, y, n] = requantize(total, self.multiplier, self.dst_zero)

        self.src.set_estimates([hl.Range(0, 64), hl.Range(0, 58), hl.Range(0, 58), hl.Range(0, 1)])
        self.weights.set_estimates([hl.Range(0, 64), hl.Range(0, 3), hl.Range(0, 3)])
        self.bias.set_estimates([hl.Range(0, 64)])
        self.dst.set_estimates([hl.Range(0, 64), hl.Range(0, 56), hl.Range(0, 56), hl.Range(0, 1)])
        estimate_scalars(self.src_zero, self.weights_zero, self.multiplier, self.dst_zero, 1 << 22)
        if self.by_hand():
            task, row = hl.Var("task"), hl.Var("row")
            self.dst.split(y, task, row, 8).parallel(task).reorder(x, c, row, task, n)
            self.dst.vectorize(c, self.natural_vector_size(hl.Int(32)))


if __name__ == "__main__":
    hl.main()
