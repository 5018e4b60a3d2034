# SPDX-License-Identifier: Apache-2.0
"""Operations element by element."""

import math
from typing import Any, Callable, Tuple

from podsim import build as nn
from podsim.build.graph import Array, _broadcast_in, _unary
from podsim.torch.writer import RULES, Writer, made, rule


def _pair(writer: Writer, x: Any, y: Any, dtype: str) -> Tuple[Array, Array]:
    return writer.array(x, dtype), writer.array(y, dtype)


def _common(x: Any, y: Any) -> str:
    """The type in which two values are compared or combined."""
    types = [value.dtype for value in (x, y) if isinstance(value, Array)]
    if len(types) == 1:
        is_real = isinstance(y if isinstance(x, Array) else x, float)
        return "f32" if is_real and types[0][0] in "sup" else types[0]
    order = ["pred", "u8", "s8", "s16", "s32", "f16", "bf16", "f32", "f64", "c64", "c128"]
    return max(types, key=order.index)


# --- of two -----------------------------------------------------------------------------------------------------------

def _binary(operation: Callable[[Array, Array], Array]) -> Callable[..., Array]:
    def translate(writer: Writer, node: Any, x: Any, y: Any, alpha: Any = 1, **_: Any) -> Array:
        one, other = _pair(writer, x, y, made(node)[1])
        return operation(one, other if alpha == 1 else other * alpha)

    return translate


def _comparison(operation: Callable[[Array, Array], Array]) -> Callable[..., Array]:
    def translate(writer: Writer, node: Any, x: Any, y: Any) -> Array:
        return operation(*_pair(writer, x, y, _common(x, y)))

    return translate


def _atan2(y: Array, x: Array) -> Array:
    return y._binary("atan2", x)


def _remainder(x: Array, y: Array) -> Array:
    """With the sign of the divisor, as Python's %."""
    rest = x._binary("remainder", y)
    differs = ((rest < 0).equal(y < 0)).equal(False) & (rest.equal(0)).equal(False)
    return nn.where(differs, rest + y, rest)


RULES.update({
    "add": _binary(lambda x, y: x | y if x.dtype == "pred" else x + y), "sub": _binary(lambda x, y: x - y),
    "mul": _binary(lambda x, y: x & y if x.dtype == "pred" else x * y), "div": _binary(lambda x, y: x / y),
    "maximum": _binary(nn.maximum), "minimum": _binary(nn.minimum), "pow": _binary(lambda x, y: x**y),
    "rsub": _binary(lambda x, y: y - x), "atan2": _binary(_atan2), "remainder": _binary(_remainder),
    "hypot": _binary(lambda x, y: nn.sqrt(x * x + y * y)),
    "fmax": _binary(lambda x, y: nn.where(y.equal(y), nn.where(x.equal(x), nn.maximum(x, y), y), x)),
    "fmin": _binary(lambda x, y: nn.where(y.equal(y), nn.where(x.equal(x), nn.minimum(x, y), y), x)),
    "fmod": _binary(lambda x, y: x._binary("remainder", y)),
    "logical_and": _binary(lambda x, y: x & y), "logical_or": _binary(lambda x, y: x | y),
    "logical_xor": _binary(lambda x, y: x._binary("xor", y)),
    "bitwise_and": _binary(lambda x, y: x & y), "bitwise_or": _binary(lambda x, y: x | y),
    "bitwise_xor": _binary(lambda x, y: x._binary("xor", y)),
    "eq": _comparison(lambda x, y: x.equal(y)), "lt": _comparison(lambda x, y: x < y),
    "ne": _comparison(lambda x, y: x.equal(y).equal(False)), "le": _comparison(lambda x, y: x <= y),
    "gt": _comparison(lambda x, y: x > y), "ge": _comparison(lambda x, y: x >= y),
})


@rule("round.decimals")
def _rounded(writer: Writer, node: Any, x: Array, decimals: int = 0) -> Array:
    return _unary("round-nearest-even", x * 10.0**decimals) * 10.0**-decimals


@rule("pow.Tensor_Scalar")
def _power(writer: Writer, node: Any, x: Array, exponent: float) -> Array:
    x = x.astype(made(node)[1])
    whole = {0: lambda y: writer.program.full(y.shape, 1, y.dtype), 0.5: nn.sqrt, -0.5: nn.rsqrt, 1: lambda y: y,
             2: lambda y: y * y, 3: lambda y: y * y * y, -1: lambda y: 1 / y}
    return whole[exponent](x) if exponent in whole else x**exponent


@rule("div.Tensor_mode", "div.Scalar_mode", "floor_divide")
def _rounded_quotient(writer: Writer, node: Any, x: Any, y: Any, rounding_mode: Any = "floor") -> Array:
    """Whole numbers are divided as f32, exact up to 2^24."""
    dtype = made(node)[1]
    wide = "f32" if dtype[0] in "su" else dtype
    one, other = _pair(writer, x, y, wide)
    quotient = one / other
    if rounding_mode == "floor":
        return _unary("floor", quotient)
    return quotient if rounding_mode is None else nn.where(quotient < 0, _unary("ceil", quotient),
                                                           _unary("floor", quotient))


@rule("where")
def _where(writer: Writer, node: Any, condition: Array, x: Any, y: Any) -> Array:
    return nn.where(condition, *_pair(writer, x, y, made(node)[1]))


@rule("masked_fill")
def _masked(writer: Writer, node: Any, x: Array, condition: Array, value: Any) -> Array:
    return nn.where(condition, *_pair(writer, value, x, x.dtype))


@rule("clamp", "clamp_min", "clamp_max", "hardtanh")
def _clamp(writer: Writer, node: Any, x: Array, least: Any = None, most: Any = None) -> Array:
    """A clamp has slope 1 on its bounds, as PyTorch's; a maximum would halve it."""
    name = str(node.target).split(".")[1]
    if name == "clamp_max":
        least, most = None, least
    elif name == "hardtanh":
        least, most = (-1 if least is None else least), (1 if most is None else most)
    if name == "hardtanh":
        return bounded(x, least, most)
    dtype = made(node)[1]
    x = x.astype(dtype)
    if least is not None:
        low = writer.array(least, dtype)
        x = nn.where(x < low, low, x)
    if most is not None:
        high = writer.array(most, dtype)
        x = nn.where(x > high, high, x)
    return x


def bounded(x: Array, least: float, most: float) -> Array:
    """As clamp, but flat on the bounds themselves."""
    x = nn.where(x <= least, least, x)
    return nn.where(x >= most, most, x)


# --- of one -----------------------------------------------------------------------------------------------------------

def _opcode(opcode: str) -> Callable[..., Array]:
    return _unary_rule(lambda x: _unary(opcode, x))


def _unary_rule(operation: Callable[[Array], Array]) -> Callable[..., Array]:
    def translate(writer: Writer, node: Any, x: Array, **_: Any) -> Array:
        return operation(x.astype(made(node)[1]))

    return translate


RULES.update({name: _opcode(opcode) for name, opcode in {
    "exp": "exponential", "expm1": "exponential-minus-one", "log": "log", "log1p": "log-plus-one", "sqrt": "sqrt",
    "rsqrt": "rsqrt", "tanh": "tanh", "sigmoid": "logistic", "erf": "erf", "sin": "sine", "cos": "cosine",
    "tan": "tan", "neg": "negate", "floor": "floor", "ceil": "ceil", "round": "round-nearest-even", "sign": "sign",
    "sinh": "sinh", "cosh": "cosh", "asin": "asin", "acos": "acos", "asinh": "asinh", "acosh": "acosh",
    "atanh": "atanh"}.items()})

RULES.update({name: _unary_rule(operation) for name, operation in {
    "relu": nn.relu, "silu": nn.silu, "reciprocal": lambda x: 1 / x,
    "log2": lambda x: nn.log(x) * (1 / math.log(2)), "log10": lambda x: nn.log(x) * (1 / math.log(10)),
    "atan": lambda x: _atan2(x, x * 0 + 1), "exp2": lambda x: nn.exp(x * math.log(2)),
    "erfc": lambda x: 1 - nn.erf(x),
    "trunc": lambda x: nn.where(x < 0, _unary("ceil", x), _unary("floor", x)),
    "clone": lambda x: x, "alias": lambda x: x, "detach": lambda x: x, "_to_copy": lambda x: x,
    "lift_fresh_copy": lambda x: x, "contiguous": lambda x: x}.items()})

@rule("abs")
def _size(writer: Writer, node: Any, x: Array) -> Array:
    """With slope 0 at 0, as PyTorch's, where that of HLO's abs is 1."""
    if x.dtype in ("c64", "c128"):
        return x.program._op("abs", [x], x.shape, made(node)[1])
    return x * _unary("sign", x) if x.dtype[0] in "fb" else _unary("abs", x)


RULES.update({
    "logical_not": lambda writer, node, x: x.equal(False) if x.dtype == "pred" else x.equal(0),
    "bitwise_not": lambda writer, node, x: x.equal(False) if x.dtype == "pred" else -x - 1,
    "signbit": lambda writer, node, x: (x < 0) | (x.equal(0) & ((1 / x) < 0)),
    "isnan": lambda writer, node, x: x.equal(x).equal(False),
    "isinf": lambda writer, node, x: _unary("abs", x).equal(math.inf),
    "_assert_tensor_metadata": lambda *_, **__: None, "_assert_scalar": lambda *_, **__: None,
    "_assert_async": lambda *_, **__: None,
})


# --- activations ------------------------------------------------------------------------------------------------------

@rule("gelu")
def _gelu(writer: Writer, node: Any, x: Array, approximate: str = "none") -> Array:
    return nn.gelu(x) if approximate == "tanh" else 0.5 * x * (1 + nn.erf(x * math.sqrt(0.5)))


@rule("leaky_relu")
def _leaky_relu(writer: Writer, node: Any, x: Array, slope: float = 0.01) -> Array:
    return nn.where(x > 0, x, x * slope)


@rule("_prelu_kernel")
def _prelu(writer: Writer, node: Any, x: Array, slope: Array) -> Array:
    return nn.where(x > 0, x, x * slope)


@rule("prelu")
def _prelu_of_channels(writer: Writer, node: Any, x: Array, slope: Array) -> Array:
    along = _broadcast_in(slope, x.shape, (1,)) if slope.size > 1 else slope
    return nn.where(x > 0, x, x * along)


@rule("elu")
def _elu(writer: Writer, node: Any, x: Array, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Array:
    return nn.where(x > 0, x * scale, _unary("exponential-minus-one", x * input_scale) * (alpha * scale))


@rule("softplus")
def _softplus(writer: Writer, node: Any, x: Array, beta: float = 1, threshold: float = 20) -> Array:
    scaled = x * beta
    return nn.where(scaled > threshold, x, _unary("log-plus-one", nn.exp(scaled)) * (1 / beta))


@rule("hardsigmoid")
def _hardsigmoid(writer: Writer, node: Any, x: Array) -> Array:
    return bounded(x + 3, 0, 6) * (1 / 6)


@rule("hardswish")
def _hardswish(writer: Writer, node: Any, x: Array) -> Array:
    return x * _hardsigmoid(writer, node, x)
