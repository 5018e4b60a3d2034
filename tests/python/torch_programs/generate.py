#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Modules of PyTorch for tests, and the texts of this folder: HLO as podsim.torch writes it, with values as comments.

    pip install torch
    python3 tests/python/torch_programs/generate.py

Arguments are drawn from a fixed seed, results are those of PyTorch. test_torch.py reads the texts, so it needs PyTorch
only for what it exports itself.
"""
import pathlib
import sys

import torch
from torch import nn
from torch.nn import functional

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parents[2] / "python"))
import podsim.torch  # noqa: E402


def literal(value):
    return "{" + ", ".join(map(literal, value)) + "}" if isinstance(value, list) else str(value).lower()


def module_of(function, *parts):
    """A module whose forward is function(parts, inputs...)."""
    class Module(nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = nn.ModuleList(parts)

        def forward(self, *inputs):
            return function(self.parts, *inputs)

    return Module()


def programs():
    """Name, module, arguments."""
    torch.manual_seed(1)
    draw, classes = torch.randn, lambda *shape: torch.randint(0, 5, shape)
    images = draw(2, 3, 8, 9)
    conv = nn.Conv2d(3, 4, 3, stride=2, padding=1)
    yield "mlp", nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.Linear(8, 3)), (draw(4, 6),)
    yield "gates", module_of(lambda p, x: functional.silu(p[0](x)) * torch.sigmoid(p[1](x)).clamp(0.2, 0.7),
                             nn.Linear(6, 8), nn.Linear(6, 8)), (draw(4, 6),)
    yield "convolution", nn.Sequential(conv, nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(3, 2, 1)).eval(), (images,)
    yield "batch_norm", nn.Sequential(conv, nn.BatchNorm2d(4, track_running_stats=False)), (images,)
    yield "depthwise", nn.Conv1d(4, 8, 3, groups=4, dilation=2), (draw(2, 4, 9),)
    yield "pools", nn.Sequential(nn.AvgPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Flatten()), (images,)
    yield "encoder", nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.0, norm_first=True), (
        draw(2, 5, 8),)
    yield "causal", module_of(lambda p, q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=True)), (
        draw(2, 2, 5, 4), draw(2, 2, 5, 4), draw(2, 2, 5, 4))
    yield "language", module_of(lambda p, x, y: functional.cross_entropy(p[1](p[0](x)).flatten(0, 1), y.flatten()),
                                nn.Embedding(5, 6), nn.Linear(6, 5)), (classes(2, 4), classes(2, 4))
    yield "shapes", module_of(lambda p, x: torch.cat([x[:, ::2].transpose(1, 2), x[:, 1:3].mT], 2).unsqueeze(1)
                              .expand(-1, 3, -1, -1).sum(3) + torch.arange(4)), (draw(2, 5, 4),)
    yield "statistics", module_of(lambda p, x: (x - x.mean(1, keepdim=True)) / (x.var(1, keepdim=True) + 1).sqrt()
                                  + torch.where(x > 0, x.amax(0), x.pow(2).sum())), (draw(3, 4),)
    yield "group_norm", nn.GroupNorm(2, 4), (draw(2, 4, 3),)
    yield "activations", module_of(lambda p, x: functional.hardswish(x) + functional.relu6(x) * functional.elu(x)
                                   + functional.leaky_relu(x) + functional.softplus(x) - functional.mish(x)
                                   + p[0](x).floor() + x.sin() * x.cos() + torch.remainder(x, 0.7) + x.exp2()
                                   + torch.log1p(x.abs()) * x.sign() + (x // 0.3), nn.PReLU(1)), (3 * draw(4, 6),)
    yield "transposed", nn.Sequential(nn.ConvTranspose2d(3, 4, (3, 2), stride=(2, 3), padding=1, output_padding=(1, 0)),
                                      nn.ConvTranspose2d(4, 6, 2, groups=2, dilation=2, bias=False)), (images,)
    yield "resized", module_of(lambda p, x: torch.cat([
        functional.interpolate(x, size=(5, 11), mode=mode, **more).flatten() for mode, more in (
            ("bilinear", {}), ("bilinear", {"align_corners": True}), ("nearest", {}))]
        + [functional.interpolate(x, scale_factor=2.0, mode=mode).flatten() for mode in ("nearest", "bilinear")]), ), (
            draw(1, 2, 4, 6),)
    yield "uneven_pools", module_of(lambda p, x: torch.cat([
        functional.adaptive_avg_pool2d(x, (3, 4)).flatten(), functional.adaptive_avg_pool2d(x, (4, 3)).flatten(),
        functional.avg_pool2d(x, 3, 2, 1, ceil_mode=True).flatten(),
        functional.avg_pool2d(x, 3, 2, 1, count_include_pad=False).flatten(),
        functional.max_pool2d(x, 3, 2, ceil_mode=True).flatten()]), ), (images,)
    yield "indices", module_of(lambda p, x, i, j: torch.cat([
        x[i, :, j].flatten(), x[:, i, j].flatten(), x[i][:, -1].flatten(), x[:, i - 5].flatten(),
        x.index_select(1, j).flatten(), x.gather(1, i.view(1, 4, 1)).flatten()]), ), (
        draw(4, 5, 4), torch.tensor([0, 3, 1, 2]), torch.tensor([2, 0, 1, 3]))
    yield "updates", module_of(lambda p, x, i, v: torch.cat([
        x.index_put((i,), v), x.index_add(0, i, v), x.scatter(1, i.view(1, -1), 7.0), x.scatter_add(0, i.view(-1, 1), v),
        x.index_put((i, i), v[:, 0], accumulate=True), torch.where(x > 0, x, 2.0).masked_fill(x > 1, -3.0)]), ), (
        draw(5, 5), torch.tensor([0, 3, 1]), draw(3, 5))
    yield "orders", module_of(lambda p, x: torch.cat([
        x.sort(1, descending=True)[0], x.argsort(0).float(), x.topk(4, 1)[0].repeat(1, 2)[:, :6],
        x.cumsum(1), x.cumprod(0), x.argmax(1, keepdim=True) + x.max(0)[0] + x.min(0)[1] + x.amin() + x.argmin()]), ), (
        draw(4, 6),)
    yield "moves", module_of(lambda p, x: torch.cat([
        x.flip(0), x.roll(2, 1), x.roll((1, -1), (0, 1)), x.tril(), x.triu(1), functional.pad(x, (1, -1), value=3.0),
        torch.stack([x, 2 * x], 1)[:, 1], x.repeat(2, 1)[2:6], functional.pad(x, (0, 0, 1, 0), mode="constant")[:4],
        torch.linspace(0, 1, 6).expand(4, 6)]), ), (draw(4, 6),)
    yield "grouped_attention", module_of(lambda p, q, k, v, mask: functional.scaled_dot_product_attention(
        q, k, v, attn_mask=mask, enable_gqa=True, scale=0.3)), (
        draw(2, 4, 5, 4), draw(2, 2, 6, 4), draw(2, 2, 6, 4), draw(5, 6))
    yield "repeated_factor", module_of(lambda p, x, w: x.transpose(0, 1) @ w + torch.matmul(w.T, x.mT).mT.mT.sum()), (
        draw(3, 4, 6), draw(6, 6))
    yield "recurrent", module_of(lambda p, x: p[0](x)[0] + p[1](x)[0], nn.LSTM(3, 4, 2), nn.GRU(3, 2, bidirectional=True)), (
        draw(5, 2, 3),)
    yield "norms", module_of(lambda p, x: functional.rms_norm(x, (6,)) + x.norm(dim=1, keepdim=True) + x.norm(1)
                             + torch.logsumexp(x, 1, keepdim=True) + x.std() + torch.var_mean(x, 0)[1]
                             + (x > 0).all(1, keepdim=True) + (x > 0).any(0)), (draw(4, 6),)


def values_of(module, arguments):
    """The values of the parameters of a module's text: its own, then its arguments."""
    return [value for _, value in named_values_of(podsim.torch.export(module, arguments), arguments)]


def named_values_of(exported, arguments):
    """The same with the names of trained parameters, None for other values. Tied parameters are one."""
    inputs, known = iter(arguments), {**exported.constants, **exported.state_dict}
    found = {}
    for spec in exported.graph_signature.input_specs:
        if spec.kind.name == "TOKEN":
            continue
        value = next(inputs) if spec.kind.name == "USER_INPUT" else known[spec.target]
        name = spec.target if spec.kind.name == "PARAMETER" and value.requires_grad else None
        found.setdefault(spec.arg.name if spec.kind.name == "USER_INPUT" else id(value), (name, value))
    return list(found.values())


def main():
    for name, module, arguments in programs():
        lines = [f"// argument: {literal(value.tolist())}" for value in values_of(module, arguments)]
        lines.append(f"// result: {literal(module(*arguments).tolist())}")
        (here / f"{name}.hlo").write_text(podsim.torch.text(module, arguments) + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
