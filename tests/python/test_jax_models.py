# SPDX-License-Identifier: Apache-2.0
"""The training steps of python/examples in plain JAX against the built-in workloads of the same shapes; skipped where
there is no JAX."""

import csv
import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "python" / "examples")]
import podsim  # noqa: E402

try:
    import jax  # noqa: F401
    MISSING = "" if os.environ.get("PODSIM") else "$PODSIM does not name the program"
except ImportError as error:
    MISSING = f"JAX cannot be imported: {error}"


def payloads(data, least=1 << 20):
    """Bytes and numbers of the collectives with large payloads, by kind."""
    totals = {}
    for collective in data["collectives"]:
        if collective["bytes"] >= least:
            key = (collective["kind"], collective["dtype"], collective["group_size"])
            totals[key] = totals.get(key, 0) + collective["bytes"] * collective["count"]
    return totals


@unittest.skipIf(MISSING, MISSING)
class JaxModels(unittest.TestCase):
    def assert_close(self, measured, expected, share):
        self.assertAlmostEqual(measured / expected, 1, delta=share)

    def test_a_resnet_takes_as_long_as_the_built_in(self):
        import jax_resnet
        built_in = podsim.run("resnet50", slice="1x1", optimizer="sgd_momentum")
        step = jax_resnet.simulate(slice="1x1")
        self.assert_close(step.data["flops_per_core_step"], built_in["flops_per_core_step"], 0.03)
        self.assert_close(step.step_time_s, built_in["step_time_s"], 0.03)
        self.assert_close(step.memory["peak_bytes_per_core"], built_in["memory"]["peak_bytes_per_core"], 0.03)

    def test_a_decoder_cut_along_two_axes_takes_as_long_as_the_built_in(self):
        import jax_decoder
        sizes = {"model.accumulate": 1, "model.batch": 8, "model.layers": 2}
        built_in = podsim.run("gpt_6b", rematerialise="layer", set=sizes)
        step = jax_decoder.simulate(layers=2)
        self.assert_close(step.data["flops_per_core_step"], built_in["flops_per_core_step"], 0.03)
        self.assert_close(step.step_time_s, built_in["step_time_s"], 0.03)
        gradients = ("all-reduce", "bf16", 4)
        self.assertEqual(payloads(step.data)[gradients], payloads(built_in)[gradients])

    def test_a_mixture_of_experts_has_the_collectives_of_the_built_in(self):
        import jax_mixture
        sizes = {"model.experts": 32, "model.layers": 4, "model.batch": 64}
        built_in = podsim.run("moe_decoder", slice="4x4", mesh="x=32", optimizer="adam", set=sizes)
        step = jax_mixture.simulate()
        self.assertEqual(payloads(step.data), payloads(built_in))
        self.assert_close(step.data["flops_per_core_step"], built_in["flops_per_core_step"], 0.03)
        self.assert_close(step.step_time_s, built_in["step_time_s"], 0.03)

    def test_a_token_of_gptj_takes_as_long_as_on_silicon(self):
        import jax_gptj_decode
        points = ROOT.parent / "shared" / "measurements" / "v3_points.csv"
        if not points.exists():
            self.skipTest(f"there is no {points}")
        with open(points, newline="", encoding="utf-8") as file:
            row = next(row for row in csv.DictReader(file) if "300 new tokens" in row["configuration"])
        self.assertEqual(row["unit"], "s")
        self.assert_close(jax_gptj_decode.simulate().step_time_s, float(row["value"]) / 300, 0.12)


if __name__ == "__main__":
    unittest.main()
