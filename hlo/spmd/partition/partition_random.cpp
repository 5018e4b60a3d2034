// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/partition/special_op.h.
#include <algorithm>
#include <utility>

#include "hlo/spmd/partition/special_op.h"

namespace podsim::hlo::spmd::partition {

std::vector<reshard::LocalValue> partition_rng(reshard::LocalProgram& program, const partition::OpToPartition& op) {
  const hlo::Instruction& instruction = op.instruction();
  const mesh::AxisSharding& sharding = op.wanted.front();
  mesh::SubAxes copies;
  for (const mesh::SubAxis sub_axis : program.mesh().all()) {
    if (!sharding.uses(sub_axis)) copies.push_back(sub_axis);
  }
  build::GraphBuilder& b = program.builder();
  hlo::Instruction local = attributes_of(instruction);
  for (const reshard::LocalValue& operand : op.operands) local.operands.push_back(operand.id);
  local.shape = mesh::local_shape(program.mesh(), instruction.shape, sharding);
  hlo::InstructionId drawn = b.add(std::move(local));
  if (!copies.empty()) {
    const hlo::Shape shape = b.shape(drawn);
    const hlo::InstructionId counts = b.compare(program.position(copies), program.s32(0), hlo::ComparisonDirection::eq);
    drawn = b.select(b.broadcast(counts, shape.dimensions), drawn, b.full(shape, 0));
  }
  return {{drawn, instruction.shape, sharding, std::move(copies), hlo::Opcode::add}};
}

}  // namespace podsim::hlo::spmd::partition
