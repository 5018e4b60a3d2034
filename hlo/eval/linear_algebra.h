// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"
#include "hlo/literal.h"

namespace podsim::hlo::eval {

/// Computes the triangular factor of symmetric positive definite matrices in the last two dimensions: a = l l^T with
/// `lower`, else a = u^T u. The other triangle is 0. A matrix that is not positive definite gives NaN.
Literal evaluate_cholesky(const Instruction& instruction, const Literal& a);

/// Solves op(a) x = b, or x op(a) = b, for matrices in the last two dimensions; op transposes if the options say so.
/// Reads only the named triangle of a, and takes its diagonal as 1 with unit_diagonal.
Literal evaluate_triangular_solve(const Instruction& instruction, const Literal& a, const Literal& b);

}  // namespace podsim::hlo::eval
