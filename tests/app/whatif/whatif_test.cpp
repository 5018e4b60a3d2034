// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

const Words small{"resnet50", "--slice", "2x2", "--batch-per-core", "2"};

Json whatif_of_small(const test::Folder& folder) {
  Words words = {"whatif"};
  words.insert(words.end(), small.begin(), small.end());
  words.insert(words.end(), {"--json", "-j", "2"});
  const test::Outcome outcome = folder.run(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

/// The step of a row, run with what the row changes.
double step_alone(const test::Folder& folder, const Words& changes) {
  Words words = {"run"};
  words.insert(words.end(), small.begin(), small.end());
  words.insert(words.end(), changes.begin(), changes.end());
  words.insert(words.end(), {"--json", "--detail", "replay"});
  return Json::parse(folder.run(words).out)["step_time_s"].get<double>();
}

const Json& row_of(const Json& gains, const std::string& subject, const std::string& change) {
  const Json& rows = gains["changes"];
  return *std::ranges::find_if(rows, [&](const Json& r) { return r["subject"] == subject && r["change"] == change; });
}

TEST(Whatif, EachRowIsTheRunWithThatChange) {
  const test::Folder folder;
  const Json gains = whatif_of_small(folder);
  EXPECT_EQ(gains["step_time_s"].get<double>(), step_alone(folder, {}));
  EXPECT_EQ(row_of(gains, "rate of links", "twice")["step_time_s"].get<double>(),
            step_alone(folder, {"--set", "ici.link_rate=1312 Gb/s"}));
  EXPECT_EQ(row_of(gains, "matrix units", "half")["step_time_s"].get<double>(),
            step_alone(folder, {"--set", "mxu.count=1"}));
  EXPECT_EQ(row_of(gains, "--overlap collectives", "")["step_time_s"].get<double>(),
            step_alone(folder, {"--overlap", "collectives"}));
}

// With the same samples in a step, a gain is the ratio of the steps.
TEST(Whatif, GainsAreRatiosOfRates) {
  const test::Folder folder;
  const Json gains = whatif_of_small(folder);
  for (const Json& row : gains["changes"]) {
    if (row.contains("refused") || row["subject"] == "samples per core") continue;
    EXPECT_NEAR(row["gain"].get<double>(), gains["step_time_s"].get<double>() / row["step_time_s"].get<double>(), 1e-9);
  }
  // Twice the samples in a step of this time: 4 to a core.
  const Json& batch = row_of(gains, "samples per core", "twice");
  EXPECT_NEAR(batch["gain"].get<double>(), 2 * gains["step_time_s"].get<double>() / batch["step_time_s"].get<double>(),
              1e-9);
}

TEST(Whatif, ShowsTheErrorsOfTheStepAsARunDoes) {
  const test::Folder folder;
  const test::Outcome outcome = folder.run({"whatif", "resnet50", "--slice", "2x2", "--batch-per-core", "99999"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("out of memory"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace podsim
