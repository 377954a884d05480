"""What quantized kernels share: their parameters, and how they narrow their sums."""

import halide as hl


def scalars():
    """Declares the parameters of a kernel of two inputs: the zero points of both, the multiplier, and the zero point of the result."""
    return hl.InputScalar(hl.UInt(8)), hl.InputScalar(hl.UInt(8)), hl.InputScalar(hl.Int(32)), hl.InputScalar(hl.UInt(8))


def estimate_scalars(left_zero, right_zero, multiplier, dst_zero, scale):
    """Gives the parameters the values that zonemark measures with; the scale is that of the multiplier."""
    left_zero.set_estimate(120)
    right_zero.set_estimate(130)
    multiplier.set_estimate(scale)
    dst_zero.set_estimate(128)


def centred(value, zero):
    """A quantized value without its zero point: value - zero, exact in 16 bits."""
    return hl.i16(value) - hl.i16(zero)


def requantize(total, multiplier, zero):
    """Scales a 32-bit sum to 8 bits: floor(total * multiplier / 2**31 + 1/2) + zero, limited to 0..255.

    The multiplier is the scale as a fixed-point number below 1 with 31 bits behind the point. The product has 64 bits.
    """
    scaled = hl.rounding_mul_shift_right(total, multiplier, hl.u32(31))
    return hl.u8(hl.clamp(scaled + hl.i32(zero), 0, 255))
