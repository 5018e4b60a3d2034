// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace podsim::base::text {

/// A word of a text, and where it begins there, in bytes.
struct Word {
  std::size_t begin = 0;
  std::string_view text = {};
};

/// The words between characters of `separators`, without empty ones.
std::vector<Word> words_of(std::string_view text, std::string_view separators);

}  // namespace podsim::base::text
