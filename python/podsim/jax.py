# SPDX-License-Identifier: Apache-2.0
"""Simulates functions of JAX:

    import podsim.jax
    result = podsim.jax.simulate(step, (weights, batch), slice="4x4")

No TPU is needed, and no more devices than the host has.
"""

import contextlib
import os
import threading
import warnings
from typing import Any, Callable, Iterator, List, Mapping, Optional, Sequence, Union

import jax
from jax.extend.mlir import ir
from jax.extend.mlir.dialects import stablehlo
from jax.interpreters import mlir
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec

from podsim.result import Result, simulate_text

__all__ = ["lowered_text", "simulate"]

Mesh = Union[str, Mapping[str, int], Any]


def _mesh(mesh: Mesh) -> Any:
    if isinstance(mesh, str):
        mesh = {name.strip(): int(size) for name, _, size in (axis.partition("=") for axis in mesh.split(","))}
    if isinstance(mesh, Mapping):
        return AbstractMesh(tuple(mesh.values()), tuple(mesh.keys()))
    return mesh


def _shardings(specs: Any, mesh: Any) -> Any:
    """A tree of PartitionSpecs, None for replicated, with the mesh put in; shardings stay."""
    def sharding(spec: Any) -> Any:
        spec = PartitionSpec() if spec is None else spec
        return NamedSharding(mesh, spec) if isinstance(spec, PartitionSpec) else spec

    return jax.tree.map(sharding, specs, is_leaf=lambda spec: spec is None or isinstance(spec, PartitionSpec))


def lowered_text(step: Callable[..., Any], args: Sequence[Any], *, mesh: Optional[Mesh] = None,
                 in_shardings: Any = None, out_shardings: Any = None, donate_argnums: Union[int, Sequence[int]] = (),
                 static_argnums: Union[int, Sequence[int]] = ()) -> str:
    """The StableHLO text of a function for a TPU, with names and source lines. `args` are arrays or
    jax.ShapeDtypeStruct, of which only shapes and types count. A jitted function keeps its own options."""
    if hasattr(step, "trace") and hasattr(step, "lower"):
        if in_shardings is not None or out_shardings is not None or donate_argnums != () or static_argnums != ():
            raise ValueError("give shardings and donations to jax.jit, or a function that is not jitted to podsim")
        jitted = step
    else:
        options: dict = {"donate_argnums": donate_argnums, "static_argnums": static_argnums}
        if (in_shardings is not None or out_shardings is not None) and mesh is None:
            raise ValueError("shardings need a mesh, such as mesh={'data': 4, 'model': 8}")
        if in_shardings is not None:
            options["in_shardings"] = _shardings(in_shardings, _mesh(mesh))
        if out_shardings is not None:
            options["out_shardings"] = _shardings(out_shardings, _mesh(mesh))
        jitted = jax.jit(step, **options)
    shapes = [jax.tree.map(_shape_of, arg) for arg in args]
    with contextlib.ExitStack() as context:
        if mesh is not None:  # PartitionSpecs inside the function are along its axes
            context.enter_context(jax.sharding.use_abstract_mesh(getattr(_mesh(mesh), "abstract_mesh", _mesh(mesh))))
        traced = jitted.trace(*shapes)
        with _stops_in_text():
            return traced.lower(lowering_platforms=("tpu",)).as_text(debug_info=True)


# --- rules for gradients, which StableHLO does not have ---------------------------------------------------------------

_stops = threading.local()
_STOP_GRADIENT = jax.make_jaxpr(jax.lax.stop_gradient)(1.0).eqns[0].primitive


def _lowered_stop(context: Any, x: Any) -> Any:
    """stop_gradient is nothing in the text of JAX; in podsim's it is a barrier with an attribute."""
    value = context.avals_in[0]
    if not getattr(_stops, "written", False) or not jax.numpy.issubdtype(value.dtype, jax.numpy.inexact):
        return [x]
    barrier = stablehlo.OptimizationBarrierOp([x])
    barrier.attributes["mhlo.frontend_attributes"] = ir.DictAttr.get({"gradient": ir.StringAttr.get("none")})
    return barrier.results


mlir.register_lowering(_STOP_GRADIENT, _lowered_stop)


@contextlib.contextmanager
def _stops_in_text() -> Iterator[None]:
    _stops.written = True
    try:
        yield
    finally:
        _stops.written = False


def custom_rules(step: Callable[..., Any], args: Sequence[Any]) -> List[str]:
    """Functions of the user's with a gradient of their own (custom_vjp, custom_jvp), which the text does not keep."""
    found: List[str] = []
    own = os.path.dirname(os.path.abspath(jax.__file__)) + os.sep

    def visit(jaxpr: Any) -> None:
        for equation in jaxpr.eqns:
            called = equation.params.get("call_jaxpr")
            if equation.primitive.name.startswith(("custom_vjp_call", "custom_jvp_call")):
                source = str(called.jaxpr.debug_info.func_src_info)  # name at FILE:LINE
                if own not in source and source not in found:
                    found.append(source)
            for value in jax.tree.leaves(tuple(equation.params.values()),
                                         is_leaf=lambda v: hasattr(v, "eqns") or hasattr(v, "jaxpr")):
                inner = getattr(value, "jaxpr", value)
                if hasattr(inner, "eqns"):
                    visit(inner)

    visit(jax.make_jaxpr(step)(*args).jaxpr)
    return found


def _shape_of(value: Any) -> Any:
    """Arrays without the devices on which they are, since the program is for others; numbers as they are."""
    if isinstance(value, jax.ShapeDtypeStruct) or not (hasattr(value, "shape") and hasattr(value, "dtype")):
        return value
    return jax.ShapeDtypeStruct(value.shape, value.dtype)


def simulate(step: Callable[..., Any], args: Sequence[Any], *, slice: Optional[str] = None,  # noqa: A002
             mesh: Optional[Mesh] = None, in_shardings: Any = None, out_shardings: Any = None,
             donate_argnums: Union[int, Sequence[int]] = (), static_argnums: Union[int, Sequence[int]] = (),
             set: Optional[Mapping[str, Any]] = None, **flags: Any) -> Result:  # noqa: A002
    """Simulates step(*args) on a slice of chips and returns a podsim.result.Result.

    `mesh` names the axes of the cores, as {"data": 4, "model": 8} or "data=4,model=8", or is a mesh of JAX;
    `in_shardings` is a tree of PartitionSpecs along them, as for jax.jit. The slice has as many cores as the mesh, two
    a chip; it is chosen where none is given. `set` are keys of the machine; other arguments are flags of `podsim run`:
    train="adam", parameters="w*". Raises podsim.PodsimError with the lines of the user's source.
    """
    rules = custom_rules(step, args) if flags.get("train") and static_argnums == () else []
    if rules:
        warnings.warn(f"the step differentiates the operations of {', '.join(rules)}: its own gradient is not in the text",
                      stacklevel=2)
    text = lowered_text(step, args, mesh=mesh, in_shardings=in_shardings, out_shardings=out_shardings,
                        donate_argnums=donate_argnums, static_argnums=static_argnums)
    return simulate_text(text, slice=slice, set=set, **flags)
