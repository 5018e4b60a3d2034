#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the programs of this folder: StableHLO text as JAX prints it, with arguments and results as comments.

    pip install jax flax optax
    python3 tests/hlo/stablehlo/programs/generate.py

Each program is a function lowered for a TPU. Its arguments are drawn from a fixed seed, its results are those of
jax.jit on the CPU, in lines "// argument: LITERAL" and "// result: LITERAL" after the text. The tests read these files
only, so they need no framework. A program without values has none because the evaluator lacks an opcode of it.
"""
import os
import pathlib
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

here = pathlib.Path(__file__).parent
random = np.random.default_rng(7)
jax.config.update("jax_default_matmul_precision", "highest")


def array(*shape, dtype=np.float32, scale=1.0):
    return jnp.asarray(random.standard_normal(shape) * scale, dtype)


def whole(low, high, *shape, dtype=np.int32):
    return jnp.asarray(random.integers(low, high, shape), dtype)


def number(value, dtype):
    if dtype == np.bool_:
        return "true" if value else "false"
    if np.issubdtype(dtype, np.integer):
        return str(int(value))
    if np.issubdtype(dtype, np.complexfloating):
        return f"({number(value.real, value.real.dtype)}, {number(value.imag, value.imag.dtype)})"
    value = float(value)
    if np.isnan(value):
        return "nan"
    if np.isinf(value):
        return "inf" if value > 0 else "-inf"
    return repr(value) if dtype == np.float64 else f"{value:.9g}"


def literal(value):
    value = np.asarray(value)
    if value.ndim == 0:
        return number(value, value.dtype)
    return "{" + ", ".join(literal(each) for each in value) + "}"


def write(folder, name, function, *arguments, values=True, jit=None, debug=False, **options):
    """Lowers a function, and runs it where `values` is true."""
    compiled = jit or jax.jit(function, **options)
    lowered = compiled.trace(*arguments).lower(lowering_platforms=("tpu",))
    text = lowered.as_text(debug_info=debug)
    if debug:
        text = text.replace(str(here) + "/", "")
    if values:
        leaves = jax.tree.leaves(arguments)
        text += "".join(f"// argument: {literal(each)}\n" for each in leaves)
        text += "".join(f"// result: {literal(each)}\n" for each in jax.tree.leaves(compiled(*arguments)))
    (here / folder).mkdir(exist_ok=True)
    (here / folder / f"{name}.mlir").write_text(text)


def layers():
    def mlp(w1, b1, w2, x):
        return jax.nn.gelu(x @ w1 + b1) @ w2

    write("layers", "mlp", mlp, array(8, 16), array(16), array(16, 4), array(3, 8), debug=True)
    write("layers", "batched_dot", lambda a, b: jnp.einsum("bhqd,bkhd->bhqk", a, b), array(2, 3, 4, 5), array(2, 6, 3, 5))

    def norm(x, g, b):
        m = x.mean(-1, keepdims=True)
        v = ((x - m) ** 2).mean(-1, keepdims=True)
        return (x - m) * lax.rsqrt(v + 1e-5) * g + b

    write("layers", "layer_norm", norm, array(4, 6), array(6), array(6))
    write("layers", "softmax_loss", lambda x, y: -jnp.take_along_axis(jax.nn.log_softmax(x), y[:, None], 1).mean(),
          array(5, 7), whole(0, 7, 5))

    def conv(x, w, **options):
        return lax.conv_general_dilated(x, w, dimension_numbers=("NHWC", "HWIO", "NHWC"), **options)

    write("layers", "conv_same", lambda x, w: conv(x, w, window_strides=(1, 1), padding="SAME"), array(2, 5, 6, 3),
          array(3, 3, 3, 4))
    write("layers", "conv_all_attributes",
          lambda x, w: conv(x, w, window_strides=(2, 1), padding=[(1, 2), (0, 3)], lhs_dilation=(1, 2),
                            rhs_dilation=(2, 1), feature_group_count=2), array(2, 6, 5, 4), array(2, 3, 2, 6))
    write("layers", "conv_batch_groups",
          lambda x, w: conv(x, w, window_strides=(1, 1), padding="VALID", batch_group_count=2), array(4, 4, 4, 3),
          array(2, 2, 3, 6))
    write("layers", "conv_transposed", lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"), array(1, 3, 3, 2),
          array(3, 3, 2, 2))
    write("layers", "conv_depthwise_1d",
          lambda x, w: lax.conv_general_dilated(x, w, (1,), [(2, 0)], feature_group_count=4,
                                                dimension_numbers=("NWC", "WIO", "NWC")), array(2, 7, 4), array(3, 1, 4))
    write("layers", "conv_nchw", lambda x, w: lax.conv(x, w, (2, 2), "SAME"), array(1, 3, 7, 7), array(4, 3, 3, 3))
    write("layers", "max_pool", lambda x: nn.max_pool(x, (3, 3), (2, 2), "SAME"), array(1, 6, 6, 2))
    write("layers", "average_pool", lambda x: nn.avg_pool(x, (2, 2), (2, 2)), array(1, 4, 4, 3))

    def attention(x, wqkv, wo):
        q, k, v = jnp.split(jnp.einsum("btd,dnh->btnh", x, wqkv), 3, -1)
        scores = jnp.einsum("btnh,bsnh->bnts", q, k) / np.sqrt(q.shape[-1])
        mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
        weights = jax.nn.softmax(jnp.where(mask, scores, -1e9))
        return jnp.einsum("bnts,bsnh,nhd->btd", weights, v, wo)

    write("layers", "attention", attention, array(2, 4, 6), array(6, 2, 9), array(2, 3, 6))

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.relu(nn.BatchNorm(use_running_average=False)(nn.Conv(4, (3, 3))(x)))
            return nn.Dense(5)(x.reshape(x.shape[0], -1))

    block = Block()
    x = array(2, 4, 4, 3)
    variables = block.init(jax.random.key(0), x)
    write("layers", "flax_block", lambda v, x: block.apply(v, x, mutable=["batch_stats"]), variables, x)
    return mlp, norm, conv, attention


def control():
    def rnn(w, h, xs):
        def step(h, x):
            h = jnp.tanh(h @ w + x)
            return h, h.sum()
        return lax.scan(step, h, xs)

    write("control", "scan", rnn, array(3, 3), array(3), array(5, 3))

    def root(a):
        return lax.while_loop(lambda s: jnp.abs(s * s - a) > 1e-3, lambda s: 0.5 * (s + a / s), a)

    write("control", "while", root, jnp.float32(7))
    write("control", "cond", lambda x, y: lax.cond(x.sum() > 0, lambda: x * y, lambda: x - 2.0), array(4), array(4))
    write("control", "switch",
          lambda i, x: lax.switch(i, [lambda x: x, lambda x: x * 2, lambda x: jnp.sin(x)], x), jnp.int32(2), array(3))
    write("control", "fori", lambda x: lax.fori_loop(0, 4, lambda i, a: a.at[i].set(a[i] + i), x), array(4))

    def nested(x, k):
        def outer(c, row):
            def inner(d, v):
                return d * 0.5 + v * k, d
            d, ys = lax.scan(inner, c, row)
            return d, ys
        return lax.scan(outer, jnp.float32(0), x)

    write("control", "nested_scan", nested, array(3, 4), jnp.float32(1.5))
    write("control", "associative_scan", lambda x: lax.associative_scan(jnp.add, x), array(7))
    write("control", "map_function", lambda x: lax.map(lambda r: r / r.sum(), x), array(3, 4) + 3)
    return rnn


def indexed():
    write("indexed", "sort", lambda x: (jnp.sort(x, 0), jnp.argsort(x, 1)), array(4, 5))
    write("indexed", "sort_pairs", lambda k, v: lax.sort((k, v), num_keys=1), whole(0, 4, 9), array(9))
    write("indexed", "top_k", lambda x: lax.top_k(x, 3), array(2, 8))
    write("indexed", "take", lambda x, i: (x[i], jnp.take(x, i, axis=1)), array(4, 4, 2), whole(0, 4, 3))
    write("indexed", "gather_batched", lambda x, i: jax.vmap(lambda a, j: a[j])(x, i), array(3, 5, 2), whole(0, 5, 3, 2))
    write("indexed", "scatter_add", lambda x, i, u: x.at[i].add(u), array(5, 3), whole(0, 5, 4), array(4, 3))
    write("indexed", "scatter_max", lambda x, i, u: x.at[:, i].max(u), array(3, 6), whole(0, 6, 2), array(3, 2))
    write("indexed", "dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i, 1), (2, 2)), array(5, 4), jnp.int32(3))
    write("indexed", "dynamic_update", lambda x, u, i: lax.dynamic_update_slice(x, u, (i, i)), array(5, 4), array(2, 2),
          jnp.int32(2))
    write("indexed", "cumulative", lambda x: (jnp.cumsum(x, 1), jnp.cumprod(x), lax.cummax(x, 0)), array(3, 4))
    write("indexed", "segment_sum", lambda x, i: jax.ops.segment_sum(x, i, 4), array(6, 2), whole(0, 4, 6))
    write("indexed", "argmax", lambda x: (jnp.argmax(x, 1), jnp.argmin(x)), array(4, 5))
    write("indexed", "pad_concat", lambda x, y: jnp.concatenate([lax.pad(x, 0.5, [(1, -1, 0), (0, 1, 2)]), y[::2, ::-1]]),
          array(3, 2), array(4, 5))

    def moe(x, gate, up, down):
        weights, chosen = lax.top_k(jax.nn.softmax(x @ gate), 2)
        dispatch = jax.nn.one_hot(chosen, gate.shape[1]) * weights[..., None]
        hidden = jax.nn.relu(jnp.einsum("td,edf->tef", x, up))
        return jnp.einsum("tef,efd,tke->td", hidden, down, dispatch)

    write("indexed", "mixture_of_experts", moe, array(5, 4), array(4, 3), array(3, 4, 6), array(3, 6, 4))
    return moe


def types():
    write("types", "int8_dot", lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32), whole(-128, 127, 3, 8, dtype=np.int8),
          whole(-128, 127, 8, 4, dtype=np.int8))
    f8 = jnp.float8_e4m3fn
    write("types", "fp8_dot", lambda a, b: jnp.dot(a.astype(f8), b.astype(f8), preferred_element_type=jnp.float32),
          array(3, 8), array(8, 4))
    write("types", "fp8_round_trip", lambda a: (a.astype(jnp.float8_e5m2).astype(jnp.float32),
                                                a.astype(f8).astype(jnp.float32)), array(16, scale=10))
    write("types", "bf16_mlp", lambda x, w: jax.nn.relu(x @ w), array(3, 8, dtype=jnp.bfloat16),
          array(8, 4, dtype=jnp.bfloat16))
    write("types", "f16_sum", lambda x: (x * 2).sum(0), array(4, 5, dtype=np.float16))
    write("types", "bits", lambda a, b: (a ^ b, a << 3, a >> 2, lax.population_count(a), lax.clz(b), ~a & b),
          whole(0, 2**31, 5, dtype=np.uint32), whole(0, 2**31, 5, dtype=np.uint32))
    write("types", "logic", lambda a, b: (jnp.where(a > b, a, b), (a > b) & (a > 0), jnp.isnan(a / 0)), array(6), array(6))
    write("types", "integer_division", lambda a, b: (a // b, a % b, lax.rem(a, b)), whole(-20, 20, 8), whole(1, 5, 8))
    write("types", "constants", lambda x: x + np.linspace(0, 1, 150, dtype=np.float32).reshape(10, 15)
          + np.where(np.arange(15) % 2 == 0, np.float32(1), np.float32(0)), array(10, 15))
    write("types", "functions", lambda x: (lax.erf(x), jax.scipy.special.erfinv(jnp.tanh(x)), lax.log1p(jnp.abs(x)),
                                           jnp.expm1(x), jnp.cbrt(x), jnp.arctan(x), jnp.sinh(x), lax.erfc(x)), array(6))
    write("types", "lgamma", lambda x: lax.lgamma(x), jnp.asarray([0.3, 1.0, 2.5, 7.25, -1.5, 20.0], jnp.float32))
    write("types", "digamma", lambda x: lax.digamma(x), jnp.asarray([0.25, 1.0, 2.5, 7.25, -1.5, 20.0], jnp.float32))
    write("types", "zeta", lambda s, q: lax.zeta(s, q), jnp.asarray([1.5, 2.0, 3.0, 4.5, 9.0, 2.0], jnp.float32),
          jnp.asarray([1.0, 0.5, 2.25, 6.0, 0.75, 30.0], jnp.float32))
    write("types", "polygamma", lambda n, x: lax.polygamma(n, x),
          jnp.asarray([0.0, 1.0, 2.0, 3.0, 1.0, 4.0], jnp.float32),
          jnp.asarray([1.5, 0.5, 2.25, 6.0, 30.0, 0.75], jnp.float32))
    write("types", "next_after", lambda x, y: lax.nextafter(x, y) - x,
          jnp.asarray([1.0, -1.0, 0.0, 2.0, 0.0, -0.5], jnp.float32),
          jnp.asarray([2.0, 3.0, -1.0, 1.0, 0.0, -4.0], jnp.float32))
    write("types", "random_normal", lambda k: jax.random.normal(jax.random.wrap_key_data(k), (2, 3)),
          jnp.asarray([0, 42], jnp.uint32))
    write("types", "random_bits", lambda k: jax.random.key_data(jax.random.split(jax.random.wrap_key_data(k), 3)),
          jnp.asarray([1, 2], jnp.uint32))
    write("types", "random_generator", lambda k: lax.rng_bit_generator(k, (8,)), whole(0, 2**31, 4, dtype=np.uint32),
          values=False)
    write("types", "fourier", lambda x: jnp.abs(jnp.fft.rfft(x)), array(8), values=False)
    write("types", "cholesky", lambda x: lax.linalg.cholesky(x @ x.T + 4 * jnp.eye(4)), array(4, 4))
    write("types", "triangular_solve", lambda a, b: lax.linalg.triangular_solve(jnp.tril(a) + 3 * jnp.eye(3), b,
                                                                                left_side=True, lower=True),
          array(3, 3), array(3, 2))


def gradients(mlp, norm, conv, attention, rnn, moe):
    def gradient(name, function, *arguments, of=0):
        write("gradients", name, jax.grad(lambda *a: (function(*a) ** 2).sum(), argnums=of), *arguments)

    gradient("mlp", mlp, array(8, 16), array(16), array(16, 4), array(3, 8), of=(0, 1, 2))
    gradient("layer_norm", norm, array(4, 6), array(6), array(6), of=(0, 1, 2))
    gradient("conv", lambda x, w: conv(x, w, window_strides=(2, 2), padding="SAME"), array(2, 5, 5, 3), array(3, 3, 3, 4),
             of=(0, 1))
    gradient("conv_grouped", lambda x, w: conv(x, w, window_strides=(1, 2), padding="VALID", rhs_dilation=(2, 1),
                                               feature_group_count=2), array(1, 6, 6, 4), array(2, 2, 2, 4), of=(0, 1))
    gradient("attention", attention, array(2, 4, 6), array(6, 2, 9), array(2, 3, 6), of=(0, 1, 2))
    gradient("scan", lambda w, h, xs: rnn(w, h, xs)[1], array(3, 3), array(3), array(5, 3), of=(0, 2))
    gradient("max_pool", lambda x: nn.max_pool(x, (2, 2), (2, 2)), array(1, 6, 6, 2))
    gradient("embedding", lambda t, i: t[i], array(6, 3), whole(0, 6, 4))
    gradient("mixture_of_experts", moe, array(5, 4), array(4, 3), array(3, 4, 6), array(3, 6, 4), of=(1, 2, 3))
    gradient("cond", lambda x, y: lax.cond(x.sum() > 0, lambda: x * y, lambda: jnp.sin(x) - y), array(4), array(4),
             of=(0, 1))
    gradient("sort", lambda x, y: jnp.sort(x) * y, array(6), array(6))
    gradient("remat", jax.checkpoint(mlp), array(8, 16), array(16), array(16, 4), array(3, 8), of=(0, 2))

    optimiser = optax.adam(1e-2)
    weights = {"w1": array(4, 8), "w2": array(8, 2)}

    def step(weights, state, x, y):
        def loss(w):
            return ((jnp.tanh(x @ w["w1"]) @ w["w2"] - y) ** 2).mean()
        value, gradient = jax.value_and_grad(loss)(weights)
        update, state = optimiser.update(gradient, state)
        return optax.apply_updates(weights, update), state, value

    arguments = (weights, optimiser.init(weights), array(5, 4), array(5, 2))
    write("gradients", "adam_step", step, *arguments)


def sharded(mlp):
    mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))

    def place(*axes):
        return NamedSharding(mesh, P(*axes))

    def layer(w1, w2, x):
        h = lax.with_sharding_constraint(jax.nn.relu(x @ w1), place("x", "y"))
        return h @ w2

    write("sharded", "named_sharding", layer, array(8, 16), array(16, 8), array(4, 8),
          in_shardings=(place(None, "y"), place("y", None), place("x", None)), out_shardings=place("x", None))

    def train(w, x, y):
        gradient = jax.grad(lambda w: ((x @ w - y) ** 2).mean())(w)
        return w - 0.1 * gradient

    write("sharded", "data_parallel_step", train, array(4, 4), array(16, 4), array(16, 4),
          in_shardings=(place(), place(("x", "y")), place(("x", "y"))), out_shardings=place(), donate_argnums=0)

    def mapped(a, b):
        s = lax.psum(a @ b, "y")
        g = lax.all_gather(b, "y", tiled=True)
        p = lax.ppermute(a, "x", [(0, 1), (1, 0)])
        r = lax.psum_scatter(a @ b, "y", tiled=True)
        t = lax.all_to_all(a, "x", 0, 1, tiled=True)
        return s + g.sum() + p.sum() + r.sum() + lax.axis_index("x") + t.sum()

    def shard_map(function, inputs, outputs, **options):
        return jax.shard_map(function, mesh=mesh, in_specs=inputs, out_specs=outputs, check_vma=False, **options)

    write("sharded", "shard_map_collectives", shard_map(mapped, (P("x", "y"), P("y", None)), P("x", "y")), array(8, 16),
          array(16, 16))
    write("sharded", "shard_map_psum", shard_map(lambda a, b: lax.psum(a @ b, "y"), (P("x", "y"), P("y", None)),
                                                 P("x", None)), array(8, 16), array(16, 16))
    write("sharded", "partly_manual", shard_map(lambda a: lax.psum(a, "x") * 2, (P("x", None),), P(), axis_names={"x"}),
          array(8, 16))
    jax.config.update("jax_use_shardy_partitioner", False)
    write("sharded", "gspmd_shard_map", shard_map(lambda a, b: lax.psum(a @ b, "y"), (P("x", "y"), P("y", None)),
                                                  P("x", None)), array(8, 16), array(16, 16))
    write("sharded", "gspmd_named_sharding", lambda a, b: lax.with_sharding_constraint(a @ b, place("x", "y")),
          array(8, 16), array(16, 8), in_shardings=(place("x", None), place(None, "y")), out_shardings=place("x"))


def training(norm, conv, attention, rnn):
    """Forward programs with the first update of an optimiser that is in its third step: after the text stand how it is
    trained, the arguments of the training step (the forward program's, the optimiser's state, its rate and the number of
    the step) and its results (new parameters, new state, loss)."""
    rate, done = 0.01, 2
    decays = {"weight_decay": 1e-4, "mask": lambda tree: jax.tree.map(lambda w: w.ndim >= 2, tree)}
    optimisers = {
        "adam": (optax.adamw(rate, eps=1e-6, **decays), ("mu", "nu")),
        "lamb": (optax.lamb(rate, eps=1e-6, **decays), ("mu", "nu")),
        "sgd_momentum": (optax.chain(optax.add_decayed_weights(**decays), optax.sgd(rate, momentum=0.9)), ("trace",)),
    }

    def trained(name, optimiser, parameters, loss, *inputs):
        update, names = optimisers[optimiser]
        moments = {n: [jnp.abs(array(*w.shape, scale=0.1)) for w in parameters] for n in names}

        def filled(part):
            fields = getattr(part, "_fields", ())
            values = {n: moments[n] for n in names if n in fields}
            if "count" in fields:
                values["count"] = jnp.asarray(done, jnp.int32)
            return part._replace(**values) if values else part

        def is_state(part):
            return bool({"count", *names} & set(getattr(part, "_fields", ())))

        state = jax.tree.map(filled, update.init(parameters), is_leaf=is_state)
        value, gradient = jax.value_and_grad(loss)(parameters, *inputs)
        change, state = update.update(gradient, state, parameters)
        kept = {}
        jax.tree.map(lambda part: kept.update({n: getattr(part, n) for n in names if hasattr(part, n)}), state,
                     is_leaf=is_state)
        slots = [moments[n][i] for i in range(len(parameters)) for n in names]
        new_slots = [kept[n][i] for i in range(len(parameters)) for n in names]
        step = [] if optimiser == "sgd_momentum" else [np.float32(done + 1)]
        arguments = [*parameters, *inputs, *slots, np.float32(rate), *step]
        results = [*optax.apply_updates(parameters, change), *new_slots, value]
        text = jax.jit(loss).trace(parameters, *inputs).lower(lowering_platforms=("tpu",)).as_text()
        text += f"// training: {optimiser} 0-{len(parameters) - 1}\n"
        text += "".join(f"// argument: {literal(each)}\n" for each in arguments)
        text += "".join(f"// result: {literal(each)}\n" for each in results)
        (here / "training").mkdir(exist_ok=True)
        (here / "training" / f"{name}.mlir").write_text(text)

    def classified(logits, labels):
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    trained("mlp", "adam", [array(8, 16), array(16), array(16, 4)],
            lambda w, x, y: ((jax.nn.gelu(x @ w[0] + w[1]) @ w[2] - y) ** 2).mean(), array(3, 8), array(3, 4))

    def convolutions(w, x, labels):
        y = conv(x, w[0], window_strides=(2, 2), padding="SAME")
        y = (y - y.mean((0, 1, 2))) * lax.rsqrt(y.var((0, 1, 2)) + 1e-5) * w[1] + w[2]
        return classified(nn.max_pool(jax.nn.relu(y), (2, 2), (2, 2)).mean((1, 2)) @ w[3], labels)

    trained("convolutions", "sgd_momentum", [array(3, 3, 3, 4), array(4), array(4), array(4, 5)], convolutions,
            array(2, 9, 9, 3), whole(0, 5, 2))

    def transformer(w, tokens, labels):
        x = w[0][tokens]
        x = x + attention(norm(x, w[1], w[2]), w[3], w[4])
        return classified(x @ w[0].T, labels)

    trained("transformer", "adam", [array(7, 6), array(6), array(6), array(6, 2, 9), array(2, 3, 6)], transformer,
            whole(0, 7, 2, 4), whole(0, 7, 2, 4))
    trained("scan", "adam", [array(3, 3), array(3)], lambda w, xs: (rnn(w[0], w[1], xs)[1] ** 2).mean(), array(5, 3))
    trained("remat", "lamb", [array(6, 5), array(5, 6)],
            lambda w, x: (jax.checkpoint(lambda a: jnp.sin(jax.nn.softmax(a @ w[0]) @ w[1]))(x) ** 2).sum(), array(4, 6))
    eight = np.array(jax.devices()[:8]).reshape(2, 4)
    place = NamedSharding(Mesh(eight, ("x", "y")), P("x", None))
    trained("sharded", "sgd_momentum", [array(8, 16), array(16, 8)],
            lambda w, x: (jnp.tanh(lax.with_sharding_constraint(x @ w[0], place)) @ w[1]).mean(), array(4, 8))


def complex_array(*shape):
    return jnp.asarray(random.standard_normal(shape) + 1j * random.standard_normal(shape), np.complex64)


def more_types():
    write("types", "bessel", lambda x: (lax.bessel_i0e(x), lax.bessel_i1e(x)),
          jnp.asarray([-30.0, -8.5, -2.0, 0.0, 0.25, 5.0, 8.0, 50.0], jnp.float32))
    write("types", "mulhi", lambda a, b, c, d: (lax.mulhi(a, b), lax.mulhi(c, d)), whole(-2**31, 2**31, 6),
          whole(-2**31, 2**31, 6), whole(0, 2**32, 6, dtype=np.uint32), whole(0, 2**32, 6, dtype=np.uint32))
    write("types", "complex_sums", lambda x, y: (x.sum(0), x.prod(1), jnp.abs(x @ y).max(), x.conj() * jnp.exp(1j * x.real)),
          complex_array(4, 3), complex_array(3, 2))
    sizes = jnp.asarray([3, 0, 4, 1], jnp.int32)
    write("types", "ragged_dot", lax.ragged_dot, array(8, 5), array(4, 5, 3), sizes)
    write("types", "ragged_dot_gradient", jax.grad(lambda x, w, s: (lax.ragged_dot(x, w, s) ** 2).sum(), argnums=(0, 1)),
          array(8, 5), array(4, 5, 3), sizes)


def partly_manual():
    """Functions that are mapped over one of two axes; the other one is left to the partitioner."""
    mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))

    def place(*axes):
        return NamedSharding(mesh, P(*axes))

    def over(axis, function, inputs, outputs):
        return jax.shard_map(function, mesh=mesh, in_specs=inputs, out_specs=outputs, check_vma=False, axis_names={axis})

    write("partly_manual", "tensor_parallel", over("x", lambda a, b: lax.psum(jnp.tanh(a @ b), "x"), (P("x"), P()), P()),
          array(8, 16), array(16, 8), in_shardings=(place("x"), place(None, "y")))
    write("partly_manual", "contracted", over("x", lambda a, b: lax.psum(a @ b, "x"), (P(None, "x"), P("x")), P()),
          array(8, 16), array(16, 8), in_shardings=(place(None, "x"), place("x", "y")))
    write("partly_manual", "axis_index", over("y", lambda a: a + lax.axis_index("y").astype(jnp.float32), P(None, "y"),
                                              P(None, "y")), array(4, 8), in_shardings=place("x", "y"))
    write("partly_manual", "scattered", over("y", lambda a: lax.psum_scatter(a, "y", scatter_dimension=1, tiled=True),
                                             P(None, "y"), P(None, "y")), array(4, 16), in_shardings=place("x", "y"))
    write("partly_manual", "exchanged", over("y", lambda a: lax.all_to_all(a, "y", 0, 1, tiled=True), P(None, "y"), P("y")),
          array(8, 8), in_shardings=place("x", "y"))
    write("partly_manual", "gathered", over("x", lambda a, b: lax.all_gather(a, "x", tiled=True) @ b, (P("x"), P()), P()),
          array(8, 4), array(4, 8), in_shardings=(place("x"), place(None, "y")))

    def pipeline(x, w):
        def step(t, state):
            return lax.ppermute(jnp.tanh(state @ w[0]), "x", [(0, 1), (1, 0)])
        return lax.fori_loop(0, 4, step, x)

    write("partly_manual", "pipeline", over("x", pipeline, (P("x"), P("x")), P("x")), array(8, 8), array(2, 8, 8),
          in_shardings=(place("x"), place("x", None, "y")))
    write("partly_manual", "gradient", jax.grad(lambda w, a: over("x", lambda w, a: lax.psum((a @ w).sum() ** 2, "x"),
                                                                   (P(), P("x")), P())(w, a)),
          array(4, 8), array(8, 4), in_shardings=(place(None, "y"), place("x")))


if __name__ == "__main__":
    mlp, norm, conv, attention = layers()
    rnn = control()
    moe = indexed()
    types()
    gradients(mlp, norm, conv, attention, rnn, moe)
    sharded(mlp)
    jax.config.update("jax_use_shardy_partitioner", True)
    training(norm, conv, attention, rnn)
    more_types()
    partly_manual()
    sys.stderr.write(f"jax {jax.__version__}\n")
