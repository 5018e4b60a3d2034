// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/app/program.h"

namespace podsim::app {
namespace {

using OneChipJson = nlohmann::json;
using OneChipWords = std::vector<std::string>;

OneChipJson json_with(OneChipWords words, const std::string& fold) {
  const test::Folder folder;
  words.insert(words.end(), {"--fold", fold, "--json"});
  const test::Outcome outcome = folder.run(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return OneChipJson::parse(outcome.out);
}

const OneChipWords open_slice{"run", "resnet50", "--slice", "4x4", "--batch-per-core", "8"};

// The oracle is the run of all chips, whose cores drift apart by a hundredth of the collectives.
TEST(OneChip, StandsForAnOpenSlice) {
  const OneChipJson all = json_with(open_slice, "off"), one = json_with(open_slice, "all");
  EXPECT_NEAR(one["step_time_s"].get<double>() / all["step_time_s"].get<double>(), 1, 0.01);
  EXPECT_EQ(one["collectives"].size(), all["collectives"].size());
  for (std::size_t i = 0; i < all["collectives"].size(); ++i) {
    EXPECT_EQ(one["collectives"][i]["algorithm"], all["collectives"][i]["algorithm"]);
  }
  EXPECT_EQ(one["notes"].dump().find("do the same at the same time"), std::string::npos);
}

// Cores that take different branches are simulated one by one, with all that they show.
TEST(OneChip, LeavesStagesAsTheyAre) {
  const OneChipWords stages{"run", "transformer", "--set", "model.layers=2",  "--slice",
                            "2x1", "--stages",    "2",     "--micro-batches", "4"};
  const OneChipJson all = json_with(stages, "on"), one = json_with(stages, "all");
  EXPECT_EQ(one["step_time_s"], all["step_time_s"]);
  EXPECT_EQ(one["utilization"], all["utilization"]);
  EXPECT_NE(one["notes"].dump().find("--fold all"), std::string::npos);
}

TEST(OneChip, HasNoChipsToChooseFromAndNoTransfersOfChips) {
  const test::Folder folder;
  for (const OneChipWords& more :
       {OneChipWords{"--real", "chip(1,1)"}, OneChipWords{"--detail", "tile"}, OneChipWords{"--detail", "chip"}}) {
    OneChipWords words = open_slice;
    words.insert(words.end(), {"--fold", "all"});
    words.insert(words.end(), more.begin(), more.end());
    const test::Outcome outcome = folder.run(words);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_NE(outcome.err.find("--fold all"), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace podsim::app
