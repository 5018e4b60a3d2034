// SPDX-License-Identifier: Apache-2.0
#include "validation/kernels/core_calibration.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/hw/test_machine.h"

namespace podsim::validation::kernels {
namespace {

std::int64_t constant(const hw::Machine& machine, const std::string& key) {
  for (const DerivedConstant& constant : derive_core_constants(machine)) {
    if (constant.key == "tile_level." + key) return constant.value.value();
  }
  ADD_FAILURE() << key;
  return 0;
}

hw::Machine tpu_v3_with(const std::string& assignment) {
  base::Config config = hw::machine_file("tpu-v3");
  config.set(assignment);
  return hw::read_machine(config);
}

TEST(CoreCalibration, IsWhatTheBuiltInMachinesHold) {
  for (const std::string name : {"tpu-v2", "tpu-v3"}) {
    const hw::Machine machine = hw::read_machine(hw::machine_file(name));
    EXPECT_EQ(constants_toml(name, derive_core_constants(machine)), hw::machine_file_text(name + ".core"))
        << "regenerate it: podsim calibrate core --machine " << name << " --write workloads/machines/" << name
        << ".core.toml";
  }
}

TEST(CoreCalibration, DoesNotDependOnTheConstantsThatItReplaces) {
  EXPECT_EQ(constant(tpu_v3_with("tile_level.tile_cycles=500"), "tile_cycles"), constant(hw::tpu_v3(), "tile_cycles"));
}

// A tile's loop ends in a branch, and tiles are dozens of scalar operations in slots for two.
TEST(CoreCalibration, CodeOfATileGrowsByTheBranchPenalty) {
  EXPECT_NEAR(double(constant(tpu_v3_with("scalar.branch_penalty_cycles=28"), "tile_cycles")),
              double(constant(hw::tpu_v3(), "tile_cycles") + 20), 1);
}

// The last operation's result leaves the unit its latency after it entered.
TEST(CoreCalibration, ThePhaseOfTheCrossLaneUnitGrowsByItsLatency) {
  EXPECT_NEAR(double(constant(tpu_v3_with("cross_lane.latency_cycles=140"), "cross_lane_phase_cycles")),
              double(constant(hw::tpu_v3(), "cross_lane_phase_cycles") + 40), 8);
}

}  // namespace
}  // namespace podsim::validation::kernels
