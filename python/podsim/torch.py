# SPDX-License-Identifier: Apache-2.0
"""Simulates modules of PyTorch:

    import podsim.torch
    result = podsim.torch.simulate(module, (images,), slice="4x4")
    result = podsim.torch.simulate(loss_module, (images, labels), train="adam")   # its parameters are trained

The module is exported by torch.export, decomposed to core ATen operations, and written as HLO. No TPU is needed. An
operation that has no translation is an error with the line of the module.
"""

import math
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import torch

from podsim import build as nn
from podsim.build.graph import Array, _broadcast_in
from podsim.build.windows import _window_sizes, _window_text
from podsim.result import Result, simulate_text

__all__ = ["simulate", "text"]

# Indices are s32 on a TPU, whatever their type on the host.
_DTYPES = {torch.float32: "f32", torch.float64: "f64", torch.bfloat16: "bf16", torch.float16: "f16",
           torch.int64: "s32", torch.int32: "s32", torch.int16: "s16", torch.int8: "s8", torch.uint8: "u8",
           torch.bool: "pred"}

_RULES: Dict[str, Callable[..., Any]] = {}


def _rule(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers the translation of "aten.NAME": rule(writer, node, *arguments)."""
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            _RULES[name] = function
        return function

    return register


def simulate(module: torch.nn.Module, args: Sequence[Any], *, kwargs: Optional[Mapping[str, Any]] = None,
             slice: Optional[str] = None, set: Optional[Mapping[str, Any]] = None, **flags: Any) -> Result:  # noqa: A002
    """Simulates module(*args, **kwargs) on a slice of chips. `set` are keys of the machine; other arguments are flags
    of `podsim run`: train="adam" makes a training step of a module that returns its loss. Raises podsim.PodsimError,
    and podsim.build.BuildError for an operation without a translation."""
    return simulate_text(text(module, args, kwargs=kwargs), slice=slice, set=set, **flags)


def text(module: torch.nn.Module, args: Sequence[Any], *, kwargs: Optional[Mapping[str, Any]] = None) -> str:
    """The HLO text of module(*args, **kwargs). Its parameters are donated; buffers and arguments are inputs."""
    exported = torch.export.export(module, tuple(args), dict(kwargs or {})).run_decompositions()
    return _Writer(exported, type(module).__name__).text()


def _dtype(dtype: torch.dtype) -> str:
    if dtype not in _DTYPES:
        raise nn.BuildError(f"{dtype} is not simulated")
    return _DTYPES[dtype]


class _Writer:
    """Writes the nodes of an exported program one after another."""

    def __init__(self, exported: Any, name: str):
        self.program = nn.Program(name)
        self._exported = exported
        self._values: Dict[str, Any] = {}

    def text(self) -> str:
        signature = self._exported.graph_signature
        trained, results = signature.inputs_to_parameters, []
        for node in self._exported.graph.nodes:
            if node.op == "placeholder":
                self._values[node.name] = self._placeholder(node, trained.get(node.name))
            elif node.op == "call_function":
                self._values[node.name] = self._call(node)
            elif node.op == "output":
                wanted = {spec.arg.name for spec in signature.output_specs if spec.kind.name == "USER_OUTPUT"}
                results = [self._values[n.name] for n in node.args[0] if n is not None and n.name in wanted]
        return self.program.text(*results)

    def _placeholder(self, node: Any, parameter: Optional[str]) -> Any:
        value = node.meta.get("val")
        if not isinstance(value, torch.Tensor):
            return value  # a number, which is fixed
        make = self.program.parameter if parameter else self.program.input
        return make((parameter or node.name).replace(".", "/"), tuple(value.shape), _dtype(value.dtype))

    def _call(self, node: Any) -> Any:
        target = str(node.target)
        try:
            if target.startswith("<built-in function getitem>"):
                return self._value_of(node.args[0])[node.args[1]]
            name = target.removeprefix("aten.")
            rule = _RULES.get(name) or _RULES.get(name.split(".")[0])
            if rule is None:
                raise nn.BuildError(f"the operation {target} has no translation")
            result = rule(self, node, *[self._value_of(a) for a in node.args],
                          **{k: self._value_of(v) for k, v in node.kwargs.items()})
        except nn.BuildError as error:
            raise nn.BuildError(f"{error}{self._place(node)}") from None
        made = node.meta.get("val")
        if isinstance(made, torch.Tensor) and isinstance(result, Array):
            result = result.astype(_dtype(made.dtype))
            if result.shape != tuple(made.shape):
                raise nn.BuildError(f"{target} became {result!r}, not {list(made.shape)}{self._place(node)}")
        return result

    @staticmethod
    def _place(node: Any) -> str:
        lines = [line.strip() for line in (node.meta.get("stack_trace") or "").splitlines() if line.strip()]
        return f"\n  written at {lines[-2]}\n    {lines[-1]}" if len(lines) > 1 else ""

    def _value_of(self, argument: Any) -> Any:
        if isinstance(argument, torch.fx.Node):
            return self._values[argument.name]
        if isinstance(argument, (list, tuple)):
            return [self._value_of(each) for each in argument]
        return argument

    def array(self, value: Any, like: Array) -> Array:
        """A number or an array in the type of another."""
        return value.astype(like.dtype) if isinstance(value, Array) else self.program.full((), value, like.dtype)


def _made(node: Any) -> Tuple[Tuple[int, ...], str]:
    """Shape and type of what a node makes."""
    value = node.meta["val"]
    return tuple(value.shape), _dtype(value.dtype)


def _pair(writer: _Writer, x: Any, y: Any, dtype: str) -> Tuple[Array, Array]:
    one, other = (value if isinstance(value, Array) else writer.program.full((), value, dtype) for value in (x, y))
    return one.astype(dtype), other.astype(dtype)


def _common(x: Any, y: Any) -> str:
    """The type in which two values are compared or combined."""
    types = [value.dtype for value in (x, y) if isinstance(value, Array)]
    if len(types) == 1:
        is_real = isinstance(y if isinstance(x, Array) else x, float)
        return "f32" if is_real and types[0][0] in "sup" else types[0]
    order = ["pred", "u8", "s8", "s16", "s32", "f16", "bf16", "f32", "f64"]
    return max(types, key=order.index)


# --- element by element -----------------------------------------------------------------------------------------------

def _binary(operation: Callable[[Array, Array], Array]) -> Callable[..., Array]:
    def rule(writer: _Writer, node: Any, x: Any, y: Any, alpha: Any = 1, **_: Any) -> Array:
        one, other = _pair(writer, x, y, _made(node)[1])
        return operation(one, other if alpha == 1 else other * alpha)

    return rule


_RULES.update({
    "add": _binary(lambda x, y: x + y), "sub": _binary(lambda x, y: x - y), "mul": _binary(lambda x, y: x * y),
    "div": _binary(lambda x, y: x / y), "maximum": _binary(nn.maximum), "minimum": _binary(nn.minimum),
    "pow": _binary(lambda x, y: x**y), "rsub": _binary(lambda x, y: y - x),
    "logical_and": _binary(lambda x, y: x & y), "logical_or": _binary(lambda x, y: x | y),
    "bitwise_and": _binary(lambda x, y: x & y), "bitwise_or": _binary(lambda x, y: x | y),
})


@_rule("pow.Tensor_Scalar")
def _power(writer: _Writer, node: Any, x: Array, exponent: float) -> Array:
    whole = {0.5: nn.sqrt, -0.5: nn.rsqrt, 1: lambda y: y, 2: lambda y: y * y, 3: lambda y: y * y * y,
             -1: lambda y: 1 / y}
    return whole[exponent](x) if exponent in whole else x**exponent


def _unary(operation: Callable[[Array], Array]) -> Callable[..., Array]:
    def rule(writer: _Writer, node: Any, x: Array, **_: Any) -> Array:
        return operation(x.astype(_made(node)[1]))

    return rule


def _gelu(writer: _Writer, node: Any, x: Array, approximate: str = "none") -> Array:
    return nn.gelu(x) if approximate == "tanh" else 0.5 * x * (1 + nn.erf(x * math.sqrt(0.5)))


_RULES.update({
    "exp": _unary(nn.exp), "log": _unary(nn.log), "sqrt": _unary(nn.sqrt), "rsqrt": _unary(nn.rsqrt),
    "tanh": _unary(nn.tanh), "sigmoid": _unary(nn.logistic), "erf": _unary(nn.erf), "relu": _unary(nn.relu),
    "neg": _unary(lambda x: -x), "reciprocal": _unary(lambda x: 1 / x), "silu": _unary(nn.silu), "gelu": _gelu,
    "abs": _unary(lambda x: nn.maximum(x, -x)), "clone": _unary(lambda x: x), "alias": _unary(lambda x: x),
    "detach": _unary(lambda x: x), "_to_copy": _unary(lambda x: x), "lift_fresh_copy": _unary(lambda x: x),
    "logical_not": lambda writer, node, x: x.equal(False) if x.dtype == "pred" else x.equal(0),
    "bitwise_not": lambda writer, node, x: x.equal(False),
})


@_rule("clamp")
def _clamp(writer: _Writer, node: Any, x: Array, least: Any = None, most: Any = None) -> Array:
    x = x if least is None else nn.maximum(x, writer.array(least, x))
    return x if most is None else nn.minimum(x, writer.array(most, x))


def _comparison(operation: Callable[[Array, Array], Array]) -> Callable[..., Array]:
    def rule(writer: _Writer, node: Any, x: Any, y: Any) -> Array:
        return operation(*_pair(writer, x, y, _common(x, y)))

    return rule


_RULES.update({
    "eq": _comparison(lambda x, y: x.equal(y)), "lt": _comparison(lambda x, y: x < y),
    "ne": _comparison(lambda x, y: x.equal(y).equal(False)), "le": _comparison(lambda x, y: x <= y),
    "gt": _comparison(lambda x, y: x > y), "ge": _comparison(lambda x, y: x >= y),
})


@_rule("where")
def _where(writer: _Writer, node: Any, condition: Array, x: Any, y: Any) -> Array:
    return nn.where(condition, *_pair(writer, x, y, _made(node)[1]))


# --- shapes -----------------------------------------------------------------------------------------------------------

@_rule("view", "_unsafe_view", "reshape", "unsqueeze", "squeeze", "expand")
def _reshaped(writer: _Writer, node: Any, x: Array, *_: Any, **__: Any) -> Array:
    shape = _made(node)[0]
    return x.reshape(*shape) if math.prod(shape) == x.size else x.broadcast(*shape)


@_rule("permute")
def _permuted(writer: _Writer, node: Any, x: Array, order: List[int]) -> Array:
    return x.transpose(*(d % x.ndim for d in order))


@_rule("transpose", "t")
def _swapped(writer: _Writer, node: Any, x: Array, first: int = 0, second: int = 1) -> Array:
    order = list(range(x.ndim))
    if x.ndim > 1:
        order[first], order[second] = order[second], order[first]
    return x.transpose(*order)


@_rule("slice")
def _sliced(writer: _Writer, node: Any, x: Array, dim: int = 0, start: Any = None, end: Any = None,
            step: int = 1) -> Array:
    index: List[Any] = [slice(None)] * x.ndim
    index[dim] = slice(start, end, step)
    return x[tuple(index)]


@_rule("select")
def _selected(writer: _Writer, node: Any, x: Array, dim: int, position: int) -> Array:
    index: List[Any] = [slice(None)] * x.ndim
    index[dim] = position
    return x[tuple(index)]


@_rule("cat")
def _joined(writer: _Writer, node: Any, arrays: List[Array], dim: int = 0) -> Array:
    return nn.concatenate([array.astype(_made(node)[1]) for array in arrays], dim)


@_rule("split_with_sizes")
def _split(writer: _Writer, node: Any, x: Array, sizes: List[int], dim: int = 0) -> List[Array]:
    parts, begin = [], 0
    for size in sizes:
        parts.append(_sliced(writer, node, x, dim, begin, begin + size))
        begin += size
    return parts


@_rule("full", "full_like", "zeros", "ones", "zeros_like", "ones_like", "scalar_tensor")
def _filled(writer: _Writer, node: Any, *arguments: Any, **_: Any) -> Array:
    name = str(node.target)
    number = 0 if "zeros" in name else 1 if "ones" in name else arguments[0] if "scalar" in name else arguments[1]
    shape, dtype = _made(node)
    return writer.program.full(shape, number, dtype)


@_rule("arange")
def _positions(writer: _Writer, node: Any, *bounds: Any, **_: Any) -> Array:
    shape, dtype = _made(node)
    start, step = (bounds[0] if len(bounds) > 1 else 0), (bounds[2] if len(bounds) > 2 else 1)
    return nn.iota(writer.program, shape, 0, dtype) * step + start


@_rule("embedding")
def _rows(writer: _Writer, node: Any, table: Array, indices: Array, *_: Any, **__: Any) -> Array:
    last, features = indices.ndim, table.shape[1]
    return writer.program._op("gather", [table, indices], (*indices.shape, features), table.dtype,
                              f"offset_dims={{{last}}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, "
                              f"index_vector_dim={last}, slice_sizes={{1,{features}}}")


@_rule("gather")
def _taken(writer: _Writer, node: Any, x: Array, dim: int, indices: Array, **_: Any) -> Array:
    """x at the index along one dimension, and at the own position along the others."""
    last, shape = indices.ndim, indices.shape
    places = [indices if d == dim % x.ndim else nn.iota(writer.program, shape, d, indices.dtype) for d in range(last)]
    vectors = nn.concatenate([place.reshape(*shape, 1) for place in places], last) if last > 1 else indices.reshape(-1, 1)
    every = ",".join(map(str, range(last)))
    return writer.program._op("gather", [x, vectors], shape, x.dtype,
                              f"offset_dims={{}}, collapsed_slice_dims={{{every}}}, start_index_map={{{every}}}, "
                              f"index_vector_dim={last}, slice_sizes={{{','.join('1' * last)}}}")


# --- sums -------------------------------------------------------------------------------------------------------------

def _axes(x: Array, axes: Any) -> List[int]:
    axes = [axes] if isinstance(axes, int) else list(axes or range(x.ndim))
    return [axis % x.ndim for axis in axes]


@_rule("sum", "mean", "amax", "amin")
def _reduced(writer: _Writer, node: Any, x: Array, axes: Any = None, keepdim: bool = False, **_: Any) -> Array:
    name = str(node.target).split(".")[1]
    over, dtype = _axes(x, axes), _made(node)[1]
    if name == "amax":
        return x.max(*over, keepdims=keepdim)
    if name == "amin":
        return -((-x).max(*over, keepdims=keepdim))
    wide = x.astype("f32" if dtype in ("bf16", "f16") else dtype)  # as PyTorch accumulates
    return wide.sum(*over, keepdims=keepdim) if name == "sum" else wide.mean(*over, keepdims=keepdim)


@_rule("any")
def _any(writer: _Writer, node: Any, x: Array, axes: Any = None, keepdim: bool = False) -> Array:
    return 0 < x.astype("s32").max(*_axes(x, axes), keepdims=keepdim)


@_rule("var")
def _variance(writer: _Writer, node: Any, x: Array, axes: Any = None, correction: Any = 1,
              keepdim: bool = False) -> Array:
    over = _axes(x, axes)
    centred, count = x - x.mean(*over, keepdims=True), math.prod(x.shape[axis] for axis in over)
    return (centred * centred).sum(*over, keepdims=keepdim) * (1 / max(count - correction, 1e-30))


@_rule("_softmax")
def _softmax(writer: _Writer, node: Any, x: Array, axis: int, *_: Any) -> Array:
    return nn.softmax(x.astype("f32"), axis)


@_rule("_log_softmax")
def _log_softmax(writer: _Writer, node: Any, x: Array, axis: int, *_: Any) -> Array:
    return nn.log_softmax(x.astype("f32"), axis)


@_rule("nll_loss_forward")
def _nll(writer: _Writer, node: Any, logs: Array, labels: Array, weight: Any, reduction: int,
         ignored: int) -> List[Array]:
    """Labels that are ignored count neither in the sum nor in the mean."""
    if weight is not None or reduction == 0:
        raise nn.BuildError("a loss with weights by class, or for each row, has no translation")
    counted = labels.equal(ignored).equal(False)
    chosen = nn.one_hot(labels, logs.shape[-1], logs.dtype) * counted.astype(logs.dtype).reshape(*labels.shape, 1)
    total, count = -(chosen * logs).sum(), counted.astype(logs.dtype).sum()
    return [total / count if reduction == 1 else total, count]


# --- products ---------------------------------------------------------------------------------------------------------

@_rule("mm", "bmm", "matmul")
def _product(writer: _Writer, node: Any, x: Array, y: Array) -> Array:
    return nn.matmul(x, y)


@_rule("addmm", "baddbmm")
def _sum_and_product(writer: _Writer, node: Any, added: Array, x: Array, y: Array, beta: Any = 1,
                     alpha: Any = 1) -> Array:
    product = nn.matmul(x, y) if alpha == 1 else nn.matmul(x, y) * alpha
    return product + (added if beta == 1 else added * beta)


def _each(given: Any, count: int) -> List[int]:
    sizes = [given] * count if isinstance(given, int) else list(given)
    return sizes * count if len(sizes) == 1 else sizes


@_rule("convolution")
def _convolution(writer: _Writer, node: Any, x: Array, kernel: Array, bias: Optional[Array], stride: Any, padding: Any,
                 dilation: Any, transposed: bool, output_padding: Any, groups: int) -> Array:
    if transposed:
        raise nn.BuildError("a transposed convolution has no translation")
    count = x.ndim - 2
    strides, dilations = _each(stride, count), _each(dilation, count)
    pads = [(p, p) for p in _each(padding, count)]
    window = kernel.shape[2:]
    sizes = _window_sizes(x.shape[2:], window, strides, pads, dilations)
    digits = "012"[:count]
    attributes = f"{_window_text(window, strides, pads, dilations)}, dim_labels=bf{digits}_oi{digits}->bf{digits}"
    attributes += f", feature_group_count={groups}" if groups > 1 else ""
    shape = (x.shape[0], kernel.shape[0], *sizes)
    result = writer.program._op("convolution", [x, kernel], shape, x.dtype, attributes)
    return result if bias is None else result + _broadcast_in(bias, shape, (1,))


def _pooled(writer: _Writer, opcode: str, initial: float, x: Array, size: Any, stride: Any, padding: Any, dilation: Any,
            node: Any) -> Array:
    count = x.ndim - 2
    window = (1, 1, *_each(size, count))
    strides = (1, 1, *_each(stride or size, count))
    dilations = (1, 1, *_each(dilation, count))
    pads = [(0, 0), (0, 0), *((p, p) for p in _each(padding, count))]
    made = node.meta["val"]
    made = made[0] if isinstance(made, (tuple, list)) else made
    for d in range(2, x.ndim):  # ceil_mode: what is missing is padded at the end
        reach = (made.shape[d] - 1) * strides[d] + dilations[d] * (window[d] - 1) + 1
        pads[d] = (pads[d][0], max(pads[d][1], reach - x.shape[d] - pads[d][0]))
    combiner = writer.program._combiner(opcode, x.dtype)
    attributes = f"{_window_text(window, strides, pads, dilations)}, to_apply=%{combiner}"
    start = writer.program.full((), initial, x.dtype)
    return writer.program._op("reduce-window", [x, start], tuple(made.shape), x.dtype, attributes)


@_rule("max_pool2d_with_indices")
def _max_pool(writer: _Writer, node: Any, x: Array, size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
              ceil_mode: bool = False) -> List[Any]:
    return [_pooled(writer, "maximum", -math.inf, x, size, stride, padding, dilation, node), None]


@_rule("avg_pool2d")
def _average_pool(writer: _Writer, node: Any, x: Array, size: Any, stride: Any = None, padding: Any = 0,
                  ceil_mode: bool = False, count_include_pad: bool = True, divisor: Any = None) -> Array:
    if any(_each(padding, 2)) and not count_include_pad or ceil_mode:
        raise nn.BuildError("a mean of windows of different sizes has no translation")
    count = divisor or math.prod(_each(size, 2))
    return _pooled(writer, "add", 0, x, size, stride, padding, 1, node) * (1 / count)


@_rule("_adaptive_avg_pool2d")
def _adaptive_pool(writer: _Writer, node: Any, x: Array, sizes: Any) -> Array:
    if any(size % wanted for size, wanted in zip(x.shape[-2:], sizes)):
        raise nn.BuildError(f"a mean of {x.shape[-2:]} to {sizes} elements has windows of different sizes")
    rows, columns = sizes
    split = x.reshape(*x.shape[:-2], rows, x.shape[-2] // rows, columns, x.shape[-1] // columns)
    return split.mean(x.ndim - 1, x.ndim + 1)


# --- norms ------------------------------------------------------------------------------------------------------------

@_rule("native_layer_norm")
def _layer_norm(writer: _Writer, node: Any, x: Array, shape: List[int], weight: Any, bias: Any,
                epsilon: float) -> List[Array]:
    wide, over = x.astype("f32"), list(range(x.ndim - len(shape), x.ndim))
    mean = wide.mean(*over, keepdims=True)
    centred = wide - mean
    scale = nn.rsqrt((centred * centred).mean(*over, keepdims=True) + epsilon)
    result = centred * scale
    result = result if weight is None else result * weight.astype("f32")
    result = result if bias is None else result + bias.astype("f32")
    return [result.astype(x.dtype), mean, scale]


@_rule("native_group_norm")
def _group_norm(writer: _Writer, node: Any, x: Array, weight: Any, bias: Any, images: int, channels: int, size: int,
                groups: int, epsilon: float) -> List[Any]:
    wide = x.astype("f32").reshape(images, groups, -1)
    centred = wide - wide.mean(2, keepdims=True)
    scale = nn.rsqrt((centred * centred).mean(2, keepdims=True) + epsilon)
    result = (centred * scale).reshape(*x.shape)
    result = result if weight is None else result * _broadcast_in(weight.astype("f32"), x.shape, (1,))
    result = result if bias is None else result + _broadcast_in(bias.astype("f32"), x.shape, (1,))
    return [result.astype(x.dtype), None, None]


@_rule("_native_batch_norm_legit_no_training", "_native_batch_norm_legit_functional", "_native_batch_norm_legit")
def _batch_norm(writer: _Writer, node: Any, x: Array, weight: Any, bias: Any, *rest: Any) -> List[Any]:
    """With given statistics, or with those of the batch; the running ones are returned as they were."""
    given = "no_training" in str(node.target)
    statistics = rest[:2] if len(rest) > 3 or given else (None, None)
    epsilon, wide = rest[-1], x.astype("f32")
    over = [d for d in range(x.ndim) if d != 1]
    if given:
        mean, variance = (s.astype("f32") for s in statistics)
    else:
        mean = wide.mean(*over)
        variance = (wide * wide).mean(*over) - mean * mean
    scale = nn.rsqrt(variance + epsilon)
    scale = scale if weight is None else scale * weight.astype("f32")
    shift = -(mean * scale) if bias is None else bias.astype("f32") - mean * scale
    result = wide * _broadcast_in(scale, x.shape, (1,)) + _broadcast_in(shift, x.shape, (1,))
    return [result.astype(x.dtype), mean, scale, *statistics]
