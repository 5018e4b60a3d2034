// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/partition/op_partition.h"

#include <stdexcept>
#include <utility>

#include "sw/spmd/partition/indexed_op.h"
#include "sw/spmd/partition/windowed_op.h"

namespace podsim::sw::spmd::partition {

std::vector<reshard::LocalValue> partition_op(reshard::LocalProgram& program, const OpToPartition& op) {
  using Family = std::vector<reshard::LocalValue> (*)(reshard::LocalProgram&, const OpToPartition&);
  for (const Family family : {partition_windowed_einsum, partition_windows, partition_shifted, partition_indexed,
                              partition_special, partition_by_factors}) {
    if (std::vector<reshard::LocalValue> results = family(program, op); !results.empty()) return results;
  }
  throw std::logic_error("no way to partition an op: " + op.instruction().name);
}

std::vector<reshard::LocalValue> partition_windows(reshard::LocalProgram& program, const OpToPartition& op) {
  switch (op.instruction().opcode) {
    case ir::Opcode::convolution:
      return partition_convolution(program, op);
    case ir::Opcode::reduce_window:
      return partition_reduce_window(program, op);
    case ir::Opcode::select_and_scatter:
      return partition_select_and_scatter(program, op);
    default:
      return {};
  }
}

std::vector<reshard::LocalValue> partition_indexed(reshard::LocalProgram& program, const OpToPartition& op) {
  switch (op.instruction().opcode) {
    case ir::Opcode::gather:
      return partition_gather(program, op);
    case ir::Opcode::scatter:
      return partition_scatter(program, op);
    case ir::Opcode::dynamic_slice:
      return partition_dynamic_slice(program, op);
    case ir::Opcode::dynamic_update_slice:
      return partition_dynamic_update_slice(program, op);
    default:
      return {};
  }
}

}  // namespace podsim::sw::spmd::partition
