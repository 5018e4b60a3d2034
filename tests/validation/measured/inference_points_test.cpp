// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/inference_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/diagnostic.h"
#include "workloads/machines/machines.h"

namespace podsim::validation::measured {
namespace {

PointClass rates_of(const std::string& rows) {
  Silicon silicon([](const std::string& machine) { return workloads::machines::machine_config(machine); });
  return inference_points("inference.csv", "network,batch,dtype,images_per_s_per_core\n" + rows, silicon).front();
}

// MLPerf inference v0.5, closed division: 32716 images a second on eight cores. The goal is 12 %.
TEST(InferencePoints, ResNet50TakesTheTimeOfItsImages) {
  const PointClass rates = rates_of("resnet50_v1.5,256,bf16,4090\n");
  ASSERT_EQ(rates.points.size(), 1U);
  ASSERT_TRUE(rates.points[0].modelled);
  EXPECT_NEAR(*rates.points[0].modelled * 4090, 1, 0.12);
  EXPECT_LT(rates.points[0].roofline, *rates.points[0].modelled);
}

TEST(InferencePoints, NetworksWithoutAWorkloadHaveAReason) {
  const PointClass rates = rates_of("alexnet,best,bf16,1384\n");
  ASSERT_EQ(rates.points.size(), 1U);
  EXPECT_FALSE(rates.points[0].modelled);
  EXPECT_FALSE(rates.points[0].reason.empty());
}

// Mixer-B/16 at 224 x 224 and its products, 12 x 2 (196 x 768 x 3072 x 2 + 196 x 384 x 768 x 2) FLOPs and those of the
// patches: no faster than at the peak of 61.6 TFLOP/s, no slower than at a third of it.
TEST(InferencePoints, NetworksWithoutAPublishedBatchHaveTheBestOfSomeAndNoWeightInFits) {
  const PointClass rates =
      rates_of("mixer_b16,best,bf16,1384\nmixer_b16,best,f32,1384\nbit_resnet50x1,best,bf16,2159\n");
  ASSERT_EQ(rates.points.size(), 3U);
  const double flops = 24.0 * 2 * 196 * 768 * (3072 + 384) + 2.0 * 196 * 768 * 768;
  for (const Point& point : rates.points) {
    ASSERT_TRUE(point.modelled) << point.name;
    EXPECT_EQ(point.weight, 0);
  }
  EXPECT_GT(*rates.points[0].modelled, flops / 61.6e12);
  EXPECT_LT(*rates.points[0].modelled, 3 * flops / 61.6e12);
  EXPECT_GT(*rates.points[1].modelled, *rates.points[0].modelled);
}

TEST(InferencePoints, BatchesThatNoCoreHoldsAreErrorsWithTheirRow) {
  EXPECT_THROW(rates_of("resnet50,best,bf16,4090\n"), base::InputError);
  EXPECT_THROW(rates_of("resnet50,1e9,bf16,4090\n"), base::InputError);
}

}  // namespace
}  // namespace podsim::validation::measured
