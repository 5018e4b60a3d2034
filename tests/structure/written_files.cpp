// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/written_files.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace podsim::structure {
namespace {

constexpr std::array<std::string_view, 14> writers{"basic_fstream", "basic_ofstream", "creat",    "fopen",    "freopen",
                                                   "fstream",       "mkostemp",       "mkstemp",  "O_APPEND", "O_CREAT",
                                                   "O_RDWR",        "O_TRUNC",        "O_WRONLY", "ofstream"};

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

std::vector<std::string_view> file_writers(std::string_view text) {
  std::vector<std::string_view> found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//" || text[i] == '#') {  // "#include <fstream>" opens nothing
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (!is_name(text[i])) continue;
    const std::size_t begin = i;
    while (i < text.size() && is_name(text[i])) ++i;
    const std::string_view name = text.substr(begin, i - begin);
    if (std::ranges::find(writers, name) != writers.end()) found.push_back(name);
    --i;
  }
  return found;
}

}  // namespace podsim::structure
