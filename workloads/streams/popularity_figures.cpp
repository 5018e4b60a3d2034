// SPDX-License-Identifier: Apache-2.0
#include "workloads/streams/popularity_figures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace podsim::workloads::streams {
namespace {

double sum_of(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// `sorted` has the largest count first.
double exponent_of(const std::vector<double>& sorted) {
  constexpr std::int64_t min_rows = 1000;
  constexpr int points = 200;
  if (std::int64_t(sorted.size()) < min_rows) return std::numeric_limits<double>::quiet_NaN();
  const double first = std::log(double(sorted.size()) * 1e-3), last = std::log(double(sorted.size()) * 0.1);
  double x_sum = 0, y_sum = 0, xx_sum = 0, xy_sum = 0, number = 0;
  for (int i = 0; i < points; ++i) {
    const double rank = std::exp(first + (last - first) * i / (points - 1));
    const double count = sorted[std::size_t(std::clamp(std::llround(rank), 1LL, (long long)(sorted.size()))) - 1];
    if (count <= 0) break;
    const double x = std::log(rank), y = std::log(count);
    x_sum += x;
    y_sum += y;
    xx_sum += x * x;
    xy_sum += x * y;
    ++number;
  }
  return -(number * xy_sum - x_sum * y_sum) / (number * xx_sum - x_sum * x_sum);
}

/// One rotation of the rows a and b that makes them orthogonal; false if they were.
bool rotate(std::vector<double>& a, std::vector<double>& b) {
  const double aa = std::inner_product(a.begin(), a.end(), a.begin(), 0.0);
  const double bb = std::inner_product(b.begin(), b.end(), b.begin(), 0.0);
  const double ab = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  if (std::abs(ab) <= 1e-14 * std::sqrt(aa * bb)) return false;
  const double zeta = (bb - aa) / (2 * ab);
  const double tangent = std::copysign(1 / (std::abs(zeta) + std::sqrt(1 + zeta * zeta)), zeta);
  const double cosine = 1 / std::sqrt(1 + tangent * tangent), sine = cosine * tangent;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    a[i] = cosine * x - sine * y;
    b[i] = sine * x + cosine * y;
  }
  return true;
}

}  // namespace

PopularityFigures popularity_figures(std::span<const double> counts) {
  std::vector<double> sorted(counts.begin(), counts.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  PopularityFigures figures;
  figures.rows = std::int64_t(counts.size());
  figures.lookups = sum_of(sorted);
  figures.exponent = exponent_of(sorted);
  const auto share = [&](double part) {
    const auto rows = std::size_t(std::llround(part * double(sorted.size())));
    return sum_of(std::span(sorted).first(rows)) / figures.lookups;
  };
  figures.top_thousandth = share(1e-3);
  figures.top_hundredth = share(1e-2);
  figures.top_tenth = share(0.1);
  return figures;
}

double expected_distinct(std::span<const double> counts, double lookups) {
  const double total = sum_of(counts);
  double distinct = 0;
  for (double count : counts) distinct -= std::expm1(lookups * std::log1p(-count / total));
  return distinct;
}

double duplicate_rate(std::span<const double> counts, double lookups) {
  return 1 - expected_distinct(counts, lookups) / lookups;
}

ShardLoad shard_load(std::span<const double> counts, double lookups, std::int64_t shards) {
  const double total = sum_of(counts);
  std::vector<double> found(std::size_t(shards), 0), distinct(std::size_t(shards), 0);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    found[i % std::size_t(shards)] += counts[i];
    distinct[i % std::size_t(shards)] -= std::expm1(lookups * std::log1p(-counts[i] / total));
  }
  return {*std::ranges::max_element(found) * double(shards) / total,
          *std::ranges::max_element(distinct) * double(shards) / sum_of(distinct)};
}

std::vector<double> singular_values(std::vector<std::vector<double>> matrix) {
  constexpr int max_sweeps = 60;
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    bool rotated = false;
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      for (std::size_t j = i + 1; j < matrix.size(); ++j) rotated |= rotate(matrix[i], matrix[j]);
    }
    if (!rotated) break;
  }
  std::vector<double> values;
  for (const auto& row : matrix) {
    values.push_back(std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0)));
  }
  std::sort(values.begin(), values.end(), std::greater<>());
  return values;
}

}  // namespace podsim::workloads::streams
