// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sw/kernels/operation.h"

namespace podsim::sw {

/// What is known of the units behind FIFOs where a piece of code begins.
struct FifoState {
  /// Results on their way by unit.
  std::array<int, hw::isa::result_units> waiting{};
  /// Nothing is known of the unit: conditional pushes or pops, or loops that leave more or less than they found. All
  /// its operations keep the order in which they were written.
  std::array<bool, hw::isa::result_units> unknown{};
};

/// Results that an operation brings on their way (pushes) or takes (pops, -1).
int results_of(const Operation& operation);

}  // namespace podsim::sw
