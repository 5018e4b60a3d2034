// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Json figures_with(const test::Folder& folder, const Words& more) {
  Words words = {"run", "resnet50", "--batch-per-core", "2", "--detail", "replay", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const test::Outcome outcome = folder.run(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

// What it says is what it ran; the whole update is 1 % faster at most, on slices where sharing gains much and little.
TEST(UpdateChoice, IsTheRunOfTheFlagsThatItNamesAndNotSlowerThanOff) {
  const test::Folder folder;
  for (const char* slice : {"1x1", "2x2", "16x8"}) {
    const Json chosen = figures_with(folder, {"--slice", slice, "--weight-update-sharding", "auto"});
    const Json off = figures_with(folder, {"--slice", slice});
    EXPECT_LE(chosen["step_time_s"].get<double>(), 1.01 * off["step_time_s"].get<double>()) << slice;
    const Json& choice = chosen["update_choice"];
    Words named{"--slice", slice, "--weight-update-sharding", choice["axes"]};
    if (choice["mesh"] != "") named.insert(named.end(), {"--mesh", choice["mesh"]});
    EXPECT_EQ(chosen["step_time_s"], figures_with(folder, named)["step_time_s"]) << slice;
  }
}

TEST(UpdateChoice, TakesAxesOfAMeshThatIsGiven) {
  const test::Folder folder;
  const Json chosen = figures_with(folder, {"--slice", "2x2", "--mesh", "a=2,b=4", "--weight-update-sharding", "auto"});
  EXPECT_EQ(chosen["update_choice"]["tried"].size(), 4U);  // off, a, b, and both
  EXPECT_EQ(chosen["update_choice"]["mesh"], "");
}

TEST(UpdateChoice, TakesAxesOfTheMeshThatAWorkloadStates) {
  const test::Folder folder;
  Words words{"run", "transformer", "--slice", "2x1", "--detail", "replay", "--json", "--weight-update-sharding",
              "auto"};
  for (const char* key : {"model.tensor_parallel=2", "model.layers=1", "model.vocabulary=1024", "model.batch=4"})
    words.insert(words.end(), {"--set", key});
  const test::Outcome outcome = folder.run(words);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["update_choice"]["tried"].size(), 4U);  // off, data, model, and both
}

// Without a mesh, its step with and without shards would be two programs.
TEST(UpdateChoice, OfAFileWantsAMesh) {
  const test::Folder folder;
  folder.write("one.hlo", "HloModule m\n\nENTRY %e (a: f32[8]) -> f32[8] {\n  ROOT %a = f32[8] parameter(0)\n}\n");
  const test::Outcome outcome = folder.run({"run", "one.hlo", "--weight-update-sharding", "auto"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("add a --mesh"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace podsim
