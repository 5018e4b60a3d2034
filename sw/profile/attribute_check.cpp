// SPDX-License-Identifier: Apache-2.0
#include "sw/profile/attribute_check.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace podsim::sw {
namespace {

template <class Dimensions>
bool within(const Dimensions& dimensions, int rank) {
  return std::ranges::all_of(dimensions, [&](auto d) { return d >= 0 && d < rank; });
}

bool names_all(std::initializer_list<int> two, const std::vector<int>& spatial, int rank) {
  std::vector<int> all(two);
  all.insert(all.end(), spatial.begin(), spatial.end());
  std::ranges::sort(all);
  for (int i = 0; i < int(all.size()); ++i) {
    if (all[std::size_t(i)] != i) return false;
  }
  return int(all.size()) == rank;
}

bool sound_convolution(const Instruction& convolution, const Shape& input, const Shape& kernel) {
  const ConvolutionDimensions& roles = convolution.convolution;
  const std::size_t spatial = roles.input_spatial.size();
  return convolution.window.size() == spatial && roles.kernel_spatial.size() == spatial &&
         roles.output_spatial.size() == spatial &&
         names_all({roles.input_batch, roles.input_feature}, roles.input_spatial, input.rank()) &&
         names_all({roles.kernel_input_feature, roles.kernel_output_feature}, roles.kernel_spatial, kernel.rank()) &&
         names_all({roles.output_batch, roles.output_feature}, roles.output_spatial, convolution.shape.rank());
}

bool sound_dot(const Instruction& dot, const Shape& lhs, const Shape& rhs) {
  const DotDimensions& roles = dot.dot;
  const std::size_t free = lhs.dimensions.size() + rhs.dimensions.size() - roles.lhs_batch.size() -
                           roles.rhs_batch.size() - roles.lhs_contracting.size() - roles.rhs_contracting.size();
  return roles.lhs_batch.size() == roles.rhs_batch.size() &&
         roles.lhs_contracting.size() == roles.rhs_contracting.size() && within(roles.lhs_batch, lhs.rank()) &&
         within(roles.lhs_contracting, lhs.rank()) && within(roles.rhs_batch, rhs.rank()) &&
         within(roles.rhs_contracting, rhs.rank()) && dot.shape.dimensions.size() == free + roles.lhs_batch.size();
}

bool sound_rows(const Instruction& lookup, const Shape& table, const Shape& slices) {
  const GatherDimensions& roles = lookup.gather;
  const std::size_t kept = roles.offset.size() + roles.collapsed.size() + roles.operand_batching.size();
  return kept == table.dimensions.size() && within(roles.offset, slices.rank()) &&
         within(roles.collapsed, table.rank()) && within(roles.operand_batching, table.rank());
}

}  // namespace

bool has_sound_attributes(const Instruction& instruction, const Computation& computation) {
  auto operand = [&](std::size_t i) -> const Shape& { return computation[instruction.operands[i]].shape; };
  const int rank = instruction.shape.rank();
  switch (instruction.opcode) {
    case Opcode::convolution:
      return sound_convolution(instruction, operand(0), operand(1));
    case Opcode::dot:
      return sound_dot(instruction, operand(0), operand(1));
    case Opcode::transpose:
      return instruction.dimensions.size() == instruction.shape.dimensions.size() && operand(0).rank() == rank &&
             within(instruction.dimensions, rank);
    case Opcode::concatenate:
      return instruction.dimensions.size() == 1 && within(instruction.dimensions, rank) &&
             std::ranges::all_of(instruction.operands,
                                 [&](InstructionId id) { return computation[id].shape.rank() == rank; });
    case Opcode::broadcast:
      return instruction.dimensions.size() == operand(0).dimensions.size() && within(instruction.dimensions, rank);
    case Opcode::sort:
      return instruction.dimensions.size() == 1 && within(instruction.dimensions, operand(0).rank());
    case Opcode::gather:
      return instruction.slice_sizes.size() == operand(0).dimensions.size() &&
             sound_rows(instruction, operand(0), instruction.shape);
    case Opcode::scatter:
      return instruction.operands.size() == 3 && sound_rows(instruction, operand(0), operand(2));
    case Opcode::reduce:
      return within(instruction.dimensions, operand(0).rank());
    default:
      return true;
  }
}

}  // namespace podsim::sw
