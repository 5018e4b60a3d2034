# SPDX-License-Identifier: Apache-2.0
"""Factors of matrices, determinants and linear systems, by the custom calls of JAX on a TPU."""

from typing import Any, List, Optional, Sequence, Tuple

from podsim import build as nn
from podsim.build.graph import Array, _broadcast_in, _type_text, _unary
from podsim.torch.writer import Writer, rule


def _transposed(x: Array) -> Array:
    return x.transpose(*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)


def _called(writer: Writer, target: str, x: Array, parts: Sequence[Tuple[Sequence[int], str]]) -> List[Array]:
    shapes = f"({', '.join(_type_text(dtype, shape) for shape, dtype in parts)})"
    call = writer.program._line(shapes, f'custom-call(%{x.name}), custom_call_target="{target}"')
    return [writer.program._value(f"get-tuple-element(%{call}), index={i}", shape, dtype)
            for i, (shape, dtype) in enumerate(parts)]


def _factors(writer: Writer, x: Array) -> List[Array]:
    """The factors in one matrix, the exchanged rows, the order of the rows."""
    shape = x.shape
    return _called(writer, "LuDecomposition", x, [
        (shape, x.dtype), ((*shape[:-2], min(shape[-2:])), "s32"), (shape[:-1], "s32")])


def _triangular(a: Array, b: Array, lower: bool, left: bool = True, unit: bool = False,
                transposes: bool = False) -> Array:
    words = {"left_side": left, "lower": lower, "unit_diagonal": unit}
    text = ", ".join(f"{name}={'true' if value else 'false'}" for name, value in words.items())
    transposed = "TRANSPOSE" if transposes else "NO_TRANSPOSE"
    return b.program._op("triangular-solve", [a, b], b.shape, b.dtype, f"{text}, transpose_a={transposed}")


def _diagonal(x: Array) -> Array:
    row, column = (nn.iota(x.program, x.shape, x.ndim - 2 + d, "s32") for d in range(2))
    return nn.where(row.equal(column), x, 0).sum(x.ndim - 1)


def _parity(pivots: Array, dtype: str) -> Array:
    """1, or -1 where an odd number of rows was exchanged."""
    moved = pivots.equal(nn.iota(pivots.program, pivots.shape, pivots.ndim - 1, "s32")).equal(False)
    count = moved.astype("s32").sum(pivots.ndim - 1)
    return 1 - 2 * count._binary("remainder", 2).astype(dtype)


def _product(x: Array) -> Array:
    """Along the last dimension, by its elements, which are few."""
    result = x[..., 0]
    for i in range(1, x.shape[-1]):
        result = result * x[..., i]
    return result


def _solution(writer: Writer, a: Array, b: Array) -> Array:
    factors, _, order = _factors(writer, a)
    is_row = _broadcast_in(order, a.shape, range(a.ndim - 1)).equal(nn.iota(writer.program, a.shape, a.ndim - 1, "s32"))
    b = nn.matmul(is_row.astype(a.dtype), b)
    return _triangular(factors, _triangular(factors, b, lower=True, unit=True), lower=False)


def _identity(writer: Writer, x: Array) -> Array:
    row, column = (nn.iota(writer.program, x.shape, x.ndim - 2 + d, "s32") for d in range(2))
    return row.equal(column).astype(x.dtype)


def _zero(writer: Writer, x: Array) -> Array:
    """That nothing failed."""
    return writer.program.full(x.shape[:-2], 0, "s32")


@rule("_linalg_solve_ex")
def _solve(writer: Writer, node: Any, a: Array, b: Array, *_: Any, left: bool = True,
           **__: Any) -> List[Optional[Array]]:
    if not left:
        x = _transposed(_solution(writer, _transposed(a), _transposed(b)))
    else:
        is_vector = b.ndim == a.ndim - 1
        x = _solution(writer, a, b.reshape(*b.shape, 1) if is_vector else b).reshape(*b.shape)
    return [x, None, None, _zero(writer, a)]


@rule("with_effects")
def _checked(writer: Writer, node: Any, token: Any, operation: Any, *_: Any, **__: Any) -> List[Any]:
    """That a factorisation failed, which a simulation does not know, is an effect."""
    if "_linalg_check_errors" not in str(operation) and "_assert" not in str(operation):
        raise nn.BuildError(f"the effect of {operation} has no translation")
    return [token, None]


@rule("linalg_inv_ex")
def _inverse(writer: Writer, node: Any, a: Array, **_: Any) -> List[Array]:
    return [_solution(writer, a, _identity(writer, a)), _zero(writer, a)]


@rule("_linalg_det")
def _determinant(writer: Writer, node: Any, a: Array) -> List[Optional[Array]]:
    factors, pivots, _ = _factors(writer, a)
    return [_product(_diagonal(factors)) * _parity(pivots, a.dtype), None, None]


@rule("_linalg_slogdet")
def _log_determinant(writer: Writer, node: Any, a: Array) -> List[Optional[Array]]:
    factors, pivots, _ = _factors(writer, a)
    diagonal = _diagonal(factors)
    sign = _product(_unary("sign", diagonal)) * _parity(pivots, a.dtype)
    return [sign, nn.log(_unary("abs", diagonal)).sum(diagonal.ndim - 1), None, None]


@rule("_linalg_eigh")
def _eigen(writer: Writer, node: Any, a: Array, uplo: str = "L", *_: Any, **__: Any) -> List[Array]:
    """Of the named triangle and its mirror image."""
    row, column = (nn.iota(writer.program, a.shape, a.ndim - 2 + d, "s32") for d in range(2))
    kept = nn.where(row >= column if uplo == "L" else row <= column, a, 0)
    whole = nn.where(row.equal(column), kept, kept + _transposed(kept))
    vectors, values = _called(writer, "Eigh", whole, [(a.shape, a.dtype), (a.shape[:-1], a.dtype)])
    return [values, vectors]


@rule("linalg_cholesky_ex", "cholesky")
def _cholesky(writer: Writer, node: Any, a: Array, upper: bool = False, **_: Any) -> Any:
    result = writer.program._op("cholesky", [a], a.shape, a.dtype, f"lower={'false' if upper else 'true'}")
    return [result, _zero(writer, a)] if "_ex" in str(node.target) else result


@rule("linalg_solve_triangular")
def _solve_triangular(writer: Writer, node: Any, a: Array, b: Array, *, upper: bool, left: bool = True,
                      unitriangular: bool = False, **_: Any) -> Array:
    return _triangular(a, b, not upper, left, unitriangular)


@rule("cholesky_solve")
def _cholesky_solve(writer: Writer, node: Any, b: Array, a: Array, upper: bool = False) -> Array:
    half = _triangular(a, b, not upper, transposes=upper)
    return _triangular(a, half, not upper, transposes=not upper)
