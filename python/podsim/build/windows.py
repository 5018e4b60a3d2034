# SPDX-License-Identifier: Apache-2.0
"""Convolutions and pools."""

import math
from typing import Any, List, Sequence, Tuple

from podsim.build.graph import Array, BuildError, Number

__all__ = ["average_pool", "conv", "max_pool"]


def _windows(given: Any, count: int, what: str) -> List[int]:
    sizes = [given] * count if isinstance(given, int) else list(given)
    if len(sizes) != count:
        raise BuildError(f"{what} has {len(sizes)} numbers for {count} spatial dimensions")
    return sizes


def _pads(padding: Any, sizes: Sequence[int], window: Sequence[int], stride: Sequence[int],
          dilation: Sequence[int]) -> List[Tuple[int, int]]:
    reach = [d * (w - 1) + 1 for w, d in zip(window, dilation)]
    if padding == "valid":
        return [(0, 0)] * len(window)
    if padding == "same":
        totals = [max((-(-n // s) - 1) * s + r - n, 0) for n, s, r in zip(sizes, stride, reach)]
        return [(total // 2, total - total // 2) for total in totals]
    if padding == "half":
        return [((r - 1) // 2, r - 1 - (r - 1) // 2) for r in reach]
    if isinstance(padding, int):
        return [(padding, padding)] * len(window)
    pads = [tuple(pad) for pad in padding]
    if len(pads) != len(window) or any(len(pad) != 2 for pad in pads):
        raise BuildError("padding is \"same\", \"valid\", \"half\", a number, or a pair for each spatial dimension")
    return pads  # type: ignore[return-value]


def _window_text(window: Sequence[int], stride: Sequence[int], pads: Sequence[Tuple[int, int]],
                 dilation: Sequence[int]) -> str:
    text = "size=" + "x".join(map(str, window))
    if any(s != 1 for s in stride):
        text += " stride=" + "x".join(map(str, stride))
    if any(pad != (0, 0) for pad in pads):
        text += " pad=" + "x".join(f"{low}_{high}" for low, high in pads)
    if any(d != 1 for d in dilation):
        text += " rhs_dilate=" + "x".join(map(str, dilation))
    return f"window={{{text}}}"


def _window_sizes(sizes: Sequence[int], window: Sequence[int], stride: Sequence[int],
                  pads: Sequence[Tuple[int, int]], dilation: Sequence[int]) -> List[int]:
    result = []
    for n, w, s, (low, high), d in zip(sizes, window, stride, pads, dilation):
        room = n + low + high - (d * (w - 1) + 1)
        if room < 0:
            raise BuildError(f"a window of {w} does not fit into {n} elements")
        result.append(room // s + 1)
    return result


def conv(x: Array, kernel: Array, stride: Any = 1, padding: Any = "half", groups: int = 1, dilation: Any = 1) -> Array:
    """x [batch, spatial..., features] by kernel [spatial..., features / groups, filters], with one to three spatial
    dimensions. Padding: "same" for ceil(size / stride) results, "valid" for none, "half" for (size - 1) / 2 at both
    ends whatever the stride, a number, or pairs."""
    count = x.ndim - 2
    if not 1 <= count <= 3 or kernel.ndim != x.ndim or x.dtype != kernel.dtype:
        raise BuildError(f"conv of {x!r} by {kernel!r}")
    features, filters = x.shape[-1], kernel.shape[-1]
    if kernel.shape[-2] * groups != features or filters % groups != 0:
        raise BuildError(f"conv of {features} features by {kernel!r} in {groups} groups")
    window = kernel.shape[:count]
    strides, dilations = _windows(stride, count, "stride"), _windows(dilation, count, "dilation")
    pads = _pads(padding, x.shape[1:-1], window, strides, dilations)
    sizes = _window_sizes(x.shape[1:-1], window, strides, pads, dilations)
    digits = "012"[:count]
    attributes = f"{_window_text(window, strides, pads, dilations)}, dim_labels=b{digits}f_{digits}io->b{digits}f"
    if groups > 1:
        attributes += f", feature_group_count={groups}"
    return x.program._op("convolution", [x, kernel], (x.shape[0], *sizes, filters), x.dtype, attributes)


def _pool(opcode: str, initial: Number, x: Array, size: Any, stride: Any, padding: Any) -> Array:
    count = x.ndim - 2
    window = (1, *_windows(size, count, "size"), 1)
    strides = (1, *_windows(size if stride is None else stride, count, "stride"), 1)
    ones = (1,) * x.ndim
    pads = [(0, 0), *_pads(padding, x.shape[1:-1], window[1:-1], strides[1:-1], ones[1:-1]), (0, 0)]
    sizes = _window_sizes(x.shape, window, strides, pads, ones)
    combiner = x.program._combiner(opcode, x.dtype)
    return x.program._op("reduce-window", [x, x.program.full((), initial, x.dtype)], sizes, x.dtype,
                         f"{_window_text(window, strides, pads, ones)}, to_apply=%{combiner}")


def max_pool(x: Array, size: Any, stride: Any = None, padding: Any = "same") -> Array:
    """Of x [batch, spatial..., features]. The stride is the size where it is not given."""
    return _pool("maximum", -math.inf, x, size, stride, padding)


def average_pool(x: Array, size: Any, stride: Any = None, padding: Any = "valid") -> Array:
    """Mean of size elements, of which padding counts as 0."""
    count = math.prod(_windows(size, x.ndim - 2, "size"))
    return _pool("add", 0, x, size, stride, padding) * (1.0 / count)
