// SPDX-License-Identifier: Apache-2.0
#include "noc/distribution.h"

#include <array>
#include <cmath>
#include <numbers>

namespace podsim::noc {
namespace {

struct DistributionName {
  Distribution distribution;
  std::string_view name;
};

constexpr std::array<DistributionName, 3> distribution_names{
    {{Distribution::uniform, "uniform"}, {Distribution::exponential, "exponential"}, {Distribution::normal, "normal"}}};

/// x with erf(x) = share. Begins with Winitzki's approximation, which Newton's steps on erfc refine: the tail keeps its
/// digits there.
double inverse_erf(double share) {
  const double log = std::log1p(-share * share), a = 0.147;
  const double half = 2 / (std::numbers::pi * a) + log / 2;
  double x = std::sqrt(std::sqrt(half * half - log / a) - half);
  for (int step = 0; step < 3; ++step) {
    const double slope = 2 * std::numbers::inv_sqrtpi * std::exp(-x * x);
    x += (std::erfc(x) - (1 - share)) / slope;
  }
  return x;
}

/// The output function of SplitMix64 (G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators,
/// 2014).
std::uint64_t mixed(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15ULL;
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9ULL;
  number = (number ^ number >> 27) * 0x94d049bb133111ebULL;
  return number ^ number >> 31;
}

}  // namespace

std::string_view to_string(Distribution distribution) { return distribution_names[std::size_t(distribution)].name; }

std::optional<Distribution> parse_distribution(std::string_view name) {
  for (const DistributionName& known : distribution_names) {
    if (known.name == name) return known.distribution;
  }
  return std::nullopt;
}

double quantile(Distribution distribution, double share) {
  switch (distribution) {
    case Distribution::uniform:
      return share;
    case Distribution::exponential:
      return -std::log1p(-share);
    case Distribution::normal:
      break;
  }
  return share <= 0 ? 0 : std::numbers::sqrt2 * inverse_erf(share);
}

double mean_of_largest(Distribution distribution, std::int64_t draws) {
  const auto n = double(draws);
  if (distribution == Distribution::uniform) return n / (n + 1);
  double sum = 0;
  if (distribution == Distribution::exponential) {
    for (std::int64_t k = draws; k > 0; --k) sum += 1 / double(k);
    return sum;
  }
  constexpr int pieces = 4000;
  constexpr double end = 12;  // beyond which the integrand is below 1e-20 of any number of draws that there is
  for (int piece = 0; piece < pieces; ++piece) {
    const double tail = std::erfc((piece + 0.5) * end / pieces / std::numbers::sqrt2);
    sum -= std::expm1(n * std::log1p(-tail));
  }
  return sum * end / pieces;
}

double drawn_share(std::uint64_t seed, std::span<const std::uint64_t> what) {
  std::uint64_t state = mixed(seed);
  for (const std::uint64_t number : what) state = mixed(state ^ mixed(number));
  return double(state >> 11) * 0x1p-53;
}

}  // namespace podsim::noc
