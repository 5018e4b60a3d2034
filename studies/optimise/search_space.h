// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace podsim::studies::optimise {

/// A point of a search space: the index of its value in every dimension.
using Candidate = std::vector<std::int64_t>;

/// One dimension of a space, of the values 0, ..., values - 1.
struct Dimension {
  std::int64_t values = 1;
  /// Empty for categories, all as far from each other. Else the rank of each value among the dimension's numbers, from
  /// 0: neighbours are equally far apart, whatever their numbers, because the list or range is the scale that its
  /// author chose.
  std::vector<std::int64_t> ranks;

  /// Distance of two values: 0 to 1.
  double distance(std::int64_t one, std::int64_t other) const;
};

/// The product of some dimensions, with numbers for its candidates: the last dimension varies fastest.
class SearchSpace {
 public:
  /// At least one dimension, each of at least one value. The product of their values is below 2^63.
  explicit SearchSpace(std::vector<Dimension> dimensions);

  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  std::int64_t size() const { return size_; }

  std::int64_t number_of(const Candidate& candidate) const;
  Candidate candidate(std::int64_t number) const;

  /// Candidates that differ in one dimension: by one rank, or in the category. In the order of the dimensions.
  std::vector<Candidate> neighbours(const Candidate& candidate) const;

 private:
  std::vector<Dimension> dimensions_;
  std::int64_t size_ = 1;
};

/// The numbers 0, ..., size - 1 in an order that looks random: a permutation, so that walking along it draws without
/// repetition, whatever the size. Four rounds of a Feistel network over the next power of 4, of which numbers from
/// `size` on are passed through again (Black and Rogaway, Ciphers with arbitrary finite domains, 2002).
class RandomOrder {
 public:
  RandomOrder(std::int64_t size, std::uint64_t seed);
  /// The number at `position`, which is from 0 to size - 1.
  std::int64_t at(std::int64_t position) const;

 private:
  std::uint64_t pass(std::uint64_t number) const;

  std::uint64_t size_, seed_;
  int half_bits_ = 1;
};

}  // namespace podsim::studies::optimise
