# SPDX-License-Identifier: Apache-2.0
"""The next token of GPT-J (6 billion parameters) as mesh-transformer-jax makes it on 8 cores, in plain JAX:

every core computes with its own heads, hidden units and words (shard_map). The cache has the keys and values of 2048
tokens: a step moves all of them by one, and turns all keys by their rotary positions again. The token is drawn from the
words that have 90 % of all probability (Holtzman et al. 2020), which takes three sorts of the vocabulary.

python3 python/examples/jax_gptj_decode.py
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

import podsim.jax

WIDTH, HIDDEN, HEADS, HEAD, VOCABULARY, SEQUENCE, ROTARY = 4096, 16384, 16, 256, 50400, 2048, 64
CORES = 8
TYPE = jnp.bfloat16


def parameters(layers, make):
    """The tree of parameters; make(shape, spec) makes a leaf. Norms have their numbers once on every core."""
    def norm():
        return {"scale": make((CORES * WIDTH,), P("model")), "bias": make((CORES * WIDTH,), P("model"))}

    def layer():
        heads = {name: make((WIDTH, HEADS * HEAD), P(None, "model")) for name in "qkv"}
        return {"norm": norm(), **heads, "o": make((HEADS * HEAD, WIDTH), P("model")),
                "in": make((WIDTH, HIDDEN), P(None, "model")), "in_bias": make((HIDDEN,), P("model")),
                "out": make((HIDDEN, WIDTH), P("model")), "out_bias": make((WIDTH,), P())}

    return {"embedding": make((VOCABULARY, WIDTH), P("model")), "layers": [layer() for _ in range(layers)],
            "norm": norm(), "logits": make((WIDTH, VOCABULARY), P(None, "model")),
            "logits_bias": make((VOCABULARY,), P("model"))}


def norm(x, p):
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    scale, bias = (lax.all_gather(p[name], "model")[0] for name in ("scale", "bias"))
    return scale * lax.rsqrt(variance + 1e-5) * (x - mean) + bias


def turned(x):
    """Pairs of numbers of [positions, heads, ROTARY] turned by their positions, the last of which is SEQUENCE - 1."""
    angles = np.outer(np.arange(SEQUENCE), 1e4 ** -(np.arange(0, ROTARY, 2) / ROTARY))
    sine, cosine = (jnp.repeat(jnp.asarray(f(angles), x.dtype), 2, axis=1)[-x.shape[0]:, None] for f in (np.sin, np.cos))
    pairs = jnp.stack((-x[..., 1::2], x[..., ::2]), axis=-1).reshape(x.shape)
    return x * cosine + pairs * sine


def rotated(x):
    return jnp.concatenate((turned(x[..., :ROTARY]), x[..., ROTARY:]), axis=-1)


def layer(x, p, cache):
    """Attention and feed-forward block read one norm."""
    read = norm(x, p["norm"])
    q, k, v = ((read @ p[name]).reshape(1, HEADS // CORES, HEAD) for name in "qkv")
    k, v = (jnp.concatenate((cache[name], fresh))[1:] for name, fresh in (("k", k), ("v", v)))
    decoded = cache["decoded"] + 1
    bias = (-1e10 * (jnp.arange(SEQUENCE) < SEQUENCE - decoded)).astype(TYPE)
    scores = jnp.einsum("thd,Thd->htT", rotated(q), rotated(k)) / jnp.asarray(HEAD ** 0.5, TYPE) + bias
    context = jnp.einsum("htT,Thd->thd", jax.nn.softmax(scores), v).reshape(1, -1)
    hidden = jax.nn.gelu(read @ p["in"] + p["in_bias"]) @ p["out"] + p["out_bias"] / CORES
    return x + lax.psum(context @ p["o"] + hidden, "model"), {"k": k, "v": v, "decoded": decoded}


def likely_enough(logits, share=0.9):
    """The logits of as few words as have this share of all probability; others are impossible."""
    ordered, words = jnp.sort(logits)[:, ::-1], jnp.argsort(logits)[:, ::-1]
    late = jnp.cumsum(jax.nn.softmax(ordered), axis=-1) > share
    late = jnp.concatenate((jnp.zeros((1, 1), bool), late[:, :-1]), axis=-1)
    return logits - 1e10 * lax.sort_key_val(words, late)[1]


def step(p, token, caches, key):
    first = lax.axis_index("model") * (VOCABULARY // CORES)
    x = lax.psum(jax.nn.one_hot(token - first, VOCABULARY // CORES, dtype=TYPE) @ p["embedding"], "model")
    new = []
    for each, cache in zip(p["layers"], caches):
        x, cache = layer(x, each, cache)
        new.append(cache)
    logits = lax.all_gather(norm(x, p["norm"]) @ p["logits"] + p["logits_bias"], "model")
    logits = likely_enough(jnp.hstack(logits).astype(jnp.float32))
    key, use = jax.random.split(key)
    return jax.random.categorical(use, logits).astype(jnp.int32), new, key


def simulate(layers=28, **flags):
    """The podsim.result.Result of a step on four chips of TPU v2."""
    tree = parameters(layers, lambda shape, _: jax.ShapeDtypeStruct(shape, TYPE))
    array = jax.ShapeDtypeStruct((SEQUENCE, HEADS, HEAD), TYPE)
    caches = [{"k": array, "v": array, "decoded": jax.ShapeDtypeStruct((), jnp.int32)}] * layers
    cut = [{"k": P(None, "model"), "v": P(None, "model"), "decoded": P()}] * layers
    inputs = (parameters(layers, lambda _, spec: spec), P(), cut, P())
    mesh = jax.sharding.AbstractMesh((CORES,), ("model",))
    sharded = jax.shard_map(step, mesh=mesh, in_specs=inputs, out_specs=(P(), cut, P()), check_vma=False)
    token, key = jax.ShapeDtypeStruct((1,), jnp.int32), jax.ShapeDtypeStruct((2,), jnp.uint32)
    return podsim.jax.simulate(sharded, (tree, token, caches, key), mesh=mesh, in_shardings=inputs, donate_argnums=2,
                               machine="tpu-v2", **flags)


if __name__ == "__main__":
    print(simulate())
