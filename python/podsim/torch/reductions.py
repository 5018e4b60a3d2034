# SPDX-License-Identifier: Apache-2.0
"""Sums and other reductions, softmax, losses."""

import math
from typing import Any, List, Tuple

from podsim import build as nn
from podsim.build.graph import Array, _broadcast_in, _reduce, _unary
from podsim.torch.writer import Writer, axes_of, made, rule


@rule("sum", "mean", "amax", "amin", "max", "min")
def _reduced(writer: Writer, node: Any, x: Array, axes: Any = None, keepdim: bool = False, **_: Any) -> Array:
    name = str(node.target).split(".")[1]
    over, dtype = axes_of(x, axes), made(node)[1]
    if name in ("amax", "max"):
        return x.max(*over, keepdims=keepdim)
    if name in ("amin", "min"):
        return least(x, over, keepdim)
    wide = x.astype("f32" if dtype in ("bf16", "f16") else dtype)  # as PyTorch accumulates
    return wide.sum(*over, keepdims=keepdim) if name == "sum" else wide.mean(*over, keepdims=keepdim)


def least(x: Array, over: List[int], keepdim: bool = False) -> Array:
    highest = math.inf if x.dtype[0] in "fb" else 2**31 - 1 if x.dtype == "s32" else 127
    return _reduce("minimum", x, over, highest, keepdim)


@rule("prod")
def _multiplied(writer: Writer, node: Any, x: Array, axis: Any = None, keepdim: bool = False, **_: Any) -> Array:
    return _reduce("multiply", x.astype(made(node)[1]), axes_of(x, axis), 1, keepdim)


@rule("any")
def _any(writer: Writer, node: Any, x: Array, axes: Any = None, keepdim: bool = False) -> Array:
    return 0 < x.astype("s32").max(*axes_of(x, axes), keepdims=keepdim)


@rule("all")
def _all(writer: Writer, node: Any, x: Array, axes: Any = None, keepdim: bool = False) -> Array:
    return 0 < least(x.astype("s32"), axes_of(x, axes), keepdim)


@rule("var", "var_mean")
def _variance(writer: Writer, node: Any, x: Array, axes: Any = None, correction: Any = 1,
              keepdim: bool = False, **_: Any) -> Any:
    variance, mean = _moments(x, axes, 1 if correction is None else correction, keepdim)
    return [variance, mean] if "var_mean" in str(node.target) else variance


def _moments(x: Array, axes: Any, correction: Any, keepdim: bool) -> Tuple[Array, Array]:
    over = axes_of(x, axes)
    mean, count = x.mean(*over, keepdims=True), math.prod(x.shape[axis] for axis in over)
    centred = x - mean
    variance = (centred * centred).sum(*over, keepdims=keepdim) * (1 / max(count - correction, 1e-30))
    return variance, mean.reshape(*variance.shape)


def root(square: Array) -> Array:
    """With slope 0 at 0, as a norm of PyTorch."""
    is_zero = square.equal(0)
    return nn.where(is_zero, 0, nn.sqrt(nn.where(is_zero, 1, square)))


@rule("std", "std_mean")
def _deviation(writer: Writer, node: Any, x: Array, axes: Any = None, correction: Any = 1,
               keepdim: bool = False, **_: Any) -> Any:
    variance, mean = _moments(x, axes, 1 if correction is None else correction, keepdim)
    return [root(variance), mean] if "std_mean" in str(node.target) else root(variance)


@rule("norm")
def _any_norm(writer: Writer, node: Any, x: Array, order: Any = 2, axes: Any = None, keepdim: bool = False,
              **_: Any) -> Array:
    return _norm(writer, node, x, 2 if order is None else order, axes, keepdim)


@rule("linalg_vector_norm")
def _norm(writer: Writer, node: Any, x: Array, order: float = 2, axes: Any = None, keepdim: bool = False,
          **_: Any) -> Array:
    over = axes_of(x, axes)
    if order == 2:
        return root((x * x).sum(*over, keepdims=keepdim))
    size = x * _unary("sign", x)
    if order in (1, math.inf):
        return (size.sum if order == 1 else size.max)(*over, keepdims=keepdim)
    return (size**order).sum(*over, keepdims=keepdim)**(1 / order)


@rule("_softmax", "softmax")
def _softmax(writer: Writer, node: Any, x: Array, axis: int, *_: Any) -> Array:
    return nn.softmax(x.astype("f32"), axis)


@rule("_log_softmax", "log_softmax")
def _log_softmax(writer: Writer, node: Any, x: Array, axis: int, *_: Any) -> Array:
    return nn.log_softmax(x.astype("f32"), axis)


@rule("logsumexp")
def _log_sum(writer: Writer, node: Any, x: Array, axes: Any, keepdim: bool = False) -> Array:
    over = axes_of(x, axes)
    most = x.max(*over, keepdims=True)
    result = nn.log(nn.exp(x - most).sum(*over, keepdims=True)) + most
    return result.reshape(*made(node)[0])


@rule("nll_loss_forward", "nll_loss2d_forward")
def _nll(writer: Writer, node: Any, logs: Array, labels: Array, weight: Any, reduction: int,
         ignored: int) -> List[Array]:
    """Labels that are ignored count neither in the sum nor in the mean. Classes are the second dimension, or the only
    one. Only the label's logarithm is read, since others may be infinite."""
    axis = 1 if logs.ndim > 1 else 0
    whole = labels.reshape(*labels.shape[:axis], 1, *labels.shape[axis:])
    is_label = whole.broadcast(*logs.shape).equal(nn.iota(writer.program, logs.shape, axis, labels.dtype))
    is_label = is_label & whole.equal(ignored).equal(False).broadcast(*logs.shape)
    weights = writer.program.full(logs.shape, 1, logs.dtype) if weight is None else _broadcast_in(
        weight.astype(logs.dtype), logs.shape, (axis,))
    rows, count = -nn.where(is_label, weights * logs, 0).sum(axis), nn.where(is_label, weights, 0).sum()
    return [rows if reduction == 0 else rows.sum() / count if reduction == 1 else rows.sum(), count]


@rule("histc")
def _histogram(writer: Writer, node: Any, x: Array, bins: int = 100, least: float = 0, most: float = 0) -> Array:
    """Numbers of elements in equal intervals, the last with its end."""
    if least == most:
        raise nn.BuildError("a histogram between the extremes of its data has no translation")
    flat = x.reshape(-1, 1)
    place = nn.minimum(_unary("floor", (flat - least) * (bins / (most - least))), bins - 1)
    counted = place.broadcast(x.size, bins).equal(nn.iota(writer.program, (x.size, bins), 1, x.dtype))
    inside = ((flat >= least) & (flat <= most)).broadcast(x.size, bins)
    return (counted & inside).astype(x.dtype).sum(0)


@rule("_cdist_forward")
def _distances(writer: Writer, node: Any, x: Array, y: Array, order: float, *_: Any) -> Array:
    apart = x.reshape(*x.shape[:-1], 1, x.shape[-1]) - y.reshape(*y.shape[:-2], 1, *y.shape[-2:])
    if order == 2:
        return root((apart * apart).sum(apart.ndim - 1))
    size = apart * _unary("sign", apart)
    if order in (1, math.inf):
        return (size.sum if order == 1 else size.max)(apart.ndim - 1)
    return (size**order).sum(apart.ndim - 1)**(1 / order)
