"""Softmax of the rows of a matrix."""

import halide as hl
from scheduling import Scheduled


@hl.generator(name="softmax")
class Softmax(Scheduled):
    """dst[x, y] = e[x, y] / (sum over k of e[k, y]), where e = exp(src - largest of the row), in 32-bit floats."""

    src = hl.InputBuffer(hl.Float(32), 2)
    dst = hl.OutputBuffer(hl.Float(32), 2)

    def generate(self):
        """Finds the largest value of a row, then its exponentials and their sum."""
        x, y = hl.Var("x"), hl.Var("y")
        largest, raised, total = hl.Func("largest"), hl.Func("raised"), hl.Func("total")
        k = hl.RDom([(0, self.src.dim(0).extent())], "k")
        largest[y] = hl.Float(32).min()
        largest[y] = hl.max(largest[y], self.src[k.x, y])
        raised[x, y] = hl.exp(self.src[x, y] - largest[y])
        total[y] = hl.f32(0)
        total[y] += raised[k.x, y]
        self.dst[x, y] = raised[x, y] / total[y]

        self.src.set_estimates([hl.Range(0, 1024)] * 2)
        self.dst.set_estimates([hl.Range(0, 1024)] * 2)
        if self.by_hand():
            lanes = self.natural_vector_size(hl.Float(32))
            task, row = hl.Var("task"), hl.Var("row")
            self.dst.split(y, task, row, 16).parallel(task).vectorize(x, lanes)
            raised.compute_at(self.dst, row).vectorize(x, lanes)
            for reduction in (largest, total):
                reduction.compute_at(self.dst, row).update().atomic().vectorize(k.x, 4 * lanes)
        elif self.by_default():
            largest.compute_root()
            total.compute_root()


if __name__ == "__main__":
    hl.main()
