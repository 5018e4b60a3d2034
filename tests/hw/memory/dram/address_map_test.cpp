// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/address_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>

#include "tests/hw/memory/dram_parameters.h"

namespace podsim::hw::memory::dram {
namespace {

using Key = std::tuple<int, int, int, int, std::int64_t, std::int64_t>;

Key key(const DramAddress& at) { return {at.channel, at.pseudo_channel, at.bank_group, at.bank, at.row, at.column}; }

class EveryOrder : public ::testing::TestWithParam<std::tuple<std::string, std::string, std::string, std::string>> {};

// 4 channels of 32 banks with 8 rows of 8 bursts: 8192 bursts.
TEST_P(EveryOrder, GivesEveryBurstAPlaceOfItsOwnWithinTheMemory) {
  const auto [order, interleave, bank_hash, channel_hash] = GetParam();
  const parts::hbm::DramParameters parameters =
      dram_with({"hbm.capacity_per_core=256 KiB", "hbm.channels=4", "hbm.row=256 B", "hbm.read_queue_bursts=64",
                 "hbm.write_queue_bursts=64", order, interleave, bank_hash, channel_hash});
  ASSERT_EQ(parameters.organization.rows, 8);
  const AddressMap map(parameters);
  std::set<Key> places;
  for (std::uint64_t address = 0; address < 256 * 1024; address += 32) {
    const DramAddress at = map.decode(address);
    EXPECT_TRUE(at.channel >= 0 && at.channel < 4 && at.pseudo_channel >= 0 && at.pseudo_channel < 2);
    EXPECT_TRUE(at.bank_group >= 0 && at.bank_group < 4 && at.bank >= 0 && at.bank < 4);
    EXPECT_TRUE(at.row >= 0 && at.row < 8 && at.column >= 0 && at.column < 8);
    EXPECT_EQ(map.channel_of(address), at.channel);
    EXPECT_EQ(key(map.decode(address + 31)), key(at));
    places.insert(key(at));
  }
  EXPECT_EQ(places.size(), 8192u);
}

INSTANTIATE_TEST_SUITE_P(
    AddressMap, EveryOrder,
    ::testing::Combine(::testing::Values("hbm.address_order=row bank column bank_group pseudo_channel",
                                         "hbm.address_order=row column bank bank_group pseudo_channel",
                                         "hbm.address_order=bank_group pseudo_channel bank column row",
                                         "hbm.address_order=column row bank pseudo_channel bank_group"),
                       ::testing::Values("hbm.interleave=32 B", "hbm.interleave=256 B", "hbm.interleave=2 KiB"),
                       ::testing::Values("hbm.bank_hash=true", "hbm.bank_hash=false"),
                       ::testing::Values("hbm.channel_hash=true", "hbm.channel_hash=false")));

TEST(AddressMap, WithoutHashesAPlaceReadsOffTheAddress) {
  const AddressMap map(dram_with({"hbm.bank_hash=false", "hbm.channel_hash=false"}));
  // From the lowest bit: 5 within the burst; then, of the address within the channel, pseudo-channel 1, bank group 2,
  // and two bits of the column; 4 of the channel; three more of the column, bank 2, row.
  const std::uint64_t row = 3, bank = 2, column = 0b10110, channel = 9, group = 1, pseudo_channel = 1;
  const std::uint64_t address = row << 19 | bank << 17 | (column >> 2) << 14 | channel << 10 | (column & 3) << 8 |
                                group << 6 | pseudo_channel << 5 | 7;
  EXPECT_EQ(map.decode(address), (DramAddress{9, 1, 1, 2, 3, 0b10110}));
}

TEST(AddressMap, ConsecutiveUnitsGoRoundTheChannels) {
  for (const char* hash : {"hbm.channel_hash=true", "hbm.channel_hash=false"}) {
    const AddressMap map(dram_with({hash}));
    for (std::uint64_t base : {std::uint64_t(0), std::uint64_t(5) << 30}) {
      std::set<int> channels;
      for (std::uint64_t unit = 0; unit < 16; ++unit) channels.insert(map.channel_of(base + unit * 1024));
      EXPECT_EQ(channels.size(), 16u);
    }
  }
}

TEST(AddressMap, WithItsHashUnitsAtAnyPowerOfTwoPitchUseAllChannels) {
  const AddressMap map(dram_with({}));
  for (int shift = 10; shift <= 28; ++shift) {
    std::set<int> channels;
    for (std::uint64_t i = 0; i < 64; ++i) channels.insert(map.channel_of(i << shift));
    EXPECT_EQ(channels.size(), 16u) << "pitch 2^" << shift;
  }
}

TEST(AddressMap, WithItsHashRowsAtAnyPowerOfTwoPitchLieInDifferentBanks) {
  const AddressMap map(dram_with({}));
  for (int shift = 19; shift <= 29; ++shift) {
    std::set<std::tuple<int, int, int>> banks;
    for (std::uint64_t i = 0; i < 32; ++i) {
      const DramAddress at = map.decode(i << shift);
      banks.insert({at.pseudo_channel, at.bank_group, at.bank});
    }
    EXPECT_EQ(banks.size(), 32u) << "pitch 2^" << shift;
  }
}

TEST(AddressMap, PartsOfARequestAreItsBurstsByRow) {
  const AddressMap map(dram_with({}));
  std::mt19937_64 random(1);
  std::vector<DramPart> parts;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t unit = random() % (16 << 20), first = random() % 1024, bytes = 1 + random() % (1024 - first);
    const std::uint64_t address = unit * 1024 + first;
    map.split(address, base::Bytes(std::int64_t(bytes)), parts);
    std::map<std::tuple<int, int, std::int64_t>, std::int64_t> expected;
    for (std::uint64_t burst = address / 32; burst <= (address + bytes - 1) / 32; ++burst) {
      const DramAddress at = map.decode(burst * 32);
      ++expected[{at.pseudo_channel, at.bank_group * 4 + at.bank, at.row}];
    }
    ASSERT_EQ(parts.size(), expected.size());
    for (const DramPart& part : parts) {
      EXPECT_EQ(part.bursts, (expected[{part.pseudo_channel, part.bank, part.row}]));
    }
  }
}

TEST(AddressMap, ARequestLiesInOneUnit) {
  const AddressMap map(dram_with({}));
  EXPECT_TRUE(map.in_one_unit(1024, base::Bytes(1024)));
  EXPECT_TRUE(map.in_one_unit(2047, base::Bytes(1)));
  EXPECT_FALSE(map.in_one_unit(1024, base::Bytes(1025)));
  EXPECT_FALSE(map.in_one_unit(2047, base::Bytes(2)));
  EXPECT_FALSE(map.in_one_unit(0, base::Bytes(0)));
}

}  // namespace
}  // namespace podsim::hw::memory::dram
