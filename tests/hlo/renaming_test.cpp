// SPDX-License-Identifier: Apache-2.0
#include "hlo/renaming.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

namespace podsim::hlo {
namespace {

using Sizes = std::vector<std::int64_t>;

Shape ordered(ElementType type, const Sizes& sizes, std::vector<int> minor_to_major) {
  Shape shape = make_shape(type, sizes);
  shape.minor_to_major = std::move(minor_to_major);
  return shape;
}

Shape ordered(const Sizes& sizes, std::vector<int> minor_to_major) {
  return ordered(ElementType::f32, sizes, std::move(minor_to_major));
}

/// The index of an element by its row-major number.
Sizes index_of(std::int64_t number, const Shape& shape) {
  Sizes index(shape.dimensions.size());
  for (std::size_t d = index.size(); d-- > 0;) {
    index[d] = number % shape.dimensions[d];
    number /= shape.dimensions[d];
  }
  return index;
}

/// The location in memory of every element, by row-major number. The two most minor dimensions are padded to tiles of
/// rows x 128 elements; in a tile, a word has two bf16 from neighbouring rows.
Sizes places(const Shape& shape, std::int64_t rows) {
  const std::int64_t packed = shape.element_type == ElementType::bf16 ? 2 : 1;
  const auto lane = std::size_t(shape.minor_dimension(0)), row = std::size_t(shape.minor_dimension(1));
  const auto tiles = [&](std::size_t d, std::int64_t of) { return (shape.dimensions[d] + of - 1) / of; };
  Sizes result;
  for (std::int64_t number = 0; number < shape.element_count(); ++number) {
    const Sizes index = index_of(number, shape);
    std::int64_t place = 0;
    for (int i = shape.rank() - 1; i > 1; --i) {
      const auto d = std::size_t(shape.minor_dimension(i));
      place = place * shape.dimensions[d] + index[d];
    }
    place = place * tiles(row, rows) + index[row] / rows;
    place = place * tiles(lane, 128) + index[lane] / 128;
    place = place * (rows / packed) + index[row] % rows / packed;
    place = place * 128 + index[lane] % 128;
    result.push_back(place * packed + index[row] % packed);
  }
  return result;
}

/// The rows of XLA's tile, as seen in profiles: T(2,128), T(4,128) or T(8,128), in bf16 at least four.
std::int64_t rows_of_tile(const Shape& shape) {
  const std::int64_t rows = shape.dimensions[std::size_t(shape.minor_dimension(1))];
  const std::int64_t least = shape.element_type == ElementType::bf16 ? 4 : 2;
  return rows > 4 ? 8 : rows > 2 ? 4 : least;
}

TEST(Renaming, MovesNothingBetweenWholeTiles) {
  EXPECT_TRUE(is_renaming(ordered({4096, 1024}, {1, 0}), ordered({512, 8, 8, 128}, {3, 1, 2, 0})));
  EXPECT_TRUE(is_renaming(ordered({32, 56, 56, 256}, {3, 2, 1, 0}), ordered({32, 56 * 56, 256}, {2, 1, 0})));
  EXPECT_TRUE(is_renaming(ordered({32, 7, 7, 256}, {3, 0, 2, 1}), ordered({32, 49, 256}, {2, 0, 1})));
  EXPECT_TRUE(is_renaming(ordered({128, 784, 512}, {0, 2, 1}), ordered({128, 784, 32, 16}, {0, 3, 2, 1})));
  EXPECT_TRUE(is_renaming(ordered({4096}, {0}), ordered({32, 128}, {1, 0})));
}

TEST(Renaming, MovesElementsWhereTilesArePaddedInAnotherWay) {
  EXPECT_FALSE(is_renaming(ordered({32, 7, 7, 256}, {3, 2, 1, 0}), ordered({32, 49, 256}, {2, 1, 0})));
  EXPECT_FALSE(is_renaming(ordered({16, 384, 1024}, {2, 1, 0}), ordered({16, 384, 16, 64}, {3, 2, 1, 0})));
  EXPECT_FALSE(is_renaming(ordered({4096, 1024}, {1, 0}), ordered({32768, 128}, {1, 0})));
  EXPECT_FALSE(is_renaming(ordered({32, 512, 16, 64}, {1, 3, 2, 0}), ordered({32, 512, 1024}, {2, 1, 0})));
}

TEST(Renaming, LanesStayOrBecomeAnotherDimension) {
  const Shape channels = ordered({32, 784, 512}, {2, 0, 1});
  EXPECT_TRUE(keeps_lanes(channels, ordered({32, 784, 32, 16}, {3, 0, 2, 1})));
  EXPECT_FALSE(keeps_lanes(channels, ordered({32, 784, 32, 16}, {2, 3, 1, 0}))) << "every 16th channel";
  EXPECT_FALSE(keeps_lanes(channels, ordered({32, 784, 32, 16}, {1, 3, 2, 0}))) << "pixels";
  EXPECT_TRUE(keeps_lanes(ordered({128, 784, 512}, {0, 2, 1}), ordered({128, 784, 32, 16}, {0, 3, 2, 1})));
}

Shape any_shape(const std::vector<Sizes>& forms, ElementType type) {
  const Sizes sizes = *rc::gen::elementOf(forms);
  std::vector<int> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
  return ordered(type, sizes, order);
}

RC_GTEST_PROP(Renaming, IsWhereEveryElementKeepsItsPlace, ()) {
  const std::vector<std::vector<Sizes>> forms{
      {{2, 3, 4}, {6, 4}, {2, 12}, {2, 3, 2, 2}, {6, 1, 4}, {4, 6}, {3, 8}, {1, 24}, {24, 1}},
      {{2, 8, 256}, {16, 256}, {16, 2, 128}, {4, 4, 256}, {2, 2048}, {2, 8, 2, 128}, {2, 8, 16, 16}},
      {{3, 12, 128}, {36, 128}, {3, 3, 4, 128}, {9, 4, 128}, {3, 12, 8, 16}, {3, 12, 2, 64}, {3, 4, 3, 128}},
  };
  const std::vector<Sizes> of_one_size = *rc::gen::elementOf(forms);
  const ElementType type = *rc::gen::element(ElementType::f32, ElementType::bf16);
  const Shape from = any_shape(of_one_size, type), to = any_shape(of_one_size, type);
  const bool stays = places(from, rows_of_tile(from)) == places(to, rows_of_tile(to));
  RC_LOG() << to_string(from) << " " << to_string(to);
  RC_CLASSIFY(stays, "moves nothing");
  RC_ASSERT(is_renaming(from, to) == stays);
}

/// Row-major numbers of the elements in the order in which they lie in memory, apart from tiles.
Sizes numbers_in_memory(const Shape& shape) {
  Sizes numbers(std::size_t(shape.element_count()));
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto from_major = [&](std::int64_t number) {
    const Sizes index = index_of(number, shape);
    Sizes sorted;
    for (int i = shape.rank(); i-- > 0;) sorted.push_back(index[std::size_t(shape.minor_dimension(i))]);
    return sorted;
  };
  std::ranges::sort(numbers, {}, from_major);
  return numbers;
}

RC_GTEST_PROP(Renaming, TheOrderForItKeepsTheOrderOfElements, ()) {
  const std::vector<Sizes> forms{{2, 3, 4}, {6, 4}, {2, 12}, {24}, {2, 3, 2, 2}, {6, 1, 4}};
  const Shape from = any_shape(forms, ElementType::f32);
  Shape to = make_shape(ElementType::f32, *rc::gen::elementOf(forms));
  const std::optional<std::vector<int>> order = order_for_renaming(from, to);
  RC_CLASSIFY(order.has_value());
  bool any = false;
  std::vector<int> tried(to.dimensions.size());
  std::iota(tried.begin(), tried.end(), 0);
  do {
    to.minor_to_major = tried;
    any = any || numbers_in_memory(from) == numbers_in_memory(to);
  } while (std::ranges::next_permutation(tried).found);
  RC_ASSERT(order.has_value() == any);
  if (!order) return;
  to.minor_to_major = *order;
  RC_ASSERT(numbers_in_memory(from) == numbers_in_memory(to));
}

}  // namespace
}  // namespace podsim::hlo
