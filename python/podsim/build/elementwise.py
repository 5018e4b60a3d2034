# SPDX-License-Identifier: Apache-2.0
"""Operations element by element."""

import math
from typing import Any

from podsim.build.graph import Array, BuildError, _array, _broadcast, _common_shape, _unary

__all__ = ["erf", "exp", "gelu", "log", "logistic", "maximum", "minimum", "relu", "rsqrt", "silu", "sqrt", "tanh",
           "where"]


def exp(x: Array) -> Array: return _unary("exponential", x)
def log(x: Array) -> Array: return _unary("log", x)
def sqrt(x: Array) -> Array: return _unary("sqrt", x)
def rsqrt(x: Array) -> Array: return _unary("rsqrt", x)
def tanh(x: Array) -> Array: return _unary("tanh", x)
def erf(x: Array) -> Array: return _unary("erf", x)
def logistic(x: Array) -> Array: return _unary("logistic", x)
def maximum(x: Array, y: Any) -> Array: return x._binary("maximum", y)
def minimum(x: Array, y: Any) -> Array: return x._binary("minimum", y)


def relu(x: Array) -> Array:
    """max(x, 0), with slope 0 at 0; maximum(x, 0) has 1/2 there."""
    return x._binary("maximum", 0, attributes="frontend_attributes={tie_gradient=\"second\"}")


def silu(x: Array) -> Array: return x * logistic(x)


def gelu(x: Array) -> Array:
    """In its tanh form (Hendrycks and Gimpel 2016)."""
    return 0.5 * x * (1 + tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))))


def where(condition: Array, x: Any, y: Any) -> Array:
    """x where the condition is true, else y; one of them is an array."""
    if not isinstance(x, Array) and not isinstance(y, Array):
        raise BuildError("where() takes an array")
    like = x if isinstance(x, Array) else y
    x, y = _array(x, like), _array(y, like)
    shape = _common_shape(condition.shape, _common_shape(x.shape, y.shape))
    return like.program._op("select", [_broadcast(a, shape) for a in (condition, x, y)], shape, like.dtype)
