// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/published/published_steps.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/diagnostic.h"

namespace podsim::validation::measured::published {
namespace {

constexpr const char* head = "workload,generation,chips,topology,global_batch,partitioning,step_ms,what\n";

PublishedStep row(const std::string& text) { return published_steps("steps.csv", head + text + "\n").at(0); }

std::string words(const PublishedStep& step) {
  std::string line;
  for (const std::string& word : step.command) line += (line.empty() ? "" : " ") + word;
  return line;
}

TEST(PublishedSteps, AStepKeepsWhatItsRowSays) {
  const PublishedStep step = row("resnet50,v3,32,8x4 assumed,8192,data parallel,116.63,sum of per-op times");
  EXPECT_EQ(step.slice, "8x4") << "the word behind the slice is a remark";
  EXPECT_DOUBLE_EQ(step.min_s, 0.11663);
  EXPECT_DOUBLE_EQ(step.max_s, 0.11663);
  EXPECT_EQ(step.contains, "sum of per-op times");
}

/// 8192 images on 32 chips of two cores are 128 for each.
TEST(PublishedSteps, ABatchIsSharedByBothCoresOfAChip) {
  EXPECT_EQ(words(row("resnet50,v3,32,8x4,8192,,116.63,x")), "run resnet50 --slice 8x4 --batch-per-core 128");
  EXPECT_EQ(words(row("resnet50,v2,4,2x2,1024,,228.9,x")),
            "run resnet50 --slice 2x2 --batch-per-core 128 --machine tpu-v2");
  EXPECT_NE(row("resnet50,v3,32,8x4,100,,116.63,x").reason.find("64 cores"), std::string::npos);
}

TEST(PublishedSteps, TheColumnsOfARowBecomeFlags) {
  EXPECT_EQ(words(row("bert_large,v3,4096,128x32,8192,sharded update,46,x")),
            "run bert_large --slice 128x32 --batch-per-core 1 --weight-update-sharding on");
  EXPECT_EQ(
      words(row("dense_137b,v3,256,16x16,128,128 sequences of 1024; mesh 16 x 32; full rematerialisation,7282,x")),
      "run dense_137b --slice 16x16 --mesh x=16,y=32 --set model.batch=128 --set model.sequence=1024 "
      "--rematerialise layer");
}

// Four epochs of 1,281,167 images are 1251.1 steps of 4096, and 50,000 images 12.2 of them; 625 steps of 1024 are 312.5
// of 2048. An epoch of 118,287 images is 924.1 steps of 128, and 5,000 images 39.1.
TEST(PublishedSteps, ACadenceWithEvaluationIsThatOfALoop) {
  EXPECT_EQ(words(row("resnet50,v3,16,4x4,4096,,131.09,train + amortised eval")),
            "run resnet50 --slice 4x4 --batch-per-core 128 --loop steps=1252 eval=13");
  EXPECT_EQ(words(row("ssd_resnet34,v3,512,32x16,2048,data parallel 256 x spatial 4,15.96,train + amortised eval")),
            "run ssd --slice 32x16 --set model.batch=2048 --set model.spatial=4 --loop steps=313 eval=3");
  EXPECT_EQ(words(row("mask_rcnn_r50_fpn,v3,16,4x4,128,data parallel 4 per core,452.8,train + amortised eval")),
            "run mask_rcnn --slice 4x4 --batch-per-core 4 --loop steps=925 eval=40");
  EXPECT_EQ(words(row("ssd_resnet34,v3,16,4x4,1024,,109.1,train only")), "run ssd --slice 4x4 --batch-per-core 32");
}

// Mean length of the buckets of the published profile: 18, 24, 30, 42 and 48 tokens in 128, 2304, 3024, 2304 and 1344
// of its 9104 updates, by the rows of the output products.
TEST(PublishedSteps, BucketsAreTheirMean) {
  const double mean = (18.0 * 128 + 24 * 2304 + 30 * 3024 + 42 * 2304 + 48 * 1344) / 9104;
  EXPECT_NEAR(mean, 34, 0.5);
  EXPECT_EQ(words(row("gnmt,v3,16,4x4,4096,data parallel 128 per core; 5 length buckets,143.26,x")),
            "run gnmt --slice 4x4 --batch-per-core 128 --set model.length=34 --set model.longest=32");
}

// The published code and scripts of version 0.6: gradients in f32, and batch norms over 8 of 128 cores, over 8 groups
// of 4 cores on 1024.
TEST(PublishedSteps, ASubmissionIsConfiguredAsPublished) {
  const auto of = [](const std::string& text) {
    std::string with_source = head;
    with_source.insert(with_source.size() - 1, ",source");
    return words(published_steps("steps.csv", with_source + text + "\n").at(0));
  };
  EXPECT_EQ(of("ssd_resnet34,v3,64,8x8,1024,data parallel 8 per core,33.62,train only,MLPERF v0.6 tpu-v3-128"),
            "run ssd --slice 8x8 --batch-per-core 8 --set model.gradient_type=f32 --set model.bn_group=8");
  EXPECT_EQ(of("ssd_resnet34,v3,512,32x16,2048,spatial 4,15.96,train only,MLPERF v0.6 tpu-v3-1024"),
            "run ssd --slice 32x16 --set model.batch=2048 --set model.spatial=4 --set model.gradient_type=f32 "
            "--set model.bn_group=32");
  EXPECT_EQ(of("resnet50,v3,4,2x2,1024,,137.3,train only,MLPERF v0.5 tpu-v3-8"),
            "run resnet50 --slice 2x2 --batch-per-core 128 --set model.gradient_type=f32 --compiler 2018");
  EXPECT_EQ(of("resnet50,v2,4,2x2,1024,,228.9,train only,MLPERF v0.5 tpu-v2-8"),
            "run resnet50 --slice 2x2 --batch-per-core 128 --set model.gradient_type=f32 --machine tpu-v2 "
            "--compiler 2018");
  EXPECT_EQ(of("bert_large,v3,16,4x4,448,,460.3,train only,MLPERF v0.7 tpu-v3-32"),
            "run bert_large --slice 4x4 --batch-per-core 14 --set model.gradient_type=f32");
  EXPECT_EQ(of("transformer_big_mlperf,v3,16,4x4,512,,170,train only,MLPERF v0.6 tpu-v3-32"),
            "run transformer_mlperf --slice 4x4 --batch-per-core 16");
  EXPECT_EQ(of("resnet50,v3,16,4x4,1024,data parallel; f32 gradients,41.6,train only,a paper"),
            "run resnet50 --slice 4x4 --batch-per-core 32 --set model.gradient_type=f32");
  EXPECT_EQ(of("resnet50,v3,32,8x4,8192,,116.63,sum of ops,PARA profile"),
            "run resnet50 --slice 8x4 --batch-per-core 128");
}

TEST(PublishedSteps, ALanguageModelIsCutAndAccumulatedAsItsRowSays) {
  EXPECT_EQ(words(row("gpt_6b,v3,16,4x4,64 sequences of 2048,tensor parallel 8 x data parallel 4; full "
                      "rematerialisation; gradients accumulated over 8,3373,x")),
            "run gpt_6b --slice 4x4 --mesh data=4,model=8 --set model.batch=64 --set model.sequence=2048 "
            "--set model.accumulate=8 --rematerialise layer");
  EXPECT_NE(row("gpt_6b,v3,16,4x4,64,data parallel,3373,x").reason.find("how they and the model are cut"),
            std::string::npos);
}

TEST(PublishedSteps, ARowWithoutAWorkloadSaysSo) {
  const PublishedStep step = row("alexnet,v3,4,2x2,1024,data parallel,10,train only");
  EXPECT_TRUE(step.command.empty());
  EXPECT_NE(step.reason.find("no workload"), std::string::npos);
  EXPECT_NE(steps_text({"steps.csv", {{step, {}}}}).find("alexnet is not simulated: no workload"), std::string::npos);
}

TEST(PublishedSteps, ABracketHasNoErrorInside) {
  const PublishedStep step = row("resnet50,v3,4,2x2,1024,,160 to 178,x");
  EXPECT_DOUBLE_EQ(error_of({step, 0.165}), 0);
  EXPECT_NEAR(error_of({step, 0.16 * 0.9}), -0.1, 1e-12);
  EXPECT_NEAR(error_of({step, 0.178 * 1.25}), 0.25, 1e-12);
}

/// The median of |-10 %|, |+30 %| and |0 %|, and the mean of -10 %, +30 % and 0 %.
TEST(PublishedSteps, TheMedianIsThatOfTheSizesOfErrors) {
  const PublishedStep step = row("resnet50,v3,4,2x2,1024,,100,x");
  const SimulatedSteps steps{"steps.csv", {{step, 0.09}, {step, 0.13}, {step, 0.1}, {step, {}, "no memory"}}};
  const std::string text = steps_text(steps);
  EXPECT_NE(text.find("3 of 4 steps are compared; error: median 10.0 %, largest 30.0 %, bias +6.7 %"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("no memory"), std::string::npos);
  const std::string csv = steps_csv(steps);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 5) << "a head and four rows";
}

TEST(PublishedSteps, AStepFasterThanItsProductsAtThePeakIsNotCompared) {
  const PublishedStep step = row("resnet50,v3,4,2x2,1024,,100,x");
  const SimulatedSteps steps{"steps.csv", {{step, 0.09, "", 0.05}, {step, 0.4, "", 0.2}}};
  const std::string text = steps_text(steps);
  EXPECT_NE(text.find("1 of 2 steps are compared; error: median 10.0 %, largest 10.0 %, bias -10.0 %"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("faster than its products at the peak, 200.00 ms"), std::string::npos) << text;
}

TEST(PublishedSteps, ABadTimeIsPointedAt) {
  for (const char* time : {"fast", "0", "-3", "178 to 160", "1 to x"}) {
    try {
      row(std::string("resnet50,v3,4,2x2,1024,,") + time + ",x");
      ADD_FAILURE() << time;
    } catch (const base::InputError& error) {
      ASSERT_EQ(error.diagnostics().size(), 1U);
      EXPECT_EQ(error.diagnostics()[0].location.line, 2);
      EXPECT_EQ(error.diagnostics()[0].location.column, 25) << time;
    }
  }
}

}  // namespace
}  // namespace podsim::validation::measured::published
