// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/point.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace podsim::validation::measured {
namespace {

/// Pairs of equal neighbours in a sorted order.
template <typename Equal>
std::int64_t tied_pairs(const std::vector<std::size_t>& order, Equal equal) {
  std::int64_t pairs = 0, run = 1;
  for (std::size_t i = 1; i <= order.size(); ++i) {
    if (i < order.size() && equal(order[i - 1], order[i])) {
      ++run;
    } else {
      pairs += run * (run - 1) / 2;
      run = 1;
    }
  }
  return pairs;
}

/// Sorts `values` by merging, and returns the number of pairs that were out of order.
std::int64_t sort_counting(std::vector<double>& values, std::vector<double>& scratch, std::size_t begin,
                           std::size_t end) {
  if (end - begin < 2) return 0;
  const std::size_t middle = begin + (end - begin) / 2;
  std::int64_t swaps = sort_counting(values, scratch, begin, middle) + sort_counting(values, scratch, middle, end);
  std::size_t left = begin, right = middle;
  for (std::size_t at = begin; at < end; ++at) {
    if (right == end || (left < middle && values[left] <= values[right])) {
      scratch[at] = values[left++];
    } else {
      swaps += std::int64_t(middle - left);
      scratch[at] = values[right++];
    }
  }
  std::copy(scratch.begin() + std::ptrdiff_t(begin), scratch.begin() + std::ptrdiff_t(end),
            values.begin() + std::ptrdiff_t(begin));
  return swaps;
}

double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  const double at = share * double(sorted.size() - 1);
  const auto below = std::size_t(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - double(below)) * (sorted[above] - sorted[below]);
}

template <typename Value>
Agreement agreement_of(const PointClass& measured, Value value) {
  std::vector<double> errors, times, modelled;
  Agreement result;
  for (const Point& point : measured.points) {
    if (!point.modelled || point.measured <= 0) continue;
    times.push_back(point.measured);
    modelled.push_back(value(point));
    const double relative = modelled.back() / point.measured - 1;
    errors.push_back(std::abs(relative));
    result.bias += relative;
  }
  result.points = errors.size();
  if (errors.empty()) return result;
  result.bias /= double(errors.size());
  result.mean = std::accumulate(errors.begin(), errors.end(), 0.0) / double(errors.size());
  std::ranges::sort(errors);
  result.median = quantile(errors, 0.5);
  result.percentile_90 = quantile(errors, 0.9);
  if (errors.size() > 2) result.tau = kendall_tau(times, modelled);
  return result;
}

}  // namespace

double kendall_tau(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<std::size_t> order(a.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::sort(order, [&](std::size_t i, std::size_t j) { return a[i] != a[j] ? a[i] < a[j] : b[i] < b[j]; });
  const std::int64_t tied_a = tied_pairs(order, [&](std::size_t i, std::size_t j) { return a[i] == a[j]; });
  const std::int64_t tied_both =
      tied_pairs(order, [&](std::size_t i, std::size_t j) { return a[i] == a[j] && b[i] == b[j]; });
  std::vector<double> sorted, scratch(a.size());
  for (std::size_t i : order) sorted.push_back(b[i]);
  const std::int64_t swaps = sort_counting(sorted, scratch, 0, sorted.size());
  std::ranges::sort(order, {}, [&](std::size_t i) { return b[i]; });
  const std::int64_t tied_b = tied_pairs(order, [&](std::size_t i, std::size_t j) { return b[i] == b[j]; });
  const auto n = std::int64_t(a.size());
  const std::int64_t pairs = n * (n - 1) / 2;
  const double scale = std::sqrt(double(pairs - tied_a)) * std::sqrt(double(pairs - tied_b));
  return scale > 0 ? double(pairs - tied_a - tied_b + tied_both - 2 * swaps) / scale : 0;
}

Agreement agreement(const PointClass& measured) {
  return agreement_of(measured, [](const Point& point) { return *point.modelled; });
}

std::optional<Agreement> core_agreement(const PointClass& measured) {
  const auto has_core = [](const Point& point) { return point.core_alone.has_value(); };
  if (std::ranges::none_of(measured.points, has_core)) return std::nullopt;
  return agreement_of(measured, [](const Point& point) { return point.core_alone.value_or(*point.modelled); });
}

Agreement roofline_agreement(const PointClass& measured) {
  return agreement_of(measured, [](const Point& point) { return point.roofline; });
}

}  // namespace podsim::validation::measured
