// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/app/commands.h"
#include "tests/app/program.h"

namespace podsim {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

/// Cells of a CSV line; quotes as RFC 4180 has them.
Words cells(const std::string& line) {
  Words result(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      result.emplace_back();
    } else {
      result.back() += c;
    }
  }
  return result;
}

double sum_of_parts(const Json& parts) {
  double total = 0;
  for (const auto& part : parts) total += part.get<double>();
  return total;
}

TEST(RunJson, HasTheKeysThatScriptsRelyOn) {
  const test::Folder folder;
  const Json run = test::json_of(folder, test::small_run({"--json"}));
  for (const char* key :
       {"schema_version", "command", "warnings", "wall_s", "workload", "machine", "slice", "detail", "step_time_s",
        "samples_per_s", "flops_per_core_step", "utilization", "breakdown_s", "collectives", "memory", "compile_s"}) {
    EXPECT_TRUE(run.contains(key)) << key;
  }
  for (const char* key : {"mxu", "hbm", "ici"}) EXPECT_TRUE(run["utilization"].contains(key)) << key;
  for (const char* key : {"compute", "collective", "infeed", "other"}) {
    EXPECT_TRUE(run["breakdown_s"].contains(key)) << key;
  }
  for (const char* key : {"peak_bytes_per_core", "capacity_bytes_per_core"}) {
    EXPECT_TRUE(run["memory"].contains(key)) << key;
  }
  ASSERT_FALSE(run["collectives"].empty());
  for (const char* key : {"kind", "dtype", "bytes", "time_s", "exposed_s", "group_size", "algorithm"}) {
    EXPECT_TRUE(run["collectives"][0].contains(key)) << key;
  }
  EXPECT_EQ(run["command"], "run");
  EXPECT_EQ(run["workload"], "resnet50");
  EXPECT_EQ(run["machine"], "tpu-v3");
  EXPECT_EQ(run["slice"], "2x2");
  EXPECT_EQ(run["detail"], "auto");
  EXPECT_EQ(run["real_chips"], 1);
  EXPECT_TRUE(folder.names().empty());  // only requested files are written
}

TEST(RunJson, HasFiguresThatAgreeWithEachOther) {
  const test::Folder folder;
  const Json run = test::json_of(folder, test::small_run({"--json"}));
  const double step = run["step_time_s"];
  EXPECT_GT(step, 0);
  EXPECT_NEAR(sum_of_parts(run["breakdown_s"]), step, 1e-12);
  EXPECT_NEAR(run["samples_per_s"].get<double>(), 2 * 8 / step, 1e-6 * 2 * 8 / step);  // batch x cores / step
  for (const auto& [unit, share] : run["utilization"].items()) {
    EXPECT_GE(share.get<double>(), 0) << unit;
    EXPECT_LE(share.get<double>(), 1) << unit;
  }
  // ResNet-50 has 25.6 million parameters; their gradients travel in bf16.
  EXPECT_NEAR(run["collectives"][0]["bytes"].get<double>(), 2 * 25.557e6, 0.01 * 2 * 25.557e6);
  EXPECT_EQ(run["collectives"][0]["group_size"], 8);
  EXPECT_LE(run["memory"]["peak_bytes_per_core"], run["memory"]["capacity_bytes_per_core"]);
  EXPECT_GE(run["wall_s"], run["compile_s"]);
}

struct SmallRun {
  const char* name;
  Words words;            ///< after "run"
  bool overlaps = false;  ///< whether collectives overlap with ops
};

class RunDetail : public ::testing::TestWithParam<SmallRun> {};

// The slices of 4 x 4 chips are whole pods and fold, those of 2 x 2 chips are open.
INSTANTIATE_TEST_SUITE_P(
    Programs, RunDetail,
    ::testing::Values(
        SmallRun{"resnet50_open", {"resnet50", "--slice", "2x2", "--batch-per-core", "2"}},
        SmallRun{"resnet50_torus", {"resnet50", "--slice", "4x4", "--batch-per-core", "2"}},
        SmallRun{"bert_open", {"bert_large", "--slice", "2x2", "--set", "model.layers=1", "--set", "model.batch=32"}},
        SmallRun{"bert_torus", {"bert_large", "--slice", "4x4", "--set", "model.layers=1", "--set", "model.batch=32"}},
        SmallRun{"dlrm_open", {"dlrm_global", "--slice", "2x2", "--set", "model.batch=512"}},
        SmallRun{"dlrm_torus", {"dlrm_global", "--slice", "4x4", "--set", "model.batch=512"}},
        SmallRun{"dense_137b_open",
                 {"dense_137b", "--slice", "2x2", "--mesh", "x=2,y=4", "--set", "model.layers=1", "--set",
                  "model.d_model=1024", "--set", "model.batch=8"},
                 true},
        SmallRun{"dense_137b_torus",
                 {"dense_137b", "--slice", "4x4", "--mesh", "x=4,y=8", "--set", "model.layers=1", "--set",
                  "model.d_model=1024", "--set", "model.batch=8"},
                 true}),
    [](const auto& instance) { return std::string(instance.param.name); });

// The times are equal to the picosecond, also with transfers concurrent with ops.
TEST_P(RunDetail, ChipsOfUnitsAndReplayedOnesTakeTheSameStep) {
  const test::Folder folder;
  const auto at = [&](const Words& detail) {
    Words words = {"run"};
    for (const Words& more :
         {GetParam().words, detail, {"--json", "--set", "pod.dimensions=[4, 4]", "--set", "pod.pods=1"}})
      words.insert(words.end(), more.begin(), more.end());
    return test::json_of(folder, words);
  };
  const Json tile = at({"--detail", "tile"}), replay = at({"--detail", "replay"}), automatic = at({});
  EXPECT_EQ(tile["real_chips"], tile["chips"]);
  EXPECT_EQ(replay["real_chips"], 0);
  EXPECT_EQ(automatic["real_chips"], 1);
  for (const Json& run : {replay, automatic}) {
    EXPECT_EQ(run["waiting_for_hbm"].empty(), !GetParam().overlaps);
    EXPECT_EQ(run["step_time_ps"], tile["step_time_ps"]);
    EXPECT_EQ(run["breakdown_s"], tile["breakdown_s"]);
  }
}

TEST(RunReal, ChoosesChipsByName) {
  const test::Folder folder;
  const Json row = test::json_of(folder, test::small_run({"--json", "--real", "chip(0,*)", "--real", "chip(1,1)"}));
  EXPECT_EQ(row["real_chips"], 3);
  const test::Outcome unknown = folder.run(test::small_run({"--real", "chip(7,*)"}));
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("'chip(7,*)' matches no chip of the slice"), std::string::npos) << unknown.err;
  EXPECT_NE(unknown.err.find("chips are called chip(0,0) to chip(1,1)"), std::string::npos) << unknown.err;
  const test::Outcome both = folder.run(test::small_run({"--real", "chip(0,0)", "--detail", "tile"}));
  EXPECT_EQ(both.code, 2);
}

// One chip of a torus stands for all of them, whichever is chosen.
TEST(RunReal, AFoldedChipIsItsRepresentative) {
  const test::Folder folder;
  const Json run =
      test::json_of(folder, {"run", "resnet50", "--slice", "4x4", "--batch-per-core", "2", "--json", "--set",
                             "pod.dimensions=[4, 4]", "--set", "pod.pods=1", "--real", "chip(3,2)"});
  EXPECT_EQ(run["simulated_chips"], 1);
  EXPECT_EQ(run["real_chips"], 1);
}

TEST(RunInfeed, AStepThatIsShorterThanTheHostTakesForABatchWaitsForIt) {
  const test::Folder folder;
  const Json fast = test::json_of(folder, test::small_run({"--json"}));
  const Json slow = test::json_of(folder, test::small_run({"--json", "--set", "host.batch_interval=\"300 ms\""}));
  ASSERT_LT(double(fast["step_time_s"]), 0.3);
  EXPECT_NEAR(double(slow["step_time_s"]), 0.3, 1e-6);
  const auto without_infeed = [](const Json& run) {
    return double(run["step_time_s"]) - double(run["breakdown_s"]["infeed"]);
  };
  // The start of the cores differs, which the first all-reduce evens out.
  EXPECT_NEAR(without_infeed(slow), without_infeed(fast), 1e-4);
}

/// Words of a run of a workload without infeeds, small.
Words without_infeeds(const char* workload, const char* interval) {
  return {"run",
          workload,
          "--slice",
          "2x2",
          "--batch-per-core",
          "1",
          "--json",
          "--set",
          "model.layers=1",
          "--set",
          std::string("host.batch_interval=\"") + interval + "\""};
}

TEST(RunInfeed, AProgramWithoutInfeedsWaitsForItsBatchToo) {
  const test::Folder folder;
  for (const char* workload : {"bert_large", "transformer"}) {
    const Json ready = test::json_of(folder, without_infeeds(workload, "0 ms"));
    const Json quick = test::json_of(folder, without_infeeds(workload, "0.1 ms"));
    const Json slow = test::json_of(folder, without_infeeds(workload, "400 ms"));
    EXPECT_EQ(double(ready["breakdown_s"]["infeed"]), 0) << workload;
    // A step that begins later ends at a cycle whose time is rounded to another picosecond.
    EXPECT_NEAR(double(quick["step_time_ps"]), double(ready["step_time_ps"]), 2) << workload;
    EXPECT_NEAR(double(slow["step_time_s"]), 0.4, 1e-6) << workload;
  }
}

// The host sends the batch, not the weights: with 16 GB/s for the two cores of a chip, 3.2 GB in 0.4 s.
TEST(RunInfeed, AFilesBatchAreTheParametersThatNoOutputReplaces) {
  const test::Folder folder;
  const auto step = [&](const std::string& aliases) {
    folder.write("step.hlo", "HloModule step" + aliases + R"(

ENTRY main {
  w = f32[1024]{0} parameter(0)
  batch = bf16[800000000]{0} parameter(1)
  row = bf16[1024]{0} slice(batch), slice={[0:1024]}
  wide = f32[1024]{0} convert(row)
  sum = f32[1024]{0} add(w, wide)
  ROOT result = (f32[1024]{0}) tuple(sum)
}
)");
    return double(test::json_of(folder, {"run", "step.hlo", "--slice", "1x1", "--json", "--set",
                                         "host.batch_interval=\"1 ms\""})["step_time_s"]);
  };
  EXPECT_NEAR(step(""), 1e-3, 1e-6);
  EXPECT_NEAR(step(", input_output_alias={ {0}: (0, {}, must-alias) }"), 2 * 1.6 / 16, 1e-4);
}

TEST(RunFold, GivesTheStepOfTheWholeTorus) {
  const test::Folder folder;
  // A pod of 4 x 4 chips, so that the slice is all of it and wraps.
  const Words torus = {
      "run",   "resnet50",   "--slice", "4x4", "--batch-per-core", "2", "--json", "--set", "pod.dimensions=[4, 4]",
      "--set", "pod.pods=1", "--fold"};
  Words on = torus, off = torus;
  on.emplace_back("on");
  off.emplace_back("off");
  const Json folded = test::json_of(folder, on);
  const Json whole = test::json_of(folder, off);
  EXPECT_LT(folded["simulated_chips"], 16);
  EXPECT_EQ(whole["simulated_chips"], 16);
  EXPECT_TRUE(folded["collectives"][0]["folded"]);
  EXPECT_FALSE(whole["collectives"][0]["folded"]);
  EXPECT_EQ(folded["step_time_ps"], whole["step_time_ps"]);
}

TEST(RunAlgorithm, IsTheOneThatWasAskedForWhereItCanBe) {
  const test::Folder folder;
  const Json fastest = test::json_of(folder, test::small_run({"--json"}));
  const std::string chosen = fastest["collectives"][0]["algorithm"];
  const auto is_of = [](const std::string& name, const std::string& algorithm) {
    return name.starts_with(algorithm + ":");
  };
  for (const char* algorithm : {"ring", "one-way-ring", "line", "y-then-x", "two-colour"}) {
    const Json run = test::json_of(folder, test::small_run({"--json", "--algorithm", algorithm}));
    EXPECT_TRUE(is_of(run["collectives"][0]["algorithm"], algorithm)) << run["collectives"][0]["algorithm"];
    if (!is_of(chosen, algorithm)) continue;
    EXPECT_EQ(run["step_time_ps"], fastest["step_time_ps"]);
  }
  const Json direct = test::json_of(folder, test::small_run({"--json", "--algorithm", "direct"}));  // of all-to-alls
  EXPECT_EQ(direct["step_time_ps"], fastest["step_time_ps"]);
  EXPECT_NE(direct["notes"].dump().find("all-reduce is not supported by the algorithm direct"), std::string::npos);
}

TEST(RunOutput, OpsAreInXprofColumnsAndAddUpToTheStep) {
  const test::Folder folder;
  const Json run = test::json_of(folder, test::small_run({"--json", "-o", "r"}));
  const Words table = test::lines_of(folder.read("r/ops.csv"));
  ASSERT_EQ(table.size(), run["ops_per_step"].get<std::size_t>() + 1);
  double step_us = 0, share = 0;
  for (std::size_t i = 1; i < table.size(); ++i) {
    const Words row = cells(table[i]);
    ASSERT_EQ(row.size(), cells(table[0]).size()) << table[i];
    EXPECT_EQ(row[0], std::to_string(i));
    step_us += std::stod(row[6]);
    share += std::stod(row[9]);
  }
  const double items = run["step_time_s"].get<double>() - run["breakdown_s"]["other"].get<double>();
  EXPECT_NEAR(step_us, items * 1e6, 1e-6 * double(table.size()));  // cells are rounded to a picosecond
  EXPECT_NEAR(share, 1, 1e-6);
}

TEST(RunOutput, TheActivityOfOpsAddsUpToThatOfTheStep) {
  const test::Folder folder;
  const Json run = test::json_of(folder, test::small_run({"--json", "-o", "r"}));
  const Words table = test::lines_of(folder.read("r/ops.csv"));
  std::vector<std::int64_t> sums(6, 0);
  for (std::size_t i = 1; i < table.size(); ++i) {
    const Words row = cells(table[i]);
    for (std::size_t column = 0; column < 6; ++column) sums[column] += std::stoll(row[row.size() - 7 + column]);
  }
  const Json& core = run["activity"]["core"];
  const auto count = [&](const char* part, const char* name) { return core[part][name].get<std::int64_t>(); };
  EXPECT_EQ(sums[0], count("mxu", "multiply_accumulates"));
  EXPECT_EQ(sums[1], count("vector", "alu_operations"));
  EXPECT_EQ(sums[2], count("cross_lane", "operations"));
  EXPECT_EQ(sums[3], count("hbm", "op_read_bytes") + count("hbm", "transfer_read_bytes"));
  EXPECT_EQ(sums[4], count("hbm", "op_written_bytes") + count("hbm", "transfer_written_bytes"));
  EXPECT_EQ(sums[5], count("ici", "message_bytes"));
  for (const std::int64_t sum : sums) EXPECT_GT(sum, 0);
}

TEST(RunOutput, OpsHaveTheHeaderOfAMeasuredProfileAndHowProductsAreComputed) {
  const std::filesystem::path profile =
      std::filesystem::path(PODSIM_SOURCE_DIR) / "../shared/measurements/op_profiles/resnet.csv";
  std::ifstream in(profile);
  if (!in) GTEST_SKIP() << "no " << profile;
  std::string header;
  std::getline(in, header);
  if (header.ends_with('\r')) header.pop_back();
  const test::Folder folder;
  test::json_of(folder, test::small_run({"--json", "-o", "r"}));
  EXPECT_EQ(test::lines_of(folder.read("r/ops.csv")).front(), header +
                                                                  ",Products,Multiply-accumulates,Vector operations,"
                                                                  "Cross-lane operations,HBM read (B),HBM written (B),"
                                                                  "ICI sent (B),Energy of events (J)");
}

TEST(RunOutput, ManifestNamesEveryFile) {
  const test::Folder folder;
  test::json_of(folder, test::small_run({"--json", "-o", "r", "--vcd", "r/x.vcd", "--trace", "chip(0,0).core0.*"}));
  const Json manifest = Json::parse(folder.read("r/manifest.json"));
  std::set<std::string> named;
  for (const auto& [name, description] : manifest["files"].items()) named.insert(name);
  const Words there = folder.names("r");
  EXPECT_EQ(named, std::set<std::string>(there.begin(), there.end()));
  EXPECT_EQ(folder.names(), Words{"r"});
}

TEST(RunOutput, OfEqualRunsIsEqualByteForByte) {
  const test::Folder folder;
  test::json_of(folder, test::small_run({"--json", "-o", "first"}));
  test::json_of(folder, test::small_run({"--json", "-o", "second/below"}));
  const Words names = folder.names("first");
  EXPECT_EQ(names, folder.names("second/below"));
  EXPECT_EQ(names.size(), 12U);
  for (const std::string& name : names) {
    EXPECT_EQ(folder.read("first/" + name), folder.read("second/below/" + name)) << name;
  }
}

TEST(RunOutput, OfTheMachineIsAMachineFileThatGivesTheSameRun) {
  const test::Folder folder;
  const Json first = test::json_of(folder, test::small_run({"--json", "-o", "r", "--set", "ici.link_rate=1.3 Tb/s"}));
  const Json again = test::json_of(folder, test::small_run({"--json", "--machine", "r/machine.toml"}));
  EXPECT_EQ(first["step_time_ps"], again["step_time_ps"]);
}

TEST(RunSummary, SaysWhatBoundsTheStepAndNamesFiveOps) {
  const test::Folder folder;
  const test::Outcome outcome = folder.run(test::small_run({"-o", "r"}));
  EXPECT_EQ(outcome.code, 0);
  for (const char* text :
       {"step time", "samples/s", "bound by", "MXU", "HBM", "ICI", "all-reduce", "the 5 costliest"}) {
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << "\n" << outcome.out;
  }
  EXPECT_TRUE(outcome.out.starts_with(folder.read("r/summary.txt")));
}

TEST(Describe, PrintsAMachineFileThatReadsBackToItself) {
  const test::Folder folder;
  const test::Outcome first = folder.run({"describe", "tpu-v2", "--toml"});
  EXPECT_EQ(first.code, 0) << first.err;
  folder.write("copy.toml", first.out);
  const Json original = test::json_of(folder, {"describe", "tpu-v2", "--json"});
  const Json copy = test::json_of(folder, {"describe", "copy.toml", "--json"});
  ASSERT_EQ(original["values"].size(), copy["values"].size());
  for (std::size_t i = 0; i < original["values"].size(); ++i) {
    EXPECT_EQ(original["values"][i]["key"], copy["values"][i]["key"]);
    EXPECT_EQ(original["values"][i]["value"], copy["values"][i]["value"]);
    EXPECT_EQ(original["values"][i]["evidence"], copy["values"][i]["evidence"]) << copy["values"][i];
    EXPECT_EQ(original["values"][i]["source"], copy["values"][i]["source"]);
  }
}

}  // namespace
}  // namespace podsim
