// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "tests/hlo/spmd/random_program.h"

/// The ops of random programs.
namespace podsim::hlo::spmd::testing {

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
  explicit ProgramWriter(build::GraphBuilder& builder) : b_(builder) {}

  void write(const ProgramStep& step);

  /// A number for a value whose sharding no step chooses.
  static std::uint32_t helper_cut(const ProgramStep& step, hlo::InstructionId id) {
    Digits digits(step.split * 31 + std::uint32_t(id));
    return digits.next(2) == 0 ? 0 : std::uint32_t(digits.next(1 << 24));
  }

  void push(hlo::InstructionId id, std::uint32_t number) {
    set_split(id, number);
    values_.push_back(id);
  }

  const std::vector<hlo::InstructionId>& values() const { return values_; }
  std::vector<std::uint32_t> split() const { return split_; }

 private:
  using Sizes = std::vector<std::int64_t>;

  void set_split(hlo::InstructionId id, std::uint32_t number);

  const Sizes& sizes(hlo::InstructionId id) const { return b_.shape(id).dimensions; }
  int rank(hlo::InstructionId id) const { return b_.shape(id).rank(); }

  hlo::InstructionId parameter_of(Sizes sizes, hlo::ElementType type = hlo::ElementType::f32);
  hlo::InstructionId parameter(Digits& digits);
  hlo::InstructionId clamped(hlo::InstructionId x);
  /// A value of these sizes: `x` if it has them, else a new parameter.
  hlo::InstructionId alike(hlo::InstructionId x, const Sizes& wanted);
  hlo::InstructionId op(std::uint8_t kind, hlo::InstructionId a, hlo::InstructionId b, Digits& digits);
  std::vector<std::int64_t> some_dimensions(hlo::InstructionId x, Digits& digits);
  /// Products over the same dimension, with linear ops between them and their sum.
  hlo::InstructionId sum_of_products(hlo::InstructionId a, Digits& digits);
  /// A linear op whose result has the sizes of x.
  hlo::InstructionId linear(hlo::InstructionId x, Digits& digits);
  /// The largest elements of the last dimension.
  hlo::InstructionId largest(hlo::InstructionId a, Digits& digits);
  /// True where any, or all, of several comparisons hold.
  hlo::InstructionId any(hlo::InstructionId a, hlo::InstructionId b, Digits& digits);
  hlo::InstructionId grouped_convolution(Digits& digits);
  hlo::InstructionId select(hlo::InstructionId a, hlo::InstructionId b);
  /// Contracts a dimension of each if they have the same size, and batches another pair.
  hlo::InstructionId dot(hlo::InstructionId a, hlo::InstructionId b, Digits& digits);
  hlo::InstructionId reduce(hlo::InstructionId a, Digits& digits);
  hlo::InstructionId broadcast(hlo::InstructionId a, Digits& digits);
  hlo::InstructionId transpose(hlo::InstructionId a, Digits& digits);
  /// Splits a dimension, or joins two.
  hlo::InstructionId reshape(hlo::InstructionId a, Digits& digits);
  hlo::InstructionId concatenate(hlo::InstructionId a, hlo::InstructionId b, Digits& digits);
  hlo::InstructionId slice(hlo::InstructionId a, Digits& digits);
  hlo::InstructionId pad(hlo::InstructionId a, Digits& digits);
  hlo::InstructionId counted(hlo::InstructionId a, Digits& digits);
  /// Constant indices, some of them out of bounds.
  hlo::InstructionId indices(std::int64_t count, std::int64_t limit, Digits& digits);
  /// Rows of a dimension.
  hlo::InstructionId gather(hlo::InstructionId a, Digits& digits);
  hlo::InstructionId scatter(hlo::InstructionId a, Digits& digits);
  hlo::InstructionId dynamic_slice(hlo::InstructionId a, Digits& digits);
  hlo::InstructionId convolution(Digits& digits);
  hlo::InstructionId reduce_window(hlo::InstructionId a, Digits& digits);
  hlo::InstructionId sort(hlo::InstructionId a, Digits& digits);
  /// Three trips of x -> clamp(x + max(x) + i) or clamp(x + sum(x) + i) for trip i.
  hlo::InstructionId loop(hlo::InstructionId a, Digits& digits);
  hlo::InstructionId branch(hlo::InstructionId a, Digits& digits);
  hlo::InstructionId barrier(hlo::InstructionId a, hlo::InstructionId b);

  build::GraphBuilder& b_;
  std::vector<hlo::InstructionId> values_;
  std::vector<std::uint32_t> split_;
};

}  // namespace podsim::hlo::spmd::testing
