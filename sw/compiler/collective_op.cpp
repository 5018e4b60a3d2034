// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/collective_op.h"

#include <algorithm>

#include "hlo/permuted_slices.h"

namespace podsim::sw::compiler {
namespace {

/// Only the slices of a collective-permute into an array move.
void take_slices(const hlo::Instruction& permute, const hlo::Shape& input, CollectiveOp& collective) {
  collective.bytes = base::Bytes(0);
  collective.arrays = 0;
  for (const hlo::PermutedSlice& slice : hlo::permuted_slices(permute, input)) {
    const hlo::Shape& array = input.is_tuple() ? input.tuple_shapes[slice.array] : input;
    collective.bytes += hlo::logical_bytes(hlo::make_shape(array.element_type, slice.sizes));
    ++collective.arrays;
  }
}

}  // namespace

std::optional<collectives::CollectiveKind> collective_kind(hlo::Opcode opcode) {
  switch (opcode) {
    case hlo::Opcode::all_reduce:
      return collectives::CollectiveKind::all_reduce;
    case hlo::Opcode::all_gather:
      return collectives::CollectiveKind::all_gather;
    case hlo::Opcode::reduce_scatter:
      return collectives::CollectiveKind::reduce_scatter;
    case hlo::Opcode::all_to_all:
    case hlo::Opcode::ragged_all_to_all:
      return collectives::CollectiveKind::all_to_all;
    case hlo::Opcode::collective_permute:
      return collectives::CollectiveKind::collective_permute;
    case hlo::Opcode::collective_broadcast:
      return collectives::CollectiveKind::broadcast;
    default:
      return std::nullopt;
  }
}

CollectiveOp collective_op(const hlo::Computation& computation, hlo::InstructionId id) {
  const hlo::Instruction& instruction = computation[id];
  CollectiveOp collective;
  collective.kind = *collective_kind(instruction.opcode);
  if (instruction.operands.empty()) return collective;
  base::Bytes operands;
  for (const hlo::InstructionId operand : instruction.operands) {
    operands += hlo::logical_bytes(computation[operand].shape);
    ++collective.arrays;
  }
  collective.bytes = std::max(operands, hlo::logical_bytes(instruction.shape));
  if (hlo::is_in_place(instruction)) take_slices(instruction, computation[instruction.operands[0]].shape, collective);
  collective.element_type = computation[instruction.operands.front()].shape.element_type;
  return collective;
}

collectives::schedule::CollectiveRequest request_of(const CollectiveOp& collective) {
  const std::int64_t elements = collective.bytes.value() / hlo::byte_width(collective.element_type);
  return {collective.kind, collective.element_type, std::max<std::int64_t>(1, elements)};
}

}  // namespace podsim::sw::compiler
