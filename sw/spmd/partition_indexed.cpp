// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/indexed_op.h"

namespace podsim::sw {

std::vector<LocalValue> partition_indexed(LocalProgram& program, const OpToPartition& op) {
  switch (op.instruction().opcode) {
    case Opcode::gather:
      return partition_gather(program, op);
    case Opcode::scatter:
      return partition_scatter(program, op);
    case Opcode::dynamic_slice:
      return partition_dynamic_slice(program, op);
    case Opcode::dynamic_update_slice:
      return partition_dynamic_update_slice(program, op);
    default:
      return {};
  }
}

}  // namespace podsim::sw
