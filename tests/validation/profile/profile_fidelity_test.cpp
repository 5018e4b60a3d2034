// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "report/profile_report.h"
#include "validation/profile/profile_model.h"
#include "workloads/machines/machines.h"

/// Profiles of MLPerf v0.7 on 32 TPU-v3 chips, op by op, compared as in the README's table.
namespace podsim::workloads {
namespace {

std::optional<validation::profile::Profile> profile_of_silicon(const std::string& name) {
  const auto path = std::filesystem::path(PODSIM_SOURCE_DIR) / "../shared/measurements/op_profiles" / (name + ".csv");
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return validation::profile::read_profile(path.string(), text.str());
}

void expect_error_below(const std::string& name, double most, double most_bias = 0.03) {
  const std::optional<validation::profile::Profile> measured = profile_of_silicon(name);
  if (!measured) GTEST_SKIP() << "no measured profile to compare with";
  const validation::profile::Profile& profile = *measured;
  EXPECT_EQ(validation::profile::devices_named(profile, 4096), 64);
  const noc::Topology slice({8, 4}, {false, false});
  report::ProfileReport report;
  report.ops =
      validation::profile::ProfileModel(sw::read_target(machines::machine_config("tpu-v3")), slice).compare(profile);
  const validation::profile::ProfileTotals totals = report.totals();
  std::printf("%s: error %.1f %%, bias %+.1f %%, %zu rows without text\n", name.c_str(),
              100 * totals.mean_absolute_error(), 100 * totals.bias(), report.without_text());
  EXPECT_LT(totals.mean_absolute_error(), most);
  EXPECT_LT(std::abs(totals.bias()), most_bias);
}

/// Every row as a profile of its own, so that no other row gives shapes to its operands.
TEST(ProfileFidelity, EveryRowAloneEndsInACostOrAReason) {
  const sw::TargetMachine machine = sw::read_target(machines::machine_config("tpu-v3"));
  const noc::Topology slice({8, 4}, {false, false});
  std::size_t rows = 0;
  for (const char* name : {"resnet", "bert", "dlrm", "nmt", "ssd", "mask_rcnn"}) {
    const std::optional<validation::profile::Profile> profile = profile_of_silicon(name);
    if (!profile) GTEST_SKIP() << "no measured profile";
    for (const validation::profile::ProfileOp& row : profile->ops) {
      validation::profile::Profile alone;
      alone.ops = {row};
      const validation::profile::ComparedOp op = validation::profile::ProfileModel(machine, slice).compare(alone).at(0);
      const bool modelled = op.modelled_s && std::isfinite(*op.modelled_s) && *op.modelled_s >= 0;
      EXPECT_NE(modelled, !op.not_modelled.empty()) << name << " line " << row.line;
      ++rows;
    }
  }
  EXPECT_EQ(rows, 550U + 1863 + 240 + 2361 + 4698 + 2573) << "as podsim ops counts them";
}

TEST(ProfileFidelity, ResNet50IsWithinSixPercentOpByOp) { expect_error_below("resnet", 0.06); }
TEST(ProfileFidelity, BertIsWithinEightPercentOpByOp) { expect_error_below("bert", 0.08); }
TEST(ProfileFidelity, DlrmIsWithinSixPercentOpByOp) { expect_error_below("dlrm", 0.06, 0.04); }
TEST(ProfileFidelity, NmtIsWithinSixPercentOpByOp) { expect_error_below("nmt", 0.06); }
TEST(ProfileFidelity, SsdIsWithinTwelvePercentOpByOp) { expect_error_below("ssd", 0.12); }
TEST(ProfileFidelity, MaskRcnnIsWithinFifteenPercentOpByOp) { expect_error_below("mask_rcnn", 0.15, 0.1); }

}  // namespace
}  // namespace podsim::workloads
