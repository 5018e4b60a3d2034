// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/transform/gradient/backward.h"

/// The gradients of factors and solutions of matrices in the last two dimensions. The elements of a triangle that the
/// operation does not read have gradient 0.
namespace podsim::hlo::transform::gradient::of {

/// For a = l l^T: with p = l^T g, its upper triangle zero and its diagonal halved, and z = l^-T p l^-1, the gradient is
/// z + z^T below the diagonal and z on it.
Rule cholesky;
/// The gradient of b solves the transposed system; that of op(a) is minus its product with the solution.
Rule triangular_solve;
/// For p a = l u with g = gl below the diagonal and gu elsewhere: p^T l^-T s u^-T, where s is l^T gl below the diagonal
/// and gu u^T elsewhere (as of the custom call "LuDecomposition"). Square matrices.
Rule lu_decomposition;
/// For a = v w v^T: v (gw on the diagonal, (v^T gv)_ij / (w_j - w_i) elsewhere) v^T (as of the custom call "Eigh").
Rule symmetric_eigen;

}  // namespace podsim::hlo::transform::gradient::of
