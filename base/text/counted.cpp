// SPDX-License-Identifier: Apache-2.0
#include "base/text/counted.h"

#include <fmt/format.h>

#include <algorithm>

namespace podsim::base::text {

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string counted(std::int64_t count, std::string_view noun, std::string_view plural) {
  return fmt::format("{} {}", count, count == 1 ? noun : plural);
}

std::string with_article(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  // Numbers are read in groups of three digits: 11, 18 and 11000 begin with a vowel, 110 and 1800 do not.
  const bool two_lead = digits % 3 == 2 && (text.starts_with("11") || text.starts_with("18"));
  const bool vowel = text.starts_with('8') || two_lead || text.find_first_of("aeiouAEIOU") == 0;
  return fmt::format("{} {}", vowel ? "an" : "a", text);
}

}  // namespace podsim::base::text
