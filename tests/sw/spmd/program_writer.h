// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sw/ir/build/graph_builder.h"
#include "tests/sw/spmd/random_program.h"

/// The ops of random programs.
namespace podsim::sw::spmd::testing {

/// Numbers derived from one seed (splitmix64).
class Digits {
 public:
  explicit Digits(std::uint64_t seed) : state_(seed) {}
  /// In [0, limit).
  std::int64_t next(std::int64_t limit) {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return std::int64_t(z % std::uint64_t(limit));
  }

 private:
  std::uint64_t state_;
};

/// Writes steps, and keeps for every instruction the number that determines its sharding.
class ProgramWriter {
 public:
  explicit ProgramWriter(ir::build::GraphBuilder& builder) : b_(builder) {}

  void write(const ProgramStep& step);

  /// A number for a value whose sharding no step chooses.
  static std::uint32_t helper_cut(const ProgramStep& step, ir::InstructionId id) {
    Digits digits(step.split * 31 + std::uint32_t(id));
    return digits.next(2) == 0 ? 0 : std::uint32_t(digits.next(1 << 24));
  }

  void push(ir::InstructionId id, std::uint32_t number) {
    set_split(id, number);
    values_.push_back(id);
  }

  const std::vector<ir::InstructionId>& values() const { return values_; }
  std::vector<std::uint32_t> split() const { return split_; }

 private:
  using Sizes = std::vector<std::int64_t>;

  void set_split(ir::InstructionId id, std::uint32_t number);

  const Sizes& sizes(ir::InstructionId id) const { return b_.shape(id).dimensions; }
  int rank(ir::InstructionId id) const { return b_.shape(id).rank(); }

  ir::InstructionId parameter_of(Sizes sizes, ir::ElementType type = ir::ElementType::f32);
  ir::InstructionId parameter(Digits& digits);
  ir::InstructionId clamped(ir::InstructionId x);
  /// A value of these sizes: `x` if it has them, else a new parameter.
  ir::InstructionId alike(ir::InstructionId x, const Sizes& wanted);
  ir::InstructionId op(std::uint8_t kind, ir::InstructionId a, ir::InstructionId b, Digits& digits);
  std::vector<std::int64_t> some_dimensions(ir::InstructionId x, Digits& digits);
  /// Products over the same dimension, with linear ops between them and their sum.
  ir::InstructionId sum_of_products(ir::InstructionId a, Digits& digits);
  /// A linear op whose result has the sizes of x.
  ir::InstructionId linear(ir::InstructionId x, Digits& digits);
  /// The largest elements of the last dimension.
  ir::InstructionId largest(ir::InstructionId a, Digits& digits);
  /// True where any, or all, of several comparisons hold.
  ir::InstructionId any(ir::InstructionId a, ir::InstructionId b, Digits& digits);
  ir::InstructionId grouped_convolution(Digits& digits);
  ir::InstructionId select(ir::InstructionId a, ir::InstructionId b);
  /// Contracts a dimension of each if they have the same size, and batches another pair.
  ir::InstructionId dot(ir::InstructionId a, ir::InstructionId b, Digits& digits);
  ir::InstructionId reduce(ir::InstructionId a, Digits& digits);
  ir::InstructionId broadcast(ir::InstructionId a, Digits& digits);
  ir::InstructionId transpose(ir::InstructionId a, Digits& digits);
  /// Splits a dimension, or joins two.
  ir::InstructionId reshape(ir::InstructionId a, Digits& digits);
  ir::InstructionId concatenate(ir::InstructionId a, ir::InstructionId b, Digits& digits);
  ir::InstructionId slice(ir::InstructionId a, Digits& digits);
  ir::InstructionId pad(ir::InstructionId a, Digits& digits);
  ir::InstructionId counted(ir::InstructionId a, Digits& digits);
  /// Constant indices, some of them out of bounds.
  ir::InstructionId indices(std::int64_t count, std::int64_t limit, Digits& digits);
  /// Rows of a dimension.
  ir::InstructionId gather(ir::InstructionId a, Digits& digits);
  ir::InstructionId scatter(ir::InstructionId a, Digits& digits);
  ir::InstructionId dynamic_slice(ir::InstructionId a, Digits& digits);
  ir::InstructionId convolution(Digits& digits);
  ir::InstructionId reduce_window(ir::InstructionId a, Digits& digits);
  ir::InstructionId sort(ir::InstructionId a, Digits& digits);
  /// Three trips of x -> clamp(x + max(x) + i) or clamp(x + sum(x) + i) for trip i.
  ir::InstructionId loop(ir::InstructionId a, Digits& digits);
  ir::InstructionId branch(ir::InstructionId a, Digits& digits);
  ir::InstructionId barrier(ir::InstructionId a, ir::InstructionId b);

  ir::build::GraphBuilder& b_;
  std::vector<ir::InstructionId> values_;
  std::vector<std::uint32_t> split_;
};

}  // namespace podsim::sw::spmd::testing
