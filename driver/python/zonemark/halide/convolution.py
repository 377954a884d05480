"""Convolution of an image with nine taps that are given at run time."""

import halide as hl
from scheduling import Scheduled, by_rows


def convolved(image, taps, total, x, y):
    """The weighted sum over the square around (x, y), in the type total, divided by 16 and limited to 8 bits."""
    around = (-1, 0, 1)
    weighted = (hl.cast(total, image[x + i, y + j]) * hl.cast(total, taps[i + 1, j + 1]) for j in around for i in around)
    return hl.u8(hl.clamp(sum(weighted, hl.cast(total, 0)) >> 4, 0, 255))


@hl.generator(name="conv3x3")
class Convolution(Scheduled):
    """dst = (sum of src * taps over the square) >> 4, limited to 0..255. Sums have 16 bits and wrap; pixels outside repeat the edge."""

    src = hl.InputBuffer(hl.UInt(8), 2)
    taps = hl.InputBuffer(hl.Int(8), 2)
    dst = hl.OutputBuffer(hl.UInt(8), 2)

    def generate(self):
        """Computes each pixel on its own."""
        x, y = hl.Var("x"), hl.Var("y")
        edged = hl.BoundaryConditions.repeat_edge(self.src)
        self.dst[x, y] = convolved(edged, self.taps, hl.Int(16), x, y)

        self.src.set_estimates([hl.Range(0, 1024)] * 2)
        self.taps.set_estimates([hl.Range(0, 3)] * 2)
        self.dst.set_estimates([hl.Range(0, 1024)] * 2)
        if self.by_hand():
            by_rows(self.dst, x, y, self.natural_vector_size(hl.UInt(8)), edged)


@hl.alias(conv3x3a32={"bits": 32})
@hl.generator(name="conv3x3a16")
class InnerConvolution(Scheduled):
    """dst = (sum of src * taps over the square that begins at the pixel) >> 4, limited to 0..255. Sums have so many bits, and 16 wrap."""

    src = hl.InputBuffer(hl.UInt(8), 2)
    taps = hl.InputBuffer(hl.Int(8), 2)
    dst = hl.OutputBuffer(hl.UInt(8), 2)
    bits = hl.GeneratorParam(16)

    def generate(self):
        """Computes each pixel on its own. The image has a frame, so that no pixel is outside."""
        x, y = hl.Var("x"), hl.Var("y")
        self.dst[x, y] = convolved(self.src, self.taps, hl.Int(self.bits), x + 1, y + 1)

        self.src.set_estimates([hl.Range(0, 1026)] * 2)
        self.taps.set_estimates([hl.Range(0, 3)] * 2)
        self.dst.set_estimates([hl.Range(0, 1024)] * 2)
        if self.by_hand():
            by_rows(self.dst, x, y, self.natural_vector_size(hl.UInt(8)))


if __name__ == "__main__":
    hl.main()
