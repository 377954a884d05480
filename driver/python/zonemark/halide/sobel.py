"""Sobel's edge detector: the sum of the absolute gradients along both axes."""

import halide as hl
from stencil import Stencil, around

# Weights of the pixels along an axis for smoothing, and along the other one for the gradient, by the radius.
SMOOTHING = {1: (1, 2, 1), 2: (1, 4, 6, 4, 1)}
GRADIENT = {1: (-1, 0, 1), 2: (-1, -2, 0, 2, 1)}


@hl.alias(sobel5x5={"radius": 2, "shift": 4})
@hl.generator(name="sobel")
class Sobel(Stencil):
    """dst = (|gradient along x| + |gradient along y|) >> shift, at most 255; pixels outside repeat the edge."""

    radius = hl.GeneratorParam(1)
    shift = hl.GeneratorParam(0)

    def define(self, edged, x, y):
        """Weighs columns, then rows of these sums, in 16 bits: at most 24,480 for a radius of 2."""
        if self.radius not in SMOOTHING:
            raise ValueError(f"radius={self.radius}: there are 1 and 2")
        smoothing, gradient = SMOOTHING[self.radius], GRADIENT[self.radius]
        places = around(self.radius)

        def along_y(weights):
            return sum((hl.i16(edged[x, y + j]) * w for j, w in zip(places, weights, strict=True)), hl.i16(0))

        def along_x(columns, weights):
            return sum((columns[x + i, y] * w for i, w in zip(places, weights, strict=True)), hl.i16(0))

        smooth, steep = hl.Func("smooth"), hl.Func("steep")
        smooth[x, y], steep[x, y] = along_y(smoothing), along_y(gradient)
        across, down = hl.abs(along_x(smooth, gradient)), hl.abs(along_x(steep, smoothing))
        self.dst[x, y] = hl.u8(hl.min((across + down) >> self.shift, 255))
        return [smooth, steep]


if __name__ == "__main__":
    hl.main()
