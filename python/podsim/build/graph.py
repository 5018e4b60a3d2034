# SPDX-License-Identifier: Apache-2.0
"""A program that is being written, and its arrays."""

import contextlib
import math
import os
import sys
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

__all__ = ["Array", "BuildError", "Program", "concatenate", "iota"]

Shape = Tuple[int, ...]
Number = Union[int, float, bool, complex]

_WIDTHS = {"c128": 16, "c64": 8, "f64": 8, "f32": 4, "f16": 2, "bf16": 2, "f8e4m3fn": 1, "f8e5m2": 1, "s64": 8, "s32": 4, "s16": 2, "s8": 1,
           "u64": 8, "u32": 4, "u16": 2, "u8": 1, "pred": 1}
_THIS_FOLDER = os.path.dirname(os.path.abspath(__file__))


class BuildError(Exception):
    """A shape, type or name does not fit."""


def _is_float(dtype: str) -> bool:
    return dtype[0] == "f" or dtype == "bf16"


def _type_text(dtype: str, shape: Sequence[int]) -> str:
    return f"{dtype}[{','.join(map(str, shape))}]"


def _braces(numbers: Sequence[int]) -> str:
    return "{" + ",".join(map(str, numbers)) + "}"


def _literal(value: Number, dtype: str) -> str:
    if dtype == "pred":
        return "true" if value else "false"
    if dtype[0] == "c":
        parts = (_literal(part, "f64") for part in (complex(value).real, complex(value).imag))
        return f"({', '.join(parts)})"
    if not _is_float(dtype):
        return str(int(value))  # type: ignore[arg-type]
    value = float(value)  # type: ignore[arg-type]
    if math.isnan(value):
        return "nan"
    return repr(value) if math.isfinite(value) else ("inf" if value > 0 else "-inf")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class _Frame:
    """The instructions of a computation that is being written: the entry, or the body of a loop."""

    def __init__(self, outer: Optional["_Frame"]):
        self.outer = outer
        self.lines: List[str] = []
        self.captured: Dict[str, "Array"] = {}  # of the frame outside, by its name there
        self.capture: Callable[["Array"], "Array"] = lambda array: array


class Program:
    """A program that is being written. The function of a network gets one as its first argument."""

    def __init__(self, name: str = "program"):
        self.name = "".join(c if c.isalnum() or c in "_-." else "_" for c in name) or "program"
        self.parameters: List["Array"] = []  # in the order of the text, inputs among them
        self._donated: List[int] = []
        self._scopes: List[str] = []
        self._origin: Optional[Tuple[str, int]] = None  # file and line of what is written, where they are not the caller's
        self._frame = _Frame(None)
        self._computations: Dict[str, str] = {}
        self._names: Dict[str, int] = {}

    # --- values ---

    def input(self, name: str, shape: Sequence[int], dtype: str = "f32") -> "Array":
        """What a step is given: a batch."""
        return self._parameter(name, shape, dtype, trained=False)

    def parameter(self, name: str, shape: Sequence[int], dtype: str = "f32") -> "Array":
        """What a step trains. Its name is that of the scope and this one: "layer1/kernel"."""
        return self._parameter(name, shape, dtype, trained=True)

    def infeed(self, *arrays: Tuple[Sequence[int], str]) -> Tuple["Array", ...]:
        """The next batch, as the host sends it: pairs of a shape and a type."""
        if self._frame.outer is not None:
            raise BuildError("an infeed stands outside of a loop")
        shapes = ", ".join(_type_text(self._dtype(dtype), self._shape(shape)) for shape, dtype in arrays)
        token = self._line("token[]", "after-all()", "infeed")
        fed = self._line(f"(({shapes}), token[])", f"infeed(%{token})", "infeed")
        data = self._line(f"({shapes})", f"get-tuple-element(%{fed}), index=0", "infeed")
        return tuple(self._value(f"get-tuple-element(%{data}), index={i}", tuple(shape), dtype)
                     for i, (shape, dtype) in enumerate(arrays))

    def full(self, shape: Sequence[int], value: Number, dtype: str = "f32") -> "Array":
        """An array of one number."""
        scalar = self._value(f"constant({_literal(value, self._dtype(dtype))})", (), dtype)
        return scalar if not tuple(shape) else _broadcast_in(scalar, self._shape(shape), ())

    @contextlib.contextmanager
    def scope(self, name: str) -> Iterator[None]:
        """Names what is written inside: "layer1/" before the names of parameters and of ops in reports."""
        self._scopes.append(name)
        try:
            yield
        finally:
            self._scopes.pop()

    # --- text ---

    def text(self, *results: "Array") -> str:
        """The HLO text of the program with these results."""
        if not results:
            raise BuildError("a program returns at least one array")
        for result in results:
            if not isinstance(result, Array) or result.program is not self:
                raise BuildError(f"a program returns its arrays, not {type(result).__name__}")
        lines = list(self._frame.lines)
        shapes = [_type_text(result.dtype, result.shape) for result in results]
        names = [f"%{result.name}" for result in results]
        if len(results) == 1:
            whole = shapes[0]
            lines.append(f"  ROOT %results = {whole} copy({names[0]})")
        else:
            whole = f"({', '.join(shapes)})"
            lines.append(f"  ROOT %results = {whole} tuple({', '.join(names)})")
        donors = f", buffer_donor={{ {', '.join(f'({n}, {{}})' for n in self._donated)} }}" if self._donated else ""
        signature = ", ".join(f"{p.name}: {_type_text(p.dtype, p.shape)}" for p in self.parameters)
        called = "".join(body + "\n" for body in self._computations.values())
        return (f"HloModule {self.name}{donors}\n\n{called}ENTRY %main ({signature}) -> {whole} {{\n"
                + "\n".join(lines) + "\n}\n")

    # --- inside ---

    def _parameter(self, name: str, shape: Sequence[int], dtype: str, trained: bool) -> "Array":
        if self._frame.outer is not None:
            raise BuildError(f"make parameter '{name}' outside of the loop")
        number = len(self.parameters)
        full_name = "/".join([*self._scopes, name])
        if any(full_name == other.label for other in self.parameters):
            raise BuildError(f"there is a parameter '{full_name}' already; give it another name or a scope")
        array = self._value(f"parameter({number})", self._shape(shape), self._dtype(dtype), label=full_name)
        array.label = full_name
        self.parameters.append(array)
        if trained:
            self._donated.append(number)
        return array

    @staticmethod
    def _shape(shape: Sequence[int]) -> Shape:
        sizes = tuple(shape)
        if any(not isinstance(size, int) or size < 0 for size in sizes):
            raise BuildError(f"{sizes} is no shape")
        return sizes

    @staticmethod
    def _dtype(dtype: str) -> str:
        if dtype not in _WIDTHS:
            raise BuildError(f"'{dtype}' is no element type; one of {', '.join(_WIDTHS)}")
        return dtype

    def _unique(self, stem: str) -> str:
        stem = "".join(c if c.isalnum() or c in "_-." else "." for c in stem)
        count = self._names[stem] = self._names.get(stem, 0) + 1
        return f"{stem}.{count}"

    def _line(self, type_text: str, operation: str, label: str = "") -> str:
        name = self._unique(operation[:operation.index("(")])
        op_name = label or "/".join(self._scopes)
        metadata = f"op_name={_quoted(op_name)} " if op_name else ""
        file, line = self._origin or self._caller()
        if file:
            metadata += f"source_file={_quoted(file)} source_line={line}"
        suffix = f", metadata={{{metadata.rstrip()}}}" if metadata else ""
        self._frame.lines.append(f"  %{name} = {type_text} {operation}{suffix}")
        return name

    @staticmethod
    def _caller() -> Tuple[str, int]:
        """File and line that call this package."""
        frame = sys._getframe(1)
        while frame is not None and os.path.dirname(os.path.abspath(frame.f_code.co_filename)) == _THIS_FOLDER:
            frame = frame.f_back  # type: ignore[assignment]
        return (os.path.basename(frame.f_code.co_filename), frame.f_lineno) if frame is not None else ("", 0)

    def _value(self, operation: str, shape: Sequence[int], dtype: str, label: str = "") -> "Array":
        name = self._line(_type_text(dtype, shape), operation, label)
        return Array(self, self._frame, name, tuple(shape), dtype)

    def _op(self, opcode: str, operands: Sequence["Array"], shape: Sequence[int], dtype: str, attributes: str = "",
            ) -> "Array":
        names = ", ".join(f"%{self._local(operand).name}" for operand in operands)
        return self._value(f"{opcode}({names}){', ' + attributes if attributes else ''}", shape, dtype)

    def _local(self, array: "Array") -> "Array":
        """The array in the frame that is written, a loop's state if it is of one outside."""
        if array.program is not self:
            raise BuildError("an array of another program")
        if array.frame is self._frame:
            return array
        frame: Optional[_Frame] = self._frame
        while frame is not None and frame is not array.frame:
            frame = frame.outer
        if frame is None:
            raise BuildError(f"array {array.name} is of a loop that has ended; return it from the loop's function")
        return self._frame.capture(array)

    def _combiner(self, opcode: str, dtype: str) -> str:
        name = f"{opcode}_{dtype}"
        scalar = f"{dtype}[]"
        self._computations.setdefault(name, (
            f"%{name} (x: {scalar}, y: {scalar}) -> {scalar} {{\n  %x = {scalar} parameter(0)\n"
            f"  %y = {scalar} parameter(1)\n  ROOT %{name}.result = {scalar} {opcode}(%x, %y)\n}}\n"))
        return name


class Array:
    """A value of a program."""

    __array_priority__ = 1000

    def __init__(self, program: Program, frame: _Frame, name: str, shape: Shape, dtype: str):
        self.program, self.frame, self.name, self.shape, self.dtype = program, frame, name, shape, dtype
        self.label = ""

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def __repr__(self) -> str:
        return f"Array({self.label or self.name}: {_type_text(self.dtype, self.shape)})"

    def __bool__(self) -> bool:
        raise BuildError("an array has no value while the program is written; use where() or a loop")

    def _binary(self, opcode: str, other: Any, swapped: bool = False, attributes: str = "",
                dtype: Optional[str] = None) -> "Array":
        x, y = (_array(other, self), self) if swapped else (self, _array(other, self))
        if x.dtype != y.dtype:
            raise BuildError(f"{opcode} of {x!r} and {y!r}: convert one with astype()")
        shape = _common_shape(x.shape, y.shape)
        operands = [_broadcast(x, shape), _broadcast(y, shape)]
        return self.program._op(opcode, operands, shape, dtype or x.dtype, attributes)

    def __add__(self, other): return self._binary("add", other)
    def __radd__(self, other): return self._binary("add", other, swapped=True)
    def __sub__(self, other): return self._binary("subtract", other)
    def __rsub__(self, other): return self._binary("subtract", other, swapped=True)
    def __mul__(self, other): return self._binary("multiply", other)
    def __rmul__(self, other): return self._binary("multiply", other, swapped=True)
    def __truediv__(self, other): return self._binary("divide", other)
    def __rtruediv__(self, other): return self._binary("divide", other, swapped=True)
    def __pow__(self, other): return self * self if other == 2 else self._binary("power", other)

    def __matmul__(self, other):
        from podsim.build.products import matmul  # pylint: disable=import-outside-toplevel,cyclic-import
        return matmul(self, other)

    def __neg__(self): return _unary("negate", self)
    def __and__(self, other): return self._binary("and", other)
    def __or__(self, other): return self._binary("or", other)
    def __lt__(self, other): return self._compare(other, "LT")
    def __le__(self, other): return self._compare(other, "LE")
    def __gt__(self, other): return self._compare(other, "GT")
    def __ge__(self, other): return self._compare(other, "GE")

    def equal(self, other: Any) -> "Array":
        """A pred array; == compares the Python objects, as of any object."""
        return self._compare(other, "EQ")

    def _compare(self, other: Any, direction: str) -> "Array":
        return self._binary("compare", other, attributes=f"direction={direction}", dtype="pred")

    def astype(self, dtype: str) -> "Array":
        if dtype == self.dtype:
            return self
        return self.program._op("convert", [self], self.shape, Program._dtype(dtype))

    def reshape(self, *shape: int) -> "Array":
        """One size may be -1."""
        if -1 in shape:
            known = math.prod(size for size in shape if size != -1)
            shape = tuple(self.size // max(known, 1) if size == -1 else size for size in shape)
        if math.prod(shape) != self.size:
            raise BuildError(f"{self!r} cannot become {list(shape)}")
        return self if tuple(shape) == self.shape else self.program._op("reshape", [self], shape, self.dtype)

    def transpose(self, *order: int) -> "Array":
        """Dimension i of the result is dimension order[i]; none: all in reverse."""
        order = order or tuple(reversed(range(self.ndim)))
        if sorted(order) != list(range(self.ndim)):
            raise BuildError(f"{order} is no order of the dimensions of {self!r}")
        if list(order) == list(range(self.ndim)):
            return self
        return self.program._op("transpose", [self], [self.shape[d] for d in order], self.dtype,
                                f"dimensions={_braces(order)}")

    def broadcast(self, *shape: int) -> "Array":
        """As NumPy's broadcast_to."""
        if _common_shape(self.shape, shape) != tuple(shape):
            raise BuildError(f"{self!r} does not broadcast to {list(shape)}")
        return _broadcast(self, tuple(shape))

    def sum(self, *axes: int, keepdims: bool = False) -> "Array":
        """Over these axes, or over all."""
        return _reduce("add", self, axes, 0, keepdims)

    def max(self, *axes: int, keepdims: bool = False) -> "Array":
        lowest = -math.inf if _is_float(self.dtype) else -(2**(8 * _WIDTHS[self.dtype] - 1))
        lowest = 0 if self.dtype[0] in "up" else lowest
        return _reduce("maximum", self, axes, lowest, keepdims)

    def mean(self, *axes: int, keepdims: bool = False) -> "Array":
        count = math.prod(self.shape[a] for a in (axes or range(self.ndim)))
        return self.sum(*axes, keepdims=keepdims) * (1.0 / count)

    def __getitem__(self, index: Any) -> "Array":
        """Whole numbers, slices with fixed bounds, and one ..."""
        words = list(index) if isinstance(index, tuple) else [index]
        if Ellipsis in words:
            at = words.index(Ellipsis)
            words[at:at + 1] = [slice(None)] * (self.ndim - len(words) + 1)
        words += [slice(None)] * (self.ndim - len(words))
        if len(words) != self.ndim:
            raise BuildError(f"{len(words)} indices of {self!r}")
        bounds, sizes, kept = [], [], []
        for size, word in zip(self.shape, words):
            if isinstance(word, int):
                if not -size <= word < size:
                    raise BuildError(f"index {word} of {self!r}")
                bounds.append((word % size, word % size + 1, 1))
            elif isinstance(word, slice):
                begin, end, step = word.indices(size)
                if step < 1:
                    raise BuildError("a slice goes forward")
                bounds.append((begin, max(begin, end), step))
                kept.append(len(range(begin, max(begin, end), step)))
            else:
                raise BuildError(f"{self!r} is indexed by whole numbers and slices")
            sizes.append(len(range(*bounds[-1])))
        if any(bound != (0, size, 1) for bound, size in zip(bounds, self.shape)):
            ranges = ", ".join(f"[{b}:{e}:{s}]" if s > 1 else f"[{b}:{e}]" for b, e, s in bounds)
            return self.program._op("slice", [self], sizes, self.dtype, f"slice={{{ranges}}}").reshape(*kept)
        return self.reshape(*kept)


# --- shapes -----------------------------------------------------------------------------------------------------------

def _array(value: Any, like: Array) -> Array:
    if isinstance(value, Array):
        return value
    if isinstance(value, (int, float, bool, complex)):
        return like.program.full((), value, like.dtype)
    raise BuildError(f"{type(value).__name__} is neither an array nor a number")


def _common_shape(x: Sequence[int], y: Sequence[int]) -> Shape:
    rank = max(len(x), len(y))
    sizes = []
    for a, b in zip((1,) * (rank - len(x)) + tuple(x), (1,) * (rank - len(y)) + tuple(y)):
        if a != b and 1 not in (a, b):
            raise BuildError(f"the shapes {list(x)} and {list(y)} do not broadcast")
        sizes.append(b if a == 1 else a)
    return tuple(sizes)


def _broadcast_in(x: Array, shape: Sequence[int], dimensions: Sequence[int]) -> Array:
    return x.program._op("broadcast", [x], shape, x.dtype, f"dimensions={_braces(dimensions)}")


def _broadcast(x: Array, shape: Shape) -> Array:
    if x.shape == shape:
        return x
    first = len(shape) - x.ndim
    kept = [d for d in range(x.ndim) if x.shape[d] == shape[first + d]]
    return _broadcast_in(x.reshape(*(x.shape[d] for d in kept)), shape, [first + d for d in kept])


def _axes(axes: Sequence[int], rank: int) -> List[int]:
    found = sorted({axis % rank for axis in axes if -rank <= axis < rank})
    if len(found) != len(axes):
        raise BuildError(f"{tuple(axes)} are not axes of {rank} dimensions, each once")
    return found


def _reduce(opcode: str, x: Array, axes: Sequence[int], initial: Number, keepdims: bool) -> Array:
    summed = _axes(axes, x.ndim) if axes else list(range(x.ndim))
    if not summed:
        return x
    kept = [d for d in range(x.ndim) if d not in summed]
    start = x.program.full((), initial, x.dtype)
    combiner = x.program._combiner(opcode, x.dtype)
    result = x.program._op("reduce", [x, start], [x.shape[d] for d in kept], x.dtype,
                           f"dimensions={_braces(summed)}, to_apply=%{combiner}")
    return result.reshape(*(1 if d in summed else x.shape[d] for d in range(x.ndim))) if keepdims else result


def _unary(opcode: str, x: Array) -> Array:
    return x.program._op(opcode, [x], x.shape, x.dtype)


def concatenate(arrays: Sequence[Array], axis: int) -> Array:
    first = arrays[0]
    axis = _axes([axis], first.ndim)[0]
    shape = list(first.shape)
    shape[axis] = sum(array.shape[axis] for array in arrays)
    return first.program._op("concatenate", arrays, shape, first.dtype, f"dimensions={{{axis}}}")


def iota(program: Program, shape: Sequence[int], axis: int, dtype: str = "s32") -> Array:
    """The position along an axis."""
    return program._value(f"iota(), iota_dimension={axis % len(shape)}", Program._shape(shape), Program._dtype(dtype))
