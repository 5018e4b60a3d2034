# SPDX-License-Identifier: Apache-2.0
"""Layers of the programs in plain JAX: functions of a dictionary of parameters and of data."""

import jax
import jax.numpy as jnp
from jax import lax


def dense(p, x):
    return x @ p["w"] + p["b"]


def convolve(p, x, stride=1, groups=1, dilation=1, padding="SAME"):
    """Images [batch, rows, columns, channels], or rows [batch, length, channels]."""
    names = ("NHWC", "HWIO", "NHWC") if x.ndim == 4 else ("NWC", "WIO", "NWC")
    count = x.ndim - 2
    return lax.conv_general_dilated(x, p["w"], (stride,) * count, padding, rhs_dilation=(dilation,) * count,
                                    dimension_numbers=names, feature_group_count=groups) + p.get("b", 0)


def depthwise(p, x, stride=1, padding="SAME"):
    return convolve(p, x, stride, x.shape[-1], padding=padding)


def layer_norm(p, x):
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * p["scale"] + p["bias"]


def rms_norm(scale, x):
    return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


def batch_norm(p, x):
    over = tuple(range(x.ndim - 1))
    mean, variance = x.mean(over), x.var(over)
    return (x - mean) * lax.rsqrt(variance + 1e-3) * p["scale"] + p["bias"]


def group_norm(p, x, groups):
    split = x.reshape(x.shape[0], -1, groups, x.shape[-1] // groups)
    mean, variance = split.mean((1, 3), keepdims=True), split.var((1, 3), keepdims=True)
    return ((split - mean) * lax.rsqrt(variance + 1e-5)).reshape(x.shape) * p["scale"] + p["bias"]


def cross_entropy(logits, labels):
    logs = jax.nn.log_softmax(logits)
    return -jnp.take_along_axis(logs, labels[..., None], -1).mean()


def heads_of(x, heads):
    return x.reshape(*x.shape[:-1], heads, -1)


def attention(p, x, heads, causal=False, bias=None, memory=None):
    memory = x if memory is None else memory
    q, k, v = (heads_of(dense(p[name], source), heads) for name, source in (("q", x), ("k", memory), ("v", memory)))
    scores = jnp.einsum("...qhd,...khd->...hqk", q, k) / q.shape[-1]**0.5
    scores = scores if bias is None else scores + bias
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e9)
    mixed = jnp.einsum("...hqk,...khd->...qhd", jax.nn.softmax(scores), v)
    return dense(p["o"], mixed.reshape(*x.shape[:-1], -1))


def attention_parameters(draw, size):
    return {name: draw.layer(size, size) for name in "qkvo"}


def mlp(layers, x, activation=jax.nn.gelu):
    for layer in layers[:-1]:
        x = activation(dense(layer, x))
    return dense(layers[-1], x)


def mlp_parameters(draw, *sizes):
    return [draw.layer(a, b) for a, b in zip(sizes, sizes[1:])]
