// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sw/graph/graph.h"
#include "sw/graph/literal.h"

/// Slices that begin where operands say. A slice that would reach beyond the array is moved back inside.
namespace podsim::sw {

/// The array, then a start for every dimension (or all in one vector).
Literal evaluate_dynamic_slice(const Instruction& instruction, std::span<const Literal* const> operands);

/// The array, what to write into it, then the starts.
Literal evaluate_dynamic_update_slice(const Instruction& instruction, std::span<const Literal* const> operands);

}  // namespace podsim::sw
