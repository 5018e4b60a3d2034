// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/report/sample_report.h"

namespace podsim::report::run {
namespace {

using nlohmann::json;
using testing::sample_report;

// The keys that scripts rely on.
TEST(RunJson, HasEveryKeyThatIsPromised) {
  json object = json::parse(run_json(testing::sample_report()));
  for (const char* key : {"schema_version", "command", "warnings", "wall_s", "workload", "machine", "slice", "detail",
                          "step_time_s", "samples_per_s", "flops_per_core_step", "compile_s"}) {
    EXPECT_TRUE(object.contains(key)) << key;
  }
  for (const char* key : {"mxu", "hbm", "ici"}) EXPECT_TRUE(object["utilization"].contains(key)) << key;
  for (const char* key : {"compute", "collective", "infeed", "other"}) {
    EXPECT_TRUE(object["breakdown_s"].contains(key)) << key;
  }
  ASSERT_EQ(object["collectives"].size(), 1U);
  for (const char* key : {"kind", "dtype", "bytes", "time_s", "exposed_s", "group_size", "algorithm"}) {
    EXPECT_TRUE(object["collectives"][0].contains(key)) << key;
  }
  for (const char* key : {"peak_bytes_per_core", "capacity_bytes_per_core"}) {
    EXPECT_TRUE(object["memory"].contains(key)) << key;
  }
}

TEST(RunJson, SaysWhatTheReportSays) {
  json object = json::parse(run_json(testing::sample_report()));
  EXPECT_EQ(object["schema_version"], 1);
  EXPECT_EQ(object["command"], "run");
  EXPECT_EQ(object["workload"], "resnet50");
  EXPECT_EQ(object["machine"], "tpu-v3");
  EXPECT_EQ(object["slice"], "4x4");
  EXPECT_EQ(object["detail"], "replay");
  EXPECT_EQ(object["chips"], 16);
  EXPECT_EQ(object["cores"], 32);
  EXPECT_DOUBLE_EQ(object["step_time_s"], 0.01);
  EXPECT_EQ(object["step_time_ps"], 10'000'000'000);
  EXPECT_DOUBLE_EQ(object["step_times_s"][0], 0.011);
  EXPECT_DOUBLE_EQ(object["flops_per_core_step"], 130e9);
  EXPECT_NEAR(object["utilization"]["hbm"], 0.5, 1e-9);
  EXPECT_DOUBLE_EQ(object["utilization"]["ici"], 0.125);
  EXPECT_DOUBLE_EQ(object["breakdown_s"]["compute"], 0.006);
  EXPECT_DOUBLE_EQ(object["breakdown_s"]["other"], 0);
  ASSERT_EQ(object["products"].size(), 1U) << "4 ms of the one item with products";
  EXPECT_EQ(object["products"][0]["products"], "f32 in 6 passes");
  EXPECT_DOUBLE_EQ(object["products"][0]["time_s"], 0.004);
  EXPECT_EQ(object["collectives"][0]["bytes"], 51'106'384);
  EXPECT_EQ(object["collectives"][0]["dtype"], "bf16");
  EXPECT_DOUBLE_EQ(object["collectives"][0]["exposed_s"], 0.003);
  EXPECT_EQ(object["memory"]["capacity_bytes_per_core"], (std::int64_t(16) << 30) - (528 << 20));
  EXPECT_EQ(object["partial"], false);
  EXPECT_EQ(object["warnings"], json::array({"a warning"}));
  EXPECT_DOUBLE_EQ(object["wall_s"], 1.5);
}

TEST(RunJson, StatsHaveTheSameWithoutHostTimes) {
  RunReport report = testing::sample_report();
  std::string stats = run_stats(report);
  report.compile_s = report.wall_s = 99;
  EXPECT_EQ(run_stats(report), stats) << "equal runs give equal bytes";
  json with = json::parse(run_json(report)), without = json::parse(stats);
  with.erase("compile_s");
  with.erase("wall_s");
  EXPECT_EQ(with, without);
}

}  // namespace
}  // namespace podsim::report::run
