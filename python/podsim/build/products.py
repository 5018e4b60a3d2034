# SPDX-License-Identifier: Apache-2.0
"""Products of arrays by the letters of their dimensions."""

from typing import Dict, Tuple

from podsim.build.graph import Array, BuildError, _braces

__all__ = ["einsum", "matmul"]


def einsum(subscripts: str, *arrays: Array) -> Array:
    """As NumPy's, with one letter a dimension and "->": einsum("bqhd,bkhd->bhqk", q, k). Three arrays or more are taken
    from left to right."""
    if "->" not in subscripts:
        raise BuildError(f"einsum '{subscripts}' has no '->'")
    inputs, output = subscripts.replace(" ", "").split("->")
    terms = inputs.split(",")
    if len(terms) != len(arrays):
        raise BuildError(f"einsum '{subscripts}' is of {len(terms)} arrays, not {len(arrays)}")
    sizes: Dict[str, int] = {}
    for term, array in zip(terms, arrays):
        if len(set(term)) != len(term) or len(term) != array.ndim:
            raise BuildError(f"einsum: '{term}' does not name the dimensions of {array!r}")
        for letter, size in zip(term, array.shape):
            if sizes.setdefault(letter, size) != size:
                raise BuildError(f"einsum '{subscripts}': {letter} is {sizes[letter]} and {size}")
    if len(set(output)) != len(output) or not set(output) <= set(sizes):
        raise BuildError(f"einsum '{subscripts}': the result has a letter twice or one that no array has")
    term, array = terms[0], arrays[0]
    for i in range(1, len(arrays)):
        later = set(output).union(*terms[i + 1:])
        term, array = _product(term, array, terms[i], arrays[i], later)
    gone = [d for d, letter in enumerate(term) if letter not in output]
    if gone:
        array, term = array.sum(*gone), "".join(letter for letter in term if letter in output)
    return array.transpose(*(term.index(letter) for letter in output))


def _product(term_x: str, x: Array, term_y: str, y: Array, kept: set) -> Tuple[str, Array]:
    """The product of two arrays without the letters that nothing reads later."""
    def without_lonely(term: str, array: Array, other: str) -> Tuple[str, Array]:
        lonely = [d for d, letter in enumerate(term) if letter not in kept and letter not in other]
        if not lonely:
            return term, array
        return "".join(c for d, c in enumerate(term) if d not in lonely), array.sum(*lonely)

    term_x, x = without_lonely(term_x, x, term_y)
    term_y, y = without_lonely(term_y, y, term_x)
    if x.dtype != y.dtype:
        raise BuildError(f"a product of {x!r} and {y!r}: convert one with astype()")
    batch = [c for c in term_x if c in term_y and c in kept]
    summed = [c for c in term_x if c in term_y and c not in kept]
    free_x = [c for c in term_x if c not in term_y]
    free_y = [c for c in term_y if c not in term_x]
    term = "".join(batch + free_x + free_y)
    sizes = {**dict(zip(term_x, x.shape)), **dict(zip(term_y, y.shape))}
    parts = [("lhs_batch_dims", term_x, batch), ("lhs_contracting_dims", term_x, summed),
             ("rhs_batch_dims", term_y, batch), ("rhs_contracting_dims", term_y, summed)]
    attributes = ", ".join(f"{name}={_braces([where.index(c) for c in letters])}"
                           for name, where, letters in parts if letters or "contracting" in name)
    return term, x.program._op("dot", [x, y], [sizes[c] for c in term], x.dtype, attributes)


def matmul(x: Array, y: Array) -> Array:
    """[..., m, k] times [k, n], or times [..., k, n] with the same leading dimensions."""
    if x.ndim < 1 or y.ndim < 2 or (y.ndim > 2 and y.ndim != x.ndim):
        raise BuildError(f"matmul of {x!r} and {y!r}")
    letters = "abcdefgh"[:x.ndim - 1] + "k"
    if y.ndim == 2:
        return einsum(f"{letters},kn->{letters[:-1]}n", x, y)
    leading = letters[:-2]
    return einsum(f"{leading}mk,{leading}kn->{leading}mn", x, y)
