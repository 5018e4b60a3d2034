# SPDX-License-Identifier: Apache-2.0
"""Elements and rows by indices that are data."""

import math
from typing import Any, List, Optional, Sequence, Tuple

from podsim import build as nn
from podsim.build.graph import Array, _braces, _common_shape
from podsim.torch.writer import Writer, rule, stopped

# --- rows -------------------------------------------------------------------------------------------------------------


@rule("embedding")
def _rows(writer: Writer, node: Any, table: Array, indices: Array, padding: int = -1, scale_by_count: bool = False,
          *_: Any, **__: Any) -> Array:
    """The row of the padding has no gradient."""
    if scale_by_count:
        raise nn.BuildError("gradients of rows that are divided by how often they are read have no translation")
    rows = rows_along(writer, table, 0, indices)
    if padding < 0:
        return rows
    is_padding = indices.equal(padding).reshape(*indices.shape, *(1,) * (table.ndim - 1)).broadcast(*rows.shape)
    return nn.where(is_padding, stopped(rows), rows)


@rule("index_select")
def _selected(writer: Writer, node: Any, x: Array, dim: int, indices: Array) -> Array:
    return rows_along(writer, x, dim % x.ndim, indices)


def rows_along(writer: Writer, x: Array, dim: int, indices: Array) -> Array:
    """[... before dim, the shape of the indices, ... after dim]."""
    return _gathered(writer, x, [dim], indices.reshape(*indices.shape, 1), dim)


@rule("index")
def _indexed(writer: Writer, node: Any, x: Array, indices: Sequence[Optional[Array]]) -> Array:
    dims, vectors, front = _vectors(writer, x, indices)
    return _gathered(writer, x, dims, vectors, front)


@rule("index_put")
def _put(writer: Writer, node: Any, x: Array, indices: Sequence[Optional[Array]], values: Array,
         accumulate: bool = False) -> Array:
    masks = [index for index in indices if index is not None]
    if len(masks) == 1 and masks[0].dtype == "pred":
        if values.size != 1 or accumulate or masks[0] is not indices[0]:
            raise nn.BuildError("elements where a mask is true have no translation; the number depends on data")
        mask = masks[0].reshape(*masks[0].shape, *(1,) * (x.ndim - masks[0].ndim))
        return nn.where(mask.broadcast(*x.shape), values.reshape().astype(x.dtype), x)
    dims, vectors, front = _vectors(writer, x, indices)
    taken, batch = list(vectors.shape[:-1]), vectors.ndim - 1
    rest = [size for d, size in enumerate(x.shape) if d not in dims]
    window = [d if d < front else d + batch for d in range(len(rest))]
    return _scattered(writer, x, dims, vectors, values.broadcast(*rest[:front], *taken, *rest[front:]), window,
                      "add" if accumulate else "")


def _vectors(writer: Writer, x: Array, indices: Sequence[Optional[Array]]) -> Tuple[List[int], Array, int]:
    """The dimensions that are indexed, [..., their number] positions in them, and the place of the dimensions of the
    indices in the result: where they were if they are neighbours, else in front (as in NumPy)."""
    dims = [d for d, index in enumerate(indices) if index is not None]
    arrays = [index for index in indices if index is not None]
    if any(array.dtype == "pred" for array in arrays):
        raise nn.BuildError("elements where a mask is true have no translation; their number depends on data")
    shape: Tuple[int, ...] = ()
    for array in arrays:
        shape = _common_shape(shape, array.shape)
    parts = []
    for dim, array in zip(dims, arrays):
        place = nn.where(array < 0, array + x.shape[dim], array).broadcast(*shape)
        parts.append(place.reshape(*shape, 1))
    vectors = nn.concatenate(parts, len(shape)) if len(parts) > 1 else parts[0]
    neighbours = dims == list(range(dims[0], dims[0] + len(dims)))
    return dims, vectors, dims[0] if neighbours else 0


def _gathered(writer: Writer, x: Array, dims: List[int], vectors: Array, front: int) -> Array:
    batch = vectors.ndim - 1
    rest = [size for d, size in enumerate(x.shape) if d not in dims]
    shape = (*rest[:front], *vectors.shape[:-1], *rest[front:])
    offsets = [d if d < front else d + batch for d in range(len(rest))]
    sizes = [1 if d in dims else size for d, size in enumerate(x.shape)]
    return writer.program._op("gather", [x, vectors], shape, x.dtype,
                              f"offset_dims={_braces(offsets)}, collapsed_slice_dims={_braces(dims)}, "
                              f"start_index_map={_braces(dims)}, index_vector_dim={batch}, "
                              f"slice_sizes={_braces(sizes)}")


def _scattered(writer: Writer, x: Array, dims: List[int], vectors: Array, updates: Array, window: List[int],
               opcode: str) -> Array:
    """`opcode` combines an element and its update; without one the update replaces it."""
    program = writer.program
    if opcode:
        combiner = program._combiner(opcode, x.dtype)
    else:
        combiner, scalar = f"replace_{x.dtype}", f"{x.dtype}[]"
        program._computations.setdefault(combiner, (
            f"%{combiner} (x: {scalar}, y: {scalar}) -> {scalar} {{\n  %x = {scalar} parameter(0)\n"
            f"  ROOT %y = {scalar} parameter(1)\n}}\n"))
    return program._op("scatter", [x, vectors, updates.astype(x.dtype)], x.shape, x.dtype,
                       f"update_window_dims={_braces(window)}, inserted_window_dims={_braces(dims)}, "
                       f"scatter_dims_to_operand_dims={_braces(dims)}, index_vector_dim={vectors.ndim - 1}, "
                       f"to_apply=%{combiner}")


# --- elements ---------------------------------------------------------------------------------------------------------

def _places(writer: Writer, x: Array, dim: int, indices: Array, dims: Sequence[int]) -> Array:
    """[shape of the indices, dimensions]: the index along one dimension, the own position along the others."""
    shape, last = indices.shape, indices.ndim
    places = [indices if d == dim % x.ndim else nn.iota(writer.program, shape, i, indices.dtype)
              for i, d in enumerate(dims)]
    return nn.concatenate([place.reshape(*shape, 1) for place in places], last)


def _rows_of_indices(writer: Writer, node: Any, x: Array, dim: int, indices: Array) -> Tuple[Array, List[int]]:
    """Indices without dimensions along which they repeat over all of x, whose rows move as a whole; and the dimensions
    of x that are left."""
    source = node.args[2]
    dims = list(range(x.ndim))
    if str(getattr(source, "target", "")) != "aten.expand.default":
        return indices, dims
    sizes = tuple(source.args[0].meta["val"].shape)
    sizes = (1,) * (x.ndim - len(sizes)) + sizes
    whole = [d for d in dims if d != dim % x.ndim and sizes[d] == 1 and indices.shape[d] == x.shape[d] > 1]
    dims = [d for d in dims if d not in whole]
    first = indices[tuple(slice(0, 1) if d in whole else slice(None) for d in range(x.ndim))]
    return first.reshape(*(indices.shape[d] for d in dims)), dims


@rule("gather")
def _taken(writer: Writer, node: Any, x: Array, dim: int, indices: Array, **_: Any) -> Array:
    rows, dims = _rows_of_indices(writer, node, x, dim, indices)
    taken = _gathered(writer, x, dims, _places(writer, x, dim, rows, dims), 0)
    order = [*dims, *(d for d in range(x.ndim) if d not in dims)]
    return taken.transpose(*(order.index(d) for d in range(x.ndim)))


@rule("scatter", "scatter_add", "scatter_reduce")
def _spread(writer: Writer, node: Any, x: Array, dim: int, indices: Array, values: Any, *rest: Any,
            include_self: bool = True, **_: Any) -> Array:
    reduction = "sum" if "scatter_add" in str(node.target) else str(rest[0]) if rest else ""
    opcodes = {"": "", "sum": "add", "add": "add", "prod": "multiply", "multiply": "multiply", "amax": "maximum",
               "amin": "minimum"}
    updates = values if isinstance(values, Array) else writer.program.full(indices.shape, values, x.dtype)
    updates = updates[tuple(slice(0, size) for size in indices.shape)]
    rows, dims = _rows_of_indices(writer, node, x, dim, indices)
    places, window = _places(writer, x, dim, rows, dims), [d for d in range(x.ndim) if d not in dims]

    def spread(base: Array, parts: Array, opcode: str) -> Array:
        return _scattered(writer, base, dims, places, parts, window, opcode)

    is_mean = reduction == "mean"
    if include_self and not is_mean:
        return spread(x, updates, opcodes[reduction])
    counts = spread(writer.program.full(x.shape, 0, "f32"), writer.program.full(updates.shape, 1, "f32"), "add")
    if not include_self:
        neutral = {"prod": 1, "multiply": 1, "amax": -math.inf, "amin": math.inf}.get(reduction, 0)
        x = nn.where(counts > 0, neutral, x)
    result = spread(x, updates, "add" if is_mean else opcodes[reduction])
    return result / nn.maximum(counts + (1 if include_self else 0), 1).astype(x.dtype) if is_mean else result


@rule("masked_scatter")
def _spread_where(writer: Writer, node: Any, x: Array, mask: Array, source: Array) -> Array:
    """The elements where the mask is true are those of the source, one after another."""
    mask = mask.broadcast(*x.shape)
    from podsim.torch.sorting import running  # pylint: disable=import-outside-toplevel

    places = running(writer, mask.reshape(-1).astype("s32"), 0) - 1
    taken = rows_along(writer, source.reshape(-1), 0, nn.minimum(nn.maximum(places, 0), source.size - 1))
    return nn.where(mask, taken.reshape(*x.shape).astype(x.dtype), x)


@rule("searchsorted", "bucketize")
def _searched(writer: Writer, node: Any, first: Array, second: Any, *_: Any, right: bool = False, side: Any = None,
              **__: Any) -> Array:
    """Numbers of sorted elements below each value."""
    is_bucket = "bucketize" in str(node.target)
    edges, values = (second, first) if is_bucket else (first, writer.array(second, first.dtype))
    if edges.ndim > 1:
        edges = edges.reshape(*edges.shape[:-1], 1, edges.shape[-1])
    edges = edges.astype(values.dtype)
    wide = values.reshape(*values.shape, 1)
    below = edges <= wide if right or side == "right" else edges < wide
    return below.astype("s32").sum(below.ndim - 1)


@rule("_embedding_bag", "_embedding_bag_forward_only")
def _bags(writer: Writer, node: Any, table: Array, indices: Array, offsets: Array, scale_by_count: bool = False,
          mode: int = 0, sparse: bool = False, weights: Optional[Array] = None, includes_last: bool = False,
          padding: int = -1) -> List[Any]:
    """Sums (mode 0), means (1) or maxima (2) of the rows of bags, which begin at offsets."""
    if mode == 2 or scale_by_count:
        raise nn.BuildError("maxima of bags of rows, or gradients divided by counts, have no translation")
    rows = _rows(writer, node, table, indices, padding)
    begins = offsets[:offsets.shape[0] - 1] if includes_last else offsets
    bags, count = begins.shape[0], indices.shape[0]
    place = nn.iota(writer.program, (bags, count), 1, "s32")
    ends = nn.concatenate([begins[1:], writer.program.full((1,), count, begins.dtype)], 0)
    inside = (place >= begins.reshape(bags, 1).astype("s32")) & (place < ends.reshape(bags, 1).astype("s32"))
    if padding >= 0:
        inside = inside & indices.equal(padding).equal(False).broadcast(bags, count)
    share = inside.astype(table.dtype)
    if weights is not None:
        share = share * weights.reshape(1, count)
    result = nn.matmul(share, rows)
    if mode == 1:
        result = result / nn.maximum(inside.astype(table.dtype).sum(1, keepdims=True), 1)
    return [result, None, None, None]


# --- parts ------------------------------------------------------------------------------------------------------------

@rule("slice_scatter")
def _slice_put(writer: Writer, node: Any, x: Array, part: Array, dim: int = 0, start: Any = None, end: Any = None,
               step: int = 1) -> Array:
    begin, end, step = slice(start, end, step).indices(x.shape[dim])
    dim %= x.ndim
    if step != 1:
        positions = nn.iota(writer.program, (part.shape[dim],), 0, "s32") * step + begin
        window = [d for d in range(x.ndim) if d != dim]
        return _scattered(writer, x, [dim], positions.reshape(-1, 1), part, window, "")
    starts = [writer.program.full((), begin if d == dim else 0, "s32") for d in range(x.ndim)]
    return writer.program._op("dynamic-update-slice", [x, part.astype(x.dtype), *starts], x.shape, x.dtype)


@rule("select_scatter")
def _row_put(writer: Writer, node: Any, x: Array, part: Array, dim: int, position: int) -> Array:
    dim, position = dim % x.ndim, position % x.shape[dim]
    row = part.reshape(*x.shape[:dim], 1, *x.shape[dim + 1:])
    return _slice_put(writer, node, x, row, dim, position, position + 1)


@rule("copy")
def _copied(writer: Writer, node: Any, x: Array, source: Array, *_: Any) -> Array:
    return source.astype(x.dtype).broadcast(*x.shape)
