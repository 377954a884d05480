"""Products of quantized matrices."""

import halide as hl
from quantization import centred, estimate_scalars, requantize, scalars
from scheduling import Scheduled


class Product(Scheduled):
    """What both products share: the schedule of the sum."""

    def schedule_tiles(self, total, k, x, y, lanes):
        """Sums tiles of two vectors by four rows, which stay in registers. Returns the loops over tiles of the output."""
        tile_x, tile_y, in_x, in_y = hl.Var("tile_x"), hl.Var("tile_y"), hl.Var("in_x"), hl.Var("in_y")
        self.dst.tile(x, y, tile_x, tile_y, in_x, in_y, 2 * lanes, 4).vectorize(in_x)
        total.compute_at(self.dst, tile_x).vectorize(x, lanes).unroll(x).unroll(y)
        total.update().reorder(x, y, k).vectorize(x, lanes).unroll(x).unroll(y)
        return tile_x, tile_y


@hl.generator(name="matmul")
class MatrixProduct(Product):
    """dst[x, y] = requantize(sum over k of (a[k, y] - a_zero) * (b[x, k] - b_zero)), summed in 32 bits."""

    a = hl.InputBuffer(hl.UInt(8), 2)
    b = hl.InputBuffer(hl.UInt(8), 2)
    a_zero, b_zero, multiplier, dst_zero = scalars()
    dst = hl.OutputBuffer(hl.UInt(8), 2)

    def generate(self):
        """Sums over the columns of a."""
        x, y = hl.Var("x"), hl.Var("y")
        total = hl.Func("total")
        k = hl.RDom([(0, self.a.dim(0).extent())], "k")
        total[x, y] = hl.i32(0)
        total[x, y] += hl.widening_mul(centred(self.a[k.x, y], self.a_zero), centred(self.b[x, k.x], self.b_zero))
        self.dst[x, y] = requantize(total[x, y], self.multiplier, self.dst_zero)

        for matrix in (self.a, self.b, self.dst):
            matrix.set_estimates([hl.Range(0, 256)] * 2)
        estimate_scalars(self.a_zero, self.b_zero, self.multiplier, self.dst_zero, 1 << 20)
        if self.by_hand():
            _, tile_y = self.schedule_tiles(total, k.x, x, y, self.natural_vector_size(hl.Int(32)))
            self.dst.parallel(tile_y, 4)


@hl.generator(name="batched_matmul")
class BatchedMatrixProduct(Product):
    """dst[x, y, n] = requantize(sum over k of (a[k, y, n] - a_zero) * (b[x, k, n] - b_zero)), summed in 32 bits."""

    a = hl.InputBuffer(hl.UInt(8), 3)
    b = hl.InputBuffer(hl.UInt(8), 3)
    a_zero, b_zero, multiplier, dst_zero = scalars()
    dst = hl.OutputBuffer(hl.UInt(8), 3)

    def generate(self):
        """Sums over the columns of each a."""
        x, y, n = hl.Var("x"), hl.Var("y"), hl.Var("n")
        total = hl.Func("total")
        k = hl.RDom([(0, self.a.dim(0).extent())], "k")
        total[x, y, n] = hl.i32(0)
        total[x, y, n] += hl.widening_mul(centred(self.a[k.x, y, n], self.a_zero), centred(self.b[x, k.x, n], self.b_zero))
        self.dst[x, y, n] = requantize(total[x, y, n], self.multiplier, self.dst_zero)

        for matrices in (self.a, self.b, self.dst):
            matrices.set_estimates([hl.Range(0, 64), hl.Range(0, 64), hl.Range(0, 16)])
        estimate_scalars(self.a_zero, self.b_zero, self.multiplier, self.dst_zero, 1 << 20)
        if self.by_hand():
            self.schedule_tiles(total, k.x, x, y, self.natural_vector_size(hl.Int(32)))
            self.dst.parallel(n)


if __name__ == "__main__":
    hl.main()
