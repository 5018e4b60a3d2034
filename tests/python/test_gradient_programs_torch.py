# SPDX-License-Identifier: Apache-2.0
"""Gradients of whole training losses against PyTorch's autograd, in single precision; skipped where there is no
PyTorch."""

import importlib
import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "torch_programs"), str(HERE.parents[1] / "python")]
try:
    import generate
    import numpy as np
    import torch

    import podsim.torch
    from podsim.torch.writer import Writer

    MISSING = "" if os.environ.get("PODSIM") else "$PODSIM does not name the program"
except (ImportError, OSError) as error:
    MISSING = f"PyTorch cannot be imported: {error}"


def evaluated(name, module, arguments):
    """The text of a loss as podsim reads it, and its value and gradients by PyTorch."""
    exported = podsim.torch.export(module, arguments)
    inputs = generate.named_values_of(exported, arguments)
    values = [np.asarray(value.detach()) for _, value in inputs]
    text = Writer(exported, name).text()
    loss = module(*arguments)
    loss.backward()
    known = dict(module.named_parameters(remove_duplicate=False))
    trained = [i for i, (target, _) in enumerate(inputs) if target]
    wanted = [known[inputs[i][0]].grad for i in trained]
    wanted = [np.zeros(values[i].shape) if grad is None else np.asarray(grad) for i, grad in zip(trained, wanted)]
    return name, text, values, trained, loss.detach(), wanted


@unittest.skipIf(MISSING, MISSING)
class Programs(unittest.TestCase):
    def check(self, module):
        from gradient_programs.compared import all_differences

        programs = importlib.import_module(f"gradient_programs.{module}").programs()
        differences = all_differences(evaluated(*program) for program in programs)
        for name, difference in differences.items():
            with self.subTest(name):
                self.assertIsInstance(difference, float, difference)
                self.assertLess(difference, 1e-4)

    def test_those_of_networks_are_those_of_pytorch(self):
        self.check("torch_networks")

    def test_those_of_libraries_are_those_of_pytorch(self):
        self.check("torch_libraries")


if __name__ == "__main__":
    unittest.main()
