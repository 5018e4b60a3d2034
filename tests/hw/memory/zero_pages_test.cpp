// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/zero_pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <new>

namespace podsim::hw::memory {
namespace {

TEST(ZeroPages, ReadZeroUntilTheyAreWritten) {
  constexpr std::size_t size = std::size_t(1) << 24;  // far more than is touched
  ZeroPages<std::uint64_t> pages(size);
  EXPECT_EQ(pages[0], 0U);
  EXPECT_EQ(pages[size - 1], 0U);
  pages[size - 1] = 7;
  EXPECT_EQ(pages.data()[size - 1], 7U);
  EXPECT_EQ(pages[size - 2], 0U);
}

TEST(ZeroPages, MayBeNone) { EXPECT_NE(ZeroPages<std::uint64_t>(0).data(), nullptr); }

TEST(ZeroPages, ForWhichThereIsNoRoomAreRefused) {
  EXPECT_THROW(ZeroPages<std::uint8_t>(std::size_t(1) << 62), std::bad_alloc);
}

}  // namespace
}  // namespace podsim::hw::memory
