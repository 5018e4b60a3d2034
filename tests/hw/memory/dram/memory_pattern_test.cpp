// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/memory_pattern.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"

namespace podsim::hw::memory::dram {
namespace {

constexpr base::Bytes capacity(1 << 30);

MemoryPattern pattern_of(MemoryPattern::Kind kind, std::int64_t bytes, std::int64_t streams) {
  MemoryPattern pattern;
  pattern.kind = kind;
  pattern.bytes = base::Bytes(bytes);
  pattern.streams = streams;
  return pattern;
}

TEST(MemoryPattern, SharesItsBytesOutEvenly) {
  const auto streams = streams_of(pattern_of(MemoryPattern::Kind::sequential, 1001, 4), capacity);
  ASSERT_EQ(streams.size(), 4U);
  base::Bytes sum;
  for (const MemoryStream& stream : streams) {
    EXPECT_NEAR(double(stream.bytes().value()), 1001.0 / 4, 1);
    sum += stream.bytes();
  }
  EXPECT_EQ(sum, base::Bytes(1001));
}

TEST(MemoryPattern, KeepsStreamsApart) {
  const auto streams = streams_of(pattern_of(MemoryPattern::Kind::mixed, 1 << 29, 3), capacity);
  ASSERT_EQ(streams.size(), 6U);
  for (std::size_t i = 1; i < streams.size(); ++i) {
    EXPECT_GE(streams[i].pattern.base, streams[i - 1].pattern.base + std::uint64_t(streams[i - 1].bytes().value()));
  }
}

TEST(MemoryPattern, MixesReadsAndWritesAsItIsTold) {
  MemoryPattern pattern = pattern_of(MemoryPattern::Kind::mixed, 3000, 1);
  pattern.reads = 2;
  const auto streams = streams_of(pattern, capacity);
  ASSERT_EQ(streams.size(), 3U);
  EXPECT_EQ(streams[0].direction, Direction::read);
  EXPECT_EQ(streams[1].direction, Direction::read);
  EXPECT_EQ(streams[2].direction, Direction::write);
  for (const MemoryStream& stream : streams) EXPECT_EQ(stream.bytes(), base::Bytes(1000));
}

TEST(MemoryPattern, RefusesRowsBeyondTheMemory) {
  MemoryPattern pattern = pattern_of(MemoryPattern::Kind::strided, 1 << 20, 1);
  pattern.pitch = 1 << 20;
  pattern.row = base::Bytes(512);
  EXPECT_THROW(streams_of(pattern, capacity), base::InputError);
  pattern.pitch = 1 << 18;
  EXPECT_NO_THROW(streams_of(pattern, capacity));
}

}  // namespace
}  // namespace podsim::hw::memory::dram
