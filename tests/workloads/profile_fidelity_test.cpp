// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sw/profile/profile_model.h"
#include "sw/report/profile_report.h"
#include "workloads/machines/machines.h"

/// Profiles of MLPerf v0.7 on 32 TPU-v3 chips, op by op, compared as in the README's table.
namespace podsim::workloads {
namespace {

void expect_error_below(const std::string& name, double most) {
  const auto path = std::filesystem::path(PODSIM_SOURCE_DIR) / "../shared/measurements/op_profiles" / (name + ".csv");
  std::ifstream file(path, std::ios::binary);
  if (!file) GTEST_SKIP() << "no measured profile to compare with";
  std::ostringstream text;
  text << file.rdbuf();
  const sw::profile::Profile profile = sw::profile::read_profile(path.string(), text.str());
  EXPECT_EQ(sw::profile::devices_named(profile, 4096), 64);
  const noc::Topology slice({8, 4}, {false, false});
  sw::report::ProfileReport report;
  report.ops = sw::profile::ProfileModel(hw::read_machine(machines::machine_config("tpu-v3")), slice).compare(profile);
  const sw::profile::ProfileTotals totals = report.totals();
  std::printf("%s: error %.1f %%, bias %+.1f %%, %zu rows without text\n", name.c_str(),
              100 * totals.mean_absolute_error(), 100 * totals.bias(), report.without_text());
  EXPECT_LT(totals.mean_absolute_error(), most);
  EXPECT_LT(std::abs(totals.bias()), 0.03);
}

TEST(ProfileFidelity, ResNet50IsWithinSixPercentOpByOp) { expect_error_below("resnet", 0.06); }
TEST(ProfileFidelity, BertIsWithinEightPercentOpByOp) { expect_error_below("bert", 0.08); }
TEST(ProfileFidelity, DlrmIsWithinFifteenPercentOpByOp) { expect_error_below("dlrm", 0.15); }
TEST(ProfileFidelity, NmtIsWithinSixPercentOpByOp) { expect_error_below("nmt", 0.06); }
TEST(ProfileFidelity, SsdIsWithinTwelvePercentOpByOp) { expect_error_below("ssd", 0.12); }

}  // namespace
}  // namespace podsim::workloads
