// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "sw/spmd/special_op.h"

namespace podsim::sw {

std::vector<LocalValue> partition_rng(LocalProgram& program, const OpToPartition& op) {
  const Instruction& instruction = op.instruction();
  const AxisSharding& sharding = op.wanted.front();
  SubAxes copies;
  for (const SubAxis sub_axis : program.mesh().all()) {
    if (!sharding.uses(sub_axis)) copies.push_back(sub_axis);
  }
  GraphBuilder& b = program.builder();
  Instruction local = attributes_of(instruction);
  for (const LocalValue& operand : op.operands) local.operands.push_back(operand.id);
  local.shape = local_shape(program.mesh(), instruction.shape, sharding);
  InstructionId drawn = b.add(std::move(local));
  if (!copies.empty()) {
    const Shape shape = b.shape(drawn);
    const InstructionId counts = b.compare(program.position(copies), program.s32(0), ComparisonDirection::eq);
    drawn = b.select(b.broadcast(counts, shape.dimensions), drawn, b.full(shape, 0));
  }
  return {{drawn, instruction.shape, sharding, std::move(copies), Opcode::add}};
}

}  // namespace podsim::sw
