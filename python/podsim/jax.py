# SPDX-License-Identifier: Apache-2.0
"""Simulates functions of JAX:

    import podsim.jax
    result = podsim.jax.simulate(step, (weights, batch), slice="4x4")

No TPU is needed, and no more devices than the host has.
"""

import contextlib
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import jax
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec

from podsim.jax_rules import gradient_rules_in_text
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
                 static_argnums: Union[int, Sequence[int]] = (), differentiable: bool = True) -> str:
    """The StableHLO text of a function for a TPU, with names and source lines. `args` are arrays or
    jax.ShapeDtypeStruct, of which only shapes and types count. A jitted function keeps its own options. A function with
    a rule of its own (custom_vjp, custom_jvp) has more operations in a `differentiable` text, which have that gradient;
    in another, its gradient is an error."""
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
        with gradient_rules_in_text(differentiable):
            return traced.lower(lowering_platforms=("tpu",)).as_text(debug_info=True)


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
    text = lowered_text(step, args, mesh=mesh, in_shardings=in_shardings, out_shardings=out_shardings,
                        donate_argnums=donate_argnums, static_argnums=static_argnums,
                        differentiable=bool(flags.get("train")))
    return simulate_text(text, slice=slice, set=set, **flags)
