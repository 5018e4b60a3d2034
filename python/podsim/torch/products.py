# SPDX-License-Identifier: Apache-2.0
"""Matrix products, attention, convolutions."""

import math
from typing import Any, Optional

from podsim import build as nn
from podsim.build.graph import Array, _broadcast_in, _common_shape
from podsim.build.windows import _window_sizes, _window_text
from podsim.torch.writer import Writer, each, rule


@rule("mm", "bmm", "matmul")
def _product(writer: Writer, node: Any, x: Array, y: Array) -> Array:
    """What a factor repeats for each product of a batch is multiplied once."""
    left, right = writer.repeated.get(x.name), writer.repeated.get(y.name)
    if right is not None and right.ndim == 2:
        return nn.matmul(x, right)
    if left is not None and left.ndim == 2 and x.ndim == 3:
        return nn.einsum("mk,bkn->bmn", left, y)
    return nn.matmul(x, y)


@rule("linear")
def _linear(writer: Writer, node: Any, x: Array, weight: Array, bias: Optional[Array] = None) -> Array:
    """The weight is [outputs, inputs], or [inputs]."""
    letters = "abcdefgh"[:x.ndim - 1]
    outputs = "z" if weight.ndim == 2 else ""
    product = nn.einsum(f"{letters}k,{outputs}k->{letters}{outputs}", x, weight)
    return product if bias is None else product + bias


@rule("mv", "dot")
def _vector_product(writer: Writer, node: Any, x: Array, y: Array) -> Array:
    return nn.matmul(x, y.reshape(-1, 1)).reshape(*x.shape[:-1])


@rule("addmm", "baddbmm")
def _sum_and_product(writer: Writer, node: Any, added: Array, x: Array, y: Array, beta: Any = 1,
                     alpha: Any = 1) -> Array:
    product = nn.matmul(x, y) if alpha == 1 else nn.matmul(x, y) * alpha
    return product if beta == 0 else product + (added if beta == 1 else added * beta)


@rule("_grouped_mm", "transformers.grouped_mm_fallback.default")
def _grouped_product(writer: Writer, node: Any, x: Array, weights: Array, offsets: Array, bias: Any = None,
                     *_: Any, **__: Any) -> Array:
    """Rows up to the first offset times the first matrix, those up to the second times the second, and so on. Every row
    is multiplied by every matrix, since the number of its rows depends on data."""
    if x.ndim != 2 or weights.ndim != 3 or bias is not None:
        raise nn.BuildError("a grouped product of other than rows and a matrix for each group has no translation")
    groups, shape = weights.shape[0], (weights.shape[0], x.shape[0], weights.shape[2])
    row = nn.iota(writer.program, (groups, x.shape[0]), 1, "s32")
    begins = nn.concatenate([writer.program.full((1,), 0, offsets.dtype), offsets[:groups - 1]], 0)
    inside = (row >= begins.reshape(groups, 1)) & (row < offsets.reshape(groups, 1))
    products = nn.einsum("sk,gkn->gsn", x, weights)
    return nn.where(_broadcast_in(inside, shape, (0, 1)), products, 0).sum(0)


@rule("scaled_dot_product_attention")
def _attention(writer: Writer, node: Any, q: Array, k: Array, v: Array, mask: Optional[Array] = None,
               dropout: float = 0.0, is_causal: bool = False, scale: Optional[float] = None,
               enable_gqa: bool = False) -> Array:
    """Scores and softmax in f32. With fewer heads of keys than of queries, neighbours share theirs."""
    if dropout:
        raise nn.BuildError("dropout has no translation; export with a rate of 0, or in eval() mode")
    size, factor = v.shape[-1], 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    rows, columns = q.shape[-2], k.shape[-2]
    groups = q.shape[-3] // k.shape[-3] if enable_gqa else 1
    if groups == 1:  # leading dimensions are broadcast
        front = _common_shape(q.shape[:-2], k.shape[:-2])
        q, k, v = (a.broadcast(*front, *a.shape[-2:]) for a in (q, k, v))
    shape = q.shape
    if groups > 1:
        q = q.reshape(*q.shape[:-3], k.shape[-3], groups * rows, q.shape[-1])
    first = "abcd"[:q.ndim - 2]
    scores = nn.einsum(f"{first}qe,{first}ke->{first}qk", q, k).astype("f32") * factor
    scores = scores.reshape(*shape[:-1], columns)
    if is_causal:
        row, column = (nn.iota(writer.program, scores.shape, scores.ndim - 2 + d, "s32") for d in range(2))
        scores = nn.where(column <= row, scores, -math.inf)
    if mask is not None:
        mask = writer.narrow.get(mask.name, mask)
        whole = mask.broadcast(*scores.shape)
        scores = nn.where(whole, scores, -math.inf) if mask.dtype == "pred" else scores + whole.astype("f32")
    weights = nn.softmax(scores).astype(v.dtype).reshape(*q.shape[:-1], columns)
    return nn.einsum(f"{first}qk,{first}kv->{first}qv", weights, v).reshape(*shape[:-1], size)


@rule("convolution")
def _convolution(writer: Writer, node: Any, x: Array, kernel: Array, bias: Optional[Array], stride: Any, padding: Any,
                 dilation: Any, transposed: bool, output_padding: Any, groups: int) -> Array:
    count = x.ndim - 2
    strides, dilations, pads = each(stride, count), each(dilation, count), each(padding, count)
    if transposed:
        result = _transposed_convolution(writer, x, kernel, strides, pads, dilations, each(output_padding, count),
                                         groups)
    else:
        window, pairs, digits = kernel.shape[2:], [(p, p) for p in pads], "012"[:count]
        sizes = _window_sizes(x.shape[2:], window, strides, pairs, dilations)
        attributes = f"{_window_text(window, strides, pairs, dilations)}, dim_labels=bf{digits}_oi{digits}->bf{digits}"
        attributes += f", feature_group_count={groups}" if groups > 1 else ""
        result = writer.program._op("convolution", [x, kernel], (x.shape[0], kernel.shape[0], *sizes), x.dtype,
                                    attributes)
    return result if bias is None else result + _broadcast_in(bias, result.shape, (1,))


def _transposed_convolution(writer: Writer, x: Array, kernel: Array, strides: Any, pads: Any, dilations: Any,
                            extra: Any, groups: int) -> Array:
    """The gradient of a convolution: zeros between the elements, and the kernel [inputs, outputs / groups, ...] from its
    end."""
    count, outputs = x.ndim - 2, kernel.shape[1] * groups
    window = kernel.shape[2:]
    if groups > 1:  # [inputs / groups, outputs, ...]
        split = kernel.reshape(groups, kernel.shape[0] // groups, *kernel.shape[1:])
        kernel = split.transpose(1, 0, *range(2, split.ndim)).reshape(split.shape[1], outputs, *window)
    ends = [(d * (w - 1) - p, d * (w - 1) - p + e) for w, p, d, e in zip(window, pads, dilations, extra)]
    sizes = [(n - 1) * s + 1 + low + high - d * (w - 1)
             for n, s, w, d, (low, high) in zip(x.shape[2:], strides, window, dilations, ends)]
    digits, ones = "012"[:count], [1] * count
    text = _window_text(window, ones, ends, dilations).rstrip("}")
    if any(s != 1 for s in strides):
        text += " lhs_dilate=" + "x".join(map(str, strides))
    text += " rhs_reversal=" + "x".join("1" * count) + "}"
    attributes = f"{text}, dim_labels=bf{digits}_io{digits}->bf{digits}"
    attributes += f", feature_group_count={groups}" if groups > 1 else ""
    return writer.program._op("convolution", [x, kernel], (x.shape[0], outputs, *sizes), x.dtype, attributes)
