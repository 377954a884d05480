"""Rows of a matrix scaled to the length 1."""

import halide as hl
from scheduling import Scheduled


@hl.generator(name="l2norm")
class L2Norm(Scheduled):
    """dst[x, y] = src[x, y] / sqrt(sum over k of src[k, y]**2 + 1e-12), in 32-bit floats."""

    src = hl.InputBuffer(hl.Float(32), 2)
    dst = hl.OutputBuffer(hl.Float(32), 2)

    def generate(self):
        """Sums the squares of a row, then scales it."""
        x, y = hl.Var("x"), hl.Var("y")
        squares, scale = hl.Func("squares"), hl.Func("scale")
        k = hl.RDom([(0, self.src.dim(0).extent())], "k")
        squares[y] = hl.f32(0)
        squares[y] += self.src[k.x, y] * self.src[k.x, y]
        scale[y] = 1 / hl.sqrt(squares[y] + hl.f32(1e-12))
        self.dst[x, y] = self.src[x, y] * scale[y]

        self.src.set_estimates([hl.Range(0, 1024)] * 2)
        self.dst.set_estimates([hl.Range(0, 1024)] * 2)
        if self.by_hand():
            lanes = self.natural_vector_size(hl.Float(32))
            task, row = hl.Var("task"), hl.Var("row")
            self.dst.split(y, task, row, 16).parallel(task).vectorize(x, lanes)
            scale.compute_at(self.dst, row)
            squares.compute_at(self.dst, row).update().atomic().vectorize(k.x, 4 * lanes)
        elif self.by_default():
            squares.compute_root()


if __name__ == "__main__":
    hl.main()
