// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Figures with SI prefixes, for charts and tables.
namespace podsim::sw {

/// At most `digits` significant digits without trailing zeros, and the prefix that leaves a value of one at least:
/// 0.119 of unit "s" is "119 ms"; from pico to exa, beyond which the number has an exponent. Without a unit the prefix
/// is a factor by itself ("2.5 k"). 0 has no prefix.
std::string si_text(double value, std::string_view unit, int digits = 4);

/// A share of one: 0.4096 is "41.0 %".
std::string percent_text(double share, int decimals = 1);

/// A whole number in groups of three digits, apart by narrow no-break spaces: "16 384".
std::string count_text(std::int64_t count);

}  // namespace podsim::sw
