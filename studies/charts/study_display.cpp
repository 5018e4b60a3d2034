// SPDX-License-Identifier: Apache-2.0
#include "studies/charts/study_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace podsim::studies::charts {
namespace {

constexpr std::size_t max_ticks = 12;  // of a derived value; with more of them, the axis has round values
constexpr double octaves = 8;          // greatest / least from which an axis is logarithmic
constexpr double max_bare = 1e5;       // from which counts and rates have a prefix

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Unit of a metric or derived value without a declared unit, by its name.
std::string unit_by_name(std::string_view name) {
  const bool rate = contains(name, "per_s");
  if (contains(name, "bytes")) return rate ? "B/s" : "B";
  if (contains(name, "flops")) return rate ? "FLOP/s" : "FLOP";
  return !rate && name.ends_with("_s") ? "s" : "";
}

/// True for units that take a prefix at any magnitude: "ms", but "8624 /s".
bool takes_prefix(std::string_view unit) {
  static constexpr std::array symbols{"s", "B", "B/s", "b/s", "Hz", "FLOP", "FLOP/s", "J", "W"};
  return std::ranges::find(symbols, unit) != symbols.end();
}

struct Prefix {
  double factor;
  std::string_view symbol;
};
constexpr std::array prefixes{Prefix{1e-18, "E"}, Prefix{1e-15, "P"}, Prefix{1e-12, "T"}, Prefix{1e-9, "G"},
                              Prefix{1e-6, "M"},  Prefix{1e-3, "k"},  Prefix{1, ""},      Prefix{1e3, "m"},
                              Prefix{1e6, "µ"},   Prefix{1e9, "n"},   Prefix{1e12, "p"}};

/// The prefix that scales the greatest value to at least 1 and less than 1000.
Prefix prefix_for(double greatest) {
  for (const Prefix& prefix : prefixes) {
    if (greatest * prefix.factor >= 1) return prefix;
  }
  return {1, ""};
}

struct Range {
  double least = std::numeric_limits<double>::infinity(), greatest = -std::numeric_limits<double>::infinity();
};

Range range_of(const store::StudyResults& results, const store::Variable& variable) {
  Range range;
  for (const store::ResultPoint& point : results.points) {
    const std::optional<double> number = results.number(point, variable);
    if (!number || !std::isfinite(*number)) continue;
    range.least = std::min(range.least, *number);
    range.greatest = std::max(range.greatest, *number);
  }
  return range;
}

void choose_unit(VariableDisplay& display, const std::string& written, const Range& range) {
  const std::string unit = written.empty() ? unit_by_name(display.name) : written == "1/s" ? "/s" : written;
  const double magnitude = std::max(std::abs(range.least), std::abs(range.greatest));
  if (!std::isfinite(magnitude)) return;
  if (unit == "1") {
    display.unit = "%";
    display.factor = 100;
  } else if (takes_prefix(unit) || magnitude >= max_bare) {
    const Prefix prefix = prefix_for(magnitude);
    display.unit = fmt::format("{}{}", prefix.symbol, unit);
    display.factor = prefix.factor;
  } else {
    display.unit = unit;
  }
}

/// The distinct values of a derived value, in ascending order; empty if there are more than max_ticks.
std::vector<store::ResultValue> distinct_values(const store::StudyResults& results, std::size_t derived) {
  std::vector<store::ResultValue> values;
  for (const store::ResultPoint& point : results.points) {
    const store::ResultValue& value = point.derived[derived];
    if (value.number && std::ranges::find(values, value) == values.end()) values.push_back(value);
    if (values.size() > max_ticks) return {};
  }
  std::ranges::sort(values, {}, &store::ResultValue::number);
  return values;
}

std::vector<DisplayTick> value_ticks(const std::vector<store::ResultValue>& values, bool categorical) {
  std::vector<DisplayTick> ticks;
  for (const store::ResultValue& value : values) {
    ticks.push_back({categorical ? double(ticks.size()) : *value.number, value.text});
  }
  return ticks;
}

}  // namespace

std::string VariableDisplay::title() const { return unit.empty() ? name : fmt::format("{} ({})", name, unit); }

VariableDisplay display_of(const store::StudyResults& results, const store::Variable& variable) {
  VariableDisplay display;
  display.name = results.name_of(variable);
  if (variable.kind == store::Variable::Kind::axis) {
    const store::ResultAxis& axis = results.axes[variable.index];
    display.categorical = !axis.numeric();
    display.ticks = value_ticks(axis.values, display.categorical);
  } else if (variable.kind == store::Variable::Kind::derived) {
    display.ticks = value_ticks(distinct_values(results, variable.index), false);
  }
  const Range range = range_of(results, variable);
  if (variable.kind == store::Variable::Kind::metric) {
    choose_unit(display, results.metric_units[variable.index], range);
  } else if (display.ticks.empty()) {
    choose_unit(display, "", range);
  }
  display.logarithmic = !display.categorical && range.least > 0 && range.greatest >= octaves * range.least;
  return display;
}

std::optional<double> coordinate_of(const store::StudyResults& results, const store::ResultPoint& point,
                                    const store::Variable& variable, const VariableDisplay& display) {
  if (display.categorical) {
    const std::vector<store::ResultValue>& values = results.axes[variable.index].values;
    return double(std::ranges::find(values, point.axes[variable.index]) - values.begin());
  }
  const std::optional<double> number = results.number(point, variable);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return *number * display.factor;
}

std::string value_text(const store::StudyResults& results, const store::ResultPoint& point,
                       const store::Variable& variable, const VariableDisplay& display) {
  if (variable.kind == store::Variable::Kind::axis) return point.axes[variable.index].text;
  if (variable.kind == store::Variable::Kind::derived) return point.derived[variable.index].text;
  const std::optional<double> number = results.number(point, variable);
  if (!number) return "";
  return fmt::format("{}{}{}", figure_text(*number * display.factor), display.unit.empty() ? "" : " ", display.unit);
}

std::string figure_text(double value) {
  if (value == 0) return "0";
  if (std::abs(value) >= 1e4 && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

}  // namespace podsim::studies::charts
