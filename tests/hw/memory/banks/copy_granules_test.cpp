// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/copy_granules.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace podsim::hw::memory::banks {
namespace {

constexpr base::Bytes unit{1024};

std::vector<Granule> granules(const DmaCopy& transfer) {
  std::vector<Granule> list;
  for (CopyGranules walk(transfer, unit); !walk.done();) list.push_back(walk.next());
  return list;
}

Granule granule(std::uint64_t source, std::uint64_t destination, std::int64_t bytes) {
  return {source, destination, base::Bytes(bytes)};
}

TEST(CopyGranules, CutsAtTheBoundariesOfTheMemory) {
  const DmaCopy transfer{{DmaPort{2}, 1000, 0}, {{}, 0, 0}, 1, base::Bytes(2000)};
  EXPECT_EQ(granules(transfer), (std::vector{granule(1000, 0, 24), granule(1024, 24, 1024), granule(2048, 1048, 952)}));
}

TEST(CopyGranules, CutsAtTheBoundariesOfBothMemories) {
  const DmaCopy transfer{{DmaPort{2}, 0, 0}, {DmaPort{3}, 512, 0}, 1, base::Bytes(2048)};
  EXPECT_EQ(granules(transfer), (std::vector{granule(0, 512, 512), granule(512, 1024, 512), granule(1024, 1536, 512),
                                             granule(1536, 2048, 512)}));
}

TEST(CopyGranules, JoinsRowsWithoutGaps) {
  const DmaCopy transfer{{DmaPort{2}, 0, 128}, {{}, 0, 128}, 32, base::Bytes(128)};
  EXPECT_EQ(granules(transfer).size(), 4u);
}

TEST(CopyGranules, KeepsRowsWithAGapAtEitherEndApart) {
  EXPECT_EQ(granules({{DmaPort{2}, 0, 128}, {{}, 0, 256}, 32, base::Bytes(128)}).size(), 32u);
  EXPECT_EQ(granules({{DmaPort{2}, 0, 256}, {{}, 0, 128}, 32, base::Bytes(128)}).size(), 32u);
}

TEST(CopyGranules, NothingIsNoGranule) {
  EXPECT_TRUE(granules({{DmaPort{2}, 0, 0}, {{}, 0, 0}, 5, base::Bytes(0)}).empty());
  EXPECT_TRUE(granules({{DmaPort{2}, 0, 0}, {{}, 0, 0}, 0, base::Bytes(5)}).empty());
}

RC_GTEST_PROP(CopyGranules, MovesEveryByteOnceAndInOrderWithinTheUnitsOfEachMemory, ()) {
  const auto end = [] {
    const std::int64_t stride = *rc::gen::inRange(0, 4000);
    const auto base = *rc::gen::inRange<std::uint64_t>(0, 10'000);
    return *rc::gen::arbitrary<bool>() ? DmaEnd{DmaPort{1}, base, stride} : DmaEnd{{}, base, stride};
  };
  const DmaCopy transfer{end(), end(), *rc::gen::inRange(0, 6), base::Bytes(*rc::gen::inRange(0, 3000))};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> expected, moved;
  for (std::int64_t row = 0; row < transfer.rows; ++row) {
    for (std::int64_t byte = 0; byte < transfer.row_bytes.value(); ++byte) {
      expected.emplace_back(transfer.source.base + std::uint64_t(row * transfer.source.stride + byte),
                            transfer.destination.base + std::uint64_t(row * transfer.destination.stride + byte));
    }
  }
  for (const Granule& piece : granules(transfer)) {
    const auto bytes = std::uint64_t(piece.bytes.value());
    RC_ASSERT(bytes > 0 && bytes <= 1024);
    if (transfer.source.port) RC_ASSERT(piece.source / 1024 == (piece.source + bytes - 1) / 1024);
    if (transfer.destination.port) RC_ASSERT(piece.destination / 1024 == (piece.destination + bytes - 1) / 1024);
    for (std::uint64_t byte = 0; byte < bytes; ++byte)
      moved.emplace_back(piece.source + byte, piece.destination + byte);
  }
  RC_ASSERT(moved == expected);
}

}  // namespace
}  // namespace podsim::hw::memory::banks
