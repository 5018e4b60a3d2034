// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "sw/spmd/special_op.h"

namespace podsim::sw {

std::vector<LocalValue> partition_iota(LocalProgram& program, const OpToPartition& op) {
  using Kind = Factor::Kind;
  const Instruction& instruction = op.instruction();
  const OpRule rule = op_rule(op.module, op.computation, op.id);
  const FactorCuts cuts = choose_cuts(program.mesh(), rule, op, factors_of_kind(rule, {Kind::parallel, Kind::special}));
  if (!is_cut(rule, cuts, Kind::special)) return {};
  GraphBuilder& b = program.builder();
  const AxisSharding sharding = sharding_under(rule.results[0], cuts);
  const Shape local = local_shape(program.mesh(), instruction.shape, sharding);
  const InstructionId counted = b.iota(make_shape(ElementType::s32, local.dimensions), instruction.index);
  const InstructionId offset = program.offset(instruction.shape, sharding, int(instruction.index));
  const InstructionId result = b.add(counted, b.broadcast(offset, local.dimensions));
  return {cut_result(rule, cuts, 0, b.convert(result, local.element_type), instruction.shape)};
}

std::vector<LocalValue> partition_special(LocalProgram& program, const OpToPartition& op) {
  switch (op.instruction().opcode) {
    case Opcode::iota:
      return partition_iota(program, op);
    case Opcode::rng:
      return partition_rng(program, op);
    case Opcode::batch_norm_training:
    case Opcode::batch_norm_grad:
      return partition_batch_norm(program, op);
    case Opcode::reduce_window:
      return partition_cumulative(program, op);
    default:
      return {};
  }
}

}  // namespace podsim::sw
