# SPDX-License-Identifier: Apache-2.0
"""Pools."""

import math
from typing import Any, List, Sequence

from podsim import build as nn
from podsim.build.graph import Array
from podsim.build.windows import _window_text
from podsim.torch.resizing import along
from podsim.torch.writer import Writer, each, made, rule


def _pooled(writer: Writer, opcode: str, initial: float, x: Array, size: Any, stride: Any, padding: Any, dilation: Any,
            shape: Sequence[int]) -> Array:
    """The last dimensions, one for each number of `shape`."""
    count = len(shape)
    front = (1,) * (x.ndim - count)
    window = (*front, *each(size, count))
    strides = (*front, *each(stride or size, count))
    dilations = (*front, *each(dilation, count))
    pads = [*((0, 0) for _ in front), *((p, p) for p in each(padding, count))]
    for d in range(len(front), x.ndim):  # ceil_mode: what is missing is padded at the end
        reach = (shape[d - len(front)] - 1) * strides[d] + dilations[d] * (window[d] - 1) + 1
        pads[d] = (pads[d][0], max(pads[d][1], reach - x.shape[d] - pads[d][0]))
    combiner = writer.program._combiner(opcode, x.dtype)
    attributes = f"{_window_text(window, strides, pads, dilations)}, to_apply=%{combiner}"
    start = writer.program.full((), initial, x.dtype)
    return writer.program._op("reduce-window", [x, start], (*x.shape[:len(front)], *shape), x.dtype, attributes)


@rule("max_pool2d_with_indices", "max_pool3d_with_indices", "max_pool1d", "max_pool2d", "max_pool3d")
def _max_pool(writer: Writer, node: Any, x: Array, size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
              ceil_mode: bool = False) -> Any:
    count = int(str(node.target).split("pool")[1][0])
    result = _pooled(writer, "maximum", -math.inf, x, size, stride, padding, dilation, made(node)[0][-count:])
    return [result, None] if "with_indices" in str(node.target) else result


@rule("avg_pool1d", "avg_pool2d", "avg_pool3d")
def _average_pool(writer: Writer, node: Any, x: Array, size: Any, stride: Any = None, padding: Any = 0,
                  ceil_mode: bool = False, count_include_pad: bool = True, divisor: Any = None) -> Array:
    shape = made(node)[0]
    count = int(str(node.target).split("pool")[1][0])
    sums = _pooled(writer, "add", 0, x, size, stride, padding, 1, shape[-count:])
    if divisor or not any(each(padding, count)) and not ceil_mode or count_include_pad and not ceil_mode:
        return sums * (1 / (divisor or math.prod(each(size, count))))
    # Windows of different sizes: elements that are there, and padding if it counts, but not what ceil_mode adds.
    ones = writer.program.full(x.shape[-count:], 1, x.dtype)
    pads = each(padding, count)
    if count_include_pad and any(pads):
        ones = writer.program.full([n + 2 * p for n, p in zip(x.shape[-count:], pads)], 1, x.dtype)
        pads = [0] * count
    return sums / _pooled(writer, "add", 0, ones, size, stride, pads, 1, shape[-count:])


@rule("_adaptive_avg_pool1d", "_adaptive_avg_pool2d", "_adaptive_avg_pool3d", "adaptive_avg_pool1d",
      "adaptive_avg_pool2d", "adaptive_avg_pool3d")
def _adaptive_pool(writer: Writer, node: Any, x: Array, sizes: Any) -> Array:
    """Means of parts; of windows that overlap where sizes do not divide, as products with weights (as PyTorch takes
    them: from floor(i n / m) to ceil((i + 1) n / m))."""
    count = int(str(node.target).split("pool")[1][0])
    sizes = each(sizes, count)
    first = x.ndim - count
    if not any(n % m for n, m in zip(x.shape[first:], sizes)):
        split: List[int] = [k for n, m in zip(x.shape[first:], sizes) for k in (m, n // m)]
        return x.reshape(*x.shape[:first], *split).mean(*(first + 1 + 2 * d for d in range(count)))
    for d, m in enumerate(sizes):
        n = x.shape[first + d]
        i, j = (nn.iota(writer.program, (m, n), axis, "s32") for axis in range(2))
        begin, end = (i * n)._binary("divide", m), ((i + 1) * n + (m - 1))._binary("divide", m)
        inside = nn.where(j < end, (j >= begin).astype(x.dtype), 0.0)
        x = along(x, first + d, inside / (end - begin).astype(x.dtype))
    return x
