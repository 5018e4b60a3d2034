// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/graph/device_groups.h"
#include "sw/graph/graph.h"

/// The collectives that a program has, and the bytes they move.
namespace podsim::sw::testing {

inline double bytes_of(const Shape& shape) { return double(logical_bytes(shape).value()); }

/// Bytes a partition sends in a collective of one array by ring algorithms.
inline double ring_bytes(const Module& module, const Computation& computation, const Instruction& instruction) {
  if (!is_collective(instruction.opcode) || instruction.phase == AsyncPhase::done) return 0;
  const double operand = bytes_of(computation[instruction.operands[0]].shape), result = bytes_of(instruction.shape);
  if (instruction.opcode == Opcode::collective_permute) return operand;
  const auto n = double(device_groups(instruction, module.replicas, module.partitions).front().size());
  if (instruction.opcode == Opcode::all_reduce) return 2 * (n - 1) / n * operand;
  return (n - 1) / n * std::max(operand, result);
}

/// Of the entry computation.
inline double ring_bytes(const Module& module) {
  double bytes = 0;
  for (const Instruction& instruction : module.entry_computation().instructions) {
    bytes += ring_bytes(module, module.entry_computation(), instruction);
  }
  return bytes;
}

/// The opcodes of collectives and dynamic slices of the entry, in order: "dynamic-slice all-gather".
inline std::string moves_of(const Module& module) {
  std::string text;
  for (const Instruction& instruction : module.entry_computation().instructions) {
    if (!is_collective(instruction.opcode) && instruction.opcode != Opcode::dynamic_slice) continue;
    if (instruction.phase == AsyncPhase::done) continue;
    text += (text.empty() ? "" : " ") + std::string(to_string(instruction.opcode));
  }
  return text;
}

}  // namespace podsim::sw::testing
