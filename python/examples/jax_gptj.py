# SPDX-License-Identifier: Apache-2.0
"""A step of GPT-J (6 billion parameters) in the way of its training on TPU v3, in plain JAX:

every core computes with its own heads, hidden units and words (shard_map), layers are repeated in the backward pass, and
the gradients of eight parts of the batch are added up in bf16 before they are averaged over cores with other sequences.

python3 python/examples/jax_gptj.py
"""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

import podsim.jax

WIDTH, HIDDEN, HEADS, HEAD, VOCABULARY, SEQUENCE = 4096, 16384, 16, 256, 50400, 2048
DATA, MODEL = 4, 8


def parameters(layers, make):
    """The tree of parameters; make(shape, spec) makes a leaf."""
    def norm():
        return {"scale": make((WIDTH,), P()), "bias": make((WIDTH,), P())}

    def layer():
        heads = {name: make((WIDTH, HEADS, HEAD), P(None, "model")) for name in "qkv"}
        return {"norm": norm(), **heads, "o": make((HEADS, HEAD, WIDTH), P("model")),
                "in": make((WIDTH, HIDDEN), P(None, "model")), "out": make((HIDDEN, WIDTH), P("model"))}

    words = [make((VOCABULARY, WIDTH), P("model")) for _ in range(2)]
    return {"embedding": words[0], "layers": [layer() for _ in range(layers)], "norm": norm(), "logits": words[1]}


def norm(x, p):
    x = x.astype(jnp.float32)
    mean = x.mean(-1, keepdims=True)
    variance = (x * x).mean(-1, keepdims=True) - mean * mean
    return ((x - mean) * lax.rsqrt(variance + 1e-6) * p["scale"] + p["bias"]).astype(jnp.bfloat16)


@jax.custom_vjp
def into_shards(x):
    """The same value on all cores of a sequence, of which each makes its part of the next value."""
    return x


into_shards.defvjp(lambda x: (x, None), lambda _, change: (lax.psum(change, "model"),))


@jax.custom_vjp
def from_shards(x):
    """The sum of what the cores of a sequence have made."""
    return lax.psum(x, "model")


from_shards.defvjp(lambda x: (lax.psum(x, "model"), None), lambda _, change: (change,))


def attention(x, p):
    q, k, v = (jnp.einsum("bsd,dhk->bhsk", x, p[name]) for name in "qkv")
    scores = jnp.einsum("bhsk,bhtk->bhst", q, k, preferred_element_type=jnp.float32) / HEAD ** 0.5
    causal = jnp.tril(jnp.ones((SEQUENCE, SEQUENCE), bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e9)).astype(x.dtype)
    return jnp.einsum("bhst,bhtk,hkd->bsd", weights, v, p["o"], optimize=[(0, 1), (0, 1)])


def layer(x, p):
    """Attention and feed-forward block read one norm."""
    read = into_shards(norm(x, p["norm"]))
    return x + from_shards(attention(read, p) + jax.nn.gelu(read @ p["in"]) @ p["out"])


def loss(p, tokens, targets):
    first = lax.axis_index("model") * (VOCABULARY // MODEL)

    def one_hot(words, dtype):
        return jax.nn.one_hot(words - first, VOCABULARY // MODEL, dtype=dtype)

    x = from_shards(one_hot(tokens, jnp.bfloat16) @ p["embedding"])
    for each in p["layers"]:
        x = jax.checkpoint(layer)(x, each)
    read = into_shards(norm(x, p["norm"]))
    logits = jnp.einsum("bsd,vd->bsv", read, p["logits"]).astype(jnp.float32)
    most = lax.pmax(lax.stop_gradient(logits).max(-1), "model")
    total = from_shards(jnp.exp(logits - most[..., None]).sum(-1))
    wanted = from_shards((one_hot(targets, jnp.float32) * logits).sum(-1))
    return (jnp.log(total) + most - wanted).mean()


def step(p, mean, variance, count, tokens, targets):
    """Adam (Kingma and Ba 2015) on the parts of one core; tokens are [parts, sequences, length]."""
    narrow = jax.tree.map(lambda w: w.astype(jnp.bfloat16), p)

    def part(gradients, batch):
        value, more = jax.value_and_grad(loss)(narrow, *batch)
        return jax.tree.map(jnp.add, gradients, more), value

    zeros = jax.tree.map(lambda w: jnp.zeros(w.shape, jnp.bfloat16), p)
    gradients, values = lax.scan(part, zeros, (tokens, targets))
    gradients = lax.pmean(gradients, "data")
    count = count + 1
    rate = 1e-4 * jnp.sqrt(1 - 0.999 ** count) / (1 - 0.9 ** count)
    gradients = jax.tree.map(lambda g: g.astype(jnp.float32), gradients)
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradients)
    variance = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, variance, gradients)
    p = jax.tree.map(lambda w, m, v: w - rate * m / (jnp.sqrt(v) + 1e-8), p, mean, variance)
    return p, mean, variance, count, lax.pmean(values.mean(), "data")


def simulate(layers=28, batch=64, parts=8, **flags):
    """The podsim.result.Result of a step with a batch of `batch` sequences in `parts` parts."""
    tree = parameters(layers, lambda shape, _: jax.ShapeDtypeStruct(shape, jnp.float32))
    specs = parameters(layers, lambda _, spec: spec)
    tokens = jax.ShapeDtypeStruct((parts, batch // parts, SEQUENCE), jnp.int32)
    inputs = (specs, specs, specs, P(), P(None, "data"), P(None, "data"))
    mesh = jax.sharding.AbstractMesh((DATA, MODEL), ("data", "model"))
    outputs = (specs, specs, specs, P(), P())
    sharded = jax.shard_map(step, mesh=mesh, in_specs=inputs, out_specs=outputs, check_vma=False)
    return podsim.jax.simulate(sharded, (tree, tree, tree, jax.ShapeDtypeStruct((), jnp.float32), tokens, tokens),
                               mesh=mesh, in_shardings=inputs, donate_argnums=(0, 1, 2), **flags)


if __name__ == "__main__":
    print(simulate())
