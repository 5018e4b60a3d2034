// SPDX-License-Identifier: Apache-2.0
#include "workloads/streams/interaction_seed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/diagnostic.h"
#include "workloads/streams/alias_table.h"
#include "workloads/streams/draw_weights.h"
#include "workloads/streams/random_bits.h"

namespace podsim::workloads::streams {
namespace {

template <typename Value>
void shuffle(std::vector<Value>& values, RandomSequence& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

/// Weights of the genres for every taste, scaled in turn so that all tastes and, with the shares of the genres, all
/// genres have the mean 1.
std::vector<std::vector<double>> preferences(const SeedOptions& options, const std::vector<double>& genre_shares,
                                             RandomSequence& random) {
  constexpr int factors = 3, rounds = 50;
  constexpr double strength = 0.7;
  const auto tastes = std::size_t(options.tastes), genres = std::size_t(options.genres);
  std::vector<std::vector<double>> weights(tastes, std::vector<double>(genres));
  for (int factor = 1; factor <= factors; ++factor) {
    std::vector<double> of_genre(genres);
    for (double& value : of_genre) value = 2 * random.real() - 1;
    for (auto& row : weights) {
      const double of_taste = (2 * random.real() - 1) * strength / factor * 2;
      for (std::size_t genre = 0; genre < genres; ++genre) row[genre] += of_taste * of_genre[genre];
    }
  }
  for (auto& row : weights) {
    for (double& weight : row) weight = std::exp(weight);
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t genre = 0; genre < genres; ++genre) {
      double sum = 0;
      for (const auto& row : weights) sum += row[genre];
      for (auto& row : weights) row[genre] *= double(tastes) / sum;
    }
    for (auto& row : weights) {
      const double sum = std::inner_product(row.begin(), row.end(), genre_shares.begin(), 0.0);
      for (double& weight : row) weight /= sum;
    }
  }
  return weights;
}

/// The items of users, drawn by taste, genre and item.
class ItemDraws {
 public:
  ItemDraws(const SeedOptions& options, const std::vector<double>& weights, RandomSequence& random)
      : options_(options), random_(random), taken_by_(std::size_t(options.items), 0) {
    std::vector<double> shares(std::size_t(options.genres));
    std::int64_t item = 0;
    for (std::int64_t genre = 0; genre < options.genres; ++genre) {
      first_.push_back(std::uint32_t(item));
      std::vector<double> own;
      for (; item < options.items && group_of(item, options.items, options.genres) == genre; ++item) {
        own.push_back(weights[std::size_t(item)]);
      }
      shares[std::size_t(genre)] = std::accumulate(own.begin(), own.end(), 0.0);
      items_.emplace_back(own);
    }
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= sum;
    for (std::vector<double>& taste : preferences(options, shares, random)) {
      for (std::size_t genre = 0; genre < shares.size(); ++genre) taste[genre] *= shares[genre];
      genres_.emplace_back(taste);
    }
  }

  void add(std::uint32_t user, std::int64_t count, std::vector<Interaction>& interactions) {
    const AliasTable& genres = genres_[std::size_t(group_of(user, options_.users, options_.tastes))];
    for (std::int64_t drawn = 0; drawn < count; ++drawn) interactions.push_back({user, next(user, genres)});
  }

 private:
  /// An item that the user does not have yet. After many that the user has, it is the next one by number.
  std::uint32_t next(std::uint32_t user, const AliasTable& genres) {
    constexpr int max_draws = 1000;
    std::uint32_t item = 0;
    for (int draw = 0; draw < max_draws; ++draw) {
      const std::uint32_t genre = genres.draw(random_.bits());
      item = first_[genre] + items_[genre].draw(random_.bits());
      if (std::exchange(taken_by_[item], user + 1) != user + 1) return item;
    }
    do item = (item + 1) % std::uint32_t(options_.items);
    while (taken_by_[item] == user + 1);
    taken_by_[item] = user + 1;
    return item;
  }

  const SeedOptions& options_;
  RandomSequence& random_;
  std::vector<std::uint32_t> taken_by_;  ///< the last user who has the item, plus 1
  std::vector<std::uint32_t> first_;     ///< item of each genre
  std::vector<AliasTable> items_;        ///< within each genre
  std::vector<AliasTable> genres_;       ///< of each taste
};

}  // namespace

InteractionSeed interaction_seed(const SeedOptions& options) {
  if (options.most_of_user > options.items / 2 || options.most_of_item > options.users) {
    throw base::InputError(fmt::format(
        "a user has at most half of the {} items and an item at most all {} users; most_of_user is {}, most_of_item {}",
        options.items, options.users, options.most_of_user, options.most_of_item));
  }
  const double total = double(options.interactions);
  const PopularityLaw users = popularity_law(options.users, options.user_exponent, double(options.most_of_user), total);
  const PopularityLaw items = popularity_law(options.items, options.item_exponent, double(options.most_of_item), total);
  RandomSequence random(options.seed);
  std::vector<std::int64_t> counts = whole_counts(users, options.interactions);
  shuffle(counts, random);
  std::vector<double> weights = draw_weights(users, items);
  shuffle(weights, random);
  ItemDraws draws(options, weights, random);
  InteractionSeed seed{options.users, options.items, {}};
  seed.interactions.reserve(std::size_t(options.interactions));
  for (std::size_t user = 0; user < counts.size(); ++user) {
    draws.add(std::uint32_t(user), counts[user], seed.interactions);
  }
  shuffle(seed.interactions, random);
  return seed;
}

std::vector<std::int64_t> counts_of_users(std::int64_t users, std::span<const Interaction> interactions) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(users));
  for (const Interaction& interaction : interactions) ++counts[interaction.user];
  return counts;
}

std::vector<std::int64_t> counts_of_items(std::int64_t items, std::span<const Interaction> interactions) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(items));
  for (const Interaction& interaction : interactions) ++counts[interaction.item];
  return counts;
}

}  // namespace podsim::workloads::streams
