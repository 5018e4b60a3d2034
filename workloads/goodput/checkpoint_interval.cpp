// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/checkpoint_interval.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace podsim::workloads::goodput {
namespace {

constexpr std::size_t terms = 4;
using Coefficients = std::array<double, terms>;

/// The terms of the curve at a work in units of the middle of the points.
Coefficients terms_at(double x) { return {1 / x, 1, x, x * x}; }

/// Solves the normal equations by elimination with pivots.
Coefficients solve(std::array<std::array<double, terms + 1>, terms> rows) {
  for (std::size_t i = 0; i < terms; ++i) {
    std::size_t pivot = i;
    for (std::size_t k = i + 1; k < terms; ++k) {
      if (std::abs(rows[k][i]) > std::abs(rows[pivot][i])) pivot = k;
    }
    std::swap(rows[i], rows[pivot]);
    for (std::size_t k = 0; k < terms; ++k) {
      if (k == i) continue;
      const double factor = rows[k][i] / rows[i][i];
      for (std::size_t j = i; j <= terms; ++j) rows[k][j] -= factor * rows[i][j];
    }
  }
  Coefficients x{};
  for (std::size_t i = 0; i < terms; ++i) x[i] = rows[i][terms] / rows[i][i];
  return x;
}

Coefficients fit(const std::vector<IntervalPoint>& points, double unit) {
  std::array<std::array<double, terms + 1>, terms> sums{};
  for (const IntervalPoint& point : points) {
    const Coefficients t = terms_at(point.work_s / unit);
    for (std::size_t i = 0; i < terms; ++i) {
      for (std::size_t j = 0; j < terms; ++j) sums[i][j] += t[i] * t[j];
      sums[i][terms] += t[i] * point.cost;
    }
  }
  return solve(sums);
}

double value(const Coefficients& c, double x) {
  const Coefficients t = terms_at(x);
  double sum = 0;
  for (std::size_t i = 0; i < terms; ++i) sum += c[i] * t[i];
  return sum;
}

}  // namespace

base::Duration young_interval(base::Duration checkpoint, base::Duration between_failures) {
  return base::Duration(std::sqrt(2 * checkpoint.si() * between_failures.si()));
}

base::Duration daly_interval(base::Duration checkpoint, base::Duration between_failures) {
  const double c = checkpoint.si(), m = between_failures.si();
  if (c >= 2 * m) return between_failures;
  const double ratio = c / (2 * m);
  return base::Duration(std::sqrt(2 * c * m) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - c);
}

base::Duration expected_time(base::Duration work, base::Duration checkpoint, base::Duration restart,
                             base::Duration between_failures) {
  const double m = between_failures.si();
  return base::Duration(m * std::exp(restart.si() / m) * std::expm1((work.si() + checkpoint.si()) / m));
}

BestInterval best_interval(const std::vector<IntervalPoint>& points) {
  assert(points.size() >= terms);
  const auto [least, most] = std::ranges::minmax(points, {}, &IntervalPoint::work_s);
  const double unit = std::sqrt(least.work_s * most.work_s);
  const Coefficients curve = fit(points, unit);
  // The curve is smooth: a fine search in equal ratios finds its minimum.
  constexpr int tried = 20'000;
  const double ratio = most.work_s / least.work_s;
  int best = 0;
  const auto work_of = [&](int i) { return least.work_s / unit * std::pow(ratio, double(i) / tried); };
  for (int i = 1; i <= tried; ++i) {
    if (value(curve, work_of(i)) < value(curve, work_of(best))) best = i;
  }
  return {base::Duration(work_of(best) * unit), value(curve, work_of(best)), best == 0 || best == tried};
}

}  // namespace podsim::workloads::goodput
