// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/dma_descriptor.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace podsim::hw::isa {
namespace {

TEST(DmaDescriptor, StandsInEightWords) {
  DmaDescriptor descriptor{DmaRoute::hbm_to_smem, 0x1234, 1, 2, 3, 4, 5, 6, 7};
  std::array<std::uint32_t, 8> words{0x123403, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(to_words(descriptor), words);
}

RC_GTEST_PROP(DmaDescriptor, ComesBackFromItsWords, ()) {
  auto word = [] { return *rc::gen::resize(100, rc::gen::arbitrary<std::uint32_t>()); };
  DmaDescriptor descriptor{DmaRoute(*rc::gen::inRange(0, dma_routes)),
                           word() & 0xffff,
                           word(),
                           word(),
                           word(),
                           word(),
                           word(),
                           word(),
                           word()};
  RC_ASSERT(descriptor_of(to_words(descriptor)) == descriptor);
}

TEST(DmaDescriptor, KeepsARouteThatDoesNotExist) { EXPECT_EQ(int(descriptor_of({0x0500ff}).route), 255); }

}  // namespace
}  // namespace podsim::hw::isa
