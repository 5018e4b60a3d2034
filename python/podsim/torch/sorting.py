# SPDX-License-Identifier: Apache-2.0
"""Orders, positions of the largest elements, and running sums."""

from typing import Any, List

from podsim import build as nn
from podsim.build.graph import Array, _type_text
from podsim.build.windows import _window_text
from podsim.torch.reductions import least
from podsim.torch.shapes import sliced
from podsim.torch.writer import Writer, made, rule, stopped


def _sorted(writer: Writer, x: Array, dim: int, descending: bool) -> List[Array]:
    """The elements in order, and their places; equal ones keep theirs."""
    program, dim = writer.program, dim % max(x.ndim, 1)
    places = nn.iota(program, x.shape, dim, "s32")
    name = f"{'greater' if descending else 'less'}_{x.dtype}"
    key = f"{x.dtype}[]"
    program._computations.setdefault(name, (
        f"%{name} (x: {key}, y: {key}, i: s32[], j: s32[]) -> pred[] {{\n  %x = {key} parameter(0)\n"
        f"  %y = {key} parameter(1)\n  %i = s32[] parameter(2)\n  %j = s32[] parameter(3)\n"
        f"  ROOT %first = pred[] compare(%x, %y), direction={'GT' if descending else 'LT'}\n}}\n"))
    shapes = f"({_type_text(x.dtype, x.shape)}, {_type_text('s32', x.shape)})"
    pair = program._line(shapes, f"sort(%{x.name}, %{places.name}), dimensions={{{dim}}}, is_stable=true, "
                                 f"to_apply=%{name}")
    return [program._value(f"get-tuple-element(%{pair}), index={i}", x.shape, dtype)
            for i, dtype in enumerate((x.dtype, "s32"))]


@rule("sort")
def _sort(writer: Writer, node: Any, x: Array, *arguments: Any, **named: Any) -> List[Array]:
    """sort(x, dim, descending), and sort.stable(x, *, stable, dim, descending)."""
    dim = named.get("dim", arguments[0] if arguments else -1)
    return _sorted(writer, x, dim, named.get("descending", arguments[1] if len(arguments) > 1 else False))


@rule("topk")
def _top(writer: Writer, node: Any, x: Array, count: int, dim: int = -1, largest: bool = True,
         *_: Any) -> List[Array]:
    return [sliced(writer, node, part, dim, 0, count) for part in _sorted(writer, x, dim, largest)]


def _first(writer: Writer, x: Array, dim: int, wanted: Array) -> Array:
    """The first place along a dimension, which is kept, with an element as wanted."""
    places = nn.iota(writer.program, x.shape, dim, "s32")
    return least(nn.where(x.equal(wanted), places, x.shape[dim]), [dim], keepdim=True)


@rule("argmax", "argmin")
def _extreme_place(writer: Writer, node: Any, x: Array, dim: Any = None, keepdim: bool = False) -> Array:
    if dim is None:
        x, dim = x.reshape(-1), 0
    dim %= x.ndim
    most = x.max(dim, keepdims=True) if "argmax" in str(node.target) else least(x, [dim], keepdim=True)
    return _first(writer, x, dim, most).reshape(*made(node)[0])


@rule("max.dim", "min.dim")
def _extreme(writer: Writer, node: Any, x: Array, dim: int, keepdim: bool = False) -> List[Array]:
    """The first extreme alone has the gradient."""
    dim %= x.ndim
    most = x.max(dim, keepdims=True) if "max" in str(node.target) else least(x, [dim], keepdim=True)
    shape, first = made(node)[0], _first(writer, x, dim, most)
    is_first = first.broadcast(*x.shape).equal(nn.iota(writer.program, x.shape, dim, "s32"))
    return [nn.where(is_first, x, 0).sum(dim).reshape(*shape), first.reshape(*shape)]


def running(writer: Writer, x: Array, dim: int, opcode: str = "add", initial: Any = 0) -> Array:
    """A window over all that came before, as JAX writes it for a TPU."""
    ones = [1] * x.ndim
    window = [x.shape[d] if d == dim else 1 for d in range(x.ndim)]
    pads = [(n - 1, 0) for n in window]
    combiner, start = writer.program._combiner(opcode, x.dtype), writer.program.full((), initial, x.dtype)
    return writer.program._op("reduce-window", [x, start], x.shape, x.dtype,
                              f"{_window_text(window, ones, pads, ones)}, to_apply=%{combiner}")


@rule("cumsum", "cumprod")
def _running(writer: Writer, node: Any, x: Array, dim: int, **_: Any) -> Array:
    x = x.astype(made(node)[1])
    if x.ndim == 0:
        return x
    return running(writer, x, dim % x.ndim, *(("add", 0) if "cumsum" in str(node.target) else ("multiply", 1)))


@rule("logcumsumexp")
def _running_log_sum(writer: Writer, node: Any, x: Array, dim: int) -> Array:
    most = stopped(x.max(dim % x.ndim, keepdims=True))
    return nn.log(running(writer, nn.exp(x - most), dim % x.ndim)) + most


@rule("median.dim", "kthvalue")
def _in_order(writer: Writer, node: Any, x: Array, *arguments: Any) -> List[Array]:
    """median(x, dim) is the lower of two in the middle; kthvalue(x, k, dim) counts from 1."""
    is_median = "median" in str(node.target)
    dim = (arguments[0] if is_median else arguments[1] if len(arguments) > 1 else -1) % x.ndim
    place = (x.shape[dim] - 1) // 2 if is_median else arguments[0] - 1
    shape = made(node)[0]
    return [sliced(writer, node, part, dim, place, place + 1).reshape(*shape)
            for part in _sorted(writer, x, dim, False)]


@rule("median")
def _median(writer: Writer, node: Any, x: Array) -> Array:
    return _sorted(writer, x.reshape(-1), 0, False)[0][(x.size - 1) // 2]
