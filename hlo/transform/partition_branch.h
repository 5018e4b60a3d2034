// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hlo/graph.h"

/// Branches that depend only on the device number, such as those that distinguish the stages of a pipeline.
namespace podsim::hlo::transform {

/// An executed computation, the instruction that executes it, and that instruction's own frame.
struct CallFrame {
  const Computation& computation;
  const Instruction* by =
      nullptr;  ///< while, conditional, call or asynchronous call in caller->computation; null for the entry
  const CallFrame* caller = nullptr;  ///< outlives this; null for the entry
  int branch = 0;                     ///< number of the branch if `by` is a conditional
};

/// Returns the branch of `conditional` (an instruction of frame.computation) that each device takes, by flat id
/// (replica * partitions + partition), by evaluating the index for each device. Returns std::nullopt if the index
/// depends on anything except partition-id, replica-id, constants and unchanged elements of a loop's state, or is
/// expensive to compute: more than 256 instructions, or arrays of more than 2^16 elements. In a module for one device,
/// which may run on any number, partition-id and replica-id count as unknown.
std::optional<std::vector<int>> branch_of_devices(const Module& module, const CallFrame& frame,
                                                  const Instruction& conditional);

/// Returns the groups, or pairs of a collective-permute, that consist of `cores`, in ascending order, which alone reach
/// the collective. Throws base::SimulationError naming the collective if only some members of a group reach it, since
/// they would wait forever for the rest. No groups means one group of all cores, which throws as well.
std::vector<std::vector<std::int32_t>> groups_within(std::span<const std::int32_t> cores,
                                                     const std::vector<std::vector<std::int32_t>>& groups,
                                                     std::string_view collective);

}  // namespace podsim::hlo::transform
