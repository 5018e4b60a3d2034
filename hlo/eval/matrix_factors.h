// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "hlo/graph.h"
#include "hlo/literal.h"

/// Factors of real matrices in the last two dimensions, which JAX calls by name on a TPU. Each step works on all of a
/// matrix; hlo/expanders/factorisations.h has the programs by panels that a TPU runs.
namespace podsim::hlo::eval {

/// How many results a custom call of a factorisation has; 0 for another instruction.
std::size_t matrix_factors_of(const Instruction& call);
/// The results of such a call of `a`.
std::vector<Literal> evaluate_factors(const Instruction& call, const Literal& a);

/// "LuDecomposition": of a with rows exchanged, in one matrix, the lower factor below its diagonal of ones and the
/// upper factor; the row that was exchanged with each row; the row of `a` that each row is. `shapes` are those of the
/// results.
std::vector<Literal> evaluate_lu(const std::vector<Shape>& shapes, const Literal& a);

/// "Eigh": the eigenvectors of symmetric matrices, as columns, and the eigenvalues, which ascend. Reads the lower
/// triangle or the upper one.
std::vector<Literal> evaluate_symmetric_eigen(const std::vector<Shape>& shapes, const Literal& a, bool lower);

/// "Qr": R on and above the diagonal, the reflectors below it, and their factors, as LAPACK's geqrf.
std::vector<Literal> evaluate_qr(const std::vector<Shape>& shapes, const Literal& a);

/// "ProductOfElementaryHouseholderReflectors": as many columns of Q as `a` has, as LAPACK's orgqr.
Literal evaluate_reflectors(const Shape& shape, const Literal& a, const Literal& taus);

}  // namespace podsim::hlo::eval
