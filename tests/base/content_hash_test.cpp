// SPDX-License-Identifier: Apache-2.0
#include "base/content_hash.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace podsim::base {
namespace {

/// By Python: hashlib.sha256(...).hexdigest()[:32]
TEST(ContentHash, IsTheFirstHalfOfSha256) {
  // (1).to_bytes(8, 'little')
  EXPECT_EQ(ContentHash().add(1).key(), (ContentKey{0x7c9fa136d4413fa6, 0x173637e883b6998d}));
  // (-2).to_bytes(8, 'little', signed=True) + struct.pack('<d', 0.5) + (3).to_bytes(8, 'little') + b'abc'
  EXPECT_EQ(ContentHash().add(-2, 0.5, std::string_view("abc")).key(),
            (ContentKey{0xc6606a78d711bef4, 0xd739bb3a4656c262}));
}

TEST(ContentHash, TakesQuantitiesAsTheirNumbers) {
  EXPECT_EQ(ContentHash().add(Cycles(7), Bytes(8)).key(), ContentHash().add(7, 8).key());
  EXPECT_EQ(ContentHash().add(Bandwidth(1e9)).key(), ContentHash().add(1e9).key());
  EXPECT_EQ(ContentHash().add(true).key(), ContentHash().add(1).key());
}

RC_GTEST_PROP(ContentHash, TellsTextsApartWhereverTheyAreCut, (const std::string& text)) {
  const auto cut = [&](std::size_t at) {
    return ContentHash().add(std::string_view(text).substr(0, at), std::string_view(text).substr(at)).key();
  };
  const auto a = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
  const auto b = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
  RC_ASSERT((cut(a) == cut(b)) == (a == b));
}

}  // namespace
}  // namespace podsim::base
