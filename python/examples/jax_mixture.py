# SPDX-License-Identifier: Apache-2.0
"""A decoder with mixtures of experts in plain JAX, as in GShard (Lepikhin et al. 2020), with its Adam step:

python3 python/examples/jax_mixture.py

Every core has an expert of each mixture and a group of tokens; all-to-alls bring the tokens to the experts and back.
"""
import math

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

import podsim.jax

WIDTH, HIDDEN, HEADS, HEAD, VOCABULARY, SEQUENCE = 1024, 8192, 16, 128, 32768, 1024
GROUP, CAPACITY = 2048, 2.0


def parameters(layers, experts, make):
    """The tree of parameters; make(shape, spec) makes a leaf."""
    def norm():
        return {"scale": make((WIDTH,), P()), "bias": make((WIDTH,), P())}

    def attention():
        return {"norm": norm(), **{name: make((WIDTH, HEADS, HEAD), P()) for name in "qkv"},
                "o": make((HEADS, HEAD, WIDTH), P())}

    def feed_forward():
        return {"norm": norm(), "in": make((WIDTH, HIDDEN), P()), "out": make((HIDDEN, WIDTH), P())}

    def mixture():
        return {"norm": norm(), "gating": make((WIDTH, experts), P()),
                "in": make((experts, WIDTH, HIDDEN), P("x")), "out": make((experts, HIDDEN, WIDTH), P("x"))}

    each = [{"attention": attention(), "ffn": mixture() if i % 2 else feed_forward()} for i in range(layers)]
    return {"embedding": make((VOCABULARY, WIDTH), P()), "layers": each, "norm": norm()}


def cut(x, *spec):
    return lax.with_sharding_constraint(x, P(*spec))


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
    scores = jnp.einsum("bhsk,bhtk->bhst", q, k).astype(jnp.float32) / HEAD ** 0.5
    causal = jnp.tril(jnp.ones((SEQUENCE, SEQUENCE), bool))
    weights = softmax(jnp.where(causal, scores, -1e9))
    return jnp.einsum("bhst,bhtk,hkd->bsd", weights, v, p["o"].astype(x.dtype), optimize=[(0, 1), (0, 1)])


def placed(choice, earlier, weight, capacity):
    """[group, expert, place, token]: the weight of a token at its place with the expert of its choice."""
    kept = jnp.where(earlier < capacity, choice, 0) * weight[..., None]
    number = (earlier * choice).sum(-1).astype(jnp.int32)
    there = jax.nn.one_hot(number, capacity, axis=1)
    return jnp.moveaxis(kept, 2, 1)[:, :, None] * there[:, None]


def routed(gates, capacity):
    """The weights of tokens at the places of their two best experts, and the loss that keeps experts equally busy."""
    experts, tokens = gates.shape[-1], gates.shape[1]
    triangle = jnp.triu(jnp.ones((tokens, tokens)), 1)

    def before(choice):
        return jnp.einsum("gse,st->gte", choice, triangle)

    first = jax.nn.one_hot(gates.argmax(-1), experts)
    second = jax.nn.one_hot((gates * (1 - first)).argmax(-1), experts)
    best, next_best = (gates * first).sum(-1), (gates * second).sum(-1)
    both = best + next_best + 1e-9
    combine = placed(first, before(first), best / both, capacity) + placed(
        second, before(second) + first.sum(1, keepdims=True), next_best / both, capacity)
    busy = (first.sum(1) * gates.sum(1)).sum() * (experts / (tokens * tokens * gates.shape[0]))
    return combine, busy


def mixture(x, p):
    experts, grouped = p["gating"].shape[1], x.reshape(-1, GROUP, WIDTH)
    gates = jax.nn.softmax((grouped @ p["gating"].astype(x.dtype)).astype(jnp.float32))
    combine, busy = routed(gates, math.ceil(CAPACITY * GROUP / experts))
    combine = cut(combine.astype(x.dtype), "x")
    dispatched = cut(jnp.einsum("gecs,gsd->gecd", (combine > 0).astype(x.dtype), grouped), None, "x")
    hidden = cut(jax.nn.relu(jnp.einsum("gecd,edf->egcf", dispatched, p["in"].astype(x.dtype))), "x")
    out = cut(jnp.einsum("egcf,efd->egcd", hidden, p["out"].astype(x.dtype)), "x")
    return jnp.einsum("gecs,egcd->gsd", combine, out).reshape(x.shape), busy


def loss(p, tokens, targets):
    table = p["embedding"].astype(jnp.bfloat16)
    x, busy = jax.nn.one_hot(tokens, VOCABULARY, dtype=jnp.bfloat16) @ table, 0.0
    for each in p["layers"]:
        x = cut(x + attention(norm(x, each["attention"]["norm"]), each["attention"]), "x")
        ffn, read = each["ffn"], norm(x, each["ffn"]["norm"])
        if "gating" in ffn:
            change, more = mixture(read, ffn)
            busy = busy + more
        else:
            change = jax.nn.relu(read @ ffn["in"].astype(x.dtype)) @ ffn["out"].astype(x.dtype)
        x = cut(x + change, "x")
    logits = jnp.einsum("bsd,vd->bsv", norm(x, p["norm"]), table).astype(jnp.float32)
    wanted = (jax.nn.one_hot(targets, VOCABULARY) * logits).sum(-1)
    return (jax.nn.logsumexp(logits, axis=-1) - wanted).mean() + 0.01 * busy


def step(p, mean, variance, count, tokens, targets):
    """Adam (Kingma and Ba 2015)."""
    value, gradients = jax.value_and_grad(loss)(p, tokens, targets)
    count = count + 1
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradients)
    variance = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, variance, gradients)
    rate = 1e-4 * jnp.sqrt(1 - 0.999 ** count) / (1 - 0.9 ** count)
    p = jax.tree.map(lambda w, m, v: w - rate * m / (jnp.sqrt(v) + 1e-8), p, mean, variance)
    return p, mean, variance, count, value


def simulate(layers=4, experts=32, **flags):
    """The podsim.result.Result of a step on as many cores as experts, with a group of tokens each."""
    tree = parameters(layers, experts, lambda shape, _: jax.ShapeDtypeStruct(shape, jnp.float32))
    specs = parameters(layers, experts, lambda _, spec: spec)
    tokens = jax.ShapeDtypeStruct((experts * GROUP // SEQUENCE, SEQUENCE), jnp.int32)
    return podsim.jax.simulate(step, (tree, tree, tree, jax.ShapeDtypeStruct((), jnp.float32), tokens, tokens),
                               mesh={"x": experts}, in_shardings=(specs, specs, specs, P(), P("x"), P("x")),
                               donate_argnums=(0, 1, 2), **flags)


if __name__ == "__main__":
    print(simulate())
