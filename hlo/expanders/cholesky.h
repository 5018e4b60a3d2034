// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::hlo::expanders {

/// Replaces Cholesky factorisations, as XLA's expander does: from left to right, a panel of block columns less the
/// product of the columns before it with their rows; its diagonal block column by column, in a loop of products of
/// vectors; and the blocks below it by a triangular solve. A matrix that is not positive definite gives NaN. Products
/// are of the highest precision.
void expand_cholesky(Module& module);

}  // namespace podsim::hlo::expanders
