// SPDX-License-Identifier: Apache-2.0
#include "base/text/words.h"

#include <algorithm>

namespace podsim::base::text {

std::vector<Word> words_of(std::string_view text, std::string_view separators) {
  std::vector<Word> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    if (end > begin) words.push_back({begin, text.substr(begin, end - begin)});
    begin = end + 1;
  }
  return words;
}

}  // namespace podsim::base::text
