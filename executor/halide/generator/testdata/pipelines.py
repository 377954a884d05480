# Generators for the tests. Those with a schedule of their own follow Halide's convention: not with an autoscheduler.
import halide as hl

from offsets import OFFSET

x, y = hl.vars("x y")


@hl.generator(name="twice")
class Twice:
    src = hl.InputBuffer(hl.UInt(8), 2)
    dst = hl.OutputBuffer(hl.UInt(8), 2)
    size = hl.GeneratorParam(64)
    wide = hl.GeneratorParam(True)

    def generate(self):
        doubled = hl.Func("doubled")
        doubled[x, y] = self.src[x, y] * 2
        self.dst[x, y] = doubled[x, y] + doubled[x, y + 1] + OFFSET
        self.src.set_estimates([hl.Range(0, self.size), hl.Range(0, self.size + 1)])
        self.dst.set_estimates([hl.Range(0, self.size), hl.Range(0, self.size)])
        if not self.using_autoscheduler():
            doubled.compute_root()


@hl.generator(name="bare")
class Bare:
    """Has no estimates."""

    src = hl.InputBuffer(hl.UInt(8), 2)
    dst = hl.OutputBuffer(hl.UInt(8), 2)

    def generate(self):
        self.dst[x, y] = self.src[x, y] + 1


if __name__ == "__main__":
    hl.main()
