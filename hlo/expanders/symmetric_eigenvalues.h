// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "hlo/graph.h"

namespace podsim::hlo::expanders {

/// Whether an instruction is a custom call `Eigh` of real matrices with its options.
bool is_eigenvalue_call(const Computation& computation, const Instruction& call);

/// The custom call `Eigh` of symmetric matrices [.., n, n], of which one triangle is read: their eigenvectors as
/// columns and their eigenvalues [.., n], in ascending order. Jacobi's method, as in XLA's expander: row i is paired
/// with row i + n/2, all pairs are rotated so that the element that joins them becomes 0, and rows and columns move
/// round so that n - 1 rounds, a sweep, join all pairs (Brent and Luk 1985). Sweeps end once the squares off the
/// diagonal are below tolerance^2 of all, or after the most that the call allows. How many that takes depends on the
/// matrices: the loop states 1 + log2 n as its trip count, which is what random symmetric matrices and covariances take
/// (n = 4 to 256: 3, 4.5, 5, 6, 7, 8, 9; tolerance 1e-6).
/// std::nullopt for another instruction, for complex numbers and for a call without options.
std::optional<Module> expansion_of_eigenvalues(const Computation& computation, InstructionId id);

}  // namespace podsim::hlo::expanders
