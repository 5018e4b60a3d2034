// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient/movement_gradient.h"

#include <algorithm>
#include <utility>

#include "hlo/rules/tuple_leaves.h"
#include "hlo/transform/formulas/dot_gradient.h"

namespace podsim::hlo::transform::gradient {

std::vector<std::int64_t> other_dimensions(int rank, const std::vector<std::int64_t>& dimensions) {
  std::vector<std::int64_t> others;
  for (int i = 0; i < rank; ++i) {
    if (std::ranges::count(dimensions, i) == 0) others.push_back(i);
  }
  return others;
}

InstructionId summed(build::GraphBuilder& builder, InstructionId x, std::vector<std::int64_t> dimensions) {
  return dimensions.empty() ? x : builder.reduce_add(x, std::move(dimensions));
}

InstructionId total(build::GraphBuilder& builder, InstructionId x) {
  return summed(builder, x, other_dimensions(builder.shape(x).rank(), {}));
}

namespace of {

void broadcast(Backward& s) {
  const std::vector<std::int64_t>& to = s.forward.dimensions;
  const InstructionId sum = summed(s.b, s.g(), other_dimensions(s.forward.shape.rank(), to));
  // The sum has the kept dimensions in ascending order; operand dimension i is the one numbered to[i].
  std::vector<std::int64_t> order(to.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = std::ranges::count_if(to, [&](auto dimension) { return dimension < to[i]; });
  }
  s.give(0, formulas::permuted(s.b, sum, order));
}

void reshape(Backward& s) { s.give(0, s.b.reshape(s.g(), s.b.shape(s.x(0)).dimensions)); }

void transpose(Backward& s) {
  s.give(0, formulas::permuted(s.b, s.g(), formulas::inverse_permutation(s.forward.dimensions)));
}

void reverse(Backward& s) { s.give(0, s.b.reverse(s.g(), s.forward.dimensions)); }

void pad(Backward& s) {
  build::GraphBuilder& b = s.b;
  std::vector<PadDimension> cropping;
  std::vector<SliceDimension> picking;
  for (std::size_t i = 0; i < s.forward.padding.size(); ++i) {
    const PadDimension& edges = s.forward.padding[i];
    cropping.push_back({-edges.low, -edges.high, 0});
    picking.push_back({0, s.forward.shape.dimensions[i] - edges.low - edges.high, edges.interior + 1});
  }
  const InstructionId cropped = b.pad(s.g(), b.constant(b.type(s.g()), 0), cropping);
  const bool has_interior =
      std::ranges::any_of(s.forward.padding, [](const PadDimension& edges) { return edges.interior != 0; });
  const InstructionId inner = has_interior ? b.slice(cropped, picking) : cropped;
  s.give(0, inner);
  if (s.wants(1)) s.give(1, b.subtract(total(b, s.g()), total(b, inner)));
}

void slice(Backward& s) {
  const Shape operand = s.b.shape(s.x(0));
  std::vector<PadDimension> padding;
  for (std::size_t i = 0; i < operand.dimensions.size(); ++i) {
    const SliceDimension& range = s.forward.slice[i];
    const std::int64_t count = s.forward.shape.dimensions[i];
    const std::int64_t covered = count == 0 ? 0 : (count - 1) * range.stride + 1;
    padding.push_back({range.start, operand.dimensions[i] - range.start - covered, range.stride - 1});
  }
  s.give(0, s.b.pad(s.g(), s.b.constant(s.b.type(s.g()), 0), padding));
}

void concatenate(Backward& s) {
  const auto along = std::size_t(s.forward.dimensions[0]);
  std::int64_t offset = 0;
  for (std::size_t k = 0; k < s.forward.operands.size(); ++k) {
    std::vector<SliceDimension> part;
    for (const std::int64_t size : s.forward.shape.dimensions) part.push_back({0, size, 1});
    part[along].start = offset;
    part[along].limit = offset += s.b.shape(s.x(k)).dimensions[along];
    if (s.wants(k)) s.give(k, s.b.slice(s.g(), part));
  }
}

void tuple(Backward& s) {
  std::size_t leaf = 0;
  for (std::size_t k = 0; k < s.forward.operands.size(); ++k) {
    const std::size_t count = rules::leaf_count(s.b.shape(s.x(k)));
    for (std::size_t i = 0; i < count; ++i, ++leaf) {
      if (s.slopes[leaf] >= 0) s.give_leaf(k, i, s.slopes[leaf]);
    }
  }
}

void get_tuple_element(Backward& s) {
  const std::size_t first = Backward::leaves_before(s.b.shape(s.x(0)), s.forward.index);
  for (std::size_t leaf = 0; leaf < s.slopes.size(); ++leaf) {
    if (s.slopes[leaf] >= 0) s.give_leaf(0, first + leaf, s.slopes[leaf]);
  }
}

void add_dependency(Backward& s) { s.give(0, s.g()); }

}  // namespace of

}  // namespace podsim::hlo::transform::gradient
