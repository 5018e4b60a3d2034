# SPDX-License-Identifier: Apache-2.0
"""Loops whose body is written once."""

from typing import Any, Callable, Optional, Sequence, Tuple

from podsim.build.graph import Array, BuildError, _braces, _Frame, _type_text

__all__ = ["scan"]


def scan(function: Callable[..., Tuple[Any, Any]], carry: Any, xs: Any = None, length: Optional[int] = None,
         ) -> Tuple[Any, Any]:
    """A loop: carry, y = function(carry, x) for every x of xs along its first dimension; returns the last carry and the
    ys stacked. carry, xs and y are arrays or tuples of arrays; xs or y may be None. The function may read arrays from
    outside. Parameters are made outside: stacked, and given as xs."""
    carries, slices = _as_tuple(carry), _as_tuple(xs)
    if not carries and not slices:
        raise BuildError("a loop needs a carry or xs")
    program = (carries + slices)[0].program
    lengths = {array.shape[0] for array in slices} | ({length} if length is not None else set())
    if len(lengths) != 1:
        raise BuildError(f"the passes of the loop are {sorted(lengths)}: give xs of one length, or length")
    passes, outer = lengths.pop(), program._frame
    state = [program.full((), 0, "s32"), *carries, *slices]
    body = program._frame = _Frame(outer)
    tuple_name = program._unique("state")

    def element(index: int, array: Array) -> Array:
        return program._value(f"get-tuple-element(%{tuple_name}), index={index}", array.shape, array.dtype)

    def capture(array: Array) -> Array:
        if array.name not in body.captured:
            local_outside = array if array.frame is outer else outer.capture(array)
            state.append(local_outside)
            writing, program._frame = program._frame, body  # a loop inside this one may be what reads it
            body.captured[array.name] = element(len(state) - 1, array)
            program._frame = writing
        return body.captured[array.name]

    body.capture = capture
    try:
        counter = element(0, state[0])
        zero = program.full((), 0, "s32")
        inside = [element(1 + i, array) for i, array in enumerate(carries)]
        taken = []
        for i, array in enumerate(slices):
            whole = element(1 + len(carries) + i, array)
            starts = [whole, counter, *[zero] * (array.ndim - 1)]
            part = program._op("dynamic-slice", starts, (1, *array.shape[1:]), array.dtype,
                               f"dynamic_slice_sizes={_braces((1, *array.shape[1:]))}")
            taken.append(part.reshape(*array.shape[1:]))
        result = function(_like(carry, inside), _like(xs, taken))
        if not isinstance(result, tuple) or len(result) != 2:
            raise BuildError("the function of a loop returns (carry, y)")
        news, ys = [program._local(a) for a in _as_tuple(result[0])], [program._local(a) for a in _as_tuple(result[1])]
        if [(a.shape, a.dtype) for a in news] != [(a.shape, a.dtype) for a in carries]:
            raise BuildError(f"the carry is {list(carries)} before a pass and {news} after it")
        first_y = len(state)
        stacked = []
        for i, y in enumerate(ys):
            whole_y = program._value(f"get-tuple-element(%{tuple_name}), index={first_y + i}", (passes, *y.shape),
                                     y.dtype)
            part = y.reshape(1, *y.shape)
            stacked.append(program._op("dynamic-update-slice", [whole_y, part, counter, *[zero] * y.ndim],
                                       whole_y.shape, y.dtype))
        following = counter + 1
        kept = [element(i, state[i]) for i in range(1 + len(carries), first_y)]
        elements = [following, *news, *kept, *stacked]
        shapes = ", ".join(_type_text(a.dtype, a.shape) for a in elements)
        names = ", ".join(f"%{a.name}" for a in elements)
    finally:
        program._frame = outer
    state += [program.full((passes, *y.shape), 0, y.dtype) for y in ys]
    body_name, condition_name = program._unique("body"), program._unique("condition")
    program._computations[body_name] = (
        f"%{body_name} ({tuple_name}: ({shapes})) -> ({shapes}) {{\n  %{tuple_name} = ({shapes}) parameter(0)\n"
        + "\n".join(body.lines) + f"\n  ROOT %{body_name}.result = ({shapes}) tuple({names})\n}}\n")
    program._computations[condition_name] = (
        f"%{condition_name} (state: ({shapes})) -> pred[] {{\n  %state = ({shapes}) parameter(0)\n"
        f"  %at = s32[] get-tuple-element(%state), index=0\n  %end = s32[] constant({passes})\n"
        f"  ROOT %more = pred[] compare(%at, %end), direction=LT\n}}\n")
    begin = program._line(f"({shapes})", f"tuple({', '.join(f'%{program._local(a).name}' for a in state)})")
    loop = program._line(f"({shapes})", f"while(%{begin}), condition=%{condition_name}, body=%{body_name}")

    def outcome(index: int, array: Array) -> Array:
        return program._value(f"get-tuple-element(%{loop}), index={index}", array.shape, array.dtype)

    last = [outcome(1 + i, array) for i, array in enumerate(carries)]
    return _like(carry, last), _like(result[1], [outcome(first_y + i, y) for i, y in enumerate(stacked)])


def _as_tuple(value: Any) -> Tuple[Array, ...]:
    if value is None:
        return ()
    arrays = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    if any(not isinstance(array, Array) for array in arrays):
        raise BuildError("a loop goes over arrays or tuples of arrays")
    return arrays


def _like(value: Any, arrays: Sequence[Array]) -> Any:
    """One array, a tuple of them, or None, as `value` is."""
    if value is None:
        return None
    return tuple(arrays) if isinstance(value, (tuple, list)) else arrays[0]
