# SPDX-License-Identifier: Apache-2.0
"""Rules for gradients in the text of a function of JAX. StableHLO has none, so that stop_gradient, custom_vjp and
custom_jvp would be lost: the first is written as a barrier that says it, and what a function with a rule, or the
solution of a linear system, computes as

    held(y) + L(x - held(x))

where L is the linear map of its rule at the held x: 0, with the gradient of the rule."""

import contextlib
import os
import threading
from typing import Any, Callable, Iterator, List

import jax
from jax.extend.core import jaxpr_as_fun
from jax.extend.mlir import ir
from jax.extend.mlir.dialects import stablehlo
from jax.interpreters import mlir

__all__ = ["gradient_rules_in_text"]

_JAX = os.path.dirname(os.path.abspath(jax.__file__)) + os.sep
_state = threading.local()


@contextlib.contextmanager
def gradient_rules_in_text(differentiable: bool) -> Iterator[None]:
    """What is lowered for a TPU inside has the marks of podsim; outside, nothing changes."""
    _state.mode = "rules" if differentiable else "marks"
    try:
        yield
    finally:
        _state.mode = ""


def _mode() -> str:
    return getattr(_state, "mode", "")


def _is_real(value: Any) -> bool:
    return jax.numpy.issubdtype(value.dtype, jax.numpy.inexact)


def _marked(x: Any, kind: str) -> Any:
    barrier = stablehlo.OptimizationBarrierOp([x])
    barrier.attributes["mhlo.frontend_attributes"] = ir.DictAttr.get({"gradient": ir.StringAttr.get(kind)})
    return barrier.results[0]


def _stop_gradient(context: Any, x: Any) -> Any:
    return [_marked(x, "none") if _mode() and _is_real(context.avals_in[0]) else x]


def _with_rule(primitive: Any, by_forward_mode: bool, parameters: Any) -> Callable[..., List[Any]]:
    """A function of the same values whose operations have the gradient of its rule."""
    def applied(*arguments: Any) -> List[Any]:
        held = [jax.lax.stop_gradient(x) for x in arguments]
        inputs = [i for i, x in enumerate(arguments) if _is_real(x)]

        def whole(*reals: Any) -> List[Any]:
            values = list(held)
            for i, value in zip(inputs, reals):
                values[i] = value
            return primitive.bind(*values, **primitive.get_bind_params(parameters))

        results = [jax.lax.stop_gradient(y) for y in whole(*(held[i] for i in inputs))]
        outputs = [i for i, y in enumerate(results) if _is_real(y)]
        steps = [arguments[i] - held[i] for i in inputs]

        def real_results(*reals: Any) -> List[Any]:
            found = whole(*reals)
            return [found[i] for i in outputs]

        if by_forward_mode:
            _, changes = jax.jvp(real_results, [held[i] for i in inputs], steps)
        else:
            values, pull = jax.vjp(real_results, *(held[i] for i in inputs))
            changes, = jax.linear_transpose(pull, values)(tuple(steps))
        for i, change in zip(outputs, changes):
            results[i] = results[i] + change
        return results

    return applied


def _custom_rule(by_forward_mode: bool, primitive: Any) -> Callable[..., Any]:
    def lowered(context: Any, *arguments: Any, **parameters: Any) -> Any:
        called = parameters["call_jaxpr"]
        plain = mlir.lower_fun(jaxpr_as_fun(called), multiple_results=True)
        # Those of JAX itself have the gradients of their operations.
        if not _mode() or _JAX in str(called.jaxpr.debug_info.func_src_info):
            return plain(context, *arguments)
        if _mode() == "rules":
            try:
                return mlir.lower_fun(_with_rule(primitive, by_forward_mode, parameters), multiple_results=True)(
                    context, *arguments)
            except Exception:  # pylint: disable=broad-except  # a rule that is not linear: its gradient is refused
                pass
        return [_marked(y, "custom") if _is_real(aval) else y
                for y, aval in zip(plain(context, *arguments), context.avals_out)]

    return lowered


def _solved(arguments: Any, const_lengths: Any, jaxprs: Any) -> List[Any]:
    lengths = [*const_lengths]
    begin = sum(lengths[:const_lengths._fields.index("solve")])
    return jaxpr_as_fun(jaxprs.solve)(*arguments[begin:begin + const_lengths.solve], *arguments[sum(lengths):])


def _linear_solve(primitive: Any) -> Callable[..., Any]:
    """The solution of a linear system has the gradient of the system, and not that of how it is solved. The system for
    its change is solved in the same way, which the text differentiates by its right side alone."""
    def lowered(context: Any, *arguments: Any, **parameters: Any) -> Any:
        if _mode() != "rules" or getattr(_state, "solves", False):
            return mlir.lower_fun(lambda *values: _solved(values, **parameters), multiple_results=True)(
                context, *arguments)
        _state.solves = True
        try:
            return mlir.lower_fun(_with_rule(primitive, True, parameters), multiple_results=True)(context, *arguments)
        finally:
            _state.solves = False

    return lowered


def _register() -> None:
    def primitive_of(function: Callable[..., Any]) -> Any:
        return jax.make_jaxpr(function)(1.0).eqns[0].primitive

    forward, backward = jax.custom_jvp(lambda x: x), jax.custom_vjp(lambda x: x)
    forward.defjvp(lambda primals, tangents: (primals[0], tangents[0]))
    backward.defvjp(lambda x: (x, None), lambda _, g: (g,))
    mlir.register_lowering(primitive_of(jax.lax.stop_gradient), _stop_gradient, platform="tpu")
    for function, by_forward_mode in ((forward, True), (backward, False)):
        primitive = primitive_of(function)
        mlir.register_lowering(primitive, _custom_rule(by_forward_mode, primitive), platform="tpu")
    solve = primitive_of(lambda b: jax.lax.custom_linear_solve(lambda x: 2 * x, b, lambda _, y: y / 2, symmetric=True))
    mlir.register_lowering(solve, _linear_solve(solve), platform="tpu")


_register()
