// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/windowed_op.h"

namespace podsim::sw {

std::vector<LocalValue> partition_windows(LocalProgram& program, const OpToPartition& op) {
  switch (op.instruction().opcode) {
    case Opcode::convolution:
      return partition_convolution(program, op);
    case Opcode::reduce_window:
      return partition_reduce_window(program, op);
    case Opcode::select_and_scatter:
      return partition_select_and_scatter(program, op);
    default:
      return {};
  }
}

}  // namespace podsim::sw
