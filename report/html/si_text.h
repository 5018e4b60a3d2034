// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Formats figures with SI prefixes for charts and tables.
namespace podsim::report::html {

/// A value with at most `digits` significant digits, without trailing zeros, and the largest prefix with which it is at
/// least one: 0.119 of unit "s" is "119 ms". Prefixes go from pico to exa; beyond these the number has an exponent.
/// Without a unit, only the prefix follows ("2.5 k"). 0 has no prefix.
std::string si_text(double value, std::string_view unit, int digits = 4);

/// An integer in groups of three digits, separated by narrow no-break spaces: "16 384".
std::string count_text(std::int64_t count);

}  // namespace podsim::report::html
