// SPDX-License-Identifier: Apache-2.0
#include "report/html/si_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace podsim::report::html {
namespace {

struct Prefix {
  int exponent;
  std::string_view text;
};
constexpr std::array prefixes{Prefix{18, "E"}, Prefix{15, "P"}, Prefix{12, "T"}, Prefix{9, "G"},
                              Prefix{6, "M"},  Prefix{3, "k"},  Prefix{0, ""},   Prefix{-3, "m"},
                              Prefix{-6, "µ"}, Prefix{-9, "n"}, Prefix{-12, "p"}};

std::string join(const std::string& number, std::string_view prefix, std::string_view unit) {
  if (prefix.empty() && unit.empty()) return number;
  return fmt::format("{} {}{}", number, prefix, unit);
}

}  // namespace

std::string si_text(double value, std::string_view unit, int digits) {
  if (value == 0) return join("0", "", unit);
  // A value that rounds up to one of a prefix gets that prefix.
  const double rounding = 1 - 0.5 * std::pow(10.0, -digits);
  for (const Prefix& prefix : prefixes) {
    const double scaled = value / std::pow(10.0, prefix.exponent);
    if (std::abs(scaled) < rounding) continue;
    if (std::abs(scaled) >= 1e4) break;
    // The general format would use an exponent for more integer digits than `digits`.
    const std::string number = std::abs(scaled) >= std::pow(10.0, digits) ? fmt::format("{:.0f}", scaled)
                                                                          : fmt::format("{:.{}g}", scaled, digits);
    return join(number, prefix.text, unit);
  }
  return join(fmt::format("{:.{}g}", value, digits), "", unit);
}

std::string count_text(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t place = digits.size(); place > (count < 0 ? 4U : 3U);) {
    place -= 3;
    digits.insert(place, "\u202F");
  }
  return digits;
}

}  // namespace podsim::report::html
