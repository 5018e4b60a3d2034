// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/run_spread.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

namespace podsim::workloads::job {

namespace {

double sum(const std::vector<std::int64_t>& values) {
  return double(std::accumulate(values.begin(), values.end(), std::int64_t(0)));
}

/// Between 0 and 1, neither included.
double uniform(std::mt19937_64& engine) { return (double(engine() >> 11) + 0.5) * 0x1p-53; }

/// Normally distributed with variance 1, after Box and Muller.
double normal(std::mt19937_64& engine) {
  const double radius = std::sqrt(-2 * std::log(uniform(engine)));
  return radius * std::cos(2 * std::numbers::pi * uniform(engine));
}

}  // namespace

double RunSpread::mean() const { return sum(loops) / double(loops.size()); }

double RunSpread::standard_deviation() const {
  if (loops.size() < 2) return 0;
  const double middle = mean();
  double squares = 0;
  for (const std::int64_t value : loops) squares += (double(value) - middle) * (double(value) - middle);
  return std::sqrt(squares / double(loops.size() - 1));
}

std::int64_t RunSpread::least() const { return *std::ranges::min_element(loops); }

std::int64_t RunSpread::most() const { return *std::ranges::max_element(loops); }

double RunSpread::mlperf() const {
  assert(loops.size() >= 3);
  return (sum(loops) - double(least()) - double(most())) / double(loops.size() - 2);
}

RunSpread spread_of_runs(const SpreadPlan& plan) {
  RunSpread result{plan, {}};
  std::mt19937_64 engine(plan.seed);
  for (std::int64_t run = 0; run < plan.runs; ++run) {
    const double needed = plan.loops * (1 + plan.spread * normal(engine)) - 0.5;
    result.loops.push_back(std::int64_t(std::max(std::ceil(needed), 1.0)));
  }
  return result;
}

}  // namespace podsim::workloads::job
