// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/memory_system.h"

#include <gtest/gtest.h>

#include "tests/hw/test_machine.h"

namespace podsim::hw {
namespace {

DramParameters hbm2(std::initializer_list<const char*> settings = {}) {
  base::Config config = machine_file("tpu-v3");
  for (const char* setting : settings) config.set(setting);
  return read_machine(config).dram;
}

base::Cycles time_of_one(Direction direction, base::Bytes bytes) {
  MemorySystem memory(hbm2({"hbm.refresh=none"}));
  std::vector<MemoryCompletion> completed;
  memory.submit({direction, 4096, bytes, 7});
  while (completed.empty()) memory.advance(*memory.next_event(), completed);
  EXPECT_EQ(completed.front().tag, 7u);
  EXPECT_TRUE(memory.idle());
  return completed.front().clock;
}

TEST(MemorySystem, an_unloaded_read_takes_activate_latency_and_burst) {
  // tRCD 13, CL 13, two clocks of data
  EXPECT_EQ(time_of_one(Direction::read, base::Bytes(32)), base::Cycles(13 + 13 + 2));
  // tRCD 11, CWL 5, two clocks of data
  EXPECT_EQ(time_of_one(Direction::write, base::Bytes(32)), base::Cycles(11 + 5 + 2));
}

}  // namespace
}  // namespace podsim::hw
