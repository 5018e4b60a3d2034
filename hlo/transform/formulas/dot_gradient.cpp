// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/formulas/dot_gradient.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace podsim::hlo::transform::formulas {

namespace {

using Sizes = std::vector<std::int64_t>;

std::vector<int> free_dimensions(int rank, const std::vector<int>& batch, const std::vector<int>& contracting) {
  std::vector<int> dimensions;
  for (int i = 0; i < rank; ++i) {
    if (std::ranges::count(batch, i) + std::ranges::count(contracting, i) == 0) dimensions.push_back(i);
  }
  return dimensions;
}

/// Dimensions of a dot's result: batch, then free lhs, then free rhs.
struct DotResultDimensions {
  std::vector<int> batch, lhs, rhs;     ///< dimensions of the result
  std::vector<int> lhs_free, rhs_free;  ///< dimensions of the operands
};

DotResultDimensions places(const build::GraphBuilder& b, const Instruction& forward) {
  const DotDimensions& dot = forward.dot;
  DotResultDimensions result;
  result.lhs_free = free_dimensions(b.shape(forward.operands[0]).rank(), dot.lhs_batch, dot.lhs_contracting);
  result.rhs_free = free_dimensions(b.shape(forward.operands[1]).rank(), dot.rhs_batch, dot.rhs_contracting);
  int next = 0;
  for (std::size_t i = 0; i < dot.lhs_batch.size(); ++i) result.batch.push_back(next++);
  for (std::size_t i = 0; i < result.lhs_free.size(); ++i) result.lhs.push_back(next++);
  for (std::size_t i = 0; i < result.rhs_free.size(); ++i) result.rhs.push_back(next++);
  return result;
}

/// Chooses between two forms of a product, given the operand dimension that each of their dimensions becomes: the
/// second form only if it needs no transpose and the first does.
bool second_is_in_order(const std::vector<int>& first, const std::vector<int>& second) {
  return !std::ranges::is_sorted(first) && std::ranges::is_sorted(second);
}

/// Reorders x so that its dimension i becomes dimension to[i].
InstructionId placed(build::GraphBuilder& b, InstructionId x, const std::vector<int>& to) {
  return permuted(b, x, inverse_permutation(Sizes(to.begin(), to.end())));
}

std::vector<int> three_joined(std::vector<int> first, const std::vector<int>& second, const std::vector<int>& third) {
  first.insert(first.end(), second.begin(), second.end());
  first.insert(first.end(), third.begin(), third.end());
  return first;
}

/// values[i] in ascending order of keys[i].
std::vector<int> in_order_of(const std::vector<int>& keys, const std::vector<int>& values) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return keys[i]; });
  std::vector<int> ordered;
  for (std::size_t i : order) ordered.push_back(values[i]);
  return ordered;
}

InstructionId dot_product(build::GraphBuilder& b, InstructionId x, InstructionId y, DotDimensions dimensions) {
  Instruction dot;
  dot.opcode = Opcode::dot;
  dot.shape.element_type = is_floating_point(b.type(x)) || is_complex(b.type(x)) ? b.type(x) : b.type(y);
  dot.operands = {x, y};
  dot.dot = std::move(dimensions);
  return b.add(std::move(dot));
}

}  // namespace

std::vector<std::int64_t> inverse_permutation(const std::vector<std::int64_t>& permutation) {
  std::vector<std::int64_t> result(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i) result[std::size_t(permutation[i])] = std::int64_t(i);
  return result;
}

InstructionId permuted(build::GraphBuilder& builder, InstructionId x, std::vector<std::int64_t> permutation) {
  return std::ranges::is_sorted(permutation) ? x : builder.transpose(x, std::move(permutation));
}

InstructionId dot_lhs_gradient(build::GraphBuilder& builder, const Instruction& forward, InstructionId g) {
  const DotDimensions& dot = forward.dot;
  const DotResultDimensions at = places(builder, forward);
  const std::vector<int> contracted = in_order_of(dot.rhs_contracting, dot.lhs_contracting);
  const std::vector<int> to = three_joined(dot.lhs_batch, at.lhs_free, contracted);
  const std::vector<int> swapped = three_joined(dot.lhs_batch, contracted, at.lhs_free);
  const InstructionId rhs = forward.operands[1];
  if (second_is_in_order(to, swapped)) {
    return dot_product(builder, rhs, g, {dot.rhs_batch, at.batch, at.rhs_free, at.rhs});
  }
  return placed(builder, dot_product(builder, g, rhs, {at.batch, dot.rhs_batch, at.rhs, at.rhs_free}), to);
}

InstructionId dot_rhs_gradient(build::GraphBuilder& builder, const Instruction& forward, InstructionId g) {
  const DotDimensions& dot = forward.dot;
  const DotResultDimensions at = places(builder, forward);
  const std::vector<int> contracted = in_order_of(dot.lhs_contracting, dot.rhs_contracting);
  const std::vector<int> to = three_joined(dot.rhs_batch, contracted, at.rhs_free);
  const std::vector<int> swapped = three_joined(dot.rhs_batch, at.rhs_free, contracted);
  const InstructionId lhs = forward.operands[0];
  if (second_is_in_order(to, swapped)) {
    return dot_product(builder, g, lhs, {at.batch, dot.lhs_batch, at.lhs, at.lhs_free});
  }
  return placed(builder, dot_product(builder, lhs, g, {dot.lhs_batch, at.batch, at.lhs_free, at.lhs}), to);
}

}  // namespace podsim::hlo::transform::formulas
