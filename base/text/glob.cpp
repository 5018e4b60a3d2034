// SPDX-License-Identifier: Apache-2.0
#include "base/text/glob.h"

namespace podsim::base::text {

bool glob_match(std::string_view pattern, std::string_view text) {
  // Only the last star needs to be revisited: extending an earlier one cannot help the rest.
  std::size_t p = 0, t = 0;
  std::size_t star = std::string_view::npos, star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string glob_of_numbered(std::string_view name) {
  std::string glob;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) glob += c;
    if (digit && !glob.ends_with('*')) glob += '*';
  }
  return glob;
}

}  // namespace podsim::base::text
