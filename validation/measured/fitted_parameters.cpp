// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/fitted_parameters.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <variant>

namespace podsim::validation::measured {
namespace {

std::string scaled(const base::Dimensional& value, const std::string& text, double factor) {
  if (value.kind == base::Dimensional::Kind::bytes) return fmt::format("{} B", std::llround(value.si * factor));
  if (value.kind == base::Dimensional::Kind::cycles) return fmt::format("{} cycles", std::llround(value.si * factor));
  const std::size_t unit = text.find(' ');
  return fmt::format("{:.4g}{}", std::stod(text) * factor, unit == std::string::npos ? "" : text.substr(unit));
}

}  // namespace

std::vector<std::string> measured_keys(const base::Config& machine) {
  std::vector<std::string> keys;
  for (const base::ConfigEntry& entry : machine.entries()) {
    const bool number = std::holds_alternative<std::int64_t>(entry.value) ||
                        std::holds_alternative<double>(entry.value) ||
                        std::holds_alternative<base::Dimensional>(entry.value);
    if (number && entry.evidence == base::Evidence::measured) keys.push_back(entry.key);
  }
  return keys;
}

std::string value_after(const base::ConfigEntry& entry, int steps) {
  if (steps == 0) return entry.text;
  const double factor = std::exp2(double(steps) / octave);
  if (const auto* count = std::get_if<std::int64_t>(&entry.value)) {
    return std::to_string(std::llround(double(*count) * factor));
  }
  if (const auto* number = std::get_if<double>(&entry.value)) return fmt::format("{:.4g}", *number * factor);
  return scaled(std::get<base::Dimensional>(entry.value), entry.text, factor);
}

void apply(const std::vector<std::string>& keys, const Steps& steps, base::Config& machine) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (steps[i] == 0 || !machine.contains(keys[i])) continue;
    machine.set(keys[i] + "=" + value_after(machine.entry(keys[i]), steps[i]));
  }
}

}  // namespace podsim::validation::measured
