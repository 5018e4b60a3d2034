// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/ir/transform/flops.h"

namespace podsim::workloads::models {

/// FLOPs of the products of a step.
inline double product_flops(const sw::ir::Module& module) {
  double flops = 0;
  const sw::ir::Computation& entry = module.entry_computation();
  for (sw::ir::InstructionId id = 0; id < int(entry.instructions.size()); ++id) {
    if (entry[id].opcode == sw::ir::Opcode::dot) flops += double(sw::ir::transform::cost(module, entry, id).flops);
  }
  return flops;
}

}  // namespace podsim::workloads::models
