// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sw/graph/graph.h"

/// Which way the devices of a program go where that follows from their numbers alone: what tells the stages of a
/// pipeline apart.
namespace podsim::sw {

/// A computation that is executed, what executes it, and where that stands. The entry is executed by nothing.
struct CallFrame {
  const Computation& computation;
  const Instruction* by = nullptr;    ///< while, conditional, call or asynchronous call of caller->computation
  const CallFrame* caller = nullptr;  ///< outlives this
  int branch = 0;                     ///< of a conditional
};

/// The branch of `conditional` (an instruction of frame.computation) that each device takes, by flat id (replica *
/// partitions + partition): its index evaluated once for each of them. Nothing where the index depends on anything but
/// partition-id, replica-id, constants and what a loop hands on unchanged, or is long to compute: more than 256
/// instructions or arrays of more than 2^16 elements. A module that counts one device, and may run on any number, has
/// no numbers to tell them apart.
std::optional<std::vector<int>> branch_of_devices(const Module& module, const CallFrame& frame,
                                                  const Instruction& conditional);

/// Of a collective's groups, or of a collective-permute's pairs, those made of `cores` (rising), which alone reach it.
/// Throws base::SimulationError naming the collective where only some members of a group do, the rest of whom would be
/// waited for without end; no groups are one of all.
std::vector<std::vector<std::int32_t>> groups_within(std::span<const std::int32_t> cores,
                                                     const std::vector<std::vector<std::int32_t>>& groups,
                                                     std::string_view collective);

}  // namespace podsim::sw
