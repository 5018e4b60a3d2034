// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workloads/streams/interaction_seed.h"

namespace podsim::workloads::streams {

/// What an interaction matrix grows to. By default MLPerf's sizes for NCF: 2.2 million users, 855 thousand items, 1.2
/// billion interactions.
struct ExpansionOptions {
  std::int64_t user_factor = 16;
  std::int64_t item_factor = 32;
  std::int64_t interactions = 1'200'000'000;
};

/// The fractal expansion of a seed (Belletti et al. 2019): the Kronecker product of a reduced copy of the matrix with
/// the matrix. The reduced copy r [user_factor, item_factor] has the means of equal blocks of the seed by number,
/// scaled so that the sum of its elements is interactions / seed.interactions. Element (i, j) of it stands for a copy
/// of the seed at users i x seed.users and items j x seed.items, of which every interaction is kept with probability
/// r_ij. The product is binary, and no interaction occurs twice.
class FractalExpansion {
 public:
  /// The seed has to outlive the expansion. InputError if a probability would be above 1.
  FractalExpansion(const InteractionSeed& seed, const ExpansionOptions& options);

  std::int64_t users() const { return seed_.users * options_.user_factor; }
  std::int64_t items() const { return seed_.items * options_.item_factor; }
  const InteractionSeed& seed() const { return seed_; }
  const ExpansionOptions& options() const { return options_; }
  /// r, a row for each copy of the users.
  const std::vector<std::vector<double>>& reduced() const { return reduced_; }

  /// The sum of r times the interactions of the seed.
  double expected_interactions() const;
  /// Expected counts of every row: those of the reduced copy's rows or columns times those of the seed.
  std::vector<double> user_counts() const;
  std::vector<double> item_counts() const;

 private:
  const InteractionSeed& seed_;
  ExpansionOptions options_;
  std::vector<std::vector<double>> reduced_;
};

/// The interactions of an expansion one after the other, each once, in random order; then again. Only the seed is in
/// memory.
///
/// Interactions of the seed pass in their random order, as often as r adds up to (rounded up). In pass number t an
/// interaction of the seed is in the copy in which the running sum of r exceeds t' + u, with a random u in [0, 1) and
/// a first t' that are its own (systematic sampling). So it is in every copy at most once, as no r is above 1, and in
/// copy ij with probability r_ij.
class InteractionStream {
 public:
  explicit InteractionStream(const FractalExpansion& expansion, std::uint64_t seed = 1);

  /// Fills `interactions` with the next ones.
  void next(std::span<Interaction> interactions);

  /// Complete turns through the expansion so far.
  std::int64_t turns() const { return turns_; }

 private:
  struct Copy {
    std::uint64_t end;  ///< running sum of r with 32 fractional bits
    std::uint32_t first_user, first_item;
  };

  const Interaction* seed_;
  std::uint64_t seed_size_, key_;
  std::uint64_t passes_, sum_;  ///< `sum_`: of r with 32 fractional bits
  std::vector<Copy> copies_;
  std::vector<std::uint16_t> guide_;  ///< the copy at which to look first, by sum
  std::uint64_t place_ = 0, pass_ = 0;
  std::int64_t turns_ = 0;
};

}  // namespace podsim::workloads::streams
