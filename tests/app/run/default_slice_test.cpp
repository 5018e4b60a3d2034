// SPDX-License-Identifier: Apache-2.0
#include "app/run/default_slice.h"

#include <gtest/gtest.h>

#include "noc/slice.h"
#include "workloads/machines/machines.h"

namespace podsim::app::run {
namespace {

sw::TargetMachine machine_with(const std::vector<std::string>& assignments) {
  base::Config config = workloads::machines::machine_config("tpu-v3");
  for (const std::string& assignment : assignments) config.set(assignment);
  return sw::read_target(config);
}

/// Whether any of the slices of two dimensions has this number of chips, by trying them all.
bool exists(const noc::PodShape& pod, std::int64_t chips) {
  for (std::int64_t x = 1; x <= chips; ++x) {
    if (chips % x == 0 && noc::slice_problem(pod, {x, chips / x}).empty()) return true;
  }
  return false;
}

TEST(DefaultSlice, HasExactlyTheCoresWhereAnySliceDoes) {
  const sw::TargetMachine machine = machine_with({});
  const noc::PodShape pod{machine.pod.dimensions, machine.pod.pods};
  for (std::int64_t cores = 1; cores <= 10'000; ++cores) {
    const auto slice = slice_for(cores, machine);
    ASSERT_EQ(slice.has_value(), cores % 2 == 0 && exists(pod, cores / 2)) << cores;
    if (!slice) continue;
    const std::vector<std::int64_t> sizes = noc::parse_slice_sizes(*slice, {});
    EXPECT_EQ(2 * sizes[0] * sizes[1], cores);
    EXPECT_EQ(noc::slice_problem(pod, sizes), "") << *slice;
  }
}

// 4096 chips are four joined pods, 128 x 32; a pod has 32 x 32.
TEST(DefaultSlice, IsAsSquareAsTheMachineAllows) {
  const sw::TargetMachine machine = machine_with({});
  EXPECT_EQ(slice_for(2, machine), "1x1");
  EXPECT_EQ(slice_for(4, machine), "2x1");
  EXPECT_EQ(slice_for(64, machine), "8x4");
  EXPECT_EQ(slice_for(2048, machine), "32x32");
  EXPECT_EQ(slice_for(8192, machine), "128x32");
  EXPECT_EQ(slice_for(16'384, machine), std::nullopt);
}

TEST(DefaultSlice, TheHintNamesASliceOnlyIfItHelps) {
  const sw::TargetMachine machine = machine_with({});
  EXPECT_EQ(slice_hint(64, machine), "'--slice 8x4' has as many");
  EXPECT_NE(slice_hint(1, machine).find("core.cores_per_chip=1"), std::string::npos);
  EXPECT_NE(slice_hint(3, machine).find("no slice of tpu-v3 has 3 cores"), std::string::npos) << slice_hint(3, machine);
  EXPECT_EQ(slice_hint(3, machine).find("--slice"), std::string::npos);
  EXPECT_NE(slice_hint(16'384, machine).find("up to 128x32"), std::string::npos);
}

}  // namespace
}  // namespace podsim::app::run
