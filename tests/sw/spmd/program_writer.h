// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sw/graph/graph_builder.h"
#include "tests/sw/spmd/random_program.h"

/// The ops of random programs.
namespace podsim::sw::testing {

/// Numbers out of one, mixed (splitmix64).
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

/// Writes step after step, and keeps for every instruction the number that its sharding is read off.
class ProgramWriter {
 public:
  explicit ProgramWriter(GraphBuilder& builder) : b_(builder) {}

  void write(const ProgramStep& step);

  /// A number for a value that no step chooses the sharding of.
  static std::uint32_t helper_cut(const ProgramStep& step, InstructionId id) {
    Digits digits(step.cut * 31 + std::uint32_t(id));
    return digits.next(2) == 0 ? 0 : std::uint32_t(digits.next(1 << 24));
  }

  void push(InstructionId id, std::uint32_t number) {
    cut(id, number);
    values_.push_back(id);
  }

  const std::vector<InstructionId>& values() const { return values_; }
  std::vector<std::uint32_t> cuts() const { return cuts_; }

 private:
  using Sizes = std::vector<std::int64_t>;

  void cut(InstructionId id, std::uint32_t number);

  const Sizes& sizes(InstructionId id) const { return b_.shape(id).dimensions; }
  int rank(InstructionId id) const { return b_.shape(id).rank(); }

  InstructionId parameter_of(Sizes sizes, ElementType type = ElementType::f32);
  InstructionId parameter(Digits& digits);
  InstructionId clamped(InstructionId x);
  /// A value of these sizes: `x` where it has them, else a new parameter.
  InstructionId alike(InstructionId x, const Sizes& wanted);
  InstructionId op(std::uint8_t kind, InstructionId a, InstructionId b, Digits& digits);
  std::vector<std::int64_t> some_dimensions(InstructionId x, Digits& digits);
  /// Products over the same dimension, with linear ops between them and their sum.
  InstructionId sum_of_products(InstructionId a, Digits& digits);
  /// The same sizes again.
  InstructionId linear(InstructionId x, Digits& digits);
  /// The largest elements of the last dimension.
  InstructionId largest(InstructionId a, Digits& digits);
  /// Where any, or all, of some comparisons hold.
  InstructionId any(InstructionId a, InstructionId b, Digits& digits);
  InstructionId grouped_convolution(Digits& digits);
  InstructionId select(InstructionId a, InstructionId b);
  /// Contracts a dimension of each where they are alike, batches another pair.
  InstructionId dot(InstructionId a, InstructionId b, Digits& digits);
  InstructionId reduce(InstructionId a, Digits& digits);
  InstructionId broadcast(InstructionId a, Digits& digits);
  InstructionId transpose(InstructionId a, Digits& digits);
  /// Splits a dimension, or joins two.
  InstructionId reshape(InstructionId a, Digits& digits);
  InstructionId concatenate(InstructionId a, InstructionId b, Digits& digits);
  InstructionId slice(InstructionId a, Digits& digits);
  InstructionId pad(InstructionId a, Digits& digits);
  InstructionId counted(InstructionId a, Digits& digits);
  /// Constant indices, some of them outside.
  InstructionId indices(std::int64_t count, std::int64_t limit, Digits& digits);
  /// Rows of a dimension.
  InstructionId gather(InstructionId a, Digits& digits);
  InstructionId scatter(InstructionId a, Digits& digits);
  InstructionId dynamic_slice(InstructionId a, Digits& digits);
  InstructionId convolution(Digits& digits);
  InstructionId reduce_window(InstructionId a, Digits& digits);
  InstructionId sort(InstructionId a, Digits& digits);
  /// Three trips of x -> clamp(x + max(x) + i) or clamp(x + sum(x) + i) for trip i.
  InstructionId loop(InstructionId a, Digits& digits);
  InstructionId branch(InstructionId a, Digits& digits);
  InstructionId barrier(InstructionId a, InstructionId b);

  GraphBuilder& b_;
  std::vector<InstructionId> values_;
  std::vector<std::uint32_t> cuts_;
};

}  // namespace podsim::sw::testing
