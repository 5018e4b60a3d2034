// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_train.h"

#include <gtest/gtest.h>

#include "tests/app/commands.h"

namespace podsim::app::run {
namespace {

using Json = nlohmann::json;

// MLPerf v0.6 with 16 chips: 42.19 min. The number of epochs was derived from that time and its cadence, so that this
// holds the cadence and the arithmetic.
TEST(Train, ResNet50On16ChipsTakesAsLongAsPublished) {
  const test::Folder folder;
  const Json train = test::json_of(folder, {"train", "resnet50", "--slice", "4x4", "--json"});
  EXPECT_NEAR(double(train["time_to_train_s"]) / 60 / 42.19, 1, 0.10);
  EXPECT_EQ(train["train_loop"]["steps"], 1252);
  EXPECT_EQ(train["train_loop"]["evaluation_steps"], 13);
  EXPECT_NEAR(double(train["loops"]), 61.0 / 4, 1e-9);
}

TEST(Train, IsTheLoopAndItsTimesOfPodsimRun) {
  const test::Folder folder;
  const Json train = test::json_of(folder, {"train", "resnet50", "--slice", "4x4", "--json", "--epochs", "8"});
  const Json run =
      test::json_of(folder, {"run", "resnet50", "--slice", "4x4", "--json", "--loop", "steps=1252 eval=13"});
  EXPECT_EQ(train["train_loop"], run["train_loop"]);
  EXPECT_NEAR(double(train["time_to_train_s"]), 2 * double(run["train_loop"]["time_s"]), 1e-6);
}

// Both starts were used for the keys of [job]; the parts have to add up to them for the steps as they are compiled now.
TEST(Train, AStartOn4096ChipsTakesAsLongAsPublishedWithOneClientAndWithMany) {
  const test::Folder folder;
  const auto start = [&](const char* clients) {
    return double(test::json_of(folder, {"train", "resnet50", "--slice", "128x32", "--batch-per-core", "8", "--epochs",
                                         "88", "--clients", clients, "--json"})["start"]["time_s"]);
  };
  EXPECT_NEAR(start("one") / 495, 1, 0.20);
  EXPECT_NEAR(start("per-host") / 136, 1, 0.20);
}

TEST(Train, RefusesWhatNothingIsPublishedFor) {
  const test::Folder folder;
  const test::Outcome batch = folder.run({"train", "resnet50", "--slice", "2x2"});
  EXPECT_EQ(batch.code, 2);
  EXPECT_NE(batch.err.find("known for 4096 to 32768"), std::string::npos) << batch.err;
  const test::Outcome workload = folder.run({"train", "transformer", "--slice", "2x2", "--set", "model.layers=1"});
  EXPECT_EQ(workload.code, 2);
  EXPECT_NE(workload.err.find("an epoch of 'transformer' is not defined"), std::string::npos) << workload.err;
  EXPECT_EQ(folder.run({"train", "resnet50", "--slice", "2x2", "--epochs", "many"}).code, 2);
}

}  // namespace
}  // namespace podsim::app::run
