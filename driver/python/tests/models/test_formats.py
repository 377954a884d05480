"""Block formats bit for bit: by hand, and against the rules written once more with Python's integers."""

import struct

import jax
import numpy as np
import pytest

from zonemark.models.exporter.formats import BLOCK, FORMATS


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def reference(block, magnitude_bits, wide):
    """One block of float32 bit patterns as the format has them, value by value, as tt-metal packs and unpacks."""

    def exponent(pattern):
        biased = (pattern >> 23) & 255
        return biased if wide else min(max(biased - 112, 0), 31)

    shared = max(exponent(pattern) for pattern in block)
    results = []
    for pattern in block:
        biased, fraction = (pattern >> 23) & 255, pattern & 0x7FFFFF
        if biased == 0:
            results.append(0)
            continue
        if not wide and biased - 112 > 31:
            fraction = 0x7FFFFF
        if not wide and biased - 112 < 0:
            fraction = 0
        aligned = (0x800000 | fraction) >> (shared - exponent(pattern))
        unit = 1 << (24 - magnitude_bits)
        kept, rest = divmod(aligned, unit)
        if 2 * rest > unit or (2 * rest == unit and kept % 2 == 1):
            kept += 1
        kept = min(kept, 2**magnitude_bits - 1)
        if kept == 0:
            results.append(0)
            continue
        length = kept.bit_length()
        stored = shared - (magnitude_bits - length) + (0 if wide else 112)
        if stored < 1:
            results.append(0)
            continue
        leading = kept ^ (1 << (length - 1))
        results.append((pattern & 0x80000000) | (stored << 23) | (leading << (23 - (length - 1))))
    return results


def rounded(name, values, by=np.asarray):
    array = np.zeros((1, BLOCK), np.float32)
    array[0, : len(values)] = values
    return np.asarray(FORMATS[name].round(by(array)))[0, : len(values)]


INF, MAX = float("inf"), 3.4028234663852886e38

VECTORS = [
    # format, values of one block, what they become
    ("Bfp8_b", [1.0, -1.0, 0.5, 0.0], [1.0, -1.0, 0.5, 0.0]),
    ("Bfp8_b", [127 / 64, 1 / 64, -1 / 64], [127 / 64, 1 / 64, -1 / 64]),  # the unit is 2^-6 below a largest exponent of 0
    ("Bfp8_b", [1.0, 1 / 128, 3 / 128, -1 / 128], [1.0, 0.0, 2 / 64, 0.0]),  # ties to even; what rounds to 0 is +0
    ("Bfp8_b", [1.0, 1.01 / 128], [1.0, 1 / 64]),
    ("Bfp8_b", [255 / 128, -1.9999999], [127 / 64, -127 / 64]),  # 128 does not fit
    ("Bfp8_b", [1.0, 1 / 128 + 2.0**-31], [1.0, 0.0]),  # the bits that fall out while aligning are no part of the rounding
    ("Bfp8_b", [1024.0, 7.0, 9.0, 24.0, 25.0], [1024.0, 0.0, 16.0, 32.0, 32.0]),
    ("Bfp8_b", [1e-40, 2.0**-126], [0.0, 2.0**-126]),  # denormals are 0
    ("Bfp8_b", [INF, -INF, 1.0, MAX], [INF, -INF, 0.0, INF]),  # the largest float rounds up to 2^128
    ("Bfp8_b", [INF, 2.0**127 * 1.5], [INF, 2.0**127 * 1.5]),
    ("Bfp4_b", [1.0, 1.75, 1.625, 1.375, 0.125, 0.375], [1.0, 1.75, 1.5, 1.5, 0.0, 0.5]),
    ("Bfp4_b", [1.9, -1.9], [1.75, -1.75]),
    ("Bfp2_b", [1.0, 1.99, 0.5, 0.51, -0.6], [1.0, 1.0, 0.0, 1.0, -1.0]),
    ("Bfp8", [1.0, 127 / 64, 1 / 64], [1.0, 127 / 64, 1 / 64]),
    ("Bfp8", [1e6, -INF, 65536.0, 1.0], [130048.0, -130048.0, 65536.0, 0.0]),  # 127 · 2^(16-6)
    ("Bfp8", [2.0**-15, 2.0**-20, -1e-30, 0.0], [2.0**-15, 2.0**-15, -(2.0**-15), 0.0]),  # below 2^-15 counts as it
    ("Bfp4", [1.0, 1e6], [0.0, 114688.0]),  # 7 · 2^(16-2)
]


@pytest.mark.parametrize(("name", "values", "want"), VECTORS)
def test_by_hand(name, values, want):
    for by in (np.asarray, jax.numpy.asarray):
        got = rounded(name, values, by)
        assert [bits(v) for v in got] == [bits(v) for v in want], (list(got), want)


def test_nan_stays_by_the_bits_that_are_kept():
    quiet, payload = np.array([[0x7FC00000], [0x7F800001]], np.uint32).view(np.float32)
    assert np.isnan(FORMATS["Bfp8_b"].round(quiet)[0])
    assert FORMATS["Bfp8_b"].round(payload)[0] == INF
    assert FORMATS["Bfp8"].round(quiet)[0] == 130048.0


@pytest.mark.parametrize("name", sorted(FORMATS))
@pytest.mark.parametrize("spread", [0, 1, 6, 30, 250])
def test_against_integers(name, spread):
    random = np.random.default_rng(spread)
    signs_and_fractions = random.integers(0, 2**32, (64, BLOCK), np.uint32) & np.uint32(0x807FFFFF)
    exponents = np.clip(random.integers(1, 250, (64, 1)) + random.integers(0, spread + 1, (64, BLOCK)), 0, 255).astype(np.uint32)
    patterns = signs_and_fractions | (exponents << 23)
    patterns[::7, 3] = 0x80000000
    patterns[::5, 4] &= np.uint32(0xFFFF0000)  # ties
    values = patterns.view(np.float32)
    block_format = FORMATS[name]
    want = [reference([int(p) for p in block], block_format.magnitude_bits, block_format.wide) for block in patterns]
    by_numpy = block_format.round(values).view(np.uint32).tolist()
    by_jax = np.asarray(jax.jit(block_format.round)(values)).view(np.uint32).tolist()
    assert by_numpy == want
    assert by_jax == want


@pytest.mark.parametrize("shape", [(), (1,), (15,), (17,), (3, 5, 33), (2, 0), (0,)])
def test_blocks_end_with_the_last_dimension(shape):
    values = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    got = FORMATS["Bfp4_b"].round(values)
    assert got.shape == values.shape
    rows = values.reshape(-1, shape[-1]) if shape and values.size else values.reshape(1, -1)
    want = []
    for row in rows:
        for start in range(0, len(row), BLOCK):
            patterns = [bits(v) for v in row[start : start + BLOCK]]
            want += reference(patterns + [0] * (BLOCK - len(patterns)), 3, True)[: len(patterns)]
    assert [bits(v) for v in got.ravel()] == want


def test_rounding_twice_is_rounding_once():
    values = np.random.default_rng(2).standard_normal((8, 64)).astype(np.float32)
    for block_format in FORMATS.values():
        once = block_format.round(values)
        assert np.array_equal(block_format.round(once), once), block_format
