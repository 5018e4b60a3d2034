// SPDX-License-Identifier: Apache-2.0
#include "studies/optimise/search_space.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace podsim::studies::optimise {
namespace {

constexpr int feistel_rounds = 4;

/// The finaliser of MurmurHash3 (Appleby, public domain): every bit of the result depends on every bit of the argument.
std::uint64_t mixed(std::uint64_t bits) {
  bits ^= bits >> 33;
  bits *= 0xff51afd7ed558ccdULL;
  bits ^= bits >> 33;
  bits *= 0xc4ceb9fe1a85ec53ULL;
  return bits ^ (bits >> 33);
}

}  // namespace

double Dimension::distance(std::int64_t one, std::int64_t other) const {
  if (ranks.empty()) return one == other ? 0 : 1;
  const auto steps = std::abs(ranks[std::size_t(one)] - ranks[std::size_t(other)]);
  return values > 1 ? double(steps) / double(values - 1) : 0;
}

SearchSpace::SearchSpace(std::vector<Dimension> dimensions) : dimensions_(std::move(dimensions)) {
  for (const Dimension& dimension : dimensions_) {
    assert(size_ <= std::numeric_limits<std::int64_t>::max() / dimension.values);
    size_ *= dimension.values;
  }
}

std::int64_t SearchSpace::number_of(const Candidate& candidate) const {
  std::int64_t number = 0;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) number = number * dimensions_[i].values + candidate[i];
  return number;
}

Candidate SearchSpace::candidate(std::int64_t number) const {
  Candidate candidate(dimensions_.size());
  for (std::size_t i = dimensions_.size(); i-- > 0;) {
    candidate[i] = number % dimensions_[i].values;
    number /= dimensions_[i].values;
  }
  return candidate;
}

std::vector<Candidate> SearchSpace::neighbours(const Candidate& candidate) const {
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    const std::vector<std::int64_t>& ranks = dimensions_[i].ranks;
    for (std::int64_t value = 0; value < dimensions_[i].values; ++value) {
      if (value == candidate[i]) continue;
      if (!ranks.empty() && std::abs(ranks[std::size_t(value)] - ranks[std::size_t(candidate[i])]) > 1) continue;
      all.push_back(candidate);
      all.back()[i] = value;
    }
  }
  return all;
}

RandomOrder::RandomOrder(std::int64_t size, std::uint64_t seed) : size_(std::uint64_t(size)), seed_(mixed(seed + 1)) {
  while (half_bits_ < 32 && (std::uint64_t(1) << (2 * half_bits_)) < size_) ++half_bits_;
}

std::uint64_t RandomOrder::pass(std::uint64_t number) const {
  const std::uint64_t mask = (std::uint64_t(1) << half_bits_) - 1;
  std::uint64_t left = number >> half_bits_, right = number & mask;
  for (int round = 0; round < feistel_rounds; ++round) {
    left ^= mixed(right ^ (seed_ + std::uint64_t(round) * 0x9e3779b97f4a7c15ULL)) & mask;
    std::swap(left, right);
  }
  return (left << half_bits_) | right;
}

std::int64_t RandomOrder::at(std::int64_t position) const {
  std::uint64_t number = pass(std::uint64_t(position));
  while (number >= size_) number = pass(number);
  return std::int64_t(number);
}

}  // namespace podsim::studies::optimise
