// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

test::Outcome run_training(const test::Folder& folder, const Words& more) {
  Words words = {"run", "resnet50", "--slice", "2x2", "--batch-per-core", "2"};
  words.insert(words.end(), more.begin(), more.end());
  return folder.run(words);
}

// On 8 cores a shard is an eighth, except tensors below 64 KiB, which are some hundredths of the whole. The update
// takes an eighth too, except for weights that are read again for norms: 24 bytes each move instead of 20.
TEST(WeightUpdateSharding, ShrinksWeightsSlotsAndTheirUpdate) {
  const test::Folder folder;
  const auto figures = [&](const Words& more) {
    Words words = more;
    words.push_back("--json");
    const test::Outcome outcome = run_training(folder, words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out);
  };
  const Json whole = figures({}), cut = figures({"--weight-update-sharding", "on"});
  const auto parameters = [](const Json& run) { return run["memory"]["argument_bytes_per_core"].get<double>(); };
  const auto update = [](const Json& run) { return run["compute_parts_s"]["weight_update"].get<double>(); };
  EXPECT_GE(parameters(cut), parameters(whole) / 8);
  EXPECT_LE(parameters(cut), parameters(whole) / 7);
  EXPECT_LT(update(cut), update(whole) / 8 * 24 / 20);
}

TEST(WeightUpdateSharding, NamesTheAxesThatThereAre) {
  const test::Folder folder;
  const test::Outcome outcome = run_training(folder, {"--mesh", "replica=8", "--weight-update-sharding", "replca"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("did you mean 'replica'"), std::string::npos) << outcome.err;
}

TEST(WeightUpdateSharding, SaysWhatACoreKeeps) {
  const test::Folder folder;
  const test::Outcome outcome = run_training(folder, {"--mesh", "replica=8", "--weight-update-sharding", "replica"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("sharded update"), std::string::npos) << outcome.out;
}

// Each core of a mesh has a separate batch, and the gradients are summed, as without a mesh.
TEST(WeightUpdateSharding, WithoutItGradientsAreAddedUpAlongAMesh) {
  const test::Folder folder;
  const auto summed = [&](const Words& more) {
    Words words = more;
    words.push_back("--json");
    const test::Outcome outcome = run_training(folder, words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out)["collectives"].at(0)["bytes"].get<std::int64_t>();
  };
  EXPECT_EQ(summed({"--mesh", "replica=8"}), summed({}));
}

}  // namespace
}  // namespace podsim
