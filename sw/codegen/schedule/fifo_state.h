// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "hw/machine.h"
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

/// Number of results that a unit holds, in itself and in its result FIFO.
int result_slots(const hw::Machine& machine, int unit);

/// Cycles between two pushes to a unit other than a matrix unit, and from a push to the first pop.
int push_interval(const hw::Machine& machine, int unit);
int push_to_pop(const hw::Machine& machine, int unit);

/// Checks code in its original order: InputError, which names the machine's key, if it has more results in flight in a
/// unit than the unit has slots, so that a push would wait for room that never comes.
void check_results_fit(const hw::Machine& machine, const FifoState& before,
                       const std::vector<registers::Operation>& operations);

}  // namespace podsim::sw::codegen::schedule
