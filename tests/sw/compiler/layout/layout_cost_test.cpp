// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/layout/layout_cost.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

namespace podsim::sw::compiler::layout {
namespace {

using Sizes = std::vector<std::int64_t>;

ir::Shape laid_out(const Sizes& sizes, std::vector<int> minor_to_major) {
  ir::Shape shape = ir::make_shape(ir::ElementType::f32, sizes);
  shape.minor_to_major = std::move(minor_to_major);
  return shape;
}

/// Row-major numbers of the elements in the order in which they lie in memory.
Sizes numbers_in_memory(const ir::Shape& shape) {
  Sizes strides(shape.dimensions.size(), 1), numbers{0};
  for (int d = shape.rank() - 2; d >= 0; --d) {
    strides[std::size_t(d)] = strides[std::size_t(d) + 1] * shape.dimensions[std::size_t(d) + 1];
  }
  for (int i = shape.rank() - 1; i >= 0; --i) {
    const auto d = std::size_t(shape.minor_dimension(i));
    Sizes next;
    for (const std::int64_t number : numbers) {
      for (std::int64_t at = 0; at < shape.dimensions[d]; ++at) next.push_back(number + at * strides[d]);
    }
    numbers = std::move(next);
  }
  return numbers;
}

bool renames(const ir::Shape& operand, const ir::Shape& result) {
  ir::Instruction reshape;
  reshape.opcode = ir::Opcode::reshape;
  reshape.shape = result;
  return is_renaming(reshape, operand);
}

TEST(LayoutCost, AReshapeRenamesWhatStaysTogether) {
  EXPECT_TRUE(renames(laid_out({32, 512, 16, 64}, {3, 2, 1, 0}), laid_out({32, 512, 1024}, {2, 1, 0})));
  EXPECT_TRUE(renames(laid_out({32, 512, 16, 64}, {1, 3, 2, 0}), laid_out({32, 512, 1024}, {1, 2, 0})));
  EXPECT_FALSE(renames(laid_out({32, 512, 16, 64}, {1, 3, 2, 0}), laid_out({32, 512, 1024}, {2, 1, 0})));
  EXPECT_FALSE(renames(laid_out({16, 64, 8}, {0, 1, 2}), laid_out({1024, 8}, {0, 1})));
}

// A reshape keeps the row-major numbers of the elements, so it moves nothing where their order in memory is the same.
RC_GTEST_PROP(LayoutCost, AReshapeRenamesWhereElementsLieInTheSameOrder, ()) {
  const std::vector<Sizes> forms{{2, 3, 4}, {6, 4}, {2, 12}, {24}, {2, 3, 2, 2}, {6, 1, 4}, {4, 6}, {3, 8}};
  const auto any_shape = [&] {
    const Sizes sizes = *rc::gen::elementOf(forms);
    std::vector<int> order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
    return laid_out(sizes, order);
  };
  const ir::Shape operand = any_shape(), result = any_shape();
  const bool stays = numbers_in_memory(operand) == numbers_in_memory(result);
  if (renames(operand, result)) {
    RC_ASSERT(stays);
  } else {
    RC_CLASSIFY(stays);  // splits such as [4,6] to [3,8] have no run in common but all dimensions
  }
}

}  // namespace
}  // namespace podsim::sw::compiler::layout
