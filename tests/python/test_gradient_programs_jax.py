# SPDX-License-Identifier: Apache-2.0
"""Gradients of whole training losses against jax.grad, in single precision; skipped where there is no JAX."""

import importlib
import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "python")]
try:
    # Compiling takes longer than running.
    os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")
    import jax
    import numpy as np

    import podsim.jax

    MISSING = "" if os.environ.get("PODSIM") else "$PODSIM does not name the program"
except ImportError as error:
    MISSING = f"JAX cannot be imported: {error}"


def evaluated(name, loss, parameters, data):
    """The text of a loss as podsim reads it, and its value and gradients by JAX."""
    jitted = jax.jit(loss, keep_unused=True)
    value, wanted = jax.jit(jax.value_and_grad(loss))(parameters, *data)
    leaves = jax.tree.leaves(parameters)
    arguments = [np.asarray(leaf) for leaf in leaves + jax.tree.leaves(data)]
    text = podsim.jax.lowered_text(jitted, (parameters, *data))
    return name, text, arguments, range(len(leaves)), value, jax.tree.leaves(wanted)


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

    def test_those_of_images_are_those_of_jax(self):
        self.check("jax_vision")

    def test_those_of_sequences_are_those_of_jax(self):
        self.check("jax_sequence")

    def test_those_of_science_are_those_of_jax(self):
        self.check("jax_science")

    def test_those_of_rules_and_factors_are_those_of_jax(self):
        self.check("jax_rules")

    def test_those_of_libraries_are_those_of_jax(self):
        self.check("jax_libraries")


if __name__ == "__main__":
    unittest.main()
