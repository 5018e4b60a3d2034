// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/named_flags.h"

#include <gtest/gtest.h>

#include "hw/isa/pasm/assembler.h"

namespace podsim::hw::bundle {
namespace {

using Flags = std::set<std::size_t>;

Flags named(const std::string& text) { return named_flags(isa::pasm::assemble("t", text + "halt\n"), 256); }

const std::string copy = ".dma copy { route = hbm_to_vmem ; source = 0 ; destination = 0 ; words = 8 ; flag = 9 }\n";

TEST(NamedFlags, AreThoseOfOperationsAndDescriptors) {
  EXPECT_EQ(named("nop\n"), Flags{});
  EXPECT_EQ(named("sync.wait 3, 1\nsync.set 7, 0\nsync.add 255, 1\n"), (Flags{3, 7, 255}));
  EXPECT_EQ(named("sync.wait 3, 1\ndma copy\n" + copy), (Flags{3, 9}));
}

TEST(NamedFlags, InRegistersAreThoseOfDescriptors) {
  EXPECT_EQ(named("sync.wait s3, 1\nsync.wait 4, 1\n" + copy), (Flags{4, 9}));
}

TEST(NamedFlags, InRegistersWithoutDescriptorsMayBeAny) {
  EXPECT_EQ(named("sync.wait s3, 1\n").size(), 256U);
  EXPECT_EQ(named("sync.wait s3, 1\n.smem table, 0\n .word 1, 2, 3\n").size(), 256U);
  EXPECT_EQ(named("sync.wait s3, 1\n.smem table, 0\n .zeros 8\n").size(), 256U) << "it would copy nothing";
}

TEST(NamedFlags, ThatTheCoreDoesNotHaveAreLeftOut) {
  EXPECT_EQ(named_flags(isa::pasm::assemble("t", "sync.wait 3, 1\nsync.wait 200, 1\nhalt\n"), 16), Flags{3});
}

}  // namespace
}  // namespace podsim::hw::bundle
