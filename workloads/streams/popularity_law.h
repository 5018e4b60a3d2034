// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace podsim::workloads::streams {

/// How often rows are looked up, by rank: count(r) = most ((1 + flat) / (r + flat))^exponent, for r = 1 .. rows (Zipf's
/// law as Mandelbrot wrote it). The first `flat` ranks are almost equally popular.
struct PopularityLaw {
  std::int64_t rows = 1;
  double exponent = 1;
  double most = 1;  ///< count of the most popular row
  double flat = 0;

  double count(double rank) const;
};

/// The law whose counts add up to `total`. InputError if there is none: `total` is between most and rows x most.
PopularityLaw popularity_law(std::int64_t rows, double exponent, double most, double total);

/// Counts of all ranks, which add up to `total` exactly and are at least 1: the sums of the law up to every rank are
/// rounded.
std::vector<std::int64_t> whole_counts(const PopularityLaw& law, std::int64_t total);

}  // namespace podsim::workloads::streams
