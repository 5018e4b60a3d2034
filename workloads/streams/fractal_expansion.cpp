// SPDX-License-Identifier: Apache-2.0
#include "workloads/streams/fractal_expansion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/diagnostic.h"
#include "workloads/streams/random_bits.h"

namespace podsim::workloads::streams {
namespace {

constexpr int guide_bits = 6;  // log2 of the guide's entries for a sum of 1
constexpr std::int64_t max_copies = 1 << 16;

/// counts[i] x factor of every copy.
std::vector<double> grown(const std::vector<double>& factors, const std::vector<std::int64_t>& counts) {
  std::vector<double> result;
  result.reserve(factors.size() * counts.size());
  for (double factor : factors) {
    for (std::int64_t count : counts) result.push_back(factor * double(count));
  }
  return result;
}

}  // namespace

FractalExpansion::FractalExpansion(const InteractionSeed& seed, const ExpansionOptions& options)
    : seed_(seed),
      options_(options),
      reduced_(std::size_t(options.user_factor), std::vector<double>(std::size_t(options.item_factor))) {
  if (options.user_factor * options.item_factor > max_copies || users() > UINT32_MAX || items() > UINT32_MAX) {
    throw base::InputError(
        fmt::format("an expansion has at most {} copies of its seed and 2^32 users or items", max_copies));
  }
  const double size = double(seed.interactions.size());
  for (const Interaction& interaction : seed.interactions) {
    reduced_[std::size_t(group_of(interaction.user, seed.users, options.user_factor))]
            [std::size_t(group_of(interaction.item, seed.items, options.item_factor))] += 1;
  }
  double most = 0;
  for (auto& row : reduced_) {
    for (double& element : row) most = std::max(most, element *= double(options.interactions) / size / size);
  }
  if (most > 1) {
    throw base::InputError(
        fmt::format("{} interactions are too many: the most frequent of {} x {} copies would need "
                    "each interaction of the seed {:.3g} times; at most {:.0f} fit",
                    options.interactions, options.user_factor, options.item_factor, most,
                    std::floor(double(options.interactions) / most)));
  }
}

double FractalExpansion::expected_interactions() const {
  double sum = 0;
  for (const auto& row : reduced_) sum = std::accumulate(row.begin(), row.end(), sum);
  return sum * double(seed_.interactions.size());
}

std::vector<double> FractalExpansion::user_counts() const {
  std::vector<double> sums;
  for (const auto& row : reduced_) {
    double& sum = sums.emplace_back(0);
    for (double element : row) sum += element;
  }
  return grown(sums, counts_of_users(seed_.users, seed_.interactions));
}

std::vector<double> FractalExpansion::item_counts() const {
  std::vector<double> sums(reduced_.front().size());
  for (const auto& row : reduced_) {
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += row[j];
  }
  return grown(sums, counts_of_items(seed_.items, seed_.interactions));
}

InteractionStream::InteractionStream(const FractalExpansion& expansion, std::uint64_t seed)
    : seed_(expansion.seed().interactions.data()),
      seed_size_(expansion.seed().interactions.size()),
      key_(random_bits(seed + 1)) {
  double sum = 0;
  for (std::size_t i = 0; i < expansion.reduced().size(); ++i) {
    for (std::size_t j = 0; j < expansion.reduced()[i].size(); ++j) {
      sum += expansion.reduced()[i][j];
      copies_.push_back({std::uint64_t(sum * 0x1p32), std::uint32_t(std::int64_t(i) * expansion.seed().users),
                         std::uint32_t(std::int64_t(j) * expansion.seed().items)});
    }
  }
  sum_ = copies_.back().end;
  passes_ = (sum_ >> 32) + 1;
  std::uint16_t copy = 0;
  for (std::uint64_t slot = 0; slot < passes_ << guide_bits; ++slot) {
    while (copy + 1U < copies_.size() && copies_[copy].end <= slot << (32 - guide_bits)) ++copy;
    guide_.push_back(copy);
  }
}

void InteractionStream::next(std::span<Interaction> interactions) {
  Interaction* out = interactions.data();
  Interaction* const end = out + interactions.size();
  std::uint64_t place = place_;
  while (out != end) {
    const std::uint64_t last = std::min(seed_size_, place + std::uint64_t(end - out));
    for (; place < last; ++place) {
      const std::uint64_t bits = random_bits(place ^ key_);
      std::uint64_t turn = pass_ + ((bits >> 32) * passes_ >> 32);
      if (turn >= passes_) turn -= passes_;
      const std::uint64_t at = turn << 32 | std::uint32_t(bits);
      std::size_t copy = guide_[at >> (32 - guide_bits)];
      while (copies_[copy].end <= at && copy + 1 < copies_.size()) ++copy;
      *out = {seed_[place].user + copies_[copy].first_user, seed_[place].item + copies_[copy].first_item};
      out += at < sum_;
    }
    if (place < seed_size_) continue;
    place = 0;
    if (++pass_ < passes_) continue;
    pass_ = 0;
    ++turns_;
  }
  place_ = place;
}

}  // namespace podsim::workloads::streams
