// SPDX-License-Identifier: Apache-2.0
// Part of sw/spmd/partition/op_partition.h.
#include <utility>

#include "sw/spmd/partition/special_op.h"

namespace podsim::sw::spmd::partition {

std::vector<reshard::LocalValue> partition_iota(reshard::LocalProgram& program, const partition::OpToPartition& op) {
  using Kind = propagate::Factor::Kind;
  const ir::Instruction& instruction = op.instruction();
  const propagate::OpRule rule = propagate::op_rule(op.module, op.computation, op.id);
  const FactorSplit split =
      choose_split(program.mesh(), rule, op, factors_of_kind(rule, {Kind::parallel, Kind::special}));
  if (!is_split(rule, split, Kind::special)) return {};
  ir::build::GraphBuilder& b = program.builder();
  const mesh::AxisSharding sharding = sharding_under(rule.results[0], split);
  const ir::Shape local = mesh::local_shape(program.mesh(), instruction.shape, sharding);
  const ir::InstructionId counted = b.iota(ir::make_shape(ir::ElementType::s32, local.dimensions), instruction.index);
  const ir::InstructionId offset = program.offset(instruction.shape, sharding, int(instruction.index));
  const ir::InstructionId result = b.add(counted, b.broadcast(offset, local.dimensions));
  return {sharded_result(rule, split, 0, b.convert(result, local.element_type), instruction.shape)};
}

std::vector<reshard::LocalValue> partition_special(reshard::LocalProgram& program, const partition::OpToPartition& op) {
  switch (op.instruction().opcode) {
    case ir::Opcode::iota:
      return partition_iota(program, op);
    case ir::Opcode::rng:
      return partition_rng(program, op);
    case ir::Opcode::batch_norm_training:
    case ir::Opcode::batch_norm_grad:
      return partition_batch_norm(program, op);
    case ir::Opcode::reduce_window:
      return partition_cumulative(program, op);
    default:
      return {};
  }
}

}  // namespace podsim::sw::spmd::partition
