// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/attribute_check.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <vector>

#include "hlo/rules/window_shape.h"

namespace podsim::validation::profile {
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

/// Largest image and window per dimension: work is counted position by position.
constexpr std::int64_t max_positions = std::int64_t(1) << 24;

/// The window is that of the kernel, and the result as large as it makes it.
bool sound_window(const hlo::Instruction& convolution, const hlo::Shape& input, const hlo::Shape& kernel) {
  const hlo::ConvolutionDimensions& roles = convolution.convolution;
  for (std::size_t i = 0; i < convolution.window.size(); ++i) {
    const hlo::WindowDimension& window = convolution.window[i];
    const std::int64_t size = input.dimensions[std::size_t(roles.input_spatial[i])];
    try {
      hlo::rules::require_window(window);
    } catch (const std::logic_error&) {
      return false;
    }
    const bool follows = size <= max_positions && window.size <= max_positions &&
                         window.size == kernel.dimensions[std::size_t(roles.kernel_spatial[i])] &&
                         hlo::rules::window_output_size(size, window) ==
                             convolution.shape.dimensions[std::size_t(roles.output_spatial[i])];
    if (!follows) return false;
  }
  return true;
}

bool distinct_within(std::vector<int> dimensions, const std::vector<int>& more, int rank) {
  dimensions.insert(dimensions.end(), more.begin(), more.end());
  return hlo::rules::distinct_dimensions(dimensions, rank);
}

/// The groups divide batch and features into as many as kernel and result have.
bool sound_groups(const hlo::Instruction& convolution, const hlo::Shape& input, const hlo::Shape& kernel) {
  const hlo::ConvolutionDimensions& roles = convolution.convolution;
  const std::int64_t features = convolution.feature_groups, batches = convolution.batch_groups;
  const std::int64_t outputs = kernel.dimensions[std::size_t(roles.kernel_output_feature)];
  if (features < 1 || batches < 1 || (features > 1 && batches > 1)) return false;
  return input.dimensions[std::size_t(roles.input_feature)] % features == 0 && outputs % features == 0 &&
         input.dimensions[std::size_t(roles.input_feature)] / features ==
             kernel.dimensions[std::size_t(roles.kernel_input_feature)] &&
         input.dimensions[std::size_t(roles.input_batch)] % batches == 0 && outputs % batches == 0;
}

bool sound_convolution(const hlo::Instruction& convolution, const hlo::Shape& input, const hlo::Shape& kernel) {
  const hlo::ConvolutionDimensions& roles = convolution.convolution;
  const std::size_t spatial = roles.input_spatial.size();
  return convolution.window.size() == spatial && roles.kernel_spatial.size() == spatial &&
         roles.output_spatial.size() == spatial &&
         names_all({roles.input_batch, roles.input_feature}, roles.input_spatial, input.rank()) &&
         names_all({roles.kernel_input_feature, roles.kernel_output_feature}, roles.kernel_spatial, kernel.rank()) &&
         names_all({roles.output_batch, roles.output_feature}, roles.output_spatial, convolution.shape.rank()) &&
         sound_groups(convolution, input, kernel) && sound_window(convolution, input, kernel);
}

bool sound_dot(const hlo::Instruction& dot, const hlo::Shape& lhs, const hlo::Shape& rhs) {
  const hlo::DotDimensions& roles = dot.dot;
  const std::size_t free = lhs.dimensions.size() + rhs.dimensions.size() - roles.lhs_batch.size() -
                           roles.rhs_batch.size() - roles.lhs_contracting.size() - roles.rhs_contracting.size();
  return roles.lhs_batch.size() == roles.rhs_batch.size() &&
         roles.lhs_contracting.size() == roles.rhs_contracting.size() &&
         distinct_within(roles.lhs_batch, roles.lhs_contracting, lhs.rank()) &&
         distinct_within(roles.rhs_batch, roles.rhs_contracting, rhs.rank()) &&
         dot.shape.dimensions.size() == free + roles.lhs_batch.size();
}

bool sound_rows(const hlo::Instruction& lookup, const hlo::Shape& table, const hlo::Shape& slices) {
  const hlo::GatherDimensions& roles = lookup.gather;
  const std::size_t kept = roles.offset.size() + roles.collapsed.size() + roles.operand_batching.size();
  return kept == table.dimensions.size() && within(roles.offset, slices.rank()) &&
         within(roles.collapsed, table.rank()) && within(roles.operand_batching, table.rank());
}

}  // namespace

bool has_sound_attributes(const hlo::Instruction& instruction, const hlo::Computation& computation) {
  auto operand = [&](std::size_t i) -> const hlo::Shape& { return computation[instruction.operands[i]].shape; };
  const int rank = instruction.shape.rank();
  switch (instruction.opcode) {
    case hlo::Opcode::convolution:
      return sound_convolution(instruction, operand(0), operand(1));
    case hlo::Opcode::dot:
      return sound_dot(instruction, operand(0), operand(1));
    case hlo::Opcode::transpose:
      return instruction.dimensions.size() == instruction.shape.dimensions.size() && operand(0).rank() == rank &&
             within(instruction.dimensions, rank);
    case hlo::Opcode::concatenate:
      return instruction.dimensions.size() == 1 && within(instruction.dimensions, rank) &&
             std::ranges::all_of(instruction.operands,
                                 [&](hlo::InstructionId id) { return computation[id].shape.rank() == rank; });
    case hlo::Opcode::broadcast:
      return instruction.dimensions.size() == operand(0).dimensions.size() && within(instruction.dimensions, rank);
    case hlo::Opcode::sort:
      return instruction.dimensions.size() == 1 && within(instruction.dimensions, operand(0).rank());
    case hlo::Opcode::gather:
      return instruction.slice_sizes.size() == operand(0).dimensions.size() &&
             sound_rows(instruction, operand(0), instruction.shape);
    case hlo::Opcode::scatter:
      return instruction.operands.size() == 3 && sound_rows(instruction, operand(0), operand(2));
    case hlo::Opcode::reduce:
      return within(instruction.dimensions, operand(0).rank());
    default:
      return true;
  }
}

}  // namespace podsim::validation::profile
