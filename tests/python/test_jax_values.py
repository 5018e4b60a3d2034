# SPDX-License-Identifier: Apache-2.0
"""podsim hlo eval against what JAX computes on its host, bit by bit; skipped where there is no JAX."""

import json
import math
import os
import pathlib
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
class Values(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        jax.config.update("jax_enable_x64", True)

    @classmethod
    def tearDownClass(cls):
        jax.config.update("jax_enable_x64", False)

    def evaluate(self, function, *arguments):
        """The results as flat lists. Arguments are constants of the program, so that every type can be written."""
        with tempfile.TemporaryDirectory() as name:
            program = pathlib.Path(name) / "program.mlir"
            program.write_text(jax.jit(lambda: function(*arguments)).lower().as_text())
            done = subprocess.run([os.environ["PODSIM"], "hlo", "eval", str(program), "--json"], capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)["results"][0]
            parts = result["elements"] if "elements" in result else [result]
            return [self.flat(part["value"]) for part in parts]

    def flat(self, value):
        if isinstance(value, list):
            return [x for part in value for x in self.flat(part)]
        return [float(value) if isinstance(value, str) else value]

    def check(self, function, *arguments):
        wanted = jax.tree.leaves(jax.jit(function)(*arguments))
        for actual, expected in zip(self.evaluate(function, *arguments), wanted):
            expected = np.asarray(expected).reshape(-1)
            if expected.dtype.kind not in "iub":
                expected = expected.astype(np.float64)
            expected = expected.tolist()
            self.assertEqual(len(actual), len(expected))
            for i, (a, w) in enumerate(zip(actual, expected)):
                same = (math.isnan(a) and math.isnan(w)) if isinstance(w, float) and math.isnan(w) else \
                    (a == w and math.copysign(1, a) == math.copysign(1, w))
                self.assertTrue(same, f"{i}: {a} in place of {w}")

    def test_random_bits_are_those_of_xla(self):
        philox, three_fry, default = (lax.RandomAlgorithm.RNG_PHILOX, lax.RandomAlgorithm.RNG_THREE_FRY,
                                      lax.RandomAlgorithm.RNG_DEFAULT)
        keys = (np.array([0, 0, 0, 0], np.uint32), np.array([1, 2, 3, 4], np.uint32),
                np.array([5, 2**32 - 1, 2**32 - 2, 2**32 - 1], np.uint32), np.array([7, 9], np.uint64),
                np.array([2**64 - 1, 2**64 - 3], np.uint64))
        for algorithm in (philox, three_fry, default):
            for dtype in ("uint8", "uint16", "uint32", "uint64"):
                for shape in ((), (1,), (6,), (3, 5), (4, 3), (3, 2, 7)):
                    key = keys[(len(shape) + len(dtype)) % len(keys)]
                    with self.subTest(algorithm=algorithm, dtype=dtype, shape=shape, key=key):
                        self.check(lambda k, s=shape, d=dtype, a=algorithm: lax.rng_bit_generator(k, s, d, a), key)
            for key in keys:
                with self.subTest(algorithm=algorithm, key=key):
                    self.check(lambda k, a=algorithm: lax.rng_bit_generator(k, (17,), "uint32", a), key)

    @staticmethod
    def numbers_near_everything(dtype):
        """Powers of two with mantissas near the halves that rounding looks at, both signs, and what is no number."""
        info = jnp.finfo(dtype)
        values = [0.0, math.inf, math.nan, float(info.max), float(info.smallest_normal)]
        for exponent in sorted({*range(-20, 21), int(info.minexp), int(info.maxexp) - 1}):
            for mantissa in (1, 1.25, 1.5, 1.5 + 2.0**-20, 1.5 - 2.0**-20, 1.75, 1.875, 2 - 2.0**-11, 1 + 2.0**-11):
                if int(info.minexp) <= exponent < int(info.maxexp):
                    values.append(math.ldexp(mantissa, exponent))
        return np.array(values + [-x for x in values]).astype(dtype)

    def test_precision_is_reduced_as_by_xla(self):
        for dtype in ("float64", "float32", "float16", "bfloat16"):
            values = self.numbers_near_everything(jnp.dtype(dtype))
            # Without mantissa bits XLA makes NaN an infinity only where it evaluates while it compiles, as podsim does.
            for exponent, mantissa in ((5, 0), (8, 0), (11, 0), (1, 0), (1, 2), (2, 3), (5, 10), (8, 7), (4, 3), (8, 23),
                                       (11, 52), (3, 30), (15, 60)):
                with self.subTest(dtype=dtype, exponent=exponent, mantissa=mantissa):
                    self.check(lambda x, e=exponent, m=mantissa: lax.reduce_precision(x, e, m).astype("float64"),
                               values[~np.isnan(values)] if mantissa == 0 else values)

    def test_zeros_of_maximum_and_minimum_have_their_sign(self):
        values = np.array([0.0, -0.0, 1, -1, math.inf, -math.inf])
        for dtype in ("float64", "float32", "bfloat16"):
            a, b = (x.reshape(-1).astype(jnp.dtype(dtype)) for x in np.meshgrid(values, values))
            # XLA's host does not order zeros in every path; the pairs are those of IEEE 754-2019's maximum.
            for function, better in ((lax.max, max), (lax.min, min)):
                wanted = [better((x, y), key=lambda v: (v, math.copysign(1, v)))
                          for x, y in zip(a.astype(float).tolist(), b.astype(float).tolist())]
                actual = self.evaluate(function, a, b)[0]
                self.assertEqual([math.copysign(1, x) for x in actual], [math.copysign(1, x) for x in wanted])
                self.assertEqual(actual, wanted)

    def test_conversions_are_those_of_xla(self):
        floats = ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")
        integers = ("int4", "uint4", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool")
        reals = np.array([0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -1.5, 7.9, 8, -8.5, 15.5, 16, 127.5, 128, 255.9, 256, -129,
                          3e4, 7e4, -7e4, 2.0**31, -2.0**31 - 4096, 2.0**32, 2.0**63, -2.0**63, 2.0**64, 1e30, -1e30,
                          math.inf, -math.inf, math.nan])
        for source in floats:
            for target in (*floats, *integers):
                with self.subTest(source=source, target=target):
                    self.check(lambda x, t=target: self.shown(lax.convert_element_type(x, t)),
                               jnp.asarray(reals).astype(source))
        for source in integers:
            wholes = np.array([0, 1, -1, 3, 7, -8, 127, -128, 255, 2**15, 2**31 - 1, -2**31, 2**53 + 1, 2**62 + 1])
            for target in (*floats, *integers):
                with self.subTest(source=source, target=target):
                    self.check(lambda x, t=target: self.shown(lax.convert_element_type(x, t)),
                               jnp.asarray(wholes).astype(source))

    @staticmethod
    def shown(x):
        """In a type that holds the values and that numpy has."""
        if x.dtype in (jnp.int64, jnp.uint64):
            return x
        return x.astype("float64" if jnp.issubdtype(x.dtype, jnp.floating) else "int32" if x.dtype != "uint32" else
                        "uint32")

    def test_of_a_complex_number_the_real_part_is_converted(self):
        z = np.array([1.5 + 2j, -3.75 - 1j, 0 + 1j, 300 + 0j])
        for source in ("complex64", "complex128"):
            for target in ("int8", "uint8", "int32", "int64", "uint64", "float16", "float32", "float64"):
                with self.subTest(source=source, target=target):
                    values = z.astype(source)
                    wanted = jnp.asarray(values.real).astype(target).astype("float64").tolist()
                    text = (f"HloModule m\n\nENTRY e {{\n  z = {'c64' if source == 'complex64' else 'c128'}[4] "
                            "constant({(1.5, 2), (-3.75, -1), (0, 1), (300, 0)})\n"
                            f"  ROOT r = {self.hlo_name(target)}[4] convert(z)\n}}\n")
                    self.assertEqual(self.evaluate_text(text), wanted)

    @staticmethod
    def hlo_name(dtype):
        return {"int": "s", "uint": "u", "float": "f"}[dtype.rstrip("0123456789")] + dtype.lstrip("aefilnotu")

    def evaluate_text(self, text):
        with tempfile.TemporaryDirectory() as name:
            program = pathlib.Path(name) / "program.hlo"
            program.write_text(text)
            done = subprocess.run([os.environ["PODSIM"], "hlo", "eval", str(program), "--json"], capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return self.flat(json.loads(done.stdout)["results"][0]["value"])


if __name__ == "__main__":
    unittest.main()
