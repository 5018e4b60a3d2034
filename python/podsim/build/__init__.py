# SPDX-License-Identifier: Apache-2.0
"""Writes networks as HLO text, without a framework. Needs only Python 3.9 and its standard library.

    # net.py
    from podsim import build as nn

    def net(program, batch=32, hidden=4096):
        x = program.input("x", (batch, 1024), "bf16")
        labels = program.input("labels", (batch,), "s32")
        x = nn.gelu(nn.dense(x, hidden, "in"))
        return nn.cross_entropy(nn.dense(x, 10, "out"), labels)

    podsim run net.py:net --train adam --set model.hidden=8192

podsim calls the function with a Program and with the keys model.NAME as its other arguments, and simulates what the
function returns: an array or several. The same in Python: `text(net, hidden=8192)` gives the HLO text.

An Array has a shape, an element type as HLO names it ("f32", "bf16", "s32", "pred", ...) and the operators of Python,
which broadcast as NumPy's do. Numbers take the type of the array beside them. What is wrong raises BuildError.
"""

from typing import Any, Callable

from podsim.build.elementwise import (erf, exp, gelu, log, logistic, maximum, minimum, relu, rsqrt, silu, sqrt, tanh,
                                      where)
from podsim.build.graph import Array, BuildError, Program, concatenate, iota
from podsim.build.layers import (attention, batch_norm, cross_entropy, dense, embedding, layer_norm, log_softmax,
                                 one_hot, rms_norm, softmax)
from podsim.build.loops import scan
from podsim.build.products import einsum, matmul
from podsim.build.windows import average_pool, conv, max_pool

__all__ = ["Array", "BuildError", "Program", "attention", "average_pool", "batch_norm", "concatenate", "conv",
           "cross_entropy", "dense", "einsum", "embedding", "erf", "exp", "gelu", "iota", "layer_norm", "log",
           "log_softmax", "logistic", "matmul", "max_pool", "maximum", "minimum", "one_hot", "relu", "rms_norm",
           "rsqrt", "scan", "silu", "softmax", "sqrt", "tanh", "text", "where"]


def text(function: Callable[..., Any], **arguments: Any) -> str:
    """The HLO text of what a function writes that takes a Program and these arguments."""
    program = Program(getattr(function, "__name__", "program"))
    result = function(program, **arguments)
    return program.text(*(result if isinstance(result, (tuple, list)) else (result,)))
