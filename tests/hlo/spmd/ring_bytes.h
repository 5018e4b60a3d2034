// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hlo/device_groups.h"
#include "hlo/graph.h"

/// The collectives of a program, and the bytes that they move.
namespace podsim::hlo::spmd::testing {

inline double bytes_of(const hlo::Shape& shape) { return double(hlo::logical_bytes(shape).value()); }

/// Bytes a partition sends in a collective of one array by ring algorithms.
inline double ring_bytes(const hlo::Module& module, const hlo::Computation& computation,
                         const hlo::Instruction& instruction) {
  if (!hlo::is_collective(instruction.opcode) || instruction.phase == hlo::AsyncPhase::done) return 0;
  const double operand = bytes_of(computation[instruction.operands[0]].shape), result = bytes_of(instruction.shape);
  if (instruction.opcode == hlo::Opcode::collective_permute) return operand;
  const auto n = double(hlo::device_groups(instruction, module.replicas, module.partitions).front().size());
  if (instruction.opcode == hlo::Opcode::all_reduce) return 2 * (n - 1) / n * operand;
  return (n - 1) / n * std::max(operand, result);
}

/// Bytes of all collectives in the entry computation.
inline double ring_bytes(const hlo::Module& module) {
  double bytes = 0;
  for (const hlo::Instruction& instruction : module.entry_computation().instructions) {
    bytes += ring_bytes(module, module.entry_computation(), instruction);
  }
  return bytes;
}

/// The opcodes of collectives and dynamic slices of the entry, in order: "dynamic-slice all-gather".
inline std::string moves_of(const hlo::Module& module) {
  std::string text;
  for (const hlo::Instruction& instruction : module.entry_computation().instructions) {
    if (!hlo::is_collective(instruction.opcode) && instruction.opcode != hlo::Opcode::dynamic_slice) continue;
    if (instruction.phase == hlo::AsyncPhase::done) continue;
    text += (text.empty() ? "" : " ") + std::string(hlo::to_string(instruction.opcode));
  }
  return text;
}

}  // namespace podsim::hlo::spmd::testing
