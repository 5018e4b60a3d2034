// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace podsim::base::text {

/// A count and its noun: "1 operand", "2 operands".
std::string counted(std::int64_t count, std::string_view noun);
/// As above, for a noun with another plural than an added s: "2 entries".
std::string counted(std::int64_t count, std::string_view noun, std::string_view plural);

/// The text after its indefinite article, which depends on the first sound: "a 4x4", "an 8x4", "an 18x2", "a 110x2".
std::string with_article(std::string_view text);

}  // namespace podsim::base::text
