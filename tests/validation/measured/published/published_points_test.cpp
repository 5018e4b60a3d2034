// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/published/published_points.h"

#include <gtest/gtest.h>

namespace podsim::validation::measured::published {
namespace {

std::vector<PublishedStep> points(const std::string& rows) {
  return published_points("points.csv", "source,kind,chip,configuration,value,unit,first_hand,precision,note\n" + rows);
}

std::string point_command(const PublishedStep& step) {
  std::string line;
  for (const std::string& word : step.command) line += (line.empty() ? "" : " ") + word;
  return line;
}

TEST(PublishedPoints, OnlyWholeStepsAreRows) {
  const std::vector<PublishedStep> steps =
      points("a,point_to_point,v3,send 2 bytes,34,us,yes,,\na,training_step,v3,\"Somenet, v3-8\",47.62,ms,yes,,\n");
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].network, "Somenet");
  EXPECT_DOUBLE_EQ(steps[0].min_s, 0.04762);
  EXPECT_NE(steps[0].reason.find("no workload"), std::string::npos);
}

// 1,281,167 images are 1252 batches of 1024.
TEST(PublishedPoints, AnEpochHasTheStepsOfItsImages) {
  const PublishedStep step =
      points("a,training_epoch,v2,\"ResNet-50 batch 1024 v2-8, TF 1.11; epoch\",313,s,yes,,\n").at(0);
  EXPECT_DOUBLE_EQ(step.max_s, 0.25);
  EXPECT_EQ(point_command(step),
            "run resnet50 --slice 2x2 --batch-per-core 128 --set model.gradient_type=f32 --machine tpu-v2");
}

TEST(PublishedPoints, ANetworkOfCellsHasTheirNumberAndTheirFilters) {
  const PublishedStep step =
      points("a,training_epoch,v2,\"AmoebaNet-D N6F256, batch 1024, v2-8 (4 chips); epoch\",626,s,yes,,\n").at(0);
  EXPECT_DOUBLE_EQ(step.max_s, 0.5);
  EXPECT_EQ(point_command(step),
            "run amoebanet_d --slice 2x2 --batch-per-core 128 --set model.cells=6 --set model.reduction_size=256 "
            "--machine tpu-v2");
}

// 128 images on each of 8 cores; 0.08 ms is between 0.075 and 0.085.
TEST(PublishedPoints, ATimeOfAnExampleIsOneOfABatch) {
  const PublishedStep step =
      points("a,inference,v2,\"WRN-28-10 CIFAR-10 forward, 8 v2 cores\",0.08,ms per example,yes,,\n").at(0);
  EXPECT_NEAR(step.min_s, 1024 * 75e-6, 1e-9);
  EXPECT_NEAR(step.max_s, 1024 * 85e-6, 1e-9);
  EXPECT_EQ(point_command(step), "run wide_resnet --slice 2x2 --batch-per-core 128 --inference --machine tpu-v2");
}

// A layer of width M has 12 M^2 weights in products, and the vocabulary M V; scores and context of S tokens take 2 S M
// multiply-accumulates of each; three passes, two FLOPs each.
TEST(PublishedPoints, AUtilisationIsATime) {
  const PublishedStep step =
      points(
          "a,training_mfu,v3,\"GPT-2 345M (d1024 24 L 16 heads s1024); FSDP; v3-256 (128 chips, 16x8)\",35.1,% MFU,"
          "yes,,\n")
          .at(0);
  const double tokens = 512.0 * 1024, width = 1024;
  const double flops = 6 * tokens * (24 * (12 * width * width + 2 * 1024 * width) + 50257 * width);
  EXPECT_NEAR(step.min_s, flops / (0.351 * 256 * 61.5e12), 1e-6 * step.min_s);
  EXPECT_EQ(point_command(step),
            "run transformer --slice 16x8 --rematerialise layer --set model.batch=512 --set model.sequence=1024 --set "
            "model.vocabulary=50257 --set model.layers=24 --set model.d_model=1024 --set model.heads=16 --set "
            "model.d_head=64 --set model.d_ff=4096 --set model.biases=on --set model.lookup=gather --set "
            "model.shard_weights=on");
}

TEST(PublishedPoints, TheSizesOfARowAreItsCommands) {
  EXPECT_EQ(
      point_command(points("a,training_step,v3,\"MaxText default: 16 layers d2048 ff8192 8 heads of 256, vocabulary "
                           "32,768, sequence 1024, FSDP 8, v3-8\",2.166,s,yes,,\n")
                        .at(0)),
      "run transformer --slice 2x2 --rematerialise unbatched-dots --set model.batch=128 --set model.sequence=1024 "
      "--set model.vocabulary=32768 --set model.layers=16 --set model.d_model=2048 --set model.heads=8 --set "
      "model.d_head=256 --set model.d_ff=8192 --set model.activation=relu --set model.norm=rms_norm --set "
      "model.parallel_blocks=on --set model.position_embedding=off --set model.relative_buckets=32 --set "
      "model.query_key_norm=on --set model.lookup=gather --set "
      "model.shard_weights=on");
  EXPECT_EQ(
      point_command(points("a,training_step,v3,\"BiT ResNet-50x1, 224 px, batch 4096, v3-128 (64 chips)\",68.2,ms,"
                           "yes,,\n")
                        .at(0)),
      "run bit_resnet50 --slice 8x8 --set model.batch=4096 --set model.activation_type=f32");
  EXPECT_EQ(
      point_command(points("a,training_step,v3,\"Transformer WMT default, length 256 packed, 32 per core, v3-32\","
                           "108.6,ms,yes,,\n")
                        .at(0)),
      "run transformer_mlperf --slice 4x4 --batch-per-core 32 --set model.vocabulary=32000 --set "
      "model.sequence=256 --set model.source_sequence=256 --set model.gradient_type=f32");
}

TEST(PublishedPoints, ARowThatStatesTooLittleSaysSo) {
  const auto reason_of = [](const std::string& row) { return points(row).at(0).reason; };
  EXPECT_NE(reason_of("a,training_step,v3,GPT-2 345M; v3-256 (128 chips),35.1,% MFU,yes,,\n").find("does not state"),
            std::string::npos);
  EXPECT_NE(reason_of("a,training_step,v3,\"BiT ResNet-50x1, batch 4096, v3-6\",3,ms,yes,,\n").find("slice"),
            std::string::npos);
  EXPECT_NE(reason_of("a,training_rate,v3,\"BiT ResNet-50x1, batch 4096, v3-8\",3,images/s/core,yes,,\n")
                .find("no time of a step"),
            std::string::npos);
}

}  // namespace
}  // namespace podsim::validation::measured::published
