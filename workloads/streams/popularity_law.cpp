// SPDX-License-Identifier: Apache-2.0
#include "workloads/streams/popularity_law.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"

namespace podsim::workloads::streams {
namespace {

/// The sum of a law's counts: those of the first ranks, and the integral over the others by the midpoint rule.
double lookups_of(const PopularityLaw& law) {
  constexpr std::int64_t summed = 1000;
  double sum = 0;
  for (std::int64_t rank = 1; rank <= std::min(law.rows, summed); ++rank) sum += law.count(double(rank));
  if (law.rows <= summed) return sum;
  const double first = double(summed) + 0.5 + law.flat, last = double(law.rows) + 0.5 + law.flat;
  const double scale = law.most * std::pow(1 + law.flat, law.exponent);
  if (std::abs(law.exponent - 1) < 1e-9) return sum + scale * std::log(last / first);
  return sum + scale * (std::pow(first, 1 - law.exponent) - std::pow(last, 1 - law.exponent)) / (law.exponent - 1);
}

}  // namespace

double PopularityLaw::count(double rank) const { return most * std::pow((1 + flat) / (rank + flat), exponent); }

PopularityLaw popularity_law(std::int64_t rows, double exponent, double most, double total) {
  PopularityLaw law{rows, exponent, most, 0};
  double low = 0, high = 1e6 * double(rows);
  law.flat = high;
  const double highest = lookups_of(law);
  law.flat = low;
  if (total < lookups_of(law) || total > highest) {
    throw base::InputError(fmt::format(
        "no law of exponent {} has {:.0f} look-ups of {} rows and {:.0f} of the most popular row: between {:.0f} and "
        "{:.0f} would do",
        exponent, total, rows, most, lookups_of(law), highest));
  }
  for (int step = 0; step < 200 && high - low > 1e-9 * high; ++step) {
    law.flat = (low + high) / 2;
    (lookups_of(law) < total ? low : high) = law.flat;
  }
  return law;
}

std::vector<std::int64_t> whole_counts(const PopularityLaw& law, std::int64_t total) {
  std::vector<double> shares;
  double sum = 0;
  for (std::int64_t rank = 1; rank <= law.rows; ++rank) sum += shares.emplace_back(law.count(double(rank)));
  std::vector<std::int64_t> counts;
  double reached = 0;
  std::int64_t given = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    reached += shares[i] / sum * double(total);
    const std::int64_t others = std::int64_t(shares.size() - i) - 1;
    const std::int64_t most = std::max<std::int64_t>(1, total - given - others);
    counts.push_back(std::clamp<std::int64_t>(std::llround(reached) - given, 1, most));
    given += counts.back();
  }
  return counts;
}

}  // namespace podsim::workloads::streams
