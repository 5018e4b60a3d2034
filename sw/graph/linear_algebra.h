// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/graph.h"
#include "sw/graph/literal.h"

namespace podsim::sw {

/// The triangular factor of symmetric positive definite matrices in the last two dimensions, a = l l^T with `lower`,
/// else a = u^T u; the other triangle is 0. What is not positive definite gives NaN.
Literal evaluate_cholesky(const Instruction& instruction, const Literal& a);

/// Solves op(a) x = b, or x op(a) = b, for matrices in the last two dimensions; op transposes where asked to. Only the
/// named triangle of a is read, its diagonal taken as 1 where asked to.
Literal evaluate_triangular_solve(const Instruction& instruction, const Literal& a, const Literal& b);

}  // namespace podsim::sw
