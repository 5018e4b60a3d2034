// SPDX-License-Identifier: Apache-2.0
#include "workloads/lengths/lengths_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "workloads/models/registry.h"

namespace podsim::workloads::lengths {
namespace {

/// Ten steps of 2 sequences: 1 of 10 ms, 7 of 20 ms, 2 of 40 ms, listed by shape.
LengthsReport report() {
  LengthsReport report{.workload = "net", .machine = "tpu-v3", .slice = "2x2", .batch = 2};
  report.plan.mean = 5;
  report.plan.steps = 10;
  report.keys.longest = "model.longest";
  report.shapes = {{{{8, 7}, 1, 2, 12}, 0.010}, {{{16, 12}, 2, 4, 40}, 0.040}, {{{16, 16}, 7, 14, 200}, 0.020}};
  return report;
}

TEST(LengthsReport, HasFiguresAsByHand) {
  const LengthFigures figures = length_figures(report(), report().shapes);
  // 10 + 7 x 20 + 2 x 40 = 230 ms; squares of what is left of 23 ms: 169 + 7 x 9 + 2 x 289 = 810.
  EXPECT_DOUBLE_EQ(figures.mean_s, 0.023);
  EXPECT_NEAR(figures.sd_s, 0.009, 1e-12);
  EXPECT_DOUBLE_EQ(figures.p5_s, 0.010);   // the first of ten
  EXPECT_DOUBLE_EQ(figures.p95_s, 0.040);  // eight are not longer than 20 ms
  EXPECT_NEAR(figures.padding, 1 - 252.0 / (16 + 9 * 32), 1e-12);
  EXPECT_NEAR(figures.samples_per_s, 20 / 0.23, 1e-9);
  EXPECT_NEAR(figures.tokens_per_s, 252 / 0.23, 1e-9);
}

TEST(LengthsReport, HasARowForArraysOfOneLengthAndAllShapesInJson) {
  const std::string text = lengths_text(report());
  EXPECT_NE(text.find("mean 23.000 ms, standard deviation 9.000 ms"), std::string::npos) << text;
  EXPECT_NE(text.find("    16      9  90.0 %"), std::string::npos) << text;
  EXPECT_NE(text.find("15.11"), std::string::npos) << text;  // (2 x 12 + 7 x 16) / 9
  const auto json = nlohmann::json::parse(lengths_json(report()));
  EXPECT_EQ(json["shapes"].size(), 3U);
  EXPECT_EQ(json["shapes"][1]["longest_tokens"], 12);
}

TEST(LengthKeys, AreThoseOfTheWorkload) {
  const auto keys = [](const std::string& workload, const ModelSettings& settings) {
    const auto& registry = models::workload_registry();
    return length_keys(*std::ranges::find(registry, workload, &WorkloadEntry::name), settings);
  };
  EXPECT_EQ(keys("gnmt", {})->array, "model.length");
  EXPECT_EQ(keys("gnmt", {})->longest, "model.longest");
  EXPECT_EQ(keys("transformer_mlperf", {})->room, 256);
  EXPECT_TRUE(keys("transformer_mlperf", {})->packed);
  EXPECT_FALSE(keys("transformer_mlperf", {{"model.packed", "off"}})->packed);
  EXPECT_EQ(keys("bert_large", {{"model.sequence", "128"}})->room, 128);
  EXPECT_FALSE(keys("resnet50", {}));
}

}  // namespace
}  // namespace podsim::workloads::lengths
