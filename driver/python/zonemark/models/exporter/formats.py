"""Tenstorrent's block formats: blocks of 16 values along the last dimension share an exponent, the largest of theirs.

A value keeps its sign and its magnitude, whose leading 1 is explicit, in 7, 3 or 1 bits below the shared exponent. The rules are those of
tt_metal/impl/data_format/blockfloat_common.cpp of tenstorrent/tt-metal (get_max_exp, convert_u32_to_bfp without truncation and convert_bfp_to_u32,
read at commit 6f2b15d071ab), oddities included:

- The significand of 24 bits is shifted to the shared exponent first, and the bits that fall out are lost. Then it is rounded to nearest, ties to
  even, and what does not fit after that is the largest magnitude.
- Zeros and denormals become +0, and so does what rounds to 0.
- With an exponent of 8 bits (the formats ending in _b) infinities stay, NaN stays or becomes an infinity by the bits of its payload that are kept,
  and what stands in one block with either is shifted as far as any value beside 2^128.
- With an exponent of 5 bits (bias 15, and 31 is an exponent like others) what is too large, infinite or NaN is the largest magnitude at 2^16, and
  what is smaller than 2^-15 counts as 2^-15.

Where the result would be smaller than the smallest normal float32, which tt-metal asserts not to happen, it is 0 here.
"""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

BLOCK = 16
"""Values that share an exponent."""

_SINGLE_BIAS, _HALF_BIAS = 127, 15


@dataclass(frozen=True)
class BlockFormat:
    """A block format by the bits of its magnitudes; its exponents have 8 bits with wide, else 5."""

    name: str
    magnitude_bits: int
    wide: bool

    def round(self, values: Any) -> Any:
        """float32 values as the format has them. NumPy's arrays are rounded by NumPy, JAX' arrays within the computation that they are part of."""
        if values.size == 0:
            return values
        xp: Any = np if isinstance(values, np.ndarray) else jnp
        shape = values.shape or (1,)
        rest = -shape[-1] % BLOCK  # as tiles are padded, with zeros
        padded = xp.pad(values.reshape(shape), [(0, 0)] * (len(shape) - 1) + [(0, rest)])
        blocks = padded.reshape(*padded.shape[:-1], padded.shape[-1] // BLOCK, BLOCK)
        rounded = self._round_blocks(xp, blocks).reshape(padded.shape)
        return rounded[..., : shape[-1]].reshape(values.shape)

    def _round_blocks(self, xp: Any, blocks: Any) -> Any:
        bits = _bits(xp, blocks).astype(xp.int32)
        exponent, fraction = (bits >> 23) & 0xFF, bits & 0x7FFFFF
        zero = exponent == 0
        if not self.wide:
            narrow = exponent - _SINGLE_BIAS + _HALF_BIAS
            fraction = xp.where(narrow > 31, 0x7FFFFF, xp.where(narrow < 0, 0, fraction))
            exponent = xp.clip(narrow, 0, 31)
        shared = exponent.max(axis=-1, keepdims=True)
        aligned = (fraction | 0x800000) >> xp.minimum(shared - exponent, 31)

        drop = 24 - self.magnitude_bits
        kept, tie = aligned >> drop, 1 << (drop - 1)
        lost = aligned & ((1 << drop) - 1)
        kept = kept + ((lost > tie) | ((lost == tie) & (kept & 1 == 1))).astype(xp.int32)
        kept = xp.where(zero, 0, xp.minimum(kept, (1 << self.magnitude_bits) - 1))

        # As a float32, a magnitude is normalized: its exponent needs only to be moved to where the block's is.
        shift = shared - (self.magnitude_bits - 1) - (_SINGLE_BIAS if self.wide else _HALF_BIAS)
        magnitude = _bits(xp, kept.astype(xp.float32)).astype(xp.int32)
        nothing = (kept == 0) | ((magnitude >> 23) + shift < 1)
        moved = xp.where(nothing, 0, magnitude + (shift << 23))
        sign = xp.where(nothing, 0, bits & -0x80000000)
        return _floats(xp, (moved | sign).astype(xp.uint32))


FORMATS = {f"Bfp{bits + 1}{suffix}": BlockFormat(f"Bfp{bits + 1}{suffix}", bits, suffix == "_b") for bits in (7, 3, 1) for suffix in ("", "_b")}
"""The block formats by the names that Tenstorrent gives them."""


def _bits(xp: Any, values: Any) -> Any:
    return values.view(np.uint32) if xp is np else jax.lax.bitcast_convert_type(values, jnp.uint32)


def _floats(xp: Any, bits: Any) -> Any:
    return bits.view(np.float32) if xp is np else jax.lax.bitcast_convert_type(bits, jnp.float32)
