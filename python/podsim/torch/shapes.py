# SPDX-License-Identifier: Apache-2.0
"""Operations that move elements, and arrays of numbers."""

from typing import Any, List, Sequence

from podsim import build as nn
from podsim.build.graph import Array, _braces, _broadcast_in
from podsim.torch.writer import Writer, made, rule


@rule("view", "_unsafe_view", "reshape", "unsqueeze", "squeeze", "flatten")
def _reshaped(writer: Writer, node: Any, x: Array, *_: Any, **__: Any) -> Array:
    result = x.reshape(*made(node)[0])
    source = writer.repeated.get(x.name)
    if source is not None and result.shape[-source.ndim:] == source.shape:
        writer.repeated[result.name] = source
    return result


@rule("expand")
def _expanded(writer: Writer, node: Any, x: Array, *_: Any, **__: Any) -> Array:
    shape = made(node)[0]
    result = x.broadcast(*shape)
    if result is not x:
        writer.narrow[result.name] = writer.narrow.get(x.name, x)
    if result is not x and shape[len(shape) - x.ndim:] == x.shape:
        writer.repeated[result.name] = x
    elif result is not x and x.shape[0] == 1 and shape[1:] == x.shape[1:]:
        writer.repeated[result.name] = x.reshape(*x.shape[1:])
    return result


@rule("repeat")
def _tiled(writer: Writer, node: Any, x: Array, repeats: Sequence[int]) -> Array:
    """[2, 3] twice along the second dimension is [2, 2, 3] as [2, 6]."""
    sizes = (1,) * (len(repeats) - x.ndim) + x.shape
    split = [n for pair in zip(repeats, sizes) for n in pair]
    kept = [2 * d + 1 for d in range(len(repeats)) if d >= len(repeats) - x.ndim]
    return _broadcast_in(x, split, kept).reshape(*made(node)[0])


@rule("permute")
def _permuted(writer: Writer, node: Any, x: Array, order: List[int]) -> Array:
    return x.transpose(*(d % x.ndim for d in order))


@rule("transpose", "t")
def _swapped(writer: Writer, node: Any, x: Array, first: int = 0, second: int = 1) -> Array:
    order = list(range(x.ndim))
    if x.ndim > 1:
        order[first], order[second] = order[second], order[first]
    return x.transpose(*order)


@rule("as_strided")
def _strided(writer: Writer, node: Any, x: Array, sizes: Sequence[int], strides: Sequence[int],
             offset: Any = None) -> Array:
    """An array of all elements in the order of memory, as an array of one dimension, and from there: dimensions of
    one element or that divide the memory, in any order."""
    memory = node.args[0].meta["val"].stride()
    flat = x.transpose(*sorted(range(x.ndim), key=lambda d: (-memory[d], d))) if x.ndim > 1 else x
    try:
        return _rearranged(x, flat, sizes, strides, offset)
    except nn.BuildError:
        return _read_by_strides(writer, flat, sizes, strides, offset or 0)


def _read_by_strides(writer: Writer, flat: Array, sizes: Sequence[int], strides: Sequence[int], offset: int) -> Array:
    """Any elements of the memory, such as windows that overlap."""
    if not sizes:
        return flat.reshape(-1)[offset]
    place = nn.iota(writer.program, sizes, 0, "s32") * strides[0] + offset
    for d in range(1, len(sizes)):
        place = place + nn.iota(writer.program, sizes, d, "s32") * strides[d]
    from podsim.torch.indexing import rows_along  # pylint: disable=import-outside-toplevel,cyclic-import

    return rows_along(writer, flat.reshape(-1), 0, place)


def _rearranged(x: Array, flat: Array, sizes: Sequence[int], strides: Sequence[int], offset: Any) -> Array:
    long = [d for d in sorted(range(len(sizes)), key=lambda d: (-strides[d], d)) if sizes[d] > 1]
    step = 1
    for d in reversed(long):
        if strides[d] != step:
            raise nn.BuildError(f"an array {list(x.shape)} with strides {list(strides)} has no translation")
        step *= sizes[d]
    if step != x.size or offset:
        raise nn.BuildError(f"a part of an array by strides {list(strides)} has no translation")
    split = flat.reshape(*(sizes[d] for d in long))
    order = sorted(range(len(long)), key=lambda i: long[i])
    return (split.transpose(*order) if order else split).reshape(*sizes)


@rule("slice")
def sliced(writer: Writer, node: Any, x: Array, dim: int = 0, start: Any = None, end: Any = None,
           step: int = 1) -> Array:
    index: List[Any] = [slice(None)] * x.ndim
    index[dim] = slice(start, end, step)
    return x[tuple(index)]


@rule("select")
def _selected(writer: Writer, node: Any, x: Array, dim: int, position: int) -> Array:
    index: List[Any] = [slice(None)] * x.ndim
    index[dim] = position
    return x[tuple(index)]


@rule("cat")
def _joined(writer: Writer, node: Any, arrays: List[Array], dim: int = 0) -> Array:
    arrays = [array for array in arrays if array.shape != (0,)]
    return nn.concatenate([array.astype(made(node)[1]) for array in arrays], dim)


@rule("stack")
def _stacked(writer: Writer, node: Any, arrays: List[Array], dim: int = 0) -> Array:
    at = dim % (arrays[0].ndim + 1)
    return nn.concatenate([a.astype(made(node)[1]).reshape(*a.shape[:at], 1, *a.shape[at:]) for a in arrays], at)


@rule("split_with_sizes")
def _split(writer: Writer, node: Any, x: Array, sizes: List[int], dim: int = 0) -> List[Array]:
    parts, begin = [], 0
    for size in sizes:
        parts.append(sliced(writer, node, x, dim, begin, begin + size))
        begin += size
    return parts


@rule("split")
def _split_evenly(writer: Writer, node: Any, x: Array, size: int, dim: int = 0) -> List[Array]:
    return [sliced(writer, node, x, dim, begin, begin + size) for begin in range(0, x.shape[dim], size)]


@rule("diagonal")
def _diagonal(writer: Writer, node: Any, x: Array, offset: int = 0, first: int = 0, second: int = 1) -> Array:
    """The sum over the second dimension of what is on the diagonal, as the last dimension."""
    first, second = first % x.ndim, second % x.ndim
    order = [d for d in range(x.ndim) if d not in (first, second)] + [first, second]
    x, count = x.transpose(*order), made(node)[0][-1]
    begin = max(0, -offset)
    x = x[(..., slice(begin, begin + count), slice(None))]
    row, column = (nn.iota(writer.program, x.shape, x.ndim - 2 + d, "s32") for d in range(2))
    return nn.where(column.equal(row + (begin + offset)), x, 0).sum(x.ndim - 1)


@rule("flip")
def _reversed(writer: Writer, node: Any, x: Array, dims: Sequence[int]) -> Array:
    return writer.program._op("reverse", [x], x.shape, x.dtype, f"dimensions={_braces([d % x.ndim for d in dims])}")


@rule("roll")
def _rolled(writer: Writer, node: Any, x: Array, shifts: Any, dims: Any = ()) -> Array:
    shape = x.shape
    if not dims:
        x, dims = x.reshape(-1), [0]
    for shift, dim in zip([shifts] if isinstance(shifts, int) else shifts, [dims] if isinstance(dims, int) else dims):
        at = -shift % x.shape[dim]
        if at:
            parts = [sliced(writer, node, x, dim, at), sliced(writer, node, x, dim, 0, at)]
            x = nn.concatenate(parts, dim)
    return x.reshape(*shape)


@rule("constant_pad_nd", "pad")
def _padded(writer: Writer, node: Any, x: Array, pads: Sequence[int], *rest: Any) -> Array:
    """Pads are pairs, of the last dimension first; negative ones cut."""
    value = next((number for number in rest if not isinstance(number, str) and number is not None), 0)
    pairs = [(0, 0)] * x.ndim
    for i in range(len(pads) // 2):
        pairs[x.ndim - 1 - i] = (pads[2 * i], pads[2 * i + 1])
    widths = "x".join(f"{low}_{high}" for low, high in pairs)
    shape = [n + low + high for n, (low, high) in zip(x.shape, pairs)]
    return writer.program._op("pad", [x, writer.array(value, x.dtype)], shape, x.dtype, f"padding={widths}")


@rule("tril", "triu")
def _triangle(writer: Writer, node: Any, x: Array, diagonal: int = 0) -> Array:
    row, column = (nn.iota(writer.program, x.shape, x.ndim - 2 + d, "s32") for d in range(2))
    inside = column <= row + diagonal if "tril" in str(node.target) else column >= row + diagonal
    return nn.where(inside, x, 0)


# --- arrays of numbers ------------------------------------------------------------------------------------------------

@rule("full", "full_like", "zeros", "ones", "zeros_like", "ones_like", "scalar_tensor", "empty", "empty_like",
      "empty_permuted", "empty_strided",
      "new_zeros", "new_ones", "new_full", "fill")
def _filled(writer: Writer, node: Any, *arguments: Any, **_: Any) -> Array:
    name, (shape, dtype) = str(node.target), made(node)
    if "zeros" in name or "empty" in name:
        number: Any = 0
    elif "ones" in name:
        number = 1
    else:
        number = arguments[0] if "scalar" in name else arguments[-1] if "new_full" in name else arguments[1]
    if isinstance(number, Array):
        return number.astype(dtype).broadcast(*shape)
    return writer.program.full(shape, number, dtype)


@rule("arange")
def _positions(writer: Writer, node: Any, *bounds: Any, **_: Any) -> Array:
    shape, dtype = made(node)
    start, step = (bounds[0] if len(bounds) > 1 else 0), (bounds[2] if len(bounds) > 2 else 1)
    return nn.iota(writer.program, shape, 0, dtype) * step + start


@rule("linspace")
def _between(writer: Writer, node: Any, start: float, end: float, steps: int, **_: Any) -> Array:
    shape, dtype = made(node)
    return nn.iota(writer.program, shape, 0, dtype) * ((end - start) / max(steps - 1, 1)) + start
