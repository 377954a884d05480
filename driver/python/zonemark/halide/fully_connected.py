"""A quantized layer in which every output depends on every input."""

import halide as hl
from quantization import centred, estimate_scalars, requantize, scalars
from scheduling import Scheduled


@hl.generator(name="fully_connected")
class FullyConnected(Scheduled):
    """dst[c, n] = requantize(bias[c] + sum over k of (src[k, n] - src_zero) * (weights[c, k] - weights_zero)), summed in 32 bits."""

    src = hl.InputBuffer(hl.UInt(8), 2)
    weights = hl.InputBuffer(hl.UInt(8), 2)
    bias = hl.InputBuffer(hl.Int(32), 1)
    src_zero, weights_zero, multiplier, dst_zero = scalars()
    dst = hl.OutputBuffer(hl.UInt(8), 2)

    def generate(self):
        """Sums over the inputs."""
        c, n = hl.Var("c"), hl.Var("n")
        total = hl.Func("total")
        k = hl.RDom([(0, self.src.dim(0).extent())], "k")
        total[c, n] = self.bias[c]
        total[c, n] += hl.widening_mul(centred(self.src[k.x, n], self.src_zero), centred(self.weights[c, k.x], self.weights_zero))
        self.dst[c, n] = requantize(total[c, n], self.multiplier, self.dst_zero)

        self.src.set_estimates([hl.Range(0, 1024), hl.Range(0, 8)])
        self.weights.set_estimates([hl.Range(0, 1024), hl.Range(0, 1024)])
        self.bias.set_estimates([hl.Range(0, 1024)])
        self.dst.set_estimates([hl.Range(0, 1024), hl.Range(0, 8)])
        estimate_scalars(self.src_zero, self.weights_zero, self.multiplier, self.dst_zero, 1 << 19)
        if self.by_hand():
            self.schedule_tiles(total, k.x, c, n)

    def schedule_tiles(self, total, k, c, n):
        """Sums tiles of two vectors by four inputs, which stay in registers; four tiles are a task."""
        lanes = self.natural_vector_size(hl.Int(32))
        tile_c, tile_n, in_c, in_n = hl.Var("tile_c"), hl.Var("tile_n"), hl.Var("in_c"), hl.Var("in_n")
        self.dst.tile(c, n, tile_c, tile_n, in_c, in_n, 2 * lanes, 4).reorder(in_c, in_n, tile_n, tile_c)
        self.dst.vectorize(in_c).parallel(tile_c, 4)
        total.compute_at(self.dst, tile_n).vectorize(c, lanes).unroll(c).unroll(n)
        total.update().reorder(c, n, k).vectorize(c, lanes).unroll(c).unroll(n)


if __name__ == "__main__":
    hl.main()
