// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/level/level_parameters.h"

#include <gtest/gtest.h>

#include "hw/memory_levels.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::parts::level {
namespace {

Machine with(const std::string& text) {
  base::Config config = machine_file("tpu-v3");
  config.add_text("m.toml", text);
  return read_machine(config);
}

base::Diagnostic refusal_of(const std::string& text) {
  try {
    with(text);
  } catch (const base::InputError& error) {
    return error.diagnostics().front();
  }
  ADD_FAILURE() << "not refused: " << text;
  return {};
}

TEST(LevelParameters, HbmAndVmemAreTheFirstMemoriesAndAllOfTheShippedMachines) {
  for (const Machine& machine : {tpu_v2(), tpu_v3(), tpu_v3_hbm3()}) {
    const std::vector<MemoryLevel> all = memory_levels(machine);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].name, "hbm");
    EXPECT_EQ(all[0].capacity, machine.hbm.usable_per_core());
    EXPECT_EQ(all[1].name, "vmem");
    EXPECT_EQ(all[1].capacity, machine.vmem);
  }
}

// 128 MiB and 3.6 TB/s for two cores: 64 MiB and 1.8 TB/s for each.
TEST(LevelParameters, TheCoresOfAChipDivideASharedLevelEvenly) {
  const Machine machine = with(level_text("near", "1 TB/s", "10 ns", false) + level_text("cmem", "3.6 TB/s", "100 ns"));
  const std::vector<MemoryLevel> all = memory_levels(machine);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[2].name, "near") << "in the order of the file";
  EXPECT_EQ(all[2].capacity, base::Bytes(128 << 20));
  EXPECT_EQ(all[3].name, "cmem");
  EXPECT_EQ(all[3].capacity, base::Bytes(64 << 20));
  EXPECT_DOUBLE_EQ(machine.levels[0].core_read_rate().si(), 1e12);
  EXPECT_DOUBLE_EQ(machine.levels[1].core_read_rate().si(), 1.8e12);
  EXPECT_DOUBLE_EQ(machine.levels[1].core_write_rate().si(), 1.8e12);
  EXPECT_EQ(machine.levels[1].latency, base::Cycles(94)) << "100 ns at 940 MHz";
}

TEST(LevelParameters, ASettingChangesADeclaredLevel) {
  base::Config config = cmem_file();
  config.set("memory.cmem.shared=false");
  config.set("memory.cmem.capacity=1 MiB");
  EXPECT_EQ(read_machine(config).levels.front().core_capacity(), base::Bytes(1 << 20));
}

TEST(LevelParameters, AResolvedMachineIsReadAgain) {
  base::Config again = machine_file("tpu-v3");
  again.add_text("resolved.toml", cmem_file().to_toml());
  const Machine machine = read_machine(again);
  ASSERT_EQ(machine.levels.size(), 1U);
  EXPECT_EQ(machine.levels[0].capacity, base::Bytes(128 << 20));
}

TEST(LevelParameters, RefusesNamesOfOtherMemoriesAndMoreLevelsThanItKnows) {
  EXPECT_EQ(refusal_of(level_text("vmem", "1 TB/s", "0 ns")).message, "'vmem' is the name of another memory");
  const std::string three =
      level_text("a", "1 TB/s", "0 ns") + level_text("b", "1 TB/s", "0 ns") + level_text("c", "1 TB/s", "0 ns");
  const base::Diagnostic many = refusal_of(three);
  EXPECT_EQ(many.message, "a machine has at most 2 levels of memory beside HBM and VMEM");
  EXPECT_EQ(many.location.line, 14) << "the capacity of the third";
}

TEST(LevelParameters, RefusesAValueOutOfItsRangeAtItsPlace) {
  const base::Diagnostic refused = refusal_of(
      "[memory.cmem]\ncapacity = \"1 B\"\nshared = true\nread_rate = \"1 TB/s\"\n"
      "write_rate = \"1 TB/s\"\nlatency = \"0 ns\"\n");
  EXPECT_EQ(refused.location.file, "m.toml");
  EXPECT_EQ(refused.location.line, 2);
}

}  // namespace
}  // namespace podsim::hw::parts::level
