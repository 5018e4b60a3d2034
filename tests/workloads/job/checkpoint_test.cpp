// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/checkpoint.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <vector>

namespace podsim::workloads::job {
namespace {

StatePlaces places(std::int64_t chips) {
  return {.chips = chips,
          .cores_per_chip = 2,
          .host_chips = 8,
          .pcie_rate = base::Bandwidth(16e9),
          .storage_rate = base::Bandwidth(1e9)};
}

TEST(Checkpoint, OfWeightsThatAllCoresHaveIsWrittenByOneHost) {
  const std::array all = {StateArray{base::Bytes(4'000'000'000), base::Bytes(4'000'000'000)}};
  const Checkpoint saved = checkpoint(all, places(64));
  EXPECT_EQ(saved.state, base::Bytes(4'000'000'000));
  EXPECT_EQ(saved.host, saved.state);
  EXPECT_DOUBLE_EQ(saved.to_host.si(), 0.25);
  EXPECT_DOUBLE_EQ(saved.to_storage.si(), 4);
  EXPECT_DOUBLE_EQ(saved.to_device.si(), 0.5);  // both cores of a chip have it
}

TEST(Checkpoint, OfShardsIsWrittenByAllHosts) {
  const std::array cut = {StateArray{base::Bytes(128'000'000), base::Bytes(1'000'000)}};
  const Checkpoint saved = checkpoint(cut, places(64));  // 128 cores on 8 hosts
  EXPECT_EQ(saved.state, base::Bytes(128'000'000));
  EXPECT_EQ(saved.host, base::Bytes(16'000'000));
  EXPECT_EQ(saved.chip, base::Bytes(2'000'000));
}

TEST(Checkpoint, AHostHasNoMoreChipsThanTheSlice) {
  const std::array cut = {StateArray{base::Bytes(8'000'000), base::Bytes(1'000'000)}};
  EXPECT_EQ(checkpoint(cut, places(4)).host, base::Bytes(8'000'000));
}

/// A slower reference: every core names the parts that it has, neighbours different ones first, and the first host
/// writes its set of parts.
TEST(Checkpoint, CountsThePartsThatTheFirstHostHas) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const StatePlaces at = places(std::int64_t(1) << random() % 7);
    const std::int64_t cores = at.chips * at.cores_per_chip;
    std::vector<StateArray> arrays;
    std::int64_t host = 0, chip = 0, whole = 0;
    for (int i = 0; i < 5; ++i) {
      const std::int64_t parts = std::min(cores, std::int64_t(1) << random() % 8);
      const std::int64_t bytes = 1 + random() % 1000;
      arrays.push_back({base::Bytes(bytes * parts), base::Bytes(bytes)});
      std::set<std::int64_t> of_host, of_chip;
      for (std::int64_t core = 0; core < cores; ++core) {
        if (core / at.cores_per_chip < at.host_chips) of_host.insert(core % parts);
        if (core < at.cores_per_chip) of_chip.insert(core % parts);
      }
      host += bytes * std::int64_t(of_host.size());
      chip += bytes * std::int64_t(of_chip.size());
      whole += bytes * parts;
    }
    const Checkpoint saved = checkpoint(arrays, at);
    EXPECT_EQ(saved.host.value(), host);
    EXPECT_EQ(saved.chip.value(), chip);
    EXPECT_EQ(saved.state.value(), whole);
  }
}

}  // namespace
}  // namespace podsim::workloads::job
