// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "hw/bundle/vector/vector_functions.h"
#include "hw/bundle/vector/vector_kernels.h"
#include "tests/hw/bundle/random_register.h"

namespace podsim::hw::bundle::vector {
namespace {

using isa::Opcode;
using Word = std::uint32_t;

/// Remainder that is never negative.
int wrapped(int value, int size) { return ((value % size) + size) % size; }

TEST(CrossLaneFunctions, RotationsAndBroadcastMoveWordsAsTheyAre) {
  RandomWords random(1);
  const VectorRegister x = random.vector();
  for (int amount : {0, 1, 3, 7, 8, 37, 64, 127, 128, 130, 1000, -1, -5, -128, -129, INT32_MIN, INT32_MAX}) {
    for (const VectorKernels& kernels : vector_kernels()) {
      VectorRegister by_lanes, by_sublanes, broadcast;
      kernels.cross_lane(isa::Opcode::x_rotate_lanes, by_lanes, x, amount);
      kernels.cross_lane(isa::Opcode::x_rotate_sublanes, by_sublanes, x, amount);
      kernels.cross_lane(isa::Opcode::x_broadcast_lane, broadcast, x, amount);
      const int lane_amount = wrapped(amount, lanes), sublane_amount = wrapped(amount, sublanes);
      for (int s = 0; s < sublanes; ++s) {
        for (int l = 0; l < lanes; ++l) {
          ASSERT_EQ(word_at(by_lanes, s, l), word_at(x, s, wrapped(l - lane_amount, lanes)))
              << kernels.name << " " << amount;
          ASSERT_EQ(word_at(by_sublanes, s, l), word_at(x, wrapped(s - sublane_amount, sublanes), l)) << kernels.name;
          ASSERT_EQ(word_at(broadcast, s, l), word_at(x, s, lane_amount)) << kernels.name << " " << amount;
        }
      }
    }
  }
}

TEST(CrossLaneFunctions, PermuteTakesEveryLaneFromWhereTheIndexSays) {
  RandomWords random(2);
  for (int round = 0; round < 10; ++round) {
    const VectorRegister x = random.vector(), index = random.vector();
    VectorRegister d;
    permute_lanes(d, x, index);
    for (int s = 0; s < sublanes; ++s) {
      for (int l = 0; l < lanes; ++l) {
        ASSERT_EQ(word_at(d, s, l), word_at(x, s, int(word_at(index, s, l) % 128)));
      }
    }
  }
}

/// The tree by its definition, over a copy: value i takes in value i + n/2.
Word tree(std::vector<Word> values, const std::function<Word(Word, Word)>& combine) {
  while (values.size() > 1) {
    const std::size_t half = values.size() / 2;
    for (std::size_t i = 0; i < half; ++i) values[i] = combine(values[i], values[i + half]);
    values.resize(half);
  }
  return values[0];
}

float f32(Word w) { return std::bit_cast<float>(w); }

std::map<isa::Opcode, std::function<Word(Word, Word)>> lane_reductions() {
  const auto nan_or = [](float a, float b, float value) {
    return std::isnan(a) || std::isnan(b) || std::isnan(value) ? 0x7fc00000 : std::bit_cast<Word>(value);
  };
  return {
      // in double and then to f32 is as if rounded once
      {isa::Opcode::x_sum_lanes,
       [=](Word a, Word b) { return nan_or(f32(a), f32(b), float(double(f32(a)) + f32(b))); }},
      {isa::Opcode::x_max_lanes,
       [=](Word a, Word b) {
         if (f32(a) == 0 && f32(b) == 0) return std::signbit(f32(a)) ? b : a;
         return nan_or(f32(a), f32(b), std::max(f32(a), f32(b)));
       }},
      {isa::Opcode::x_min_lanes,
       [=](Word a, Word b) {
         if (f32(a) == 0 && f32(b) == 0) return std::signbit(f32(a)) ? a : b;
         return nan_or(f32(a), f32(b), std::min(f32(a), f32(b)));
       }},
  };
}

const std::map<isa::Opcode, isa::Opcode> same_over_sublanes = {{isa::Opcode::x_sum_lanes, isa::Opcode::x_sum_sublanes},
                                                               {isa::Opcode::x_max_lanes, isa::Opcode::x_max_sublanes},
                                                               {isa::Opcode::x_min_lanes, isa::Opcode::x_min_sublanes}};

void expect_reductions(const VectorRegister& x, const VectorKernels& kernels) {
  for (const auto& [opcode, combine] : lane_reductions()) {
    VectorRegister over_lanes, over_sublanes;
    kernels.cross_lane(opcode, over_lanes, x, 0);
    kernels.cross_lane(same_over_sublanes.at(opcode), over_sublanes, x, 0);
    for (int s = 0; s < sublanes; ++s) {
      std::vector<Word> values;
      for (int l = 0; l < lanes; ++l) values.push_back(word_at(x, s, l));
      const Word expected = tree(values, combine);
      for (int l = 0; l < lanes; ++l) ASSERT_EQ(word_at(over_lanes, s, l), expected) << kernels.name << int(opcode);
    }
    for (int l = 0; l < lanes; ++l) {
      std::vector<Word> values;
      for (int s = 0; s < sublanes; ++s) values.push_back(word_at(x, s, l));
      const Word expected = tree(values, combine);
      for (int s = 0; s < sublanes; ++s)
        ASSERT_EQ(word_at(over_sublanes, s, l), expected) << kernels.name << int(opcode);
    }
  }
}

TEST(CrossLaneFunctions, ReductionsAreTreesOfHalves) {
  RandomWords random(3);
  for (int round = 0; round < 10; ++round) {
    const VectorRegister numbers = random.numbers(), words = random.vector();
    for (const VectorKernels& kernels : vector_kernels()) {
      expect_reductions(numbers, kernels);
      expect_reductions(words, kernels);
    }
  }
}

TEST(CrossLaneFunctions, TheOrderOfASumShowsInItsLastBits) {
  // 2^24 + 1 + 1 is 2^24 from the left and 2^24 + 2 from the right: lanes 0 and 64 meet first, then 1 and 65 ...
  VectorRegister x, d;
  fill(x, 0);
  word_at(x, 0, 0) = std::bit_cast<Word>(0x1p24F);
  word_at(x, 0, 1) = word_at(x, 0, 65) = std::bit_cast<Word>(1.0F);  // meet each other first: 2 is not lost
  word_at(x, 1, 0) = std::bit_cast<Word>(0x1p24F);
  word_at(x, 1, 64) = word_at(x, 1, 1) = std::bit_cast<Word>(1.0F);  // each meets 2^24 alone: both are lost
  cross_lane_operation(isa::Opcode::x_sum_lanes, d, x, 0);
  EXPECT_EQ(f32(word_at(d, 0, 77)), 0x1p24F + 2);
  EXPECT_EQ(f32(word_at(d, 1, 77)), 0x1p24F);
}

TEST(CrossLaneFunctions, ATransposeTurnsColumnsIntoRows) {
  std::vector<VectorRegister> tile(tile_registers);
  for (int row = 0; row < lanes; ++row) {
    for (int column = 0; column < lanes; ++column) {
      word_at(tile[std::size_t(row / 8)], row % 8, column) = Word(1000 * row + column);
    }
  }
  for (int r = 0; r < tile_registers; ++r) {
    VectorRegister d;
    transpose(d, std::span<const VectorRegister, tile_registers>(tile), r);
    for (int s = 0; s < sublanes; ++s) {
      for (int l = 0; l < lanes; ++l) ASSERT_EQ(word_at(d, s, l), Word(1000 * l + 8 * r + s));
    }
  }
}

}  // namespace
}  // namespace podsim::hw::bundle::vector
