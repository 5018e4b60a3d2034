# SPDX-License-Identifier: Apache-2.0
"""podsim.jax with the JAX that is installed; skipped where there is none."""

import csv
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
    import jax
    import jax.numpy as jnp
    from jax.sharding import PartitionSpec as P

    import podsim.jax
    MISSING = "" if os.environ.get("PODSIM") else "$PODSIM does not name the program"
except ImportError as error:
    MISSING = f"JAX cannot be imported: {error}"


def shapes(*sizes, dtype="bfloat16"):
    return tuple(jax.ShapeDtypeStruct(size, dtype) for size in sizes)


@unittest.skipIf(MISSING, MISSING)
class Simulate(unittest.TestCase):
    @staticmethod
    def mlp(w1, w2, x):
        return jnp.tanh(x @ w1) @ w2

    def test_a_function_has_the_flops_of_its_products(self):
        result = podsim.jax.simulate(self.mlp, shapes((256, 512), (512, 256), (128, 256)))
        products = 2 * 2 * 128 * 256 * 512
        tanhs = 128 * 512  # which cost analysis counts apart, as transcendentals
        self.assertLessEqual(abs(result.data["flops_per_core_step"] - products), tanhs)
        self.assertGreater(result.step_time_s, 0)
        self.assertAlmostEqual(sum(result.breakdown_s.values()), result.step_time_s, delta=1e-9)
        self.assertTrue(all("mlp" in op["TF op"] for op in result.ops))
        self.assertIn("<html", result.report)
        self.assertIn("iframe", result._repr_html_())
        self.assertEqual(result.memory["argument_bytes_per_core"], 2 * (2 * 256 * 512 + 128 * 256))

    def test_a_mesh_cuts_what_the_specs_say(self):
        args = shapes((256, 512), (512, 256), (128, 256))
        whole = podsim.jax.simulate(self.mlp, args)
        specs = (P(None, "model"), P("model", None), P("data", None))
        for mesh in ({"data": 2, "model": 4}, "data=2,model=4"):
            cut = podsim.jax.simulate(self.mlp, args, mesh=mesh, in_shardings=specs)
            self.assertEqual(cut.data["cores"], 8)
            share = cut.data["flops_per_core_step"] / whole.data["flops_per_core_step"]
            self.assertAlmostEqual(8 * share, 1, delta=0.01)
            self.assertEqual({c["kind"] for c in cut.collectives}, {"all-reduce"})
            self.assertEqual({c["group_size"] for c in cut.collectives}, {4})

    def test_jitted_functions_and_arrays_of_the_host(self):
        args = tuple(jnp.zeros(s.shape, s.dtype) for s in shapes((64, 64), (64, 64), (8, 64)))
        jitted = podsim.jax.simulate(jax.jit(self.mlp), args)
        self.assertEqual(jitted.data["step_time_s"], podsim.jax.simulate(self.mlp, args).data["step_time_s"])
        with self.assertRaises(ValueError):
            podsim.jax.simulate(jax.jit(self.mlp), args, donate_argnums=0)
        with self.assertRaises(ValueError):
            podsim.jax.simulate(self.mlp, args, in_shardings=(P(), P(), P("x")))

    def test_a_forward_program_is_trained(self):
        def loss(w1, w2, x):
            return (self.mlp(w1, w2, x)**2).mean()

        args = shapes((256, 512), (512, 256), (128, 256), dtype="float32")
        forward = podsim.jax.simulate(loss, args)
        step = podsim.jax.simulate(loss, args, train="adam", parameters="w*")
        products = 2 * 2 * 128 * 256 * 512
        more = step.data["flops_per_core_step"] - forward.data["flops_per_core_step"]
        self.assertGreater(more, 1.5 * products)  # three of the four products with gradients are new: x has none
        self.assertLess(more, 1.5 * products + 40 * 2 * 256 * 512)
        state = step.memory["argument_bytes_per_core"] - forward.memory["argument_bytes_per_core"]
        self.assertAlmostEqual(state, 2 * 2 * 4 * 256 * 512, delta=2 * 4096)  # two moments of each, and two scalars

    def test_an_error_names_the_line_of_the_source(self):
        def loss(w, x):
            return jax.lax.bitcast_convert_type(x @ w, jnp.bfloat16).sum()

        with self.assertRaises(podsim.PodsimError) as caught:
            podsim.jax.simulate(loss, shapes((8, 8), (8, 8)), train="adam", parameters="w")
        line = loss.__code__.co_firstlineno + 1
        self.assertIn(f"written at {os.path.abspath(__file__)}:{line}", str(caught.exception))


@unittest.skipIf(MISSING, MISSING)
class Profiles(unittest.TestCase):
    def test_a_trace_of_the_profiler_has_the_ops_that_ran(self):
        product = jax.jit(lambda w, x: x @ w)
        w, x = jnp.ones((256, 128)), jnp.ones((64, 256))
        product(w, x).block_until_ready()
        with tempfile.TemporaryDirectory() as folder:
            with jax.profiler.trace(folder):
                for _ in range(3):
                    product(w, x).block_until_ready()
            traces = list(pathlib.Path(folder).glob("plugins/profile/*/*.xplane.pb"))
            self.assertEqual(len(traces), 1)
            rows = pathlib.Path(folder, "ops.csv")
            subprocess.run([os.environ["PODSIM"], "ops", traces[0], "--csv", rows], check=True,
                           stdout=subprocess.DEVNULL)
            with open(rows, newline="") as table:
                ops = list(csv.DictReader(table))
        products = [op for op in ops if op["hlo_op"].split(" = ")[-1].startswith("f32[64,128]")]
        self.assertTrue(products, ops)
        self.assertEqual({op["occurrences"] for op in products}, {"3"})
        self.assertTrue(all("f32[64,256]" in op["hlo_op"] for op in products), products)


if __name__ == "__main__":
    unittest.main()
