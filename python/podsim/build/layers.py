# SPDX-License-Identifier: Apache-2.0
"""Layers with trained parameters, and losses."""

import math
from typing import Optional

from podsim.build.elementwise import exp, log, rsqrt, where
from podsim.build.graph import Array, BuildError, Program, iota
from podsim.build.products import einsum, matmul

__all__ = ["attention", "batch_norm", "cross_entropy", "dense", "embedding", "layer_norm", "log_softmax", "one_hot",
           "rms_norm", "softmax"]


def dense(x: Array, units: int, name: str = "dense", bias: bool = True) -> Array:
    """x [..., features] times a trained kernel [features, units], whose name begins with `name`; trained in f32,
    multiplied in the type of x."""
    with x.program.scope(name):
        y = matmul(x, x.program.parameter("kernel", (x.shape[-1], units)).astype(x.dtype))
        return y + x.program.parameter("bias", (units,)).astype(x.dtype) if bias else y


def embedding(program: Program, indices: Array, count: int, features: int, name: str = "embedding",
              dtype: str = "bf16") -> Array:
    """Rows of a trained table f32[count, features], in `dtype`: [dimensions of the indices, features]."""
    with program.scope(name):
        table = program.parameter("table", (count, features))
        last = indices.ndim
        gathered = program._op("gather", [table, indices], (*indices.shape, features), table.dtype,
                               f"offset_dims={{{last}}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, "
                               f"index_vector_dim={last}, slice_sizes={{1,{features}}}")
        return gathered.astype(dtype)


def layer_norm(x: Array, name: str = "norm", epsilon: float = 1e-6) -> Array:
    """Over the last dimension, in f32, with trained scale and bias (Ba, Kiros, Hinton 2016)."""
    with x.program.scope(name):
        scale = x.program.parameter("scale", (x.shape[-1],))
        bias = x.program.parameter("bias", (x.shape[-1],))
        wide = x.astype("f32")
        mean = wide.mean(-1, keepdims=True)
        variance = (wide * wide).mean(-1, keepdims=True) - mean * mean
        return ((wide - mean) * rsqrt(variance + epsilon) * scale + bias).astype(x.dtype)


def rms_norm(x: Array, name: str = "norm", epsilon: float = 1e-6) -> Array:
    """Over the last dimension, in f32, with a trained scale (Zhang and Sennrich 2019)."""
    with x.program.scope(name):
        scale = x.program.parameter("scale", (x.shape[-1],))
        wide = x.astype("f32")
        return (wide * rsqrt((wide * wide).mean(-1, keepdims=True) + epsilon) * scale).astype(x.dtype)


def batch_norm(x: Array, name: str = "norm", epsilon: float = 1e-5) -> Array:
    """Over all but the last dimension with statistics of the batch, in f32, with trained gamma and beta."""
    with x.program.scope(name):
        gamma = x.program.parameter("gamma", (x.shape[-1],))
        beta = x.program.parameter("beta", (x.shape[-1],))
        wide, others = x.astype("f32"), range(x.ndim - 1)
        mean = wide.mean(*others)
        variance = (wide * wide).mean(*others) - mean * mean
        scale = gamma * rsqrt(variance + epsilon)
        return (wide * scale + (beta - mean * scale)).astype(x.dtype)


def log_softmax(x: Array, axis: int = -1) -> Array:
    shifted = x - x.max(axis, keepdims=True)
    return shifted - log(exp(shifted).sum(axis, keepdims=True))


def softmax(x: Array, axis: int = -1) -> Array:
    weights = exp(x - x.max(axis, keepdims=True))
    return weights / weights.sum(axis, keepdims=True)


def one_hot(indices: Array, count: int, dtype: str = "f32") -> Array:
    """[dimensions of the indices, count]: 1 at the index, else 0."""
    shape = (*indices.shape, count)
    places = iota(indices.program, shape, -1, indices.dtype)
    return places.equal(indices.reshape(*indices.shape, 1)).astype(dtype)


def cross_entropy(logits: Array, labels: Array, smoothing: float = 0.0) -> Array:
    """Mean over the rows of the cross-entropy of softmax(logits[..., classes]) against whole-number labels, in f32. The
    target is 1 - smoothing for the label, plus smoothing / classes for every class."""
    classes = logits.shape[-1]
    target = one_hot(labels, classes) * (1 - smoothing) + smoothing / classes
    return -(target * log_softmax(logits.astype("f32"))).sum() * (classes / logits.size)


def attention(x: Array, heads: int, head_size: int = 0, name: str = "attention", causal: bool = False,
              memory: Optional[Array] = None) -> Array:
    """Multi-head attention (Vaswani et al. 2017) of x [batch, queries, features] over memory [batch, keys, features],
    x itself where there is none, with scores in f32. `head_size` is features / heads where it is 0."""
    program, features = x.program, x.shape[-1]
    size, keys = head_size or features // heads, memory or x
    if not head_size and features % heads:
        raise BuildError(f"{features} features do not divide into {heads} heads")
    with program.scope(name):
        def projected(letter: str, array: Array) -> Array:
            weight = program.parameter(f"w_{letter}", (array.shape[-1], heads, size)).astype(x.dtype)
            return einsum("bsf,fhd->bshd", array, weight)

        q, k, v = projected("q", x), projected("k", keys), projected("v", keys)
        scores = einsum("bqhd,bkhd->bhqk", q, k).astype("f32") * (1 / math.sqrt(size))
        if causal:
            shape = scores.shape
            scores = where(iota(program, shape, 2) >= iota(program, shape, 3), scores, -1e9)
        context = einsum("bhqk,bkhd->bqhd", softmax(scores).astype(x.dtype), v)
        return einsum("bqhd,hdf->bqf", context, program.parameter("w_o", (heads, size, features)).astype(x.dtype))
