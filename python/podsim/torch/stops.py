# SPDX-License-Identifier: Apache-2.0
"""Where a module stops gradients: detach(), and what it computes under torch.no_grad(). Core ATen has no operation for
either, so that they are marked before a program is decomposed. So is what a function with a backward of its own computes;
its gradient is an error."""

import contextlib
import operator
from typing import Any, Iterator

import torch

from podsim.build.graph import Array
from podsim.torch.writer import Writer, rule, stopped


@torch.library.custom_op("podsim::stop_gradient", mutates_args=())
def stop_gradient(x: torch.Tensor) -> torch.Tensor:
    return x.clone()


@stop_gradient.register_fake
def _shape(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


@torch.library.custom_op("podsim::lost_gradient", mutates_args=())
def lost_gradient(x: torch.Tensor) -> torch.Tensor:
    return x.clone()


@lost_gradient.register_fake
def _same_shape(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


@contextlib.contextmanager
def marked_functions() -> Iterator[None]:
    """Inside, what a torch.autograd.Function of the user's computes is marked: its backward is not in the program."""
    original = torch.autograd.Function.__dict__["apply"]

    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        result = original.__get__(None, cls)(*args, **kwargs)
        if cls.__module__.split(".")[0] == "torch":
            return result
        return torch.utils._pytree.tree_map_only(
            torch.Tensor, lambda x: lost_gradient(x) if x.is_floating_point() else x, result)

    torch.autograd.Function.apply = classmethod(apply)  # type: ignore[assignment]
    try:
        yield
    finally:
        torch.autograd.Function.apply = original


_STOP = torch.ops.podsim.stop_gradient.default
_DETACHES = (torch.ops.aten.detach.default, torch.ops.aten.detach_.default)


def mark_stops(module: torch.fx.GraphModule) -> None:
    """Writes stop_gradient for what carries no gradient."""
    for node in list(module.graph.nodes):
        if node.op != "call_function":
            continue
        if node.target in _DETACHES:
            node.target = _STOP
        elif str(node.target) == "wrap_with_set_grad_enabled":
            body = module.get_submodule(node.args[1].target)
            mark_stops(body)
            if not node.args[0]:
                _stop_results(module.graph, node)
    module.recompile()


def _stop_results(graph: torch.fx.Graph, node: torch.fx.Node) -> None:
    for result in [user for user in node.users if user.target is operator.getitem]:
        value = result.meta.get("val")
        if not isinstance(value, torch.Tensor) or not value.is_floating_point() and not value.is_complex():
            continue
        with graph.inserting_after(result):
            stopped = graph.call_function(_STOP, (result,))
        stopped.meta = dict(result.meta)
        result.replace_all_uses_with(stopped, delete_user_cb=lambda user, own=stopped: user is not own)


@rule("podsim.stop_gradient.default")
def _stopped(writer: Writer, node: Any, x: Array) -> Array:
    return stopped(x)


@rule("podsim.lost_gradient.default")
def _lost(writer: Writer, node: Any, x: Array) -> Array:
    return stopped(x, "custom")
