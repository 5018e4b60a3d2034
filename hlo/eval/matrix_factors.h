// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/literal.h"

/// Factors of real matrices in the last two dimensions, which JAX calls by name on a TPU.
namespace podsim::hlo::eval {

/// "LuDecomposition": of a with rows exchanged, in one matrix, the lower factor below its diagonal of ones and the
/// upper factor; the row that was exchanged with each row; the row of `a` that each row is. `shapes` are those of the
/// results.
std::vector<Literal> evaluate_lu(const std::vector<Shape>& shapes, const Literal& a);

/// "Eigh": the eigenvectors of symmetric matrices, as columns, and the eigenvalues, which ascend. Reads both triangles.
std::vector<Literal> evaluate_symmetric_eigen(const std::vector<Shape>& shapes, const Literal& a);

}  // namespace podsim::hlo::eval
