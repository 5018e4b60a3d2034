// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "hlo/graph.h"

namespace podsim::hlo::expanders {

/// The custom call `Qr` of matrices [.., m, n] as LAPACK's geqrf: R on and above the diagonal, below it the reflectors
/// v (v_i = 1 is left out), and the factors tau [.., min(m, n)] with Q = H_1 H_2 .., H_i = 1 - tau v v^T. Panels of 128
/// columns, a reflector after the other; what is right of a panel by two products with its reflectors as 1 - V T V^T
/// (Schreiber and van Loan 1989), as in XLA's expander. std::nullopt for another instruction and for complex numbers.
std::optional<Module> expansion_of_qr(const Computation& computation, InstructionId id);

/// The custom call `ProductOfElementaryHouseholderReflectors` as LAPACK's orgqr: the first n columns of Q, from the
/// last panel to the first.
std::optional<Module> expansion_of_reflectors(const Computation& computation, InstructionId id);

}  // namespace podsim::hlo::expanders
