# SPDX-License-Identifier: Apache-2.0
"""Simulates modules of PyTorch:

    import podsim.torch
    result = podsim.torch.simulate(module, (images,), slice="4x4")
    result = podsim.torch.simulate(loss_module, (images, labels), train="adam")   # its parameters are trained

The module is exported by torch.export, decomposed to core ATen operations, and written as HLO. No TPU is needed. An
operation that has no translation is an error with the line of the module.
"""

from typing import Any, Mapping, Optional, Sequence

import torch

from podsim.result import Result, simulate_text
from podsim.torch import (complex_numbers, elementwise, indexing, linear_algebra, norms, products,  # noqa: F401
                          reductions, resizing, shapes, sorting, windows)
from podsim.torch.stops import mark_stops, marked_functions
from podsim.torch.writer import RULES, Writer

__all__ = ["simulate", "text"]


def simulate(module: torch.nn.Module, args: Sequence[Any], *, kwargs: Optional[Mapping[str, Any]] = None,
             slice: Optional[str] = None, set: Optional[Mapping[str, Any]] = None, **flags: Any) -> Result:  # noqa: A002
    """Simulates module(*args, **kwargs) on a slice of chips. `set` are keys of the machine; other arguments are flags
    of `podsim run`: train="adam" makes a training step of a module that returns its loss. Raises podsim.PodsimError,
    and podsim.build.BuildError for an operation without a translation."""
    return simulate_text(text(module, args, kwargs=kwargs), slice=slice, set=set, **flags)


def text(module: torch.nn.Module, args: Sequence[Any], *, kwargs: Optional[Mapping[str, Any]] = None) -> str:
    """The HLO text of module(*args, **kwargs). Its parameters are donated; buffers, arguments and parameters that need
    no gradient are inputs."""
    return Writer(export(module, args, kwargs), type(module).__name__).text()


def export(module: torch.nn.Module, args: Sequence[Any],
           kwargs: Optional[Mapping[str, Any]] = None) -> torch.export.ExportedProgram:
    """The module in core ATen operations. Attention stays whole: what it decomposes to depends on the kernels of the
    host's CPU. So do linear layers, which would lose the dimensions of their batch."""
    decompositions = torch.export.default_decompositions()
    for whole in (torch.ops.aten.scaled_dot_product_attention.default, torch.ops.aten.linear.default):
        decompositions.pop(whole, None)
    for operation in list(decompositions):  # whose decomposition has no slope where the operation has
        if str(operation).startswith(("aten.norm.", "aten.linalg_vector_norm.", "aten.std.", "aten.std_mean.")):
            decompositions.pop(operation)
    for operation, formula in torch._decomp.decomposition_table.items():  # others that have a decomposition
        name = str(operation).removeprefix("aten.")
        is_known = name in RULES or name.split(".")[0] in RULES or operation in decompositions
        if str(operation).startswith("aten.") and not is_known:
            decompositions[operation] = formula
    with marked_functions():
        exported = torch.export.export(module, tuple(args), dict(kwargs or {}))
    mark_stops(exported.graph_module)
    return exported.run_decompositions(decompositions)
