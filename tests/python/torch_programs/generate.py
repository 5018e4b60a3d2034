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


def values_of(module, arguments):
    """The values of the parameters of a module's text: its own, then its arguments."""
    exported = torch.export.export(module, arguments).run_decompositions()
    inputs = iter(arguments)
    known = {**exported.state_dict, **exported.constants}
    return [next(inputs) if spec.kind.name == "USER_INPUT" else known[spec.target]
            for spec in exported.graph_signature.input_specs]


def main():
    for name, module, arguments in programs():
        lines = [f"// argument: {literal(value.tolist())}" for value in values_of(module, arguments)]
        lines.append(f"// result: {literal(module(*arguments).tolist())}")
        (here / f"{name}.hlo").write_text(podsim.torch.text(module, arguments) + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
