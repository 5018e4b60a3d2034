# SPDX-License-Identifier: Apache-2.0
"""podsim.torch: values of modules against PyTorch's. The texts of torch_programs/ are always evaluated; what is exported
here needs PyTorch, and is skipped where there is none."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE / "torch_programs"), str(HERE.parents[1] / "python")]
PROGRAM = os.environ.get("PODSIM")
import podsim  # noqa: E402

try:
    import generate
    import torch

    import podsim.torch
    MISSING = "" if PROGRAM else "$PODSIM does not name the program"
except (ImportError, OSError) as error:
    MISSING = f"PyTorch cannot be imported: {error}"


def flat(value):
    return [number for part in value for number in flat(part)] if isinstance(value, list) else [value]


class Values(unittest.TestCase):
    def assert_values(self, text, arguments, wanted):
        """`arguments` are literals."""
        with tempfile.TemporaryDirectory(prefix="podsim-torch-") as folder:
            program, data = pathlib.Path(folder) / "program.hlo", pathlib.Path(folder) / "values.txt"
            program.write_text(text)
            data.write_text("\n".join(arguments))
            done = subprocess.run([PROGRAM, "hlo", "eval", str(program), "--json", "--args", str(data)],
                                  capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        actual = flat(json.loads(done.stdout)["results"][0]["value"])
        self.assertEqual(len(actual), len(wanted))
        for a, w in zip(actual, wanted):
            self.assertAlmostEqual(a, w, delta=1e-4 * max(1, abs(w)))

    @unittest.skipUnless(PROGRAM, "$PODSIM does not name the program")
    def test_exported_texts_have_the_values_of_pytorch(self):
        files = sorted((HERE / "torch_programs").glob("*.hlo"))
        self.assertGreaterEqual(len(files), 10)
        for file in files:
            text = file.read_text()
            lines = [line.partition(": ")[2] for line in text.split("\n") if line.startswith("// argument: ")]
            result = text.rpartition("// result: ")[2].strip().replace("{", "[").replace("}", "]")
            with self.subTest(file.stem):
                self.assert_values(text, lines, flat(json.loads(result)))

    @unittest.skipIf(MISSING, MISSING)
    def test_modules_have_the_values_of_pytorch(self):
        for name, module, arguments in generate.programs():
            with self.subTest(name):
                values = [generate.literal(value.tolist()) for value in generate.values_of(module, arguments)]
                self.assert_values(podsim.torch.text(module, arguments), values, flat(module(*arguments).tolist()))

    @unittest.skipIf(MISSING, MISSING)
    def test_a_loss_is_trained_by_its_parameters(self):
        modules = {name: (module, arguments) for name, module, arguments in generate.programs()}
        module, arguments = modules["language"]
        forward, step = (podsim.torch.simulate(module, arguments, **flags) for flags in ({}, {"train": "adam"}))
        self.assertGreater(step.data["flops_per_core_step"], forward.data["flops_per_core_step"])
        self.assertEqual({c["kind"] for c in step.collectives}, {"all-reduce"})

    @unittest.skipIf(MISSING, MISSING)
    def test_the_gradient_of_a_function_with_its_own_backward_is_an_error(self):
        class Reversed(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 1.0

            @staticmethod
            def backward(ctx, g):
                return -g

        class Loss(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(8, 8)

            def forward(self, x):
                return Reversed.apply(self.layer(x)).pow(2).mean()

        podsim.torch.simulate(Loss(), (torch.ones(4, 8),))
        with self.assertRaises(podsim.PodsimError) as caught:
            podsim.torch.simulate(Loss(), (torch.ones(4, 8),), train="adam")
        self.assertIn("a rule of its own", str(caught.exception))

    @unittest.skipIf(MISSING, MISSING)
    def test_what_has_no_translation_is_named_with_its_line(self):
        class Odd(torch.nn.Module):
            def forward(self, x):
                return torch.cummax(x, 0)[0]

        with self.assertRaises(podsim.build.BuildError) as caught:
            podsim.torch.text(Odd(), (torch.ones(3),))
        self.assertIn("aten.cummax", str(caught.exception))
        self.assertIn("test_torch.py", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
