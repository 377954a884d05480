"""A quantized convolutional layer of three by three; channels come first in memory."""

import halide as hl
from quantization import centred, estimate_scalars, requantize, scalars
from scheduling import Scheduled


@hl.generator(name="conv_nn")
class ConvolutionalLayer(Scheduled):
    """dst[c, x, y, n] = requantize(bias[c] + sum over k, i, j of centred src[k, x + i, y + j, n] * centred weights[c, k, i, j])."""

    src = hl.InputBuffer(hl.UInt(8), 4)
    weights = hl.InputBuffer(hl.UInt(8), 4)
    bias = hl.InputBuffer(hl.Int(32), 1)
    src_zero, weights_zero, multiplier, dst_zero = scalars()
    dst = hl.OutputBuffer(hl.UInt(8), 4)

    def generate(self):
        """Sums over the channels of the input and the square, in 32 bits. Centred values have their zero point taken off."""
        c, x, y, n = hl.Var("c"), hl.Var("x"), hl.Var("y"), hl.Var("n")
        total = hl.Func("total")
        r = hl.RDom([(0, self.src.dim(0).extent()), (0, 3), (0, 3)], "r")
        value = centred(self.src[r.x, x + r.y, y + r.z, n], self.src_zero)
        total[c, x, y, n] = self.bias[c]
        total[c, x, y, n] += hl.widening_mul(value, centred(self.weights[c, r.x, r.y, r.z], self.weights_zero))
        self.dst[c, x, y, n] = requantize(total[c, x, y, n], self.multiplier, self.dst_zero)

        self.src.set_estimates([hl.Range(0, 32), hl.Range(0, 34), hl.Range(0, 34), hl.Range(0, 1)])
        self.weights.set_estimates([hl.Range(0, 32), hl.Range(0, 32), hl.Range(0, 3), hl.Range(0, 3)])
        self.bias.set_estimates([hl.Range(0, 32)])
        self.dst.set_estimates([hl.Range(0, 32), hl.Range(0, 32), hl.Range(0, 32), hl.Range(0, 1)])
        estimate_scalars(self.src_zero, self.weights_zero, self.multiplier, self.dst_zero, 1 << 20)
        if self.by_hand():
            self.schedule_tiles(total, r, c, x, y)

    def schedule_tiles(self, total, r, c, x, y):
        """Sums tiles of two vectors of channels by four pixels, which stay in registers; two rows are a task."""
        lanes = self.natural_vector_size(hl.Int(32))
        tile_c, tile_x, in_c, in_x = hl.Var("tile_c"), hl.Var("tile_x"), hl.Var("in_c"), hl.Var("in_x")
        self.dst.tile(c, x, tile_c, tile_x, in_c, in_x, 2 * lanes, 4).vectorize(in_c).parallel(y, 2)
        total.compute_at(self.dst, tile_c).vectorize(c, lanes).unroll(c).unroll(x)
        total.update().reorder(c, x, r.x, r.y, r.z).vectorize(c, lanes).unroll(c).unroll(x)


if __name__ == "__main__":
    hl.main()
