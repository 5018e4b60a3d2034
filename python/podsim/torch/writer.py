# SPDX-License-Identifier: Apache-2.0
"""Writes an exported program of PyTorch as HLO, by the rules that the other modules of this folder register."""

import os
import re
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch

from podsim import build as nn
from podsim.build.graph import Array

# Indices are s32 on a TPU, whatever their type on the host.
_DTYPES = {torch.float32: "f32", torch.float64: "f64", torch.bfloat16: "bf16", torch.float16: "f16",
           torch.int64: "s32", torch.int32: "s32", torch.int16: "s16", torch.int8: "s8", torch.uint8: "u8",
           torch.bool: "pred", torch.complex64: "c64", torch.complex128: "c128"}

_PYTORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
_PODSIM = os.path.dirname(os.path.dirname(os.path.abspath(nn.__file__))) + os.sep
_CALL = re.compile(r'File "([^"]+)", line (\d+)')

RULES: Dict[str, Callable[..., Any]] = {}


def rule(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers the translation of "aten.NAME": function(writer, node, *arguments)."""
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            RULES[name] = function
        return function

    return register


def dtype_of(dtype: torch.dtype) -> str:
    if dtype not in _DTYPES:
        raise nn.BuildError(f"{dtype} is not simulated")
    return _DTYPES[dtype]


def made(node: Any) -> Tuple[Tuple[int, ...], str]:
    """Shape and type of what a node makes; of the first array, if it makes several."""
    value = node.meta["val"]
    value = value[0] if isinstance(value, (tuple, list)) else value
    return tuple(value.shape), dtype_of(value.dtype)


class Writer:
    """Writes the nodes of an exported program one after another."""

    def __init__(self, exported: Any, name: str):
        self.program = nn.Program(name)
        self.repeated: Dict[str, Array] = {}  # what an array repeats along new dimensions in front, by the array's name
        self.narrow: Dict[str, Array] = {}  # what an array was expanded from, by the array's name
        self._exported = exported
        self._values: Dict[str, Any] = {}
        self._tensors: Dict[int, str] = {}  # the input that a tensor of the module became first, by its id

    def text(self) -> str:
        signature = self._exported.graph_signature
        trained = {name: parameter for name, parameter in signature.inputs_to_parameters.items()
                   if self._exported.state_dict[parameter].requires_grad}
        results: List[Any] = []
        tokens = {spec.arg.name for spec in signature.input_specs if spec.kind.name == "TOKEN"}  # of effects
        for node in self._exported.graph.nodes:
            self.program._origin, self.program._scopes = self._origin(node), self._scopes(node)
            if node.op == "placeholder" and node.name in tokens:
                self._values[node.name] = None
            elif node.op == "placeholder":
                tied = self._tied(node.name)
                value = self._placeholder(node, trained.get(node.name)) if tied is None else tied
                self._values[node.name] = value
            elif node.op == "call_function":
                self._values[node.name] = self._call(node)
            elif node.op == "output":
                wanted = {spec.arg.name for spec in signature.output_specs if spec.kind.name == "USER_OUTPUT"}
                results = [self._values[n.name] for n in node.args[0] if n is not None and n.name in wanted]
        return self.program.text(*results)

    def _tied(self, name: str) -> Optional[Array]:
        """The array of an input that is the same tensor under another name, as tied weights are."""
        signature = self._exported.graph_signature
        target = signature.inputs_to_parameters.get(name) or signature.inputs_to_buffers.get(name)
        tensor = self._exported.state_dict.get(target)
        if tensor is None:
            return None
        first = self._tensors.setdefault(id(tensor), name)
        return None if first == name else self._values[first]

    def _placeholder(self, node: Any, parameter: Optional[str]) -> Any:
        value = node.meta.get("val")
        if not isinstance(value, torch.Tensor):
            return value  # a number, which is fixed
        self.program._scopes = []
        make = self.program.parameter if parameter else self.program.input
        name = parameter or self._exported.graph_signature.inputs_to_parameters.get(node.name) or node.name
        return make(name.replace(".", "/"), tuple(value.shape), dtype_of(value.dtype))

    def _call(self, node: Any) -> Any:
        target = str(node.target)
        try:
            if target.startswith("<built-in function getitem>"):
                return self._value_of(node.args[0])[node.args[1]]
            name = target.removeprefix("aten.").removeprefix("prims.")
            translate = RULES.get(name) or RULES.get(name.split(".")[0])
            if translate is None:
                raise nn.BuildError(f"the operation {target} has no translation")
            result = translate(self, node, *[self._value_of(a) for a in node.args],
                               **{k: self._value_of(v) for k, v in node.kwargs.items()})
        except nn.BuildError as error:
            raise nn.BuildError(f"{error}{self._place(node)}") from None
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor) and isinstance(result, Array):
            result = result.astype(dtype_of(value.dtype))
            if result.shape != tuple(value.shape):
                raise nn.BuildError(f"{target} became {result!r}, not {list(value.shape)}{self._place(node)}")
        return result

    @staticmethod
    def _origin(node: Any) -> Tuple[str, int]:
        """File and line that made a node: the innermost outside PyTorch, else the innermost."""
        calls = [c for c in _CALL.findall(node.meta.get("stack_trace") or "") if not c[0].startswith(_PODSIM)]
        outside = [call for call in calls if not call[0].startswith(_PYTORCH)]
        file, line = (outside or calls or [("", "0")])[-1]
        return os.path.basename(file), int(line)

    @staticmethod
    def _scopes(node: Any) -> List[str]:
        """Names of the modules that a node is in: "layer1", "0", "conv1"."""
        modules = list((node.meta.get("nn_module_stack") or {}).values())
        return [part for part in modules[-1][0].split(".") if part] if modules else []

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

    def array(self, value: Any, dtype: str) -> Array:
        """A number or an array in a type."""
        return value.astype(dtype) if isinstance(value, Array) else self.program.full((), value, dtype)


def stopped(x: Array, gradient: str = "none") -> Array:
    """The same without a gradient, or with one that is an error ("custom")."""
    return x.program._op("copy", [x], x.shape, x.dtype, f'frontend_attributes={{gradient="{gradient}"}}')


def axes_of(x: Array, axes: Any) -> List[int]:
    """Axes as PyTorch gives them: one, several, or none for all."""
    axes = [axes] if isinstance(axes, int) else list(axes or range(x.ndim))
    return [axis % x.ndim for axis in axes]


def each(given: Any, count: int) -> List[int]:
    """A number for each of `count` dimensions."""
    sizes = [given] * count if isinstance(given, int) else list(given)
    return sizes * count if len(sizes) == 1 else sizes
