// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_train.h"

#include <gtest/gtest.h>

#include <cmath>

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

// MLPerf v0.6 with 1024 images: loops of 625 steps and an evaluation, 11 of them.
TEST(Train, SsdHasThePublishedLoops) {
  const test::Folder folder;
  const Json train =
      test::json_of(folder, {"train", "ssd", "--slice", "4x4", "--batch-per-core", "32", "--json", "--input", "off"});
  EXPECT_EQ(train["train_loop"]["steps"], 625);
  EXPECT_EQ(train["train_loop"]["evaluation_steps"], 5);
  EXPECT_NEAR(double(train["loops"]), 11, 1e-9);
}

TEST(Train, IsTheLoopAndItsTimesOfPodsimRun) {
  const test::Folder folder;
  const Json train = test::json_of(folder, {"train", "resnet50", "--slice", "4x4", "--json", "--epochs", "8"});
  const Json run =
      test::json_of(folder, {"run", "resnet50", "--slice", "4x4", "--json", "--loop", "steps=1252 eval=13"});
  EXPECT_EQ(train["train_loop"], run["train_loop"]);
  // MLPerf's clock begins with the first sample, which passes the hosts before the first step.
  EXPECT_NEAR(double(train["time_to_train_s"]),
              2 * double(run["train_loop"]["time_s"]) + double(train["start"]["input_s"]), 1e-6);
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

/// As published for evaluations every 4 epochs, the target is met after 59 epochs on average, half an interval earlier.
TEST(Train, MetTargetsAreSeenHalfAnIntervalLater) {
  const test::Folder folder;
  const auto loops = [&](const char* epochs) {
    return double(test::json_of(folder, {"train", "resnet50", "--slice", "4x4", "--json", "--input", "off",
                                         "--evaluate-every", epochs})["loops"]);
  };
  EXPECT_NEAR(loops("4"), 61.0 / 4, 1e-9);
  EXPECT_NEAR(loops("1"), 59 + 0.5, 1e-9);
  EXPECT_NEAR(loops("8"), 59.0 / 8 + 0.5, 1e-9);
}

TEST(Train, OfAnyWorkloadTakesItsStepsInLoops) {
  const test::Folder folder;
  const Json train = test::json_of(
      folder, {"train", "bert_large", "--slice", "2x2", "--batch-per-core", "2", "--set", "model.layers=1",
               "--train-steps", "100", "--loop", "steps=40", "--input", "off", "--json"});
  EXPECT_NEAR(double(train["loops"]), 2.5, 1e-12);
  EXPECT_NEAR(double(train["time_to_train_s"]), 2.5 * double(train["train_loop"]["time_s"]), 1e-9);
  EXPECT_EQ(train["epochs"], 0);
}

TEST(Train, RunsVaryByAllTheirLoops) {
  const test::Folder folder;
  const Json train = test::json_of(folder, {"train", "resnet50", "--slice", "2x2", "--batch-per-core", "2", "--epochs",
                                            "60", "--runs", "400", "--spread", "0.2", "--json"});
  const double loop = train["train_loop"]["time_s"];
  // 15 loops, seen at the next evaluation: a deviation of 3 loops, with 1/12 for the rounding.
  EXPECT_NEAR(double(train["runs"]["mean_s"]) / double(train["time_to_train_s"]), 1, 0.05);
  EXPECT_NEAR(double(train["runs"]["standard_deviation_s"]) / loop, std::sqrt(9 + 1.0 / 12), 0.4);
  EXPECT_LT(double(train["runs"]["least_s"]), double(train["runs"]["mlperf_s"]));
}

/// 25557032 weights, as frameworks count them, and a momentum for each, in 32 bits.
TEST(Train, ACheckpointOfResNet50HasItsWeightsAndMomenta) {
  const test::Folder folder;
  const Json train = test::json_of(folder, {"train", "resnet50", "--slice", "8x4", "--batch-per-core", "2", "--epochs",
                                            "1", "--checkpoint", "1000", "--restore", "--json"});
  constexpr double bytes = 2 * 4 * 25'557'032.0;
  EXPECT_EQ(double(train["checkpoint"]["state_bytes"]), bytes);
  EXPECT_EQ(double(train["checkpoint"]["host_bytes"]), bytes);  // every core has all of it
  EXPECT_NEAR(double(train["checkpoint"]["to_host_s"]), bytes / 16e9, 1e-9);
  EXPECT_NEAR(double(train["start"]["restore_s"]), bytes / 1e9, 1e-9);
  EXPECT_NEAR(double(train["start"]["weights_s"]), 2 * bytes / 16e9, 1e-9);
  // 10010 steps of 128 images, saved ten times.
  EXPECT_NEAR(double(train["train_loop"]["checkpoints_s"]), 10 * (bytes / 16e9 + bytes / 1e9), 1e-8);
}

/// Weights and momenta are sharded over 64 cores, 16 of which a host has; arrays that are too small stay whole.
TEST(Train, ShardedStateIsSavedByAllHosts) {
  const test::Folder folder;
  const Json run =
      test::json_of(folder, {"run", "resnet50", "--slice", "8x4", "--batch-per-core", "2", "--weight-update-sharding",
                             "on", "--loop", "steps=10 checkpoint=5", "--json"});
  constexpr double weights = 4 * 25'557'032.0;
  EXPECT_NEAR(double(run["checkpoint"]["state_bytes"]) / (2 * weights), 1, 0.01);
  EXPECT_NEAR(double(run["checkpoint"]["host_bytes"]) / (2 * weights / 4), 1, 0.02);
}

TEST(Train, RefusesACheckpointThatNoLoopReaches) {
  const test::Folder folder;
  const test::Outcome late = folder.run({"train", "resnet50", "--slice", "4x4", "--checkpoint", "2000"});
  EXPECT_EQ(late.code, 2);
  EXPECT_NE(late.err.find("a loop of 1252 steps ends before"), std::string::npos) << late.err;
  folder.write("sum.hlo",
               "HloModule sum\n\nENTRY main {\n  a = f32[8]{0} parameter(0)\n  ROOT b = f32[8]{0} add(a, a)\n}\n");
  const test::Outcome nothing =
      folder.run({"run", "sum.hlo", "--slice", "1x1", "--loop", "steps=2 checkpoint=1", "--input", "off"});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_NE(nothing.err.find("nothing tells what a checkpoint"), std::string::npos) << nothing.err;
}

TEST(Train, RefusesWhatNothingIsPublishedFor) {
  const test::Folder folder;
  const test::Outcome batch = folder.run({"train", "resnet50", "--slice", "2x2"});
  EXPECT_EQ(batch.code, 2);
  EXPECT_NE(batch.err.find("known for 4096 to 32768"), std::string::npos) << batch.err;
  const test::Outcome workload = folder.run({"train", "transformer", "--slice", "2x2", "--set", "model.layers=1"});
  EXPECT_EQ(workload.code, 2);
  EXPECT_NE(workload.err.find("an epoch of 'transformer' is not defined"), std::string::npos) << workload.err;
  const test::Outcome one = folder.run({"train", "ssd", "--slice", "2x2", "--batch-per-core", "4"});
  EXPECT_EQ(one.code, 2);
  EXPECT_NE(one.err.find("known for 1024; or --epochs N"), std::string::npos) << one.err;
  const test::Outcome source = folder.run({"train", "dlrm", "--slice", "2x2"});
  EXPECT_EQ(source.code, 2);
  EXPECT_NE(source.err.find("no source for how many its target takes"), std::string::npos) << source.err;
  EXPECT_EQ(folder.run({"train", "resnet50", "--slice", "2x2", "--epochs", "many"}).code, 2);
}

}  // namespace
}  // namespace podsim::app::run
