// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/mbconv_points.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/csv_rows.h"
#include "base/diagnostic.h"
#include "workloads/machines/machines.h"
#include "workloads/models/mbconv.h"

namespace podsim::validation::measured {
namespace {

std::string measured_networks() {
  std::ifstream in(std::filesystem::path(PODSIM_SOURCE_DIR) / "../shared/measurements/mbconv_inference.csv");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The head, and every n-th network.
std::string every(std::size_t n, const std::string& text) {
  std::istringstream lines(text);
  std::string result, line;
  for (std::size_t i = 0; std::getline(lines, line); ++i) {
    if (i == 0 || i % n == 1) result += line + "\n";
  }
  return result;
}

// The parameters that Accel-NASBench counts for its networks, in millions with four digits.
TEST(MbconvPoints, NetworksHaveTheParametersThatWereCounted) {
  const std::string text = measured_networks();
  if (text.empty()) GTEST_SKIP() << "no measured networks";
  base::read_csv_rows("networks", every(50, text), "stages", [](const base::CsvRow& row) {
    workloads::models::MbconvOptions options;
    options.stages = workloads::models::parse_mbconv_stages(row.text("stages"));
    EXPECT_NEAR(double(workloads::models::mbconv_inference(options).parameters) / 1e6,
                row.positive("million_parameters"), 6e-5)
        << row.text("stages");
  });
}

// The goals: 15 % on both machines, a rank correlation of 0.80, and 12 % for the ratio of the machines.
TEST(MbconvPoints, RatesOfMobileNetworksAreWithinFifteenPercentOfSilicon) {
  const std::string text = measured_networks();
  if (text.empty()) GTEST_SKIP() << "no measured networks";
  Silicon silicon([](const std::string& machine) { return workloads::machines::machine_config(machine); });
  const std::vector<PointClass> classes = mbconv_points("networks", every(12, text), silicon);
  ASSERT_EQ(classes.size(), 3U);
  for (std::size_t i = 0; i < 2; ++i) {
    const Agreement ours = agreement(classes[i]);
    EXPECT_EQ(ours.points, 96U) << "no network is refused";
    EXPECT_LT(ours.mean, 0.15) << classes[i].machine;
    EXPECT_GT(ours.tau, 0.80) << classes[i].machine;
    EXPECT_LT(ours.mean, roofline_agreement(classes[i]).mean);
  }
  EXPECT_LT(agreement(classes[2]).mean, 0.12);
}

TEST(MbconvPoints, ABadRowIsALocatedError) {
  Silicon silicon([](const std::string& machine) { return workloads::machines::machine_config(machine); });
  const std::string head = "stages,v3_images_per_s,v2_images_per_s\n";
  const auto message = [&](const std::string& row) {
    try {
      mbconv_points("nets.csv", head + row, silicon);
    } catch (const base::InputError& error) {
      return base::format(error.diagnostics().front());
    }
    return std::string("none");
  };
  EXPECT_NE(message("e6k3l1 e4k4l1,1,1\n").find("nets.csv:2:1"), std::string::npos) << "an even kernel";
  EXPECT_NE(message("e6k3l1,1,1\n").find("1 stages in place of 7"), std::string::npos);
  const std::string seven = "e1k3l1 e1k3l1 e1k3l1 e1k3l1 e1k3l1 e1k3l1 e1k3l1";
  EXPECT_NE(message(seven + ",fast,1\n").find("nets.csv:2:50"), std::string::npos);
  EXPECT_NE(message(seven + ",1\n").find("2 fields under 3 columns"), std::string::npos);
}

}  // namespace
}  // namespace podsim::validation::measured
