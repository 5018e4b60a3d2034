// SPDX-License-Identifier: Apache-2.0
#include "app/serve/slice_walk.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/serve/step_programs.h"
#include "app/serve/weight_bytes.h"
#include "tests/app/program.h"
#include "workloads/serving/service_level.h"

namespace podsim {
namespace {

using WalkFigures = nlohmann::json;

/// GPT-J: 28 layers of 4096 x (4 x 4096 + 2 x 16384) weights, a table of 50400 rows that is looked up, and another that
/// gives the logits; norms and biases are below a thousandth of them.
app::serve::ServeOptions gpt_in_bf16() {
  app::serve::ServeOptions options;
  options.run.workload = "gpt_6b";
  options.run.build.model = {{"model.parameter_type", "bf16"}};
  options.level = workloads::serving::parse_service_level("--slo", "tpot<12ms");
  return options;
}

sw::TargetMachine tpu_v3() { return sw::read_target(workloads::machines::MachineChoice().load()); }

/// Powers of two up to 32 along two dimensions, of which the longer comes first: 6 x 7 / 2.
TEST(SliceWalk, HasTheSlicesOfAPodByChips) {
  const auto slices = app::serve::slices_of_pod(tpu_v3());
  ASSERT_EQ(slices.size(), 21u);
  std::vector<std::string> first;
  for (std::size_t i = 0; i < 5; ++i) first.push_back(slices[i].name);
  EXPECT_EQ(first, (std::vector<std::string>{"1x1", "2x1", "2x2", "4x1", "4x2"}));
  EXPECT_EQ(slices.back().name, "32x32");
  EXPECT_EQ(slices.back().chips, 1024);
}

TEST(SliceWalk, CountsEachWeightOnce) {
  app::run::RunOptions options = gpt_in_bf16().run;
  const double layers = 28.0 * 4096 * (4 * 4096 + 2 * 16384), table = 50400.0 * 4096;
  for (const char* lookup : {"one_hot", "gather"}) {
    options.build.model["model.lookup"] = lookup;
    const auto bytes = app::serve::weight_bytes(options);
    EXPECT_NEAR(double(bytes.all.value()) / (2 * (layers + 2 * table)), 1, 0.001);
    // A product with one-hot rows reads the table.
    const double tables = std::string(lookup) == "gather" ? 1 : 2;
    EXPECT_NEAR(double(bytes.read.value()) / (2 * (layers + tables * table)), 1, 0.001) << lookup;
  }
}

/// No step is faster than its bound, and that of a sequence with few keys is within twice of it on few chips.
TEST(SliceWalk, BoundsStepsFromBelow) {
  app::serve::ServeOptions options = gpt_in_bf16();
  const app::serve::SliceBounds bounds(options, tpu_v3());
  for (const auto& [slice, chips] :
       std::vector<std::pair<std::string, int>>{{"1x1", 1}, {"2x1", 2}, {"2x2", 4}, {"4x4", 16}}) {
    options.run.slice = slice;
    app::serve::StepPrograms programs(options.run, true, base::Duration(0));
    programs.limit_tokens(256);
    const double step = programs.cost({.decoding = 1, .cached = 128}).seconds;
    EXPECT_LT(bounds.least_step_s(chips), step) << slice;
    if (chips <= 4) {
      EXPECT_GT(bounds.least_step_s(chips), step / 2) << slice;
    }
  }
}

/// What the walk skips does not meet the level when it is served, and the walk ends with the slice that a list of all
/// of them finds.
TEST(SliceWalk, FindsWhatAListOfSlicesFinds) {
  const test::Folder folder;
  const auto found = [&](const std::string& slices) {
    const test::Outcome outcome =
        folder.run({"serve", "gpt_6b", "--slices", slices, "--set", "model.parameter_type=bf16", "--rate", "1/s",
                    "--requests", "20", "--slo", "tpot<7ms", "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return WalkFigures::parse(outcome.out);
  };
  const WalkFigures walked = found("auto"), listed = found("1x1,2x1,2x2,4x1");
  ASSERT_EQ(walked["slices"].size(), 4u);
  EXPECT_EQ(walked["smallest"], listed["smallest"]);
  std::size_t skipped = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(walked["slices"][i]["slice"], listed["slices"][i]["slice"]);
    EXPECT_EQ(walked["slices"][i]["meets"], listed["slices"][i]["meets"]);
    if (walked["slices"][i].contains("refusal")) ++skipped;
  }
  EXPECT_EQ(skipped, 2u);  // a chip reads 12 GB in some 15 ms, two in half of it
}

/// Slices whose memory is below the weights are skipped, with the reason.
TEST(SliceWalk, SkipsSlicesWithoutMemory) {
  app::serve::ServeOptions options = gpt_in_bf16();
  options.run.workload = "dense_137b";
  const app::serve::SliceBounds bounds(options, tpu_v3());
  const double bytes = double(app::serve::weight_bytes(options.run).all.value());
  EXPECT_NEAR(bytes / (2 * 137e9), 1, 0.05);
  for (const std::int64_t chips : {1, 2, 4, 8, 16, 1024}) {
    const auto reason = bounds.hopeless(chips);
    const bool fits = bytes < double(chips) * 2 * double(tpu_v3().hbm.usable_per_core().value());
    if (!fits) {
      ASSERT_TRUE(reason);
      EXPECT_NE(reason->find("more than its memory"), std::string::npos);
    }
  }
  EXPECT_FALSE(bounds.hopeless(1024));
}

}  // namespace
}  // namespace podsim
