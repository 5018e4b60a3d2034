// SPDX-License-Identifier: Apache-2.0
#include "workloads/measured/inference_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/diagnostic.h"
#include "workloads/machines/machines.h"

namespace podsim::workloads::measured {
namespace {

PointClass rates_of(const std::string& rows) {
  Silicon silicon([](const std::string& machine) { return machines::machine_config(machine); });
  return inference_points("inference.csv", "network,batch,images_per_s_per_core\n" + rows, silicon).front();
}

// MLPerf inference v0.5, closed division: 32716 images a second on eight cores. The goal is 12 %.
TEST(InferencePoints, ResNet50TakesTheTimeOfItsImages) {
  const PointClass rates = rates_of("resnet50_v1.5,256,4090\n");
  ASSERT_EQ(rates.points.size(), 1U);
  ASSERT_TRUE(rates.points[0].modelled);
  EXPECT_NEAR(*rates.points[0].modelled * 4090, 1, 0.12);
  EXPECT_LT(rates.points[0].roofline, *rates.points[0].modelled);
}

TEST(InferencePoints, NetworksWithoutAWorkloadHaveAReason) {
  const PointClass rates = rates_of("mixer_b16,best,1384\n");
  ASSERT_EQ(rates.points.size(), 1U);
  EXPECT_FALSE(rates.points[0].modelled);
  EXPECT_FALSE(rates.points[0].reason.empty());
}

TEST(InferencePoints, BatchesThatNoCoreHoldsAreErrorsWithTheirRow) {
  EXPECT_THROW(rates_of("resnet50,best,4090\n"), base::InputError);
  EXPECT_THROW(rates_of("resnet50,1e9,4090\n"), base::InputError);
}

}  // namespace
}  // namespace podsim::workloads::measured
