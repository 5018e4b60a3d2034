// SPDX-License-Identifier: Apache-2.0
#include "base/host/gzip.h"

#include <gtest/gtest.h>

#include <string>

#include "base/diagnostic.h"

namespace podsim::base::host {
namespace {

/// A gzip file (RFC 1952) with one block that is stored, not compressed (RFC 1951, 3.2.4): its length, the length's
/// complement, the bytes, their CRC-32 and their number.
std::string stored(const std::string& text, unsigned sum) {
  std::string bytes("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", 10);
  const auto append = [&bytes](unsigned value, int count) {
    for (int i = 0; i < count; ++i) bytes += char(value >> (8 * i) & 0xff);
  };
  bytes += '\x01';
  append(unsigned(text.size()), 2);
  append(~unsigned(text.size()), 2);
  bytes += text;
  append(sum, 4);
  append(unsigned(text.size()), 4);
  return bytes;
}

// The CRC-32 of "123456789" is the check value of the code, 0xcbf43926.
const std::string nine_digits = stored("123456789", 0xcbf43926);

TEST(Gzip, MembersAreReadOneAfterAnother) {
  EXPECT_TRUE(is_gzip(nine_digits));
  EXPECT_FALSE(is_gzip("HloModule m"));
  EXPECT_EQ(decompressed(nine_digits), "123456789");
  EXPECT_EQ(decompressed(nine_digits + nine_digits), "123456789123456789");
}

TEST(Gzip, DamageIsAnError) {
  EXPECT_THROW(decompressed(nine_digits.substr(0, nine_digits.size() - 1)), InputError);
  EXPECT_THROW(decompressed(stored("123456789", 0)), InputError);
  EXPECT_THROW(decompressed(nine_digits.substr(0, 4)), InputError);
}

}  // namespace
}  // namespace podsim::base::host
