// SPDX-License-Identifier: Apache-2.0
#include "base/text/utf8.h"

namespace podsim::base::text {
namespace {

std::size_t sequence_length(unsigned char lead) {
  if (lead >= 0xf0 && lead < 0xf8) return 4;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xc0 && lead < 0xe0) return 2;
  return 1;
}

}  // namespace

std::vector<std::string_view> utf8_characters(std::string_view text) {
  std::vector<std::string_view> characters;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t wanted = sequence_length(static_cast<unsigned char>(text[i]));
    std::size_t length = 1;
    while (length < wanted && i + length < text.size() &&
           (static_cast<unsigned char>(text[i + length]) & 0xc0) == 0x80) {
      ++length;
    }
    if (length != wanted) length = 1;
    characters.push_back(text.substr(i, length));
    i += length;
  }
  return characters;
}

}  // namespace podsim::base::text
