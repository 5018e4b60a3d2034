// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/device_memory.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <stdexcept>

namespace podsim::hw::memory {
namespace {

RC_GTEST_PROP(DeviceMemory, HoldsWhatWasWrittenLastAndZeroElsewhere, ()) {
  DeviceMemory memory(base::Bytes(1 << 20));
  std::map<std::uint64_t, std::uint32_t> model;
  for (int i = 0; i < 10; ++i) {
    // Around multiples of 64 Ki words, the boundaries of pages.
    const auto address = *rc::gen::inRange<std::uint64_t>(65536 - 100, 65536 + 100);
    const auto words = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::arbitrary<std::uint32_t>());
    memory.write(address, words);
    for (std::size_t w = 0; w < words.size(); ++w) model[address + w] = words[w];
  }
  std::vector<std::uint32_t> found(500);
  memory.read(65536 - 200, found);
  for (std::size_t w = 0; w < found.size(); ++w) RC_ASSERT(found[w] == model[65536 - 200 + w]);
}

TEST(DeviceMemory, EndsAtItsCapacity) {
  DeviceMemory memory(base::Bytes(4096));
  EXPECT_EQ(memory.words(), 1024u);
  std::vector<std::uint32_t> two(2);
  memory.write(1022, two);
  memory.read(1022, two);
  EXPECT_THROW(memory.write(1023, two), std::out_of_range);
  EXPECT_THROW(memory.read(1023, two), std::out_of_range);
  EXPECT_THROW(memory.read(~std::uint64_t(0), two), std::out_of_range);
  EXPECT_NO_THROW(memory.read(1024, std::span<std::uint32_t>()));
}

}  // namespace
}  // namespace podsim::hw::memory
