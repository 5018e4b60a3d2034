# SPDX-License-Identifier: Apache-2.0
"""podsim hlo grad against jax.grad, in double precision; skipped where there is no JAX."""

import json
import math
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

try:
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax import lax

    MISSING = "" if os.environ.get("PODSIM") else "$PODSIM does not name the program"
except ImportError as error:
    MISSING = f"JAX cannot be imported: {error}"


@unittest.skipIf(MISSING, MISSING)
class Gradients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        jax.config.update("jax_enable_x64", True)

    @classmethod
    def tearDownClass(cls):
        jax.config.update("jax_enable_x64", False)

    def gradients(self, loss, arguments):
        """The gradients that podsim makes of the text of a loss, evaluated."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "loss.mlir").write_text(jax.jit(loss).lower(*arguments).as_text())
            files = []
            for i, argument in enumerate(arguments):
                files.append(str(folder / f"x{i}.npy"))
                np.save(files[-1], np.asarray(argument))
            everything = f"0-{len(arguments) - 1}"
            words = [os.environ["PODSIM"], "hlo", "grad", str(folder / "loss.mlir"), "--parameters", everything]
            made = subprocess.run(words, capture_output=True, text=True, check=False)
            self.assertEqual(made.returncode, 0, made.stderr)
            (folder / "grad.hlo").write_text(made.stdout)
            words = [os.environ["PODSIM"], "hlo", "eval", str(folder / "grad.hlo"), "--json", "--args", *files]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            elements = json.loads(done.stdout.replace("-Infinity", "null"))["results"][0]["elements"]
            return [np.array(part["value"], dtype=np.float64) for part in elements[:-1]]

    def check(self, loss, *arguments, delta=1e-9):
        arguments = [jnp.asarray(argument, jnp.float64) for argument in arguments]
        wanted = jax.grad(loss, argnums=tuple(range(len(arguments))))(*arguments)
        for actual, expected in zip(self.gradients(loss, arguments), wanted):
            self.assertEqual(actual.shape, expected.shape)
            np.testing.assert_allclose(actual, np.asarray(expected), rtol=delta, atol=delta)

    @staticmethod
    def draw(draws, *sizes):
        return np.array([draws.uniform(-1, 1) for _ in range(math.prod(sizes))]).reshape(sizes)


class Convolutions(Gradients):
    @staticmethod
    def random_convolution(draws, kind):
        """Sizes of the operands and the arguments of lax.conv_general_dilated."""
        spatial = draws.choice((1, 2, 2, 3))
        groups = draws.choice((2, 3, 4))
        features, batches = (groups, 1) if kind != "batch" else (1, groups)
        depth = 1 if kind == "depthwise" else draws.choice((1, 2, 3))
        lhs = [draws.choice((1, 2)) * batches, depth * features]
        rhs = [depth, draws.choice((1, 2, 3)) * groups]
        names = "xyz"[:spatial]
        window = {"window_strides": [], "padding": [], "lhs_dilation": [], "rhs_dilation": []}
        for _ in range(spatial):
            size, taps = draws.randint(2, 6), draws.randint(1, 3)
            stride, base, dilation = draws.randint(1, 3), draws.randint(1, 3), draws.randint(1, 2)
            low, high = draws.randint(-1, 3), draws.randint(-1, 3)
            while (size - 1) * base + 1 + low + high < (taps - 1) * dilation + 1:
                high += 1
            lhs.append(size)
            rhs.append(taps)
            for key, value in zip(window, (stride, (low, high), base, dilation)):
                window[key].append(value)

        def permuted(sizes, letters):
            order = list(range(len(letters)))
            draws.shuffle(order)
            return tuple(sizes[i] for i in order), "".join(letters[i] for i in order)

        lhs, lhs_spec = permuted(lhs, "NC" + names)
        rhs, rhs_spec = permuted(rhs, "IO" + names)
        _, out_spec = permuted(lhs, "NC" + names)
        window.update(dimension_numbers=(lhs_spec, rhs_spec, out_spec), feature_group_count=features,
                      batch_group_count=batches)
        return lhs, rhs, window

    def check_random(self, kind):
        draws = random.Random(kind)
        for case in range(12):
            lhs, rhs, window = self.random_convolution(draws, kind)
            with self.subTest(case=case, lhs=lhs, rhs=rhs, window=window):
                self.check(lambda x, w, window=window: jnp.sum(jnp.sin(lax.conv_general_dilated(x, w, **window))),
                           self.draw(draws, *lhs), self.draw(draws, *rhs))

    def test_those_of_feature_groups_are_those_of_jax(self):
        self.check_random("feature")

    def test_those_of_depthwise_convolutions_are_those_of_jax(self):
        self.check_random("depthwise")

    def test_those_of_batch_groups_are_those_of_jax(self):
        self.check_random("batch")


if __name__ == "__main__":
    unittest.main()
