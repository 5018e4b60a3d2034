// SPDX-License-Identifier: Apache-2.0
// Part of sw/spmd/partition/special_op.h.
#include <algorithm>
#include <utility>

#include "sw/spmd/partition/special_op.h"

namespace podsim::sw::spmd::partition {

std::vector<reshard::LocalValue> partition_rng(reshard::LocalProgram& program, const partition::OpToPartition& op) {
  const ir::Instruction& instruction = op.instruction();
  const mesh::AxisSharding& sharding = op.wanted.front();
  mesh::SubAxes copies;
  for (const mesh::SubAxis sub_axis : program.mesh().all()) {
    if (!sharding.uses(sub_axis)) copies.push_back(sub_axis);
  }
  ir::build::GraphBuilder& b = program.builder();
  ir::Instruction local = attributes_of(instruction);
  for (const reshard::LocalValue& operand : op.operands) local.operands.push_back(operand.id);
  local.shape = mesh::local_shape(program.mesh(), instruction.shape, sharding);
  ir::InstructionId drawn = b.add(std::move(local));
  if (!copies.empty()) {
    const ir::Shape shape = b.shape(drawn);
    const ir::InstructionId counts = b.compare(program.position(copies), program.s32(0), ir::ComparisonDirection::eq);
    drawn = b.select(b.broadcast(counts, shape.dimensions), drawn, b.full(shape, 0));
  }
  return {{drawn, instruction.shape, sharding, std::move(copies), ir::Opcode::add}};
}

}  // namespace podsim::sw::spmd::partition
