// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/work_split.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace podsim::validation::profile {
namespace {

/// Fraction of the operations that may remain, for reductions to row statistics and operations on vectors.
constexpr double left_over = 0.003;
constexpr double per_share_left_over = 40;
constexpr std::int64_t max_per_side = 64;

}  // namespace

std::vector<std::int64_t> split_work(double operations, const std::vector<WorkSide>& sides) {
  assert(sides.size() <= 3);
  std::vector<std::int64_t> best(sides.size(), 0);
  if (operations < 1) return best;
  double least = std::numeric_limits<double>::infinity();
  double all_expected = 1;
  for (const WorkSide& side : sides) all_expected += double(side.expected);
  std::vector<std::int64_t> counts(sides.size(), 0);
  auto score = [&] {
    double done = 0, deviation = 0;
    for (std::size_t i = 0; i < sides.size(); ++i) {
      done += double(counts[i]) * sides[i].elements;
      deviation += double(std::abs(counts[i] - sides[i].expected));
    }
    const double left = std::abs(operations - done) / operations;
    const double found = per_share_left_over * std::max(0.0, left - left_over) + 0.2 * deviation / all_expected;
    if (found < least) least = found, best = counts;
  };
  auto most = [&](std::size_t i, double left) {
    if (i >= sides.size() || sides[i].elements < 1) return std::int64_t(0);
    return std::clamp<std::int64_t>(std::llround(left / sides[i].elements), 0, max_per_side);
  };
  // The last side takes the remainder.
  const std::size_t last = sides.empty() ? 0 : sides.size() - 1;
  auto finish = [&](double left) {
    counts[last] = most(last, left);
    score();
  };
  if (sides.size() == 1) finish(operations);
  if (sides.size() < 2) return best;
  for (counts[0] = most(0, operations); counts[0] >= 0; --counts[0]) {
    const double left = operations - double(counts[0]) * sides[0].elements;
    if (sides.size() == 2) {
      finish(left);
      continue;
    }
    for (counts[1] = most(1, std::max(0.0, left)); counts[1] >= 0; --counts[1]) {
      finish(left - double(counts[1]) * sides[1].elements);
    }
  }
  return best;
}

}  // namespace podsim::validation::profile
