"""The operations of ATen that are more than a function of JAX, against loops and PyTorch's documented results. tests/torch compares all with PyTorch."""

import itertools
import math

import numpy as np
import pytest

from zonemark.models.exporter.aten import operation

GENERATOR = np.random.default_rng(1)


def drawn(*shape):
    return GENERATOR.standard_normal(shape, np.float32)


def convolved(x, w, stride, padding, dilation, groups):
    """A convolution by its definition."""
    x = np.pad(x, [(0, 0), (0, 0), (padding, padding), (padding, padding)])
    size = [(x.shape[a] - dilation * (w.shape[a] - 1) - 1) // stride + 1 for a in (2, 3)]
    y = np.zeros((x.shape[0], w.shape[0], *size))
    inputs, outputs = w.shape[1], w.shape[0] // groups
    for o, i, j in np.ndindex(w.shape[0], *size):
        channels = slice(o // outputs * inputs, (o // outputs + 1) * inputs)
        patch = x[:, channels, i * stride :: dilation, j * stride :: dilation][:, :, : w.shape[2], : w.shape[3]]
        y[:, o, i, j] = (patch * w[o]).sum((1, 2, 3))
    return y


@pytest.mark.parametrize(("stride", "padding", "dilation", "groups"), [(1, 0, 1, 1), (2, 1, 1, 2), (1, 2, 2, 4), (3, 2, 1, 1)])
def test_convolutions(stride, padding, dilation, groups):
    x, w, bias = drawn(2, 4, 9, 7), drawn(8, 4 // groups, 3, 2), drawn(8)
    y = operation("convolution.default")(x, w, bias, [stride], [padding], [dilation], False, [0], groups)
    np.testing.assert_allclose(y, convolved(x, w, stride, padding, dilation, groups) + bias[:, None, None], rtol=1e-4, atol=1e-4)
    # The transposed one is its adjoint: (conv x, z) is (x, transposed z). What the stride leaves at the end is added to the output.
    z = drawn(*y.shape)
    rest = [(x.shape[a] + 2 * padding - dilation * (w.shape[a] - 1) - 1) % stride for a in (2, 3)]
    back = operation("convolution.default")(z, w, None, [stride], [padding], [dilation], True, rest, groups)
    assert back.shape == x.shape
    np.testing.assert_allclose(((y - bias[:, None, None]) * z).sum(), (x * back).sum(), rtol=1e-3)


def windows(size, kernel, stride, padding, ceil):
    """The first and the last position of each window, by PyTorch's rule: the last one begins within the image or the padding before it."""
    count = (math.ceil if ceil else math.floor)((size + 2 * padding - kernel) / stride) + 1
    return [(i * stride - padding, i * stride - padding + kernel) for i in range(count) if not ceil or i * stride < size + padding]


@pytest.mark.parametrize(("kernel", "stride", "padding", "ceil"), [(2, 2, 0, False), (3, 2, 1, False), (3, 2, 1, True), (2, 3, 0, True)])
def test_pooling(kernel, stride, padding, ceil):
    x = drawn(1, 2, 9, 8)
    across, along = (windows(n, kernel, stride, padding, ceil) for n in (9, 8))
    window = [kernel], [stride], [padding]
    largest, _ = operation("max_pool2d_with_indices")(x, *window, [1], ceil)
    got = largest, operation("avg_pool2d")(x, *window, ceil), operation("avg_pool2d")(x, *window, ceil, False)
    want = np.zeros((3, 1, 2, len(across), len(along)))
    for (i, (a, b)), (j, (c, d)) in itertools.product(enumerate(across), enumerate(along)):
        part = x[:, :, max(a, 0) : b, max(c, 0) : d]
        counted = (min(b, 9 + padding) - a) * (min(d, 8 + padding) - c)  # the padding counts, what ceil adds does not
        want[:, :, :, i, j] = part.max((2, 3)), part.sum((2, 3)) / counted, part.mean((2, 3))
    for one, other in zip(got, want, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_images_of_another_size():
    x = np.array([[[[1.0, 2.0], [3.0, 4.0]]]], np.float32)
    row = [1.0, 1.25, 1.75, 2.0]  # as the documentation of torch.nn.Upsample shows
    np.testing.assert_allclose(operation("upsample_bilinear2d.vec")(x, None, False, [2.0, 2.0])[0, 0, 0], row)
    np.testing.assert_allclose(operation("upsample_bilinear2d.vec")(x, [4, 4], True)[0, 0, :, 0], [1, 5 / 3, 7 / 3, 3], rtol=1e-6)
    assert operation("upsample_nearest2d.vec")(x, [3, 4])[0, 0].tolist() == [[1, 1, 2, 2], [1, 1, 2, 2], [3, 3, 4, 4]]
    y = drawn(1, 1, 7, 7)
    mean = operation("_adaptive_avg_pool2d")(y, [3, 7])[0, 0, :, 0]
    np.testing.assert_allclose(mean, [y[0, 0, a:b, 0].mean() for a, b in ((0, 3), (2, 5), (4, 7))], rtol=1e-5)


def test_parts_of_arrays():
    x = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    assert [part.shape for part in operation("split.Tensor")(x, 3, -1)] == [(2, 3, 3), (2, 3, 1)]
    assert operation("slice.Tensor")(x, 2, 1, 9223372036854775807, 2).tolist() == x[:, :, 1::2].tolist()
    assert operation("gather")(x, 1, np.array([[[2, 0]]])).tolist() == [[[x[0, 2, 0], x[0, 0, 1]]]], "an index may have fewer rows than the array"
    assert operation("constant_pad_nd")(x, [1, 0, 0, 2], -1).shape == (2, 5, 5)
    assert operation("unfold")(x, 2, 3, 1).tolist() == np.lib.stride_tricks.sliding_window_view(x, 3, 2).tolist()
    assert operation("index.Tensor")(x, [None, np.array([2, 0])]).tolist() == x[:, [2, 0]].tolist()
    assert operation("div.Tensor_mode")(np.array([-7, 7]), 2, rounding_mode="trunc").tolist() == [-3, 3]
    assert operation("sum.dim_IntList")(x, [], True).tolist() == [[[276]]]
    values, at = operation("max.dim")(x, 2)
    assert values.tolist() == x.max(2).tolist() and at.tolist() == [[3] * 3] * 2


def test_what_is_not_known_has_no_operation():
    assert operation("_linalg_svd.default") is None
    assert operation("add.Tensor") is operation("add.Scalar") is not None
