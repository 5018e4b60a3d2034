// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sw/codegen/registers/operation.h"

namespace podsim::sw::codegen::schedule {

/// State of the FIFO units at the beginning of a piece of code.
struct FifoState {
  /// Results in flight, by unit.
  std::array<int, hw::isa::result_units> waiting{};
  /// The state of the unit is unknown, because of conditional pushes or pops, or of loops that change the number of
  /// results in flight. All operations of the unit keep their order.
  std::array<bool, hw::isa::result_units> unknown{};
};

/// Change of the number of results in flight by an operation: positive for pushes, -1 for pops.
int results_of(const registers::Operation& operation);

}  // namespace podsim::sw::codegen::schedule
