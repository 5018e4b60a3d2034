// SPDX-License-Identifier: Apache-2.0
#include "report/profile_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace podsim::report {
namespace {

validation::profile::ComparedOp op(std::string name, std::string category, std::int64_t n, double measured,
                                   std::optional<double> modelled) {
  return {.name = name,
          .category = std::move(category),
          .hlo_text = "%" + name + " = f32[8]{0} copy(f32[8]{0} %a, \"<x>\")",
          .occurrences = n,
          .measured_s = measured,
          .modelled_s = modelled};
}

ProfileReport sample_profile() {
  ProfileReport report;
  report.profile = "p.csv";
  report.machine = "tpu-v3";
  report.ops = {op("a", "loop fusion", 10, 1e-3, 1.1e-3), op("b", "loop fusion", 1, 10e-3, 8e-3),
                op("c<1>", "copy", 2, 5e-3, 5e-3), op("d", "unknown", 5, 1e-3, {})};
  report.ops.back().not_modelled = "no text";
  report.ops.back().line = 5;
  return report;
}

TEST(ProfileReport, JsonHasTheSumsOverTheProfileAndItsCategories) {
  const auto json = nlohmann::json::parse(profile_json(sample_profile()));
  EXPECT_EQ(json["ops"], 3);
  // 10 x 0.1 ms and 2 ms wrong of 30 ms; one up, the other down.
  EXPECT_NEAR(json["time_weighted_mae"].get<double>(), 3.0 / 30, 1e-9);
  EXPECT_NEAR(json["bias"].get<double>(), -1.0 / 30, 1e-9);
  EXPECT_EQ(json["without_text"]["ops"], 1);
  EXPECT_NEAR(json["without_text"]["measured_s"].get<double>(), 5e-3, 1e-12);
  EXPECT_EQ(json["by_category"][0]["category"], "loop fusion");
  EXPECT_NEAR(json["by_category"][0]["mae"].get<double>(), 3.0 / 20, 1e-9);
  EXPECT_NEAR(json["by_category"][1]["modelled_s"].get<double>(), 10e-3, 1e-12);
  EXPECT_EQ(json["worst"][0]["name"], "b");
}

TEST(ProfileReport, TextNamesWhatIsFurthestOffFirst) {
  const std::string text = profile_text(sample_profile());
  EXPECT_LT(text.find("%b ="), text.find("%a ="));
  EXPECT_NE(text.find("10.0 % mean absolute"), std::string::npos);
  EXPECT_NE(text.find("1 row, first in line 5: no text, 14.3 % of the time"), std::string::npos);
}

TEST(ProfileReport, CsvHasALineForEveryRow) {
  const std::string csv = profile_csv(sample_profile());
  EXPECT_EQ(std::ranges::count(csv, '\n'), 5);
  EXPECT_NE(csv.find("\nd,unknown,5,1000.000000,,,,,no text,"), std::string::npos) << csv;
}

TEST(ProfileReport, ThePlotHasADotForEveryModelledOp) {
  const std::string svg = profile_svg(sample_profile());
  std::size_t dots = 0;
  for (std::size_t at = svg.find("fill-opacity"); at != std::string::npos; at = svg.find("fill-opacity", at + 1))
    ++dots;
  EXPECT_EQ(dots, 3U);
  EXPECT_NE(svg.find("c&lt;1&gt;"), std::string::npos) << "names are text, not markup";
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(ProfileReport, AnEmptyProfileHasNoErrorAndStillAPlot) {
  ProfileReport report;
  EXPECT_EQ(nlohmann::json::parse(profile_json(report))["time_weighted_mae"], 0);
  EXPECT_FALSE(profile_text(report).empty());
  EXPECT_TRUE(profile_svg(report).starts_with("<svg"));
}

}  // namespace
}  // namespace podsim::report
