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

    PLATFORM = None  # for which JAX lowers, its own by default

    def text_of(self, loss, arguments):
        traced = jax.jit(loss).trace(*arguments)
        return (traced.lower(lowering_platforms=(self.PLATFORM,)) if self.PLATFORM else traced.lower()).as_text()

    def gradients(self, loss, arguments):
        """The gradients that podsim makes of the text of a loss, evaluated."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "loss.mlir").write_text(self.text_of(loss, arguments))
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


class Networks(Gradients):
    @staticmethod
    def convolved(x, w, stride=1, groups=1):
        return lax.conv_general_dilated(x, w, (stride, stride), "SAME", feature_group_count=groups,
                                        dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def test_those_of_an_inverted_bottleneck_are_those_of_jax(self):
        def loss(expand, depthwise, squeeze, excite, project, x):
            y = jax.nn.relu6(self.convolved(x, expand))
            y = jax.nn.silu(self.convolved(y, depthwise, 2, 12))
            y = y * jax.nn.sigmoid(jax.nn.relu(y.mean((1, 2)) @ squeeze) @ excite)[:, None, None]
            return jnp.mean(self.convolved(y, project)**2)

        draws = random.Random(3)
        self.check(loss, *(3 * self.draw(draws, *sizes) for sizes in (
            (1, 1, 4, 12), (3, 3, 1, 12), (12, 3), (3, 12), (1, 1, 12, 5), (2, 6, 7, 4))), delta=1e-8)

    def test_those_of_a_convolutional_block_with_groups_are_those_of_jax(self):
        def loss(depthwise, scale, wide, narrow, grouped, x):
            y = self.convolved(x, depthwise, 1, 6)
            y = (y - y.mean(-1, keepdims=True)) * lax.rsqrt(y.var(-1, keepdims=True) + 1e-6) * scale
            x = x + jax.nn.gelu(y @ wide) @ narrow
            return jnp.sum(jax.nn.softmax(self.convolved(x, grouped, 2, 3))**2)

        draws = random.Random(4)
        self.check(loss, *(self.draw(draws, *sizes) for sizes in (
            (5, 5, 1, 6), (6,), (6, 9), (9, 6), (3, 3, 2, 9), (2, 5, 4, 6))), delta=1e-8)


class Complex(Gradients):
    """Losses of real arrays through complex numbers."""

    def test_those_of_elementwise_functions_are_those_of_jax(self):
        for name, function in {
                "multiply": lambda z: z * (z + 2j), "divide": lambda z: (z + 1) / (2 * z - 3j), "conj": jnp.conj,
                "abs": jnp.abs, "abs2": lambda z: jnp.abs(z)**2, "real": jnp.real, "imag": jnp.imag, "exp": jnp.exp,
                "log": jnp.log, "log1p": jnp.log1p, "expm1": jnp.expm1, "sqrt": jnp.sqrt, "rsqrt": lax.rsqrt,
                "sin": jnp.sin, "cos": jnp.cos, "tanh": jnp.tanh, "tan": jnp.tan, "logistic": lax.logistic,
                "power": lambda z: z**(1.5 + 0.5j), "base": lambda z: (1.5 + 1j)**z, "negate": lambda z: -z,
                "select": lambda z: jnp.where(z.real > 0.6, z, 2j * z), "angle": jnp.angle,
                "narrow": lambda z: z.astype("complex64").astype("complex128") * 2,
                "widened": lambda z: z.real.astype("complex128") * z,
        }.items():
            with self.subTest(name):
                self.check(*self.loss_of(function, positive=True), delta=1e-6 if name == "narrow" else 1e-9)

    def loss_of(self, function, sizes=(5,), seed=1, positive=False):
        """A loss of the real and imaginary parts of a function of complex numbers, and the parts."""
        draws = random.Random(seed)
        x, y = self.draw(draws, *sizes), self.draw(draws, *sizes)
        if positive:
            x, y = 0.6 + 0.3 * x, 0.3 * y
        weights = self.draw(draws, *jax.eval_shape(function, jnp.asarray(x + 1j * y)).shape)

        def loss(x, y):
            z = function(lax.complex(x, y))
            return jnp.sum(weights * jnp.sin(jnp.real(z))) + jnp.sum(jnp.imag(z)**2)

        return loss, x, y

    def test_those_of_functions_of_arrays_are_those_of_jax(self):
        m = np.arange(12).reshape(4, 3) * (0.1 + 0.2j) - 0.3
        places = np.array([2, 0, 2])
        dimensions = ("NCH", "OIH", "NCH")
        for name, function in {
                "dot": lambda z: z @ m, "both": lambda z: z @ z.T, "transpose": lambda z: z.T * m[:, :2],
                "sum": lambda z: z.sum(1), "mean": jnp.mean, "reverse": lambda z: z[::-1] * z,
                "slice": lambda z: z[:, 1:3], "pad": lambda z: jnp.pad(z, ((0, 1), (2, 0))) * 1j,
                "concatenate": lambda z: jnp.concatenate([z, 2j * z]), "take": lambda z: z[:, places] * (1 + 1j),
                "broadcast": lambda z: z[:, None, :] * m.T, "reshape": lambda z: z.reshape(8)**2,
                "convolution": lambda z: lax.conv_general_dilated(
                    z.reshape(1, 2, 4), m.T.reshape(3, 2, 2), (1,), "SAME", dimension_numbers=dimensions),
                "grouped": lambda z: lax.conv_general_dilated(
                    z.reshape(1, 2, 4), m[:, :2].reshape(4, 1, 2), (1,), "SAME", dimension_numbers=dimensions,
                    feature_group_count=2),
                "update": lambda z: lax.dynamic_update_slice(z, 1j * z[:, :2], (0, 1)),
        }.items():
            with self.subTest(name):
                self.check(*self.loss_of(function, (2, 4)))

    def test_those_of_transforms_are_those_of_jax(self):
        fft = jnp.fft
        for n in (1, 2, 3, 4, 5, 8):
            for name, function in {
                    "fft": fft.fft, "ifft": fft.ifft, "rfft": lambda z: fft.rfft(z.real + 2 * z.imag),
                    "irfft": lambda z, n=n: fft.irfft(z, n=2 * n), "odd irfft": lambda z, n=n: fft.irfft(z, n=2 * n - 1),
                    "fft2": fft.fft2, "rfft2": lambda z: fft.rfft2(z.real * z.imag), "ifft2": fft.ifft2,
                    "irfft2": lambda z, n=n: fft.irfft2(z, s=(3, max(1, 2 * n - 2))),
                    "filtered": lambda z: fft.irfft(fft.rfft(z.real) * 1j * fft.rfft(z.imag), n=z.shape[-1]),
            }.items():
                with self.subTest(name, n=n):
                    self.check(*self.loss_of(function, (3, n)))


class Ties(Gradients):
    """Where functions have a corner, their slope is the framework's."""

    def test_those_of_equal_numbers_are_those_of_jax(self):
        x = np.array([-2.0, -1, 0, 0, 1, 1, 2, 6, -0.0])
        y = np.array([-2.0, 0, 0, 1, 1, -3, 2, 6, 0.0])
        for name, function in {
                "maximum": jnp.maximum, "minimum": jnp.minimum, "with 0": lambda x, y: jnp.maximum(x, 0) + 0 * y,
                "relu": lambda x, y: jax.nn.relu(x) + jax.nn.relu(y * x), "relu6": lambda x, y: jax.nn.relu6(x) * y,
                "softplus": lambda x, y: jax.nn.softplus(x) * jax.nn.softplus(y),
                "log_sigmoid": lambda x, y: jax.nn.log_sigmoid(x) + 0 * y, "abs": lambda x, y: jnp.abs(x) * y,
                "logaddexp": jnp.logaddexp, "clip": lambda x, y: jnp.clip(x, -1, 1) * y,
                "clamp": lambda x, y: lax.clamp(-1.0, x, 1.0) + y,
                "clamps": lambda x, y: lax.clamp(y, x, 2 * jnp.abs(y) - 1), "max": lambda x, y: x.max() * y.max() + 0 * x,
                "min": lambda x, y: x.min() * y + (x * y).min(), "hard_tanh": lambda x, y: jax.nn.hard_tanh(x) * y,
                "leaky_relu": lambda x, y: jax.nn.leaky_relu(x) * y, "sign": lambda x, y: jnp.sign(x) * y,
                "pool": lambda x, y: lax.reduce_window(x, -np.inf, lax.max, (3,), (2,), "SAME").sum() * y,
                "remainder": lambda x, y: lax.rem(7 * x + 0.5, y + 0.3), "elu": lambda x, y: jax.nn.elu(x) * y,
                "arctan2": lambda x, y: jnp.arctan2(x + 0.5, y), "silu": lambda x, y: jax.nn.silu(x) * y,
                "power": lambda x, y: jnp.power(jnp.abs(x), 1.5 + jnp.abs(y)), "floor": lambda x, y: jnp.floor(x) * y,
                "sinh": lambda x, y: jnp.sinh(x) * jnp.cosh(y), "square": lambda x, y: jnp.square(x) * y,
                "asin": lambda x, y: jnp.arcsin(x / 7) * jnp.arccos(y / 7), "atanh": lambda x, y: jnp.arctanh(x / 7) * y,
                "asinh": lambda x, y: jnp.arcsinh(x) * jnp.arccosh(jnp.abs(y) + 1.5), "cbrt": lambda x, y: jnp.cbrt(x + 3) * y,
                "reduced": lambda x, y: lax.reduce_precision(x * y, 8, 3) * y,
        }.items():
            with self.subTest(name):
                self.check(lambda x, y, f=function: jnp.sum(f(x, y)), x, y)


class ManyFunctions(Gradients):
    def check_all(self, functions, *sizes, low=-1.0, delta=1e-9):
        for name, function in functions.items():
            with self.subTest(name):
                draws = random.Random(name)
                arguments = [low + (1 - low) / 2 * (1 + self.draw(draws, *size)) for size in sizes]
                shape = jax.eval_shape(function, *(jnp.asarray(a, jnp.float64) for a in arguments)).shape
                weights = self.draw(draws, *shape)
                self.check(lambda *a, f=function, w=weights: jnp.sum(w * f(*a)), *arguments, delta=delta)


class Structures(ManyFunctions):
    """Control, order, positions and devices."""

    def test_those_of_branches_are_those_of_jax(self):
        def scanned(x, y):
            def step(state, row):
                i, total = state
                total = lax.cond(i % 2 == 0, lambda t, r: t * r, lambda t, r: jnp.sin(t) + r, total, row)
                return (i + 1, total), total * row

            return lax.scan(step, (0, y[0]), x)[1]

        self.check_all({
            "cond": lambda x, y: lax.cond(x[0, 0] > 0, lambda: jnp.sin(x) * y, lambda: jnp.cos(x)),
            "other": lambda x, y: lax.cond(x[0, 0] < 0, lambda: x * y, lambda: y),
            "switch": lambda x, y: lax.switch(jnp.int32(3 * jnp.abs(x[0, 0])), [
                lambda a: a * y, lambda a: jnp.exp(a), lambda a: y * y], x),
            "tuple": lambda x, y: sum(lax.cond(x.sum() > 0, lambda a, b: (a * b, b), lambda a, b: (b, a - b), x, y)),
            "nested": lambda x, y: lax.cond(x[0, 0] < 2, lambda a: lax.cond(
                y[0, 0] < 2, lambda c: c * c * y, lambda c: c, a), lambda a: a, x),
            "loop": lambda x, y: lax.cond(
                x[0, 0] < 2, lambda a: lax.fori_loop(0, 3, lambda i, c: jnp.sin(c) * y, a), lambda a: a, x),
            "scanned": scanned,
        }, (3, 4), (3, 4))

    def test_those_of_orders_are_those_of_jax(self):
        self.check_all({
            "sort": lambda x: jnp.sort(x, axis=0), "descending": lambda x: jnp.sort(x, descending=True),
            "sorted by": lambda x: x[jnp.argsort(x[:, 0])], "top_k": lambda x: lax.top_k(x, 2)[0],
            "two keys": lambda x: lax.sort((jnp.round(x), x, x * x), num_keys=2)[2], "median": jnp.median,
            "max": lambda x: x[jnp.arange(4), jnp.argmax(x, axis=1)],
            "quantile": lambda x: jnp.quantile(x, 0.3, axis=1),
        }, (4, 5))

    def test_those_of_products_and_running_reductions_are_those_of_jax(self):
        self.check_all({
            "prod": lambda x: jnp.prod(x, axis=1), "cumprod": lambda x: lax.cumprod(x, axis=1),
            "cummax": lambda x: lax.cummax(x, axis=0), "cumlogsumexp": lambda x: lax.cumlogsumexp(x, axis=1),
            "logaddexp": lambda x: lax.reduce(x, -np.inf, jnp.logaddexp, (0,)),
            "base": lambda x: lax.reduce_window(x, -np.inf, lax.max, (3, 1), (2, 1), "SAME", base_dilation=(2, 1)),
            "logsumexp": jax.nn.logsumexp, "norm": jnp.linalg.norm,
        }, (4, 5))
        # The gradient of a pool's gradient.
        pool = lambda x: jnp.sum(lax.reduce_window(x, -np.inf, lax.max, (2, 2), (2, 2), "VALID")**2)
        self.check_all({"pool": lambda x: jax.grad(pool)(x)**2}, (4, 6))

    def test_those_of_positions_are_those_of_jax(self):
        places = np.array([2, 0, 2, 9])
        self.check_all({
            "set": lambda x, y: x.at[places].set(y), "add": lambda x, y: x.at[places].add(y),
            "unique": lambda x, y: x.at[places[:2]].multiply(y[:2], unique_indices=True),
            "max": lambda x, y: x.at[places[:3]].max(y[:3]), "min": lambda x, y: x.at[places[:3]].min(y[:3]),
            "clip": lambda x, y: x.at[places].add(y, mode="clip"),
            "take": lambda x, y: y * jnp.take(x, places, 0, mode="clip"),
            "wrap": lambda x, y: y * jnp.take(x, places, 0, mode="wrap"),
            "fill": lambda x, y: y * x.at[places].get(mode="fill", fill_value=1.0),
            "window": lambda x, y: lax.dynamic_update_slice(x, y[:2, :2], (3, 1)),
        }, (4, 3), (4, 3))

    def test_those_of_a_shard_map_are_those_of_jax(self):
        axes = jax.sharding.PartitionSpec
        mesh = jax.sharding.AbstractMesh((2, 2), ("a", "b"))

        def loss(x, w):
            def of_device(x, w):
                y = lax.psum(x @ w, "b")
                y = lax.all_gather(y, "a", axis=0, tiled=True) * lax.axis_size("a")
                z = lax.psum_scatter(jnp.sin(y), "a", scatter_dimension=0, tiled=True)
                z = lax.ppermute(z, "b", [(0, 1), (1, 0)])
                return lax.all_to_all(z, "a", 0, 0, tiled=True)

            return jnp.sum(jnp.cos(jax.shard_map(
                of_device, mesh=mesh, in_specs=(axes("a", "b"), axes("b", None)), out_specs=axes("a", None),
                check_vma=False)(x, w)))

        def whole(x, w):
            y = 2 * jnp.sin(2 * (x @ w))
            return jnp.sum(jnp.cos(y.reshape(2, 2, -1, 3).transpose(1, 0, 2, 3).reshape(-1, 3)))

        draws = random.Random(5)
        x, w = self.draw(draws, 8, 4), self.draw(draws, 4, 3)
        wanted = jax.grad(whole, argnums=(0, 1))(x, w)
        for actual, expected in zip(self.gradients(loss, (x, w)), wanted):
            np.testing.assert_allclose(actual, np.asarray(expected), rtol=1e-9, atol=1e-9)


class Matrices(ManyFunctions):
    """Factors and triangular systems, which JAX calls libraries for on a CPU."""

    PLATFORM = "tpu"

    def test_those_of_matrices_are_those_of_jax(self):
        solve = lax.linalg.triangular_solve
        functions = {"cholesky": lambda x, y: jnp.linalg.cholesky(x @ x.T + 2 * jnp.eye(3)) * y,
                     "batch": lambda x, y: jnp.linalg.cholesky(
                         jnp.stack([x @ x.T, y @ y.T]) + 2 * jnp.eye(3)) * 3}
        for left in (True, False):
            for lower in (True, False):
                for transposes in (True, False):
                    for unit in (True, False):
                        functions[f"solve {left} {lower} {transposes} {unit}"] = (
                            lambda x, y, l=left, low=lower, t=transposes, u=unit: solve(
                                x + 2 * jnp.eye(3), y, left_side=l, lower=low, transpose_a=t, unit_diagonal=u))
        self.check_all(functions, (3, 3), (3, 3), low=0.1, delta=1e-8)


if __name__ == "__main__":
    unittest.main()
