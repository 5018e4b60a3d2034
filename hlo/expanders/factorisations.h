// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "hlo/graph.h"

namespace podsim::hlo::expanders {

/// Replaces the custom calls by which frameworks factorise real matrices on a TPU: `Qr`,
/// `ProductOfElementaryHouseholderReflectors` (householder.h), `LuDecomposition` (lu_decomposition.h) and `Eigh`
/// (symmetric_eigenvalues.h). Products are of the highest precision. Calls that `stays` accepts are left as they are.
void expand_factorisations(Module& module, const std::function<bool(const Instruction& call)>& stays);

}  // namespace podsim::hlo::expanders
