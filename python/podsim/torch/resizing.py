# SPDX-License-Identifier: Apache-2.0
"""Images of another size."""

from typing import Any, Optional, Sequence

from podsim import build as nn
from podsim.build.graph import Array, _broadcast_in, _unary
from podsim.torch.indexing import rows_along
from podsim.torch.writer import Writer, made, rule


def along(x: Array, dim: int, weights: Array) -> Array:
    """Elements along a dimension times weights [new elements, elements]."""
    letters = "abcdefg"[:x.ndim]
    return nn.einsum(f"z{letters[dim]},{letters}->{letters.replace(letters[dim], 'z')}", weights, x)


def _scales(x: Array, sizes: Sequence[int], given: Optional[Sequence[Optional[float]]]) -> Sequence[float]:
    """Old elements for a new one, from the factors where the caller gave them."""
    old = x.shape[-len(sizes):]
    factors = given or [None] * len(sizes)
    return [1 / f if f else n / m for n, m, f in zip(old, sizes, factors)]


@rule("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d")
def _linear(writer: Writer, node: Any, x: Array, size: Any, align_corners: bool, *factors: Any, **_: Any) -> Array:
    """As products with weights max(0, 1 - distance), dimension after dimension."""
    sizes = made(node)[0][2:]
    for d, (m, scale) in enumerate(zip(sizes, _scales(x, sizes, _given(factors)))):
        n = x.shape[2 + d]
        if n == m:
            continue
        i, j = (nn.iota(writer.program, (m, n), axis, "f32") for axis in range(2))
        source = i * ((n - 1) / max(m - 1, 1)) if align_corners else (i + 0.5) * scale - 0.5
        source = nn.minimum(nn.maximum(source, 0), n - 1)
        x = along(x, 2 + d, nn.maximum(1 - _unary("abs", source - j), 0).astype(x.dtype))
    return x


@rule("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d")
def _nearest(writer: Writer, node: Any, x: Array, size: Any, *factors: Any, **_: Any) -> Array:
    sizes = made(node)[0][2:]
    for d, (m, scale) in enumerate(zip(sizes, _scales(x, sizes, _given(factors)))):
        n, dim = x.shape[2 + d], 2 + d
        if m % n == 0 and scale == n / m:
            shape = (*x.shape[:dim + 1], m // n, *x.shape[dim + 1:])
            kept = [axis for axis in range(len(shape)) if axis != dim + 1]
            x = _broadcast_in(x, shape, kept).reshape(*x.shape[:dim], m, *x.shape[dim + 1:])
        else:
            places = (nn.iota(writer.program, (m,), 0, "f32") * scale).astype("s32")
            x = rows_along(writer, x, dim, nn.minimum(places, n - 1))
    return x


def _given(factors: Sequence[Any]) -> Optional[Sequence[Optional[float]]]:
    """The factors: a list (.vec), or a number for each dimension."""
    if len(factors) == 1 and (factors[0] is None or isinstance(factors[0], list)):
        return factors[0]
    return list(factors) or None
