// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "hlo/graph.h"

namespace podsim::hlo::weights {

/// By computation, how often instructions call it.
std::map<ComputationId, int> call_counts(const Module& module);

/// Whether a computation has one parameter whose readers take elements of it, if it is a tuple.
bool reads_elements(const Computation& computation);

/// The elements of a loop's state that every trip passes on as they are. None if the loop's computations are also
/// called elsewhere, or read the state as a whole.
std::set<std::int64_t> passed_elements(const Module& module, const Instruction& loop,
                                       const std::map<ComputationId, int>& counts);

}  // namespace podsim::hlo::weights
