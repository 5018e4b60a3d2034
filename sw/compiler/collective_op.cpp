// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/collective_op.h"

#include <algorithm>

#include "sw/ir/permuted_slices.h"

namespace podsim::sw::compiler {
namespace {

/// Only the slices of a collective-permute into an array move.
void take_slices(const ir::Instruction& permute, const ir::Shape& input, CollectiveOp& collective) {
  collective.bytes = base::Bytes(0);
  collective.arrays = 0;
  for (const ir::PermutedSlice& slice : ir::permuted_slices(permute, input)) {
    const ir::Shape& array = input.is_tuple() ? input.tuple_shapes[slice.array] : input;
    collective.bytes += ir::logical_bytes(ir::make_shape(array.element_type, slice.sizes));
    ++collective.arrays;
  }
}

}  // namespace

std::optional<collectives::CollectiveKind> collective_kind(ir::Opcode opcode) {
  switch (opcode) {
    case ir::Opcode::all_reduce:
      return collectives::CollectiveKind::all_reduce;
    case ir::Opcode::all_gather:
      return collectives::CollectiveKind::all_gather;
    case ir::Opcode::reduce_scatter:
      return collectives::CollectiveKind::reduce_scatter;
    case ir::Opcode::all_to_all:
    case ir::Opcode::ragged_all_to_all:
      return collectives::CollectiveKind::all_to_all;
    case ir::Opcode::collective_permute:
      return collectives::CollectiveKind::collective_permute;
    case ir::Opcode::collective_broadcast:
      return collectives::CollectiveKind::broadcast;
    default:
      return std::nullopt;
  }
}

CollectiveOp collective_op(const ir::Computation& computation, ir::InstructionId id) {
  const ir::Instruction& instruction = computation[id];
  CollectiveOp collective;
  collective.kind = *collective_kind(instruction.opcode);
  if (instruction.operands.empty()) return collective;
  base::Bytes operands;
  for (const ir::InstructionId operand : instruction.operands) {
    operands += ir::logical_bytes(computation[operand].shape);
    ++collective.arrays;
  }
  collective.bytes = std::max(operands, ir::logical_bytes(instruction.shape));
  if (ir::is_in_place(instruction)) take_slices(instruction, computation[instruction.operands[0]].shape, collective);
  collective.element_type = computation[instruction.operands.front()].shape.element_type;
  return collective;
}

collectives::schedule::CollectiveRequest request_of(const CollectiveOp& collective) {
  const std::int64_t elements = collective.bytes.value() / ir::byte_width(collective.element_type);
  return {collective.kind, collective.element_type, std::max<std::int64_t>(1, elements)};
}

}  // namespace podsim::sw::compiler
