// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>

#include "hlo/graph.h"

namespace podsim::hlo::weights {

/// The module with computations of its own for every loop and conditional, so that each may be given other types.
/// Computations that nothing calls are gone.
Module with_own_callees(const Module& module);

/// Whether a computation has one parameter, whose readers take elements of it if it is a tuple.
bool reads_elements(const Computation& computation);

/// The elements of a loop's state that every trip passes on as they are; none if the loop's computations read the state
/// as a whole.
std::set<std::int64_t> passed_elements(const Module& module, const Instruction& loop);

}  // namespace podsim::hlo::weights
