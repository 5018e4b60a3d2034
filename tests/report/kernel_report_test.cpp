// SPDX-License-Identifier: Apache-2.0
#include "report/kernel_report.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "hlo/build/graph_builder.h"
#include "tests/hw/test_machine.h"

namespace podsim::report {
namespace {

using hw::bundle::Stall;
using hw::isa::Slot;

/// 1000 cycles at 1 GHz, 600 of them with a bundle.
KernelReport sample_kernel() {
  KernelReport report;
  report.kernel = "matmul m=8";
  static_cast<hw::Machine&>(report.machine) = hw::round_machine();
  report.result.cycles = base::Cycles(1000);
  report.result.bundles = 600;
  report.result.stalls[std::size_t(hw::bundle::Stall::sync_flag)] = base::Cycles(300);
  report.result.stalls[std::size_t(hw::bundle::Stall::matrix_results)] = base::Cycles(100);
  report.result.slot_use[std::size_t(hw::isa::Slot::vector0)] = 150;
  report.result.slot_use[std::size_t(hw::isa::Slot::vector1)] = 50;
  report.result.matrix_busy = {base::Cycles(500), base::Cycles(300)};
  report.result.hbm_read = base::Bytes(40'000);
  report.result.hbm_written = base::Bytes(10'000);
  report.result.dmas = 7;
  report.generated = {
      2e6, {1e-7, 4e-7}, "one pass", base::Cycles(980), {}, {1, base::Cycles(1010), base::Bytes(50'000)}};
  return report;
}

double sum_of(const nlohmann::json& numbers) {
  double sum = 0;
  for (const auto& [name, number] : numbers.items()) sum += number.get<double>();
  return sum;
}

TEST(KernelReport, UtilisationIsWorkOverWhatTheUnitsCouldDo) {
  const KernelReport report = sample_kernel();
  EXPECT_DOUBLE_EQ(report.time_s(), 1e-6);
  EXPECT_DOUBLE_EQ(report.mxu_utilization(), 0.4);   // 800 of 2 x 1000 cycles
  EXPECT_DOUBLE_EQ(report.hbm_utilization(), 0.5);   // 50 000 bytes, 100 a cycle
  EXPECT_DOUBLE_EQ(report.valu_utilization(), 0.1);  // 200 of 2 x 1000 slots
}

TEST(KernelReport, OfNothingIsWithoutNotANumber) {
  KernelReport report = sample_kernel();
  report.result = {};
  EXPECT_EQ(report.mxu_utilization(), 0);
  EXPECT_EQ(report.hbm_utilization(), 0);
  EXPECT_EQ(report.valu_utilization(), 0);
}

TEST(ClosedForm, IsArithmeticOnFlopsAndBytesAsTheyLieInHbm) {
  sw::codegen::families::Kernel kernel;
  hlo::build::GraphBuilder graph("product");  // 6.5536 MFLOP; the round machine has 65.536 TFLOP/s
  const hlo::InstructionId a = graph.parameter(hlo::make_shape(hlo::ElementType::f32, {1024, 32}), "a");
  const hlo::InstructionId b = graph.parameter(hlo::make_shape(hlo::ElementType::f32, {32, 100}), "b");
  kernel.op = std::move(graph).build(graph.dot(a, b, {{}, {}, {1}, {0}}));
  const hlo::Shape padded = hlo::make_shape(hlo::ElementType::f32, {8, 100});  // 8 x 128 words
  kernel.inputs = {{"a", padded, 0}, {"b", padded, 0}};
  kernel.outputs = {{"c", padded, 0}};
  const ClosedForm form = closed_form(hw::round_machine(), kernel);
  EXPECT_NEAR(form.compute_s, 1e-7, 1e-10);
  EXPECT_NEAR(form.memory_s, 3 * 4096 / 100e9, 1e-15);
  EXPECT_EQ(form.roofline_s(), form.memory_s);
  EXPECT_EQ(form.serial_s(), form.memory_s + form.compute_s);
}

TEST(KernelJson, HasTheKeysThatScriptsRelyOn) {
  const nlohmann::json json = nlohmann::json::parse(kernel_json(sample_kernel()));
  for (const char* key :
       {"schema_version", "command", "kernel", "cycles", "utilization", "stalls", "verified", "warnings", "wall_s"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  for (const char* key : {"mxu", "hbm", "valu"}) EXPECT_TRUE(json["utilization"].contains(key)) << key;
  EXPECT_EQ(json["command"], "kernel");
  EXPECT_EQ(json["kernel"], "matmul m=8");
  EXPECT_EQ(json["cycles"], 1000);
  EXPECT_EQ(json["utilization"]["mxu"], 0.4);
  EXPECT_EQ(json["tile_level_cycles"], 980);
  EXPECT_EQ(json["program"]["cycles"], 1010);
  EXPECT_DOUBLE_EQ(json["closed_form"]["serial_s"].get<double>(), 5e-7);
  EXPECT_DOUBLE_EQ(json["flops_per_s"].get<double>(), 2e12);
}

TEST(KernelJson, BundlesAndStallsAddUpToTheCycles) {
  const nlohmann::json json = nlohmann::json::parse(kernel_json(sample_kernel()));
  EXPECT_EQ(json["bundles"].get<double>() + sum_of(json["stalls"]), json["cycles"].get<double>());
}

TEST(KernelJson, SaysWhetherResultsWereChecked) {
  KernelReport report = sample_kernel();
  EXPECT_TRUE(nlohmann::json::parse(kernel_json(report))["verified"].is_null());
  report.verified = false;
  report.verification.emplace();
  report.verification->worst = {"c", {1, 2}, 0.5, std::numeric_limits<double>::quiet_NaN(), 1e-7};
  report.verification->worst_ratio = std::numeric_limits<double>::infinity();
  const nlohmann::json json = nlohmann::json::parse(kernel_json(report));
  EXPECT_EQ(json["verified"], false);
  EXPECT_EQ(json["verification"]["worst"]["index"], (std::vector<int>{1, 2}));
  EXPECT_EQ(json["verification"]["worst"]["found"], "nan");
}

/// The numbers of the table's second column, down to its total.
std::vector<std::int64_t> cycles_column(const std::string& text) {
  std::istringstream lines(text.substr(text.find("where the cycles go")));
  std::vector<std::int64_t> cycles;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && !line.empty()) {
    std::istringstream words(line);
    std::string name;
    words >> name >> cycles.emplace_back();
  }
  return cycles;
}

TEST(KernelText, TheRowsOfTheCyclesAddUpToTheirTotal) {
  const std::vector<std::int64_t> cycles = cycles_column(kernel_text(sample_kernel()));
  EXPECT_EQ(cycles, (std::vector<std::int64_t>{600, 300, 100, 1000}));
}

TEST(KernelText, AnswersWhatAPersonAsksFirst) {
  KernelReport report = sample_kernel();
  report.warnings.emplace_back("a warning");
  const std::string text = kernel_text(report);
  for (const char* part :
       {"matmul m=8", "tpu-v3", "1000 cycles at 1 GHz", "2 MFLOP at 2 TFLOP/s", "MXU 40.0 %", "HBM 50.0 %",
        "vector ALUs 10.0 %", "7 DMAs", "one pass", "980 cycles (-2.0 %)", "400 ns (-60.0 %)", "500 ns (-50.0 %)",
        "sync_flag", "vector0", "25.0 %", "warning: a warning"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find("verified"), std::string::npos);
}

TEST(KernelText, NamesTheElementThatComesClosestToItsBound) {
  KernelReport report = sample_kernel();
  report.verified = true;
  report.verification.emplace();
  report.verification->seed = 9;
  report.verification->elements = 64;
  report.verification->worst = {"c", {3, 4}, 0.25, 0.125, 1};
  report.verification->worst_ratio = 0.125;
  const std::string text = kernel_text(report);
  EXPECT_NE(text.find("64 elements, seed 9; largest error 0.12 of what is allowed, c[3, 4]: 0.125 for 0.25"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace podsim::report
