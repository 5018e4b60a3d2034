# SPDX-License-Identifier: Apache-2.0
"""podsim.torch with the PyTorch that is installed: values of modules against PyTorch's; skipped where there is none."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python"))
import podsim  # noqa: E402

try:
    import torch
    from torch import nn
    from torch.nn import functional

    import podsim.torch
    MISSING = "" if os.environ.get("PODSIM") else "$PODSIM does not name the program"
except (ImportError, OSError) as error:
    MISSING = f"PyTorch cannot be imported: {error}"


def literal(value):
    return "{" + ", ".join(map(literal, value)) + "}" if isinstance(value, list) else str(value).lower()


def flat(value):
    return [number for part in value for number in flat(part)] if isinstance(value, list) else [value]


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


@unittest.skipIf(MISSING, MISSING)
class Values(unittest.TestCase):
    def evaluate(self, module, arguments):
        exported = torch.export.export(module, arguments).run_decompositions()
        inputs, values = iter(arguments), []
        for spec in exported.graph_signature.input_specs:
            if spec.kind.name == "USER_INPUT":
                values.append(next(inputs))
            else:
                values.append({**exported.state_dict, **exported.constants}[spec.target])
        with tempfile.TemporaryDirectory(prefix="podsim-torch-") as folder:
            program, data = pathlib.Path(folder) / "program.hlo", pathlib.Path(folder) / "values.txt"
            program.write_text(podsim.torch.text(module, arguments))
            data.write_text("\n".join(literal(value.tolist()) for value in values))
            done = subprocess.run([os.environ["PODSIM"], "hlo", "eval", str(program), "--json", "--args", str(data)],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        return flat(json.loads(done.stdout)["results"][0]["value"])

    def test_modules_have_the_values_of_pytorch(self):
        for name, module, arguments in programs():
            with self.subTest(name):
                actual, wanted = self.evaluate(module, arguments), flat(module(*arguments).tolist())
                self.assertEqual(len(actual), len(wanted))
                for a, w in zip(actual, wanted):
                    self.assertAlmostEqual(a, w, delta=1e-4 * max(1, abs(w)))

    def test_a_loss_is_trained_by_its_parameters(self):
        modules = {name: (module, arguments) for name, module, arguments in programs()}
        module, arguments = modules["language"]
        forward, step = (podsim.torch.simulate(module, arguments, **flags) for flags in ({}, {"train": "adam"}))
        self.assertGreater(step.data["flops_per_core_step"], forward.data["flops_per_core_step"])
        self.assertEqual({c["kind"] for c in step.collectives}, {"all-reduce"})

    def test_what_has_no_translation_is_named_with_its_line(self):
        class Odd(nn.Module):
            def forward(self, x):
                return torch.cumsum(x, 0)

        with self.assertRaises(podsim.build.BuildError) as caught:
            podsim.torch.text(Odd(), (torch.ones(3),))
        self.assertIn("aten.cumsum", str(caught.exception))
        self.assertIn("test_torch.py", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
