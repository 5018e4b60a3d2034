# SPDX-License-Identifier: Apache-2.0
"""Sharded programs of JAX on eight devices: as lowered, as podsim partitions them, and as XLA has partitioned and
compiled them. Each is evaluated and compared with what JAX computes; skipped where there is no JAX of eight devices."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
try:
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax import lax
    from jax.sharding import Mesh, NamedSharding
    from jax.sharding import PartitionSpec as P

    MISSING = "" if os.environ.get("PODSIM") else "$PODSIM does not name the program"
    if not MISSING and len(jax.devices()) != 8:
        MISSING = "JAX has another number of devices than eight"
except ImportError as error:
    MISSING = f"JAX cannot be imported: {error}"


def flat(value):
    """An array of results as a list; complex numbers as their parts."""
    if isinstance(value, list):
        return [x for part in value for x in flat(part)]
    return [float(value)]


def podsim(*arguments):
    command = [os.environ["PODSIM"], "hlo", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


@unittest.skipIf(MISSING, MISSING)
class Sharded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))
        cls.random = np.random.default_rng(5)

    def array(self, *sizes):
        return self.random.standard_normal(sizes).astype(np.float32)

    def mapped(self, function, inputs, outputs, axes=("x", "y")):
        return jax.shard_map(function, mesh=self.mesh, in_specs=inputs, out_specs=outputs, axis_names=set(axes),
                             check_vma=False)

    def expect(self, evaluated, device, wanted):
        """Compares the results of a device; one of another size is kept in another sharding than JAX chose."""
        result = evaluated[min(device, len(evaluated) - 1)]
        for part, value in zip(result.get("elements", [result]), wanted):
            value = np.asarray(value)
            if value.dtype.kind == "c":
                value = np.stack([value.real, value.imag], -1)
            numbers = flat(part["value"])
            if len(numbers) == value.size:
                np.testing.assert_allclose(numbers, value.reshape(-1).astype(np.float64), rtol=2e-4, atol=2e-5)

    def evaluate(self, text, arguments):
        """Evaluates a program of one partition with the shards that JAX gives to each device."""
        entry = text.read_text()
        entry = entry[entry.index("ENTRY"):]
        names = {int(number): name for name, number in re.findall(r"%?([\w.\-]+) = \S+ parameter\((\d+)\)", entry)}
        files = []
        for number, name in names.items():
            for shard in arguments[number].addressable_shards:
                file = text.parent / f"{number}_{shard.device.id}.npy"
                np.save(file, shard.data)
                files.append(f"{name}@{shard.device.id}={file}")
        return json.loads(podsim("eval", text, "--json", "--args", *files))["results"]

    def check(self, function, *arguments, specs):
        given = [jax.device_put(a, NamedSharding(self.mesh, s)) for a, s in zip(arguments, specs)]
        jitted = jax.jit(function)
        results = jax.tree.leaves(jitted(*given))
        shards = [{s.device.id: s.data for s in result.addressable_shards} for result in results]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            lowered = jitted.lower(*given)
            (folder / "tpu.mlir").write_text(jitted.trace(*given).lower(lowering_platforms=("tpu",)).as_text())
            (folder / "shardy.hlo").write_text(lowered.compiler_ir("hlo").as_hlo_text())
            (folder / "compiled.hlo").write_text(lowered.compile().as_text())
            files = [folder / f"whole{i}.npy" for i in range(len(arguments))]
            for file, argument in zip(files, arguments):
                np.save(file, argument)
            for text in ("tpu.mlir", "shardy.hlo"):
                with self.subTest(text):
                    whole = json.loads(podsim("eval", folder / text, "--json", "--args", *files))["results"]
                    self.expect(whole, 0, results)
                    podsim("partition", folder / text, "-o", folder / "local.hlo")
                    local = self.evaluate(folder / "local.hlo", given)
                    for device in range(8):
                        self.expect(local, device, [shard[device] for shard in shards])
            with self.subTest("compiled.hlo"):
                compiled = self.evaluate(folder / "compiled.hlo", given)
                for device in range(8):
                    self.expect(compiled, device, [shard[device] for shard in shards])

    def test_layers_that_the_partitioner_divides(self):
        self.check(lambda x, v, w: jax.nn.gelu(x @ v) @ w, self.array(16, 8), self.array(8, 32), self.array(32, 4),
                   specs=(P("x"), P(None, "y"), P("y")))
        self.check(lambda w, x: lax.scan(lambda c, v: (jnp.tanh(c @ v), c.sum()), x, w), self.array(4, 8, 8),
                   self.array(8, 8), specs=(P(None, "x"), P("x")))

        def attention(q, k, v):
            scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 2
            scores = jnp.where(jnp.tril(jnp.ones((8, 8), bool)), scores, -1e9)
            return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)

        self.check(attention, *(self.array(4, 8, 4, 4) for _ in range(3)), specs=(P("x", None, "y"),) * 3)
        self.check(jax.grad(lambda w, x: jnp.mean((jnp.tanh(x @ w) - 1)**2)), self.array(8, 16), self.array(16, 8),
                   specs=(P(None, "y"), P("x")))

    def test_indices_sorts_and_random_numbers(self):
        rows = self.random.integers(0, 32, 16).astype(np.int32)
        self.check(lambda t, i: t[i], self.array(32, 8), rows, specs=(P("y"), P("x")))
        self.check(lambda t, i, u: t.at[i].add(u), self.array(32, 8), rows, self.array(16, 8),
                   specs=(P("x"), P("y"), P("y")))
        self.check(lambda x: (jnp.sort(x, 0), lax.top_k(x, 3)[0]), self.array(8, 16), specs=(P("x", "y"),))
        whole = NamedSharding(self.mesh, P("x", "y"))

        def normal(key):
            return lax.with_sharding_constraint(jax.random.normal(jax.random.wrap_key_data(key), (16, 8)), whole)

        self.check(normal, np.array([1, 2], np.uint32), specs=(P(),))

    def test_complex_numbers(self):
        x, y = ((self.array(8, 8) + 1j * self.array(8, 8)).astype(np.complex64) for _ in range(2))
        self.check(lambda a, b: ((a @ b).conj() * jnp.exp(1j * a.real), a.sum(0), a.prod(1)), x, y,
                   specs=(P("x", "y"), P("y")))
        self.check(lambda a: jnp.fft.irfft2(jnp.fft.rfft2(a) * 2), self.array(8, 4, 8), specs=(P("x"),))

    def test_rows_of_groups(self):
        self.check(lax.ragged_dot, self.array(16, 8), self.array(4, 8, 4), np.array([3, 5, 0, 8], np.int32),
                   specs=(P("x"), P(None, None, "y"), P()))

    def test_functions_that_are_mapped_over_both_axes(self):
        x = self.array(16, 16)
        for function, result in ((lambda a: lax.psum(a, ("x", "y")), P()),
                                 (lambda a: lax.all_gather(a, "y", axis=1, tiled=True), P("x")),
                                 (lambda a: lax.psum_scatter(a, "x", tiled=True), P(("x",), "y")),
                                 (lambda a: lax.all_to_all(a, "y", 0, 1, tiled=True), P(("x", "y"))),
                                 (lambda a: a * lax.axis_index("x") + lax.axis_index("y"), P("x", "y")),
                                 (lambda a: lax.ppermute(a, "y", [(i, (i + 1) % 4) for i in range(4)]), P("x", "y"))):
            self.check(self.mapped(function, P("x", "y"), result), x, specs=(P("x", "y"),))

    def test_functions_that_are_mapped_over_one_axis(self):
        def pipeline(x, w):
            def step(_, state):
                return lax.ppermute(jnp.tanh(state @ w[0]), "x", [(0, 1), (1, 0)])
            return lax.fori_loop(0, 3, step, x)

        self.check(self.mapped(lambda a, b: lax.psum(a @ b, "x"), (P(None, "x"), P("x")), P(), axes="x"),
                   self.array(16, 8), self.array(8, 8), specs=(P(None, "x"), P("x", "y")))
        self.check(self.mapped(pipeline, (P("x"), P("x")), P("x"), axes="x"), self.array(8, 8), self.array(2, 8, 8),
                   specs=(P("x"), P("x", None, "y")))
        self.check(self.mapped(lambda a: a + lax.axis_index("y").astype(jnp.float32), P(None, "y"), P(None, "y"), "y"),
                   self.array(16, 16), specs=(P("x", "y"),))


if __name__ == "__main__":
    unittest.main()
