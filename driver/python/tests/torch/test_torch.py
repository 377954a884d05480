"""Modules of PyTorch as models: what JAX computes of them is what PyTorch does, which the export checks. Needs PyTorch beside JAX and Keras."""

import json
import sys

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from zonemark.models import Module, benchmark_model
from zonemark.models.exporter import manifest, torch_module
from zonemark.models.exporter.calling import Options
from zonemark.models.exporter.failure import Failure
from zonemark.models.exporter.registry import Model


def export(folder, modules, inputs, takes=(), **options):
    """The manifest of an export."""

    @benchmark_model()
    def model():
        return modules() if callable(modules) and not isinstance(modules, nn.Module) else modules, inputs

    found = Model("model", model, ("default",), __file__, model.__code__.co_firstlineno, frozenset(takes))
    with open(manifest.export(found, Options(**options), str(folder), True), encoding="utf-8") as file:
        return json.load(file)


class Before(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(50, 16)

    def forward(self, tokens):
        return self.table(tokens), tokens != 0


class Device(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(16, 8)

    def forward(self, x, mask):
        return torch.relu(self.linear(x)) * mask[..., None]


TOKENS = torch.arange(12).reshape(2, 6)


def test_three_modules(tmp_path):
    torch.manual_seed(3)
    modules = [Before(), Device(), nn.Softmax(-1)]
    content = export(tmp_path, modules, [TOKENS])
    assert [m["role"] for m in content["modules"]] == ["cpu-pre", "device", "cpu-post"]
    assert [i["name"] for i in content["modules"][1]["inputs"]] == ["params/linear.bias", "params/linear.weight", "x", "mask"]
    assert torch.__version__.startswith(content["generator"]["torch"]) and content["parameters"] == 50 * 16 + 16 * 8 + 8
    result = np.load(tmp_path / content["modules"][2]["outputs"][0]["file"])
    want = modules[2](modules[1](*modules[0](TOKENS))).detach().numpy()
    np.testing.assert_allclose(result, want, rtol=1e-5, atol=1e-6)


def test_modules_of_both_kinds(tmp_path):
    modules = [Module(lambda params, x: x * 2), nn.Linear(4, 3), Module(lambda params, y: y.sum())]
    content = export(tmp_path, modules, [torch.ones(2, 4, dtype=torch.bfloat16)])
    y, total = (np.load(tmp_path / content["modules"][i]["outputs"][0]["file"]) for i in (1, 2))
    np.testing.assert_allclose(y, modules[1](torch.full((2, 4), 2.0)).detach().numpy(), rtol=1e-5)
    np.testing.assert_allclose(total, y.sum(), rtol=1e-5)


def test_weights_are_those_of_the_seed(tmp_path):
    files = []
    for name, seed in ("a", 1), ("b", 1), ("c", 2):
        content = export(tmp_path / name, lambda: [nn.Linear(4, 3)], [torch.ones(2, 4)], seed=seed)
        files.append((tmp_path / name / content["modules"][0]["inputs"][0]["file"]).read_bytes())
    assert files[0] == files[1] != files[2]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_element_types(tmp_path, dtype):
    content = export(tmp_path, [Before(), Device(), nn.Softmax(-1)], [TOKENS], dtype=dtype)
    for module in content["modules"]:
        assert {i["dtype"] for i in [*module["inputs"], *module["outputs"]]} <= {dtype, "int32", "bool"}


class Images(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.SiLU(), nn.MaxPool2d(3, 2, 1, ceil_mode=True))
        self.first[1].running_mean.uniform_()
        self.first[1].running_var.uniform_(0.5, 1)
        self.second = nn.Sequential(nn.AvgPool2d(3, 2, 1, ceil_mode=True), nn.GroupNorm(2, 8), nn.Upsample(scale_factor=2), nn.Dropout())
        self.third = nn.ConvTranspose2d(8, 8, 3, stride=2, padding=1, output_padding=1, groups=2)
        self.fourth = nn.Conv2d(8, 8, 3, padding=2, dilation=2, groups=8, bias=False)
        self.last = nn.Sequential(nn.AdaptiveAvgPool2d(3), nn.Flatten(), nn.Linear(72, 5), nn.LogSoftmax(-1))

    def forward(self, x):
        y = self.fourth(self.third(self.second(self.first(x))))
        resized = [functional.interpolate(y, size=(5, 7)), functional.interpolate(y, size=(5, 7), mode="bilinear")]
        resized += [functional.interpolate(y, scale_factor=1.5, mode="bilinear", align_corners=True), functional.pixel_shuffle(y[:, :, :4], 2)]
        names = "hardswish gelu elu leaky_relu softplus mish relu6 hardsigmoid logsigmoid celu selu softsign tanhshrink hardtanh".split()
        activated = [getattr(functional, name)(y) for name in names]
        pooled = [functional.avg_pool2d(y, 3, 2, 1, count_include_pad=False), functional.pad(y, (1, 2, 3, 4), value=2.0)]
        return self.last(y), resized, activated, pooled, y.flip(2), y.roll(1, 2), functional.gelu(y, approximate="tanh")


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.layer = nn.Embedding(20, 16), nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
        self.head, self.recurrent = nn.Linear(16, 20, bias=False), nn.LSTM(16, 8, batch_first=True)
        self.head.weight = self.table.weight  # tied

    def forward(self, ids):
        n = ids.shape[1]
        later = torch.triu(torch.ones(n, n, dtype=torch.bool), 1)
        x = self.layer(self.table(ids) + torch.arange(n)[None, :, None].float(), src_mask=later.float() * -1e9)
        x = torch.where(x > 0, x, torch.zeros_like(x)).masked_fill(ids[..., None] == 0, 0)
        q = x.view(2, n, 2, 8).transpose(1, 2)
        attention = functional.scaled_dot_product_attention
        attended = [attention(q, q, q), attention(q, q, q, is_causal=True), attention(q, q, q, attn_mask=~later)]
        chosen = [torch.topk(self.head(x), 3)[0], x.argmax(-1), x.sort(-1)[0], x.min(1)[0], x.gather(1, ids[..., None].clamp(0, 5)), x[:, torch.tensor([0, 2])]]
        reduced = [x.var(-1), x.std(), x.norm(dim=1), x.amax((0, 1)), torch.logsumexp(x, -1), x.cumsum(1), x.mean(), (x > 0).any(1)]
        shaped = [x.chunk(2, -1)[1], torch.cat([x, x], 1), torch.stack([x, x]), x.repeat(1, 2, 1), x.unfold(1, 2, 2), x.expand(3, 2, n, 16), x[:, -1, ::2]]
        exact = [ids // 3, ids / 3, ids % 3, functional.one_hot(ids, 20), torch.linspace(0, 1, n) + x[..., 0], x.clamp(0, 1).pow(2).sqrt()]
        normal = [functional.normalize(x, dim=-1), functional.rms_norm(x, (16,)), torch.einsum("bij,bkj->bik", x, x)]
        return self.head(x).softmax(-1), self.recurrent(x)[0], attended, chosen, reduced, shaped, exact, normal


@pytest.mark.parametrize(("net", "value"), [(Images, (2, 3, 33, 32)), (Words, None)])
def test_operations(tmp_path, net, value):
    torch.manual_seed(5)
    inputs = [torch.randint(0, 20, (2, 6)) if value is None else torch.randn(value)]
    content = export(tmp_path, [net()], inputs)  # it compares each result with PyTorch's
    assert len(content["modules"][0]["outputs"]) > 20
    if net is Words:
        weights = [i["name"] for i in content["modules"][0]["inputs"] if i["kind"] == "weight"]
        assert "params/table.weight" in weights and "params/head.weight" not in weights, "a tied weight is one"


class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls += 1
        return x + self.calls


def test_what_is_left_in_buffers_is_no_result(tmp_path):
    content = export(tmp_path, [Counts()], [torch.zeros(2)])
    assert [o["name"] for o in content["modules"][0]["outputs"]] == ["result"]


class Values(nn.Module):
    def forward(self, x):
        return torch.linalg.svd(x)[1]


class Branch(nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x


def line_of(text):
    with open(__file__, encoding="utf-8") as file:
        return next(n for n, line in enumerate(file, 1) if line.startswith(" ") and text in line)


@pytest.mark.parametrize(
    ("module", "said", "line"),
    [
        (Values(), "does not translate PyTorch's operation aten._linalg_svd", "torch.linalg.svd(x)[1]"),
        (Branch(), "data-dependent", "return x if x.sum() > 0 else -x"),
        (nn.Linear(4, 5), "[2, 3] X [4, 5]", "@benchmark_model()"),
    ],
)
def test_refusals_name_the_line(tmp_path, module, said, line):
    with pytest.raises(Failure) as failure:
        export(tmp_path, [module], [torch.ones(2, 3)])
    assert said in str(failure.value)
    assert (failure.value.file, failure.value.line) == (__file__, line_of(line))


def test_a_wrong_translation_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules[torch_module.aten.__name__].OPERATIONS, "relu", lambda x: x)
    with pytest.raises(Failure, match="computes something else than PyTorch does"):
        export(tmp_path, [Before(), Device()], [TOKENS])


def test_it_is_not_trained():
    with pytest.raises(TypeError, match="not trained here"):
        Module(nn.Linear(2, 2), loss=lambda y: y.sum())
