// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule/assumed_slice.h"

#include <gtest/gtest.h>

#include "tests/sw/collectives/tpu_v3.h"

namespace podsim::sw::collectives::schedule {
namespace {

std::vector<std::int64_t> sizes(const noc::Topology& slice) {
  std::vector<std::int64_t> sizes;
  for (int d = 0; d < slice.dimensions(); ++d) sizes.push_back(slice.size(d));
  return sizes;
}

using Sizes = std::vector<std::int64_t>;

// The shapes of published runs: 4x4, 8x4, 32x16, 32x32 and 128x32, whose first dimension is open.
TEST(AssumedSlice, IsTheBoxThatPublishedRunsHave) {
  const sw::TargetMachine machine = tpu_v3();
  EXPECT_EQ(sizes(assumed_slice(machine, 2)), (Sizes{1, 1}));
  EXPECT_EQ(sizes(assumed_slice(machine, 32)), (Sizes{4, 4}));
  EXPECT_EQ(sizes(assumed_slice(machine, 64)), (Sizes{8, 4}));
  EXPECT_EQ(sizes(assumed_slice(machine, 1024)), (Sizes{32, 16}));
  const noc::Topology pod = assumed_slice(machine, 2048), pods = assumed_slice(machine, 8192);
  EXPECT_EQ(sizes(pod), (Sizes{32, 32}));
  EXPECT_TRUE(pod.wraps(0) && pod.wraps(1));
  EXPECT_EQ(sizes(pods), (Sizes{128, 32}));
  EXPECT_TRUE(!pods.wraps(0) && pods.wraps(1));
}

TEST(AssumedSlice, OfAnUnknownNumberOfCoresIsAPod) {
  sw::TargetMachine machine = tpu_v3();
  EXPECT_TRUE(assumed_slice(machine, 0) == assumed_slice(machine, 2048));
  machine.pod.dimensions = {4, 4, 8};
  EXPECT_EQ(sizes(assumed_slice(machine, 0)), (Sizes{4, 4, 8}));
  EXPECT_EQ(sizes(assumed_slice(machine, 16)), (Sizes{2, 2, 2}));
}

TEST(AssumedSlice, HoldsEveryNumberOfCores) {
  const sw::TargetMachine machine = tpu_v3();
  for (std::int64_t cores = 1; cores < 300; ++cores) {
    EXPECT_EQ(assumed_slice(machine, cores).nodes(), (cores + 1) / 2) << cores;
  }
}

}  // namespace
}  // namespace podsim::sw::collectives::schedule
