# SPDX-License-Identifier: Apache-2.0
"""Complex numbers and Fourier transforms."""

import math
from typing import Any, List, Sequence

from podsim import build as nn
from podsim.build.graph import Array, _braces, _unary
from podsim.torch.writer import Writer, made, rule

_PARTS = {"c64": "f32", "c128": "f64"}


def is_complex(x: Array) -> bool:
    return x.dtype in _PARTS


def _part(x: Array, opcode: str) -> Array:
    return x.program._op(opcode, [x], x.shape, _PARTS[x.dtype])


def joined(real: Array, imaginary: Array) -> Array:
    return real._binary("complex", imaginary, dtype="c64" if real.dtype == "f32" else "c128")


@rule("view_as_complex")
def _from_pairs(writer: Writer, node: Any, x: Array) -> Array:
    return joined(x[..., 0], x[..., 1])


@rule("view_as_real")
def _to_pairs(writer: Writer, node: Any, x: Array) -> Array:
    parts = [_part(x, opcode).reshape(*x.shape, 1) for opcode in ("real", "imag")]
    return nn.concatenate(parts, x.ndim)


@rule("complex")
def _joined(writer: Writer, node: Any, real: Array, imaginary: Array) -> Array:
    return joined(real, imaginary)


@rule("polar")
def _polar(writer: Writer, node: Any, size: Array, angle: Array) -> Array:
    return joined(size * _unary("cosine", angle), size * _unary("sine", angle))


@rule("real")
def _real(writer: Writer, node: Any, x: Array) -> Array:
    return _part(x, "real") if is_complex(x) else x


@rule("imag")
def _imaginary(writer: Writer, node: Any, x: Array) -> Array:
    return _part(x, "imag")


@rule("_conj", "_conj_physical", "conj", "conj_physical")
def _conjugate(writer: Writer, node: Any, x: Array) -> Array:
    return joined(_part(x, "real"), -_part(x, "imag")) if is_complex(x) else x


@rule("resolve_conj", "resolve_neg")
def _same(writer: Writer, node: Any, x: Array) -> Array:
    return x


@rule("angle")
def _angle(writer: Writer, node: Any, x: Array) -> Array:
    if is_complex(x):
        return _part(x, "imag")._binary("atan2", _part(x, "real"))
    return nn.where(x < 0, math.pi, 0 * x)


# --- Fourier transforms -----------------------------------------------------------------------------------------------

def _transformed(x: Array, kind: str, axes: Sequence[int], lengths: Sequence[int], dtype: str) -> Array:
    """A transform of up to three axes, which go to the end and back."""
    kept = [d for d in range(x.ndim) if d not in axes]
    order = [*kept, *axes]
    moved = x.transpose(*order)
    shape = list(moved.shape)
    if kind in ("RFFT", "IRFFT"):
        shape[-1] = lengths[-1] // 2 + 1 if kind == "RFFT" else lengths[-1]
    result = x.program._op("fft", [moved], shape, dtype, f"fft_type={kind}, fft_length={_braces(lengths)}")
    return result.transpose(*(order.index(d) for d in range(x.ndim)))


def _over_all(x: Array, kind: str, axes: List[int], last: int = 0) -> Array:
    """Over any number of axes: the halved one with the two before it, complex transforms over the others."""
    whole = "IFFT" if kind in ("IFFT", "IRFFT") else "FFT"
    rest = [axes[max(0, end - 3):end] for end in range(len(axes) - 3, 0, -3)]
    parts = [(kind, axes[-3:])] + [(whole, part) for part in rest]
    for each, part in parts if kind == "RFFT" else reversed(parts):
        lengths = [x.shape[d] for d in part]
        if each == "IRFFT":
            lengths[-1] = last
        dtype = x.dtype if is_complex(x) else "c64" if x.dtype == "f32" else "c128"
        x = _transformed(x, each, part, lengths, _PARTS[dtype] if each == "IRFFT" else dtype)
    return x


def _scaled(x: Array, sizes: Sequence[int], normalization: int, is_inverse: bool) -> Array:
    """PyTorch's transforms have no factor, one by the root of the size, or by the size; HLO's inverse ones the last."""
    size = math.prod(sizes)
    factor = (1.0, size**-0.5, 1 / size)[normalization] * (size if is_inverse else 1)
    return x if math.isclose(factor, 1.0, rel_tol=1e-12) else x * factor


@rule("_fft_r2c")
def _of_real(writer: Writer, node: Any, x: Array, axes: Sequence[int], normalization: int, onesided: bool) -> Array:
    axes = [axis % x.ndim for axis in axes]
    wide = x if onesided else joined(x, x * 0)
    result = _over_all(wide, "RFFT" if onesided else "FFT", axes)
    return _scaled(result, [x.shape[d] for d in axes], normalization, False)


@rule("_fft_c2r")
def _to_real(writer: Writer, node: Any, x: Array, axes: Sequence[int], normalization: int, last: int) -> Array:
    axes = [axis % x.ndim for axis in axes]
    return _scaled(_over_all(x, "IRFFT", axes, last), [made(node)[0][d] for d in axes], normalization, True)


@rule("_fft_c2c")
def _of_complex(writer: Writer, node: Any, x: Array, axes: Sequence[int], normalization: int, forward: bool) -> Array:
    axes = [axis % x.ndim for axis in axes]
    result = _over_all(x, "FFT" if forward else "IFFT", axes)
    return _scaled(result, [x.shape[d] for d in axes], normalization, not forward)
