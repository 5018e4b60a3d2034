// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/memory_stream.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <vector>

namespace podsim::hw::memory::dram {
namespace {

std::vector<MemoryRequest> granules(const MemoryStream& stream, std::int64_t interleave) {
  std::vector<MemoryRequest> requests;
  for (StreamGranules cursor(stream, base::Bytes(interleave)); !cursor.done(); cursor.next()) {
    requests.push_back(cursor.request());
  }
  return requests;
}

TEST(StreamGranules, CutsContiguousBytesAtInterleaveUnits) {
  const auto requests = granules(MemoryStream::sequential(Direction::write, 1000, base::Bytes(2000)), 1024);
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].address, 1000U);
  EXPECT_EQ(requests[0].bytes, base::Bytes(24));
  EXPECT_EQ(requests[1].address, 1024U);
  EXPECT_EQ(requests[1].bytes, base::Bytes(1024));
  EXPECT_EQ(requests[2].address, 2048U);
  EXPECT_EQ(requests[2].bytes, base::Bytes(952));
  for (const MemoryRequest& request : requests) EXPECT_EQ(request.direction, Direction::write);
}

TEST(StreamGranules, BeginsEveryRowAPitchAfterTheLast) {
  const auto requests = granules(MemoryStream::strided(Direction::read, 64, base::Bytes(96), 3, 5120), 1024);
  ASSERT_EQ(requests.size(), 3U);
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_EQ(requests[row].address, 64 + row * 5120);
    EXPECT_EQ(requests[row].bytes, base::Bytes(96));
  }
}

TEST(StreamGranules, HasNothingToCutOfNothing) {
  EXPECT_TRUE(granules(MemoryStream::sequential(Direction::read, 0, base::Bytes(0)), 1024).empty());
  EXPECT_TRUE(granules(MemoryStream::strided(Direction::read, 0, base::Bytes(64), 0, 128), 1024).empty());
}

RC_GTEST_PROP(StreamGranules, CoversEveryByteOfItsRowsOnce, ()) {
  const std::int64_t row = *rc::gen::inRange<std::int64_t>(1, 5000);
  const std::int64_t rows = *rc::gen::inRange<std::int64_t>(1, 20);
  const std::int64_t pitch = row + *rc::gen::inRange<std::int64_t>(0, 3000);
  const std::uint64_t base = std::uint64_t(*rc::gen::inRange(0, 5000));
  const std::int64_t interleave = std::int64_t(1) << *rc::gen::inRange(5, 12);
  std::uint64_t expected = base;
  std::int64_t covered = 0;
  for (const MemoryRequest& request :
       granules(MemoryStream::strided(Direction::read, base, base::Bytes(row), rows, pitch), interleave)) {
    RC_ASSERT(request.address == expected);
    const auto last = request.address + std::uint64_t(request.bytes.value()) - 1;
    RC_ASSERT(request.address / std::uint64_t(interleave) == last / std::uint64_t(interleave));
    covered += request.bytes.value();
    const auto in_row = std::int64_t((last + 1 - base) % std::uint64_t(pitch));
    expected = in_row == row || (in_row == 0 && row == pitch)
                   ? base + (std::uint64_t(covered) / std::uint64_t(row)) * std::uint64_t(pitch)
                   : last + 1;
  }
  RC_ASSERT(covered == row * rows);
}

TEST(StreamGranules, ScattersRowsOverTheWholeSpanAndNowhereElse) {
  std::set<std::uint64_t> places;
  for (const MemoryRequest& request :
       granules(MemoryStream::scattered(Direction::read, 4096, base::Bytes(32), 10'000, base::Bytes(3200), 5), 1024)) {
    ASSERT_GE(request.address, 4096U);
    ASSERT_LT(request.address, 4096U + 3200U);
    ASSERT_EQ(request.address % 32, 0U);
    places.insert(request.address);
  }
  EXPECT_EQ(places.size(), 100U);  // a row is missed with a probability of 100 * 0.99^10000
}

TEST(StreamGranules, ScattersAlikeForASeedAndOtherwiseForAnother) {
  const auto stream = [](std::uint64_t seed) {
    return MemoryStream::scattered(Direction::read, 0, base::Bytes(64), 50, base::Bytes(1 << 20), seed);
  };
  const auto addresses = [&](std::uint64_t seed) {
    std::vector<std::uint64_t> found;
    for (const MemoryRequest& request : granules(stream(seed), 1024)) found.push_back(request.address);
    return found;
  };
  EXPECT_EQ(addresses(1), addresses(1));
  EXPECT_NE(addresses(1), addresses(2));
}

}  // namespace
}  // namespace podsim::hw::memory::dram
