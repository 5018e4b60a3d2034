// SPDX-License-Identifier: Apache-2.0
#include "report/html/chart_scale.h"

#include <algorithm>
#include <cmath>

namespace podsim::report::html {
namespace {

constexpr double slack = 1e-9;  // rounding tolerance, as a share of a step, decade or value
// Ends of a scale are within these, so that lengths and ratios of them are finite; damaged results may hold any number.
constexpr double largest_end = 1e150, smallest_end = 1e-150;

/// The smallest step of 1, 2 or 5 times a power of ten of which at most `most` fit the range.
double step_for(double range, int most) {
  const double least = range / std::max(1, most);
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - slack)) return factor * power;
  }
  return 10 * power;
}

std::vector<double> linear_ticks(double low, double high, int most) {
  const double step = step_for(high - low, most);
  std::vector<double> ticks;
  for (double n = std::ceil(low / step - slack); n * step <= high + slack * step; ++n) ticks.push_back(n * step);
  return ticks;
}

std::vector<double> logarithmic_ticks(double low, double high, int most) {
  const double first = std::log10(low), last = std::log10(high);
  const double every = std::max(1.0, std::ceil((last - first) / std::max(1, most)));
  const bool between = (last - first) * 3 <= most;
  std::vector<double> ticks;
  const int end = static_cast<int>(std::floor(last + slack));
  for (int decade = static_cast<int>(std::floor(first)); decade <= end; ++decade) {
    if (std::fmod(std::abs(decade), every) != 0) continue;
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double at = decade + std::log10(factor);
      if ((factor == 1 || between) && at >= first - slack && at <= last + slack) {
        ticks.push_back(factor * std::pow(10.0, decade));
      }
    }
  }
  return ticks;
}

}  // namespace

ChartScale::ChartScale(double low, double high, double from, double to, bool logarithmic)
    : low_(low), high_(high), from_(from), to_(to), logarithmic_(logarithmic) {}

ChartScale ChartScale::linear(double low, double high, double from, double to) {
  low = std::clamp(low, -largest_end, largest_end);
  high = std::clamp(high, -largest_end, largest_end);
  if (low > high) std::swap(low, high);
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low <= slack * size) {  // a single value up to rounding
    const double around = size == 0 ? 1 : size / 2;
    low -= around;
    high += around;
  }
  return {low, high, from, to, false};
}

ChartScale ChartScale::logarithmic(double low, double high, double from, double to) {
  if (low > high) std::swap(low, high);
  if (!(high > 0)) high = 1;
  if (!(low > 0)) low = high / 10;
  low = std::clamp(low, smallest_end, largest_end);
  high = std::clamp(high, smallest_end, largest_end);
  if (low == high) {
    low /= 2;
    high *= 2;
  }
  return {low, high, from, to, true};
}

double ChartScale::place(double value) const {
  const double part = logarithmic_ ? std::log(std::max(value, low_ * 1e-12) / low_) / std::log(high_ / low_)
                                   : (value - low_) / (high_ - low_);
  const bool nowhere = logarithmic_ && !(value > 0);
  return nowhere ? from_ : from_ + (to_ - from_) * part;
}

double ChartScale::value_at(double place) const {
  const double part = (place - from_) / (to_ - from_);
  return logarithmic_ ? low_ * std::pow(high_ / low_, part) : low_ + (high_ - low_) * part;
}

std::vector<double> ChartScale::ticks(int most) const {
  return logarithmic_ ? logarithmic_ticks(low_, high_, most) : linear_ticks(low_, high_, most);
}

ChartScale ChartScale::rounded(int most) const {
  if (logarithmic_) {
    return {std::pow(10.0, std::floor(std::log10(low_) + slack)), std::pow(10.0, std::ceil(std::log10(high_) - slack)),
            from_, to_, true};
  }
  const double step = step_for(high_ - low_, most);
  return {std::floor(low_ / step + slack) * step, std::ceil(high_ / step - slack) * step, from_, to_, false};
}

}  // namespace podsim::report::html
