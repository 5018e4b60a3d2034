// SPDX-License-Identifier: Apache-2.0
// A machine with a level of memory in addition to HBM and VMEM, declared in its file alone.
#include <gtest/gtest.h>

#include "tests/app/commands.h"
#include "tests/hw/test_machine.h"

namespace podsim::test {
namespace {

using Json = nlohmann::json;

/// A folder with the machine m.toml: tpu-v3 with a level at four times the rate of its HBM.
class MemoryLevels : public testing::Test {
 protected:
  MemoryLevels() { folder.write("m.toml", hw::level_text("cmem", "3.6 TB/s", "100 ns")); }

  Json run(const std::vector<std::string>& more) const {
    std::vector<std::string> words = small_run({"--json"});
    words.insert(words.end(), more.begin(), more.end());
    return json_of(folder, words);
  }

  Folder folder;
};

TEST_F(MemoryLevels, EveryDetailGivesTheSameStepAndTheSameBytes) {
  const Json automatic = run({"--machine", "m.toml"});
  for (const char* detail : {"tile", "replay"}) {
    const Json other = run({"--machine", "m.toml", "--detail", detail});
    EXPECT_EQ(other["step_time_ps"], automatic["step_time_ps"]) << detail;
    EXPECT_EQ(other["activity"], automatic["activity"]) << detail;
    EXPECT_EQ(other["memory"], automatic["memory"]) << detail;
  }
}

// What leaves the HBM moves at the level, which is faster.
TEST_F(MemoryLevels, ValuesLeaveTheHbmForTheLevel) {
  const Json plain = run({}), placed = run({"--machine", "m.toml"});
  EXPECT_LT(placed["step_time_ps"], plain["step_time_ps"]);
  const Json &core = placed["activity"]["core"], &before = plain["activity"]["core"];
  const auto bytes = [](const Json& part) {
    return part["read_bytes"].get<std::int64_t>() + part["written_bytes"].get<std::int64_t>();
  };
  EXPECT_GT(bytes(core["cmem"]), 0);
  EXPECT_LT(core["hbm"]["op_read_bytes"], before["hbm"]["op_read_bytes"]);
  EXPECT_FALSE(before.contains("cmem"));
  const Json& level = placed["memory"]["levels"].at(0);
  EXPECT_EQ(level["name"], "cmem");
  EXPECT_EQ(level["memory_space"], 2);
  EXPECT_EQ(level["capacity_bytes_per_core"], 64 << 20);
  EXPECT_LE(level["peak_bytes_per_core"], 64 << 20);
  EXPECT_FALSE(plain["memory"].contains("levels"));
}

TEST_F(MemoryLevels, TheSummaryHasARowForTheLevel) {
  const Outcome outcome = folder.run(small_run({"--machine", "m.toml"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\ncmem "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find(" of 64 MiB per core at the peak, "), std::string::npos) << outcome.out;
}

TEST_F(MemoryLevels, AProgramThatNamesAMemoryTheMachineLacksIsRefusedAtItsPlace) {
  folder.write("p.hlo", R"(HloModule p, is_scheduled=true
ENTRY %e (x: f32[512,1024]) -> f32[512,1024] {
  %x = f32[512,1024]{1,0:T(8,128)} parameter(0)
  %s = f32[512,1024]{1,0:T(8,128)S(2)} add(%x, %x)
  ROOT %r = f32[512,1024]{1,0:T(8,128)} negate(%s)
}
)");
  const Outcome refused = folder.run({"run", "p.hlo", "--slice", "1x1"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("p.hlo:4:"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("S(0) hbm, S(1) vmem"), std::string::npos) << refused.err;
  const Json placed = json_of(folder, {"run", "p.hlo", "--slice", "1x1", "--machine", "m.toml", "--json"});
  // %s is written there by one core, and read.
  EXPECT_EQ(placed["activity"]["core"]["cmem"], (Json{{"read_bytes", 2 << 20}, {"written_bytes", 2 << 20}}));
}

TEST_F(MemoryLevels, EveryKeyOfALevelChangesTheStep) {
  const Json step = run({"--machine", "m.toml"})["step_time_ps"];
  for (const char* value :
       {"capacity=32 MiB", "shared=false", "read_rate=2 TB/s", "write_rate=2 TB/s", "latency=1 us"}) {
    const Json other = run({"--machine", "m.toml", "--set", std::string("memory.cmem.") + value});
    EXPECT_NE(other["step_time_ps"], step) << value;
  }
}

// 16 MiB in and out at 100 GB/s for each core are 168 us: reads and writes at the same time.
TEST_F(MemoryLevels, AnOpBoundByTheLevelTakesItsBytesOverTheRate) {
  folder.write("slow.toml", hw::level_text("cmem", "200 GB/s", "100 ns"));
  folder.write("q.hlo", R"(HloModule q, is_scheduled=true
ENTRY %e (x: f32[4096,1024]) -> f32[4096,1024] {
  %x = f32[4096,1024]{1,0:T(8,128)S(2)} parameter(0)
  ROOT %r = f32[4096,1024]{1,0:T(8,128)S(2)} negate(%x)
}
)");
  const Json result = json_of(folder, {"run", "q.hlo", "--slice", "1x1", "--machine", "slow.toml", "--json"});
  EXPECT_EQ(result["bound_by"], "on-chip memory");
  EXPECT_GE(result["step_time_s"].get<double>(), 167.8e-6);
  EXPECT_LE(result["step_time_s"].get<double>(), 1.1 * 167.8e-6) << "and the first tile's read, the last tile's write";
  EXPECT_EQ(result["hbm_bytes_per_core_step"], 0);
  // At detail chip, too, the level is the same stream.
  for (const char* detail : {"tile", "replay", "chip"}) {
    const Json other =
        json_of(folder, {"run", "q.hlo", "--slice", "1x1", "--machine", "slow.toml", "--json", "--detail", detail});
    EXPECT_EQ(other["step_time_ps"], result["step_time_ps"]) << detail;
    EXPECT_EQ(other["activity"], result["activity"]) << detail;
  }
}

TEST_F(MemoryLevels, AMissingKeyIsRefusedAtTheTable) {
  folder.write("bad.toml",
               "[memory.cmem]\ncapacity = \"1 MiB\"\nshared = true\nread_rate = \"1 TB/s\"\nlatency = \"1 ns\"\n");
  const Outcome refused = folder.run(small_run({"--machine", "bad.toml"}));
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("bad.toml:1:9"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("'memory.cmem' needs 'write_rate'"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace podsim::test
