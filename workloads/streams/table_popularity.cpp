// SPDX-License-Identifier: Apache-2.0
#include "workloads/streams/table_popularity.h"

#include <algorithm>
#include <cmath>

#include "workloads/streams/interaction_seed.h"
#include "workloads/streams/popularity_law.h"

namespace podsim::workloads::streams {

TablePopularity uniform_popularity(std::int64_t rows) { return {{1 / double(rows)}, double(rows)}; }

TablePopularity fractal_popularity(std::int64_t rows) {
  const SeedOptions seed;
  const PopularityLaw law =
      popularity_law(seed.items, seed.item_exponent, double(seed.most_of_item), double(seed.interactions));
  std::vector<double> sums{0};  // of the shares up to every rank
  for (std::int64_t rank = 1; rank <= law.rows; ++rank) sums.push_back(sums.back() + law.count(double(rank)));
  for (double& sum : sums) sum /= sums.back();
  const std::int64_t steps = std::min(rows, law.rows);
  TablePopularity result{{}, double(rows) / double(steps)};
  double before = 0;
  for (std::int64_t step = 1; step <= steps; ++step) {
    const double rank = double(step) * double(law.rows) / double(steps), whole = std::floor(rank);
    const auto at = std::size_t(whole);
    const double sum = at + 1 < sums.size() ? std::lerp(sums[at], sums[at + 1], rank - whole) : sums.back();
    result.shares.push_back((sum - before) / result.copies);
    before = sum;
  }
  return result;
}

double expected_distinct(const TablePopularity& popularity, double lookups) {
  double distinct = 0;
  for (double share : popularity.shares) {
    distinct += share < 1 ? -std::expm1(lookups * std::log1p(-share)) : 1;
  }
  return popularity.copies * distinct;
}

double largest_of_poisson(double mean, double count) {
  double expected = 0, below = 0;
  for (double k = 0;; ++k) {
    below += std::exp((k > 0 ? k * std::log(mean) - std::lgamma(k + 1) : 0) - mean);
    const double above = below < 1 ? -std::expm1(count * std::log(below)) : 0;
    if (k >= mean && above < 1e-9) return expected;
    expected += above;
  }
}

}  // namespace podsim::workloads::streams
