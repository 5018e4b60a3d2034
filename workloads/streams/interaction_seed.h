// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace podsim::workloads::streams {

/// A user who chose an item: an element of the interaction matrix that is 1.
struct Interaction {
  std::uint32_t user, item;
  bool operator==(const Interaction&) const = default;
};

/// Facts of MovieLens-20M (Harper and Konstan 2015): users, items that were rated, ratings, and the least of a user.
/// The most of a user and of an item are counts of its tables. The exponents are assumptions.
struct SeedOptions {
  std::int64_t users = 138493;
  std::int64_t items = 26744;
  std::int64_t interactions = 20000263;
  std::int64_t most_of_user = 9254;
  std::int64_t most_of_item = 67310;
  double user_exponent = 1.08;  ///< with it the law's least count of a user is 20, as published
  double item_exponent = 1.5;
  std::int64_t tastes = 16;  ///< groups of users, by number
  std::int64_t genres = 32;  ///< groups of items, by number
  std::uint64_t seed = 1;
};

/// A sparse 0/1 matrix of users and items. Users have exactly the counts of their law (popularity_law.h), items those
/// of their law in expectation: a user draws items without repetition, with weights that make up for the repetitions
/// that are not drawn. Popularity is independent of numbers. Users of a taste prefer some genres: the logarithm of
/// the weight of a genre is the product of three factors of both, of which the k-th is smaller by 1 / k; the weights
/// are scaled so that no genre or taste becomes more popular by it.
struct InteractionSeed {
  std::int64_t users, items;
  std::vector<Interaction> interactions;  ///< distinct, in random order
};

/// InputError if no law has the counts, or if users would have more than half of all items.
InteractionSeed interaction_seed(const SeedOptions& options);

/// The group of a row when all rows are divided into `groups` of equal sizes, by number.
constexpr std::int64_t group_of(std::int64_t row, std::int64_t rows, std::int64_t groups) {
  return row * groups / rows;
}

/// How often each row of a side is in the interactions.
std::vector<std::int64_t> counts_of_users(std::int64_t users, std::span<const Interaction> interactions);
std::vector<std::int64_t> counts_of_items(std::int64_t items, std::span<const Interaction> interactions);

}  // namespace podsim::workloads::streams
