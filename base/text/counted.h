// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace podsim::base::text {

/// "1 operand", "2 operands".
std::string counted(std::int64_t count, std::string_view noun);
/// With a plural that is not the noun and an s: "2 entries".
std::string counted(std::int64_t count, std::string_view noun, std::string_view plural);

/// The text behind its indefinite article, by its first sound: "a 4x4", "an 8x4", "an 18x2", "a 110x2".
std::string with_article(std::string_view text);

}  // namespace podsim::base::text
