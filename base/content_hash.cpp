// SPDX-License-Identifier: Apache-2.0
#include "base/content_hash.h"

#include <charconv>

#include "base/sha256.h"

namespace podsim::base {

ContentHash& ContentHash::word(std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) bytes_ += char(value >> shift & 0xff);
  return *this;
}

ContentKey ContentHash::key() const {
  constexpr std::size_t digits = 16;
  const std::string digest = sha256(bytes_);
  ContentKey key;
  std::from_chars(digest.data(), digest.data() + digits, key.high, 16);
  std::from_chars(digest.data() + digits, digest.data() + 2 * digits, key.low, 16);
  return key;
}

}  // namespace podsim::base
