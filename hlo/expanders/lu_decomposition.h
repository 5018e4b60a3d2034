// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "hlo/graph.h"

namespace podsim::hlo::expanders {

/// The custom call `LuDecomposition` of matrices a [.., m, n] as LAPACK's getrf: L, whose ones are left out, and U in
/// one matrix; the row that each step exchanged, s32[.., min(m, n)]; and the permutation p, s32[.., m], with L U the
/// rows p of a. Panels of 128 columns, each with partial pivoting and a column after the other; the rows of what is
/// right of a panel are exchanged at once, solved and reduced by a product (Golub and Van Loan, section 3.2.11).
/// std::nullopt for another instruction and for complex numbers.
std::optional<Module> expansion_of_lu(const Computation& computation, InstructionId id);

}  // namespace podsim::hlo::expanders
