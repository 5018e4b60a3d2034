// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/ir/device_groups.h"
#include "sw/ir/graph.h"

/// The collectives of a program, and the bytes that they move.
namespace podsim::sw::spmd::testing {

inline double bytes_of(const ir::Shape& shape) { return double(ir::logical_bytes(shape).value()); }

/// Bytes a partition sends in a collective of one array by ring algorithms.
inline double ring_bytes(const ir::Module& module, const ir::Computation& computation,
                         const ir::Instruction& instruction) {
  if (!ir::is_collective(instruction.opcode) || instruction.phase == ir::AsyncPhase::done) return 0;
  const double operand = bytes_of(computation[instruction.operands[0]].shape), result = bytes_of(instruction.shape);
  if (instruction.opcode == ir::Opcode::collective_permute) return operand;
  const auto n = double(ir::device_groups(instruction, module.replicas, module.partitions).front().size());
  if (instruction.opcode == ir::Opcode::all_reduce) return 2 * (n - 1) / n * operand;
  return (n - 1) / n * std::max(operand, result);
}

/// Bytes of all collectives in the entry computation.
inline double ring_bytes(const ir::Module& module) {
  double bytes = 0;
  for (const ir::Instruction& instruction : module.entry_computation().instructions) {
    bytes += ring_bytes(module, module.entry_computation(), instruction);
  }
  return bytes;
}

/// The opcodes of collectives and dynamic slices of the entry, in order: "dynamic-slice all-gather".
inline std::string moves_of(const ir::Module& module) {
  std::string text;
  for (const ir::Instruction& instruction : module.entry_computation().instructions) {
    if (!ir::is_collective(instruction.opcode) && instruction.opcode != ir::Opcode::dynamic_slice) continue;
    if (instruction.phase == ir::AsyncPhase::done) continue;
    text += (text.empty() ? "" : " ") + std::string(ir::to_string(instruction.opcode));
  }
  return text;
}

}  // namespace podsim::sw::spmd::testing
