// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/partition/op_partition.h.
#include <utility>

#include "hlo/spmd/partition/special_op.h"

namespace podsim::hlo::spmd::partition {

std::vector<reshard::LocalValue> partition_iota(reshard::LocalProgram& program, const partition::OpToPartition& op) {
  using Kind = propagate::Factor::Kind;
  const hlo::Instruction& instruction = op.instruction();
  const propagate::OpRule rule = propagate::op_rule(op.module, op.computation, op.id);
  const FactorSplit split =
      choose_split(program.mesh(), rule, op, factors_of_kind(rule, {Kind::parallel, Kind::special}));
  if (!is_split(rule, split, Kind::special)) return {};
  build::GraphBuilder& b = program.builder();
  const mesh::AxisSharding sharding = sharding_under(rule.results[0], split);
  const hlo::Shape local = mesh::local_shape(program.mesh(), instruction.shape, sharding);
  const hlo::InstructionId counted =
      b.iota(hlo::make_shape(hlo::ElementType::s32, local.dimensions), instruction.index);
  const hlo::InstructionId offset = program.offset(instruction.shape, sharding, int(instruction.index));
  const hlo::InstructionId result = b.add(counted, b.broadcast(offset, local.dimensions));
  return {sharded_result(rule, split, 0, b.convert(result, local.element_type), instruction.shape)};
}

}  // namespace podsim::hlo::spmd::partition
