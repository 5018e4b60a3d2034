# SPDX-License-Identifier: Apache-2.0
"""A decoder of 6 billion parameters in plain JAX, in the shape of GPT-J, with its Adam step:

python3 python/examples/jax_decoder.py

The batch is cut along `data`; heads, hidden units and words along `model`, as in Megatron (Shoeybi et al. 2019).
"""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

import podsim.jax

WIDTH, HIDDEN, HEADS, HEAD, VOCABULARY, SEQUENCE = 4096, 16384, 16, 256, 50400, 2048
RESIDUAL = P("data", None, "model")  # gathered where a block reads it
SPECS = {"scale": P(), "bias": P(), "q": P(None, "model"), "k": P(None, "model"), "v": P(None, "model"),
         "o": P("model"), "in": P(None, "model"), "out": P("model")}


def parameters(layers, make):
    """The tree of parameters; make(shape, spec) makes a leaf."""
    def norm():
        return {"scale": make((WIDTH,), SPECS["scale"]), "bias": make((WIDTH,), SPECS["bias"])}

    def layer():
        heads = {name: make((WIDTH, HEADS, HEAD), SPECS[name]) for name in "qkv"}
        return {"norm": norm(), **heads, "o": make((HEADS, HEAD, WIDTH), SPECS["o"]),
                "in": make((WIDTH, HIDDEN), SPECS["in"]), "out": make((HIDDEN, WIDTH), SPECS["out"])}

    words = [make((VOCABULARY, WIDTH), P("model")) for _ in range(2)]
    return {"embedding": words[0], "layers": [layer() for _ in range(layers)], "norm": norm(), "logits": words[1]}


def norm(x, p):
    x = x.astype(jnp.float32)
    mean = x.mean(-1, keepdims=True)
    variance = (x * x).mean(-1, keepdims=True) - mean * mean
    return ((x - mean) * lax.rsqrt(variance + 1e-6) * p["scale"] + p["bias"]).astype(jnp.bfloat16)


@jax.custom_vjp
def softmax(scores):
    """In bf16, which is also all that its gradient keeps."""
    return jax.nn.softmax(scores).astype(jnp.bfloat16)


def softmax_forward(scores):
    weights = softmax(scores)
    return weights, weights


def softmax_backward(weights, change):
    product = (weights * change).astype(jnp.float32)
    return (product - weights.astype(jnp.float32) * product.sum(-1, keepdims=True),)


softmax.defvjp(softmax_forward, softmax_backward)


def attention(x, p):
    q, k, v = (jnp.einsum("bsd,dhk->bhsk", x, p[name].astype(x.dtype)) for name in "qkv")
    scores = jnp.einsum("bhsk,bhtk->bhst", q, k, preferred_element_type=jnp.float32) / HEAD ** 0.5
    causal = jnp.tril(jnp.ones((SEQUENCE, SEQUENCE), bool))
    weights = softmax(jnp.where(causal, scores, -1e9))
    return jnp.einsum("bhst,bhtk,hkd->bsd", weights, v, p["o"].astype(x.dtype), optimize=[(0, 1), (0, 1)])


def layer(x, p):
    """Attention and feed-forward block read one norm."""
    read = norm(x, p["norm"])
    hidden = jax.nn.gelu(read @ p["in"].astype(x.dtype))
    x = x + attention(read, p) + hidden @ p["out"].astype(x.dtype)
    return lax.with_sharding_constraint(x, RESIDUAL)


def loss(p, tokens, targets):
    x = jax.nn.one_hot(tokens, VOCABULARY, dtype=jnp.bfloat16) @ p["embedding"].astype(jnp.bfloat16)
    x = lax.with_sharding_constraint(x, RESIDUAL)
    for each in p["layers"]:
        x = jax.checkpoint(layer)(x, each)
    logits = jnp.einsum("bsd,vd->bsv", norm(x, p["norm"]), p["logits"].astype(jnp.bfloat16))
    logits = lax.with_sharding_constraint(logits, P("data", None, "model")).astype(jnp.float32)
    wanted = (jax.nn.one_hot(targets, VOCABULARY) * logits).sum(-1)
    return (jax.nn.logsumexp(logits, axis=-1) - wanted).mean()


def step(p, mean, variance, count, tokens, targets):
    """Adam (Kingma and Ba 2015)."""
    value, gradients = jax.value_and_grad(loss)(p, tokens, targets)
    count = count + 1
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradients)
    variance = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, variance, gradients)
    rate = 1e-4 * jnp.sqrt(1 - 0.999 ** count) / (1 - 0.9 ** count)
    p = jax.tree.map(lambda w, m, v: w - rate * m / (jnp.sqrt(v) + 1e-8), p, mean, variance)
    return p, mean, variance, count, value


def simulate(layers=28, batch=8, mesh="data=4,model=8", **flags):
    """The podsim.result.Result of a step with a batch of `batch` sequences."""
    tree = parameters(layers, lambda shape, _: jax.ShapeDtypeStruct(shape, jnp.float32))
    specs = parameters(layers, lambda _, spec: spec)
    tokens = jax.ShapeDtypeStruct((batch, SEQUENCE), jnp.int32)
    return podsim.jax.simulate(step, (tree, tree, tree, jax.ShapeDtypeStruct((), jnp.float32), tokens, tokens),
                               mesh=mesh, in_shardings=(specs, specs, specs, P(), P("data"), P("data")),
                               donate_argnums=(0, 1, 2), **flags)


if __name__ == "__main__":
    print(simulate())
