// SPDX-License-Identifier: Apache-2.0
#include "report/core_calibration_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"

namespace podsim::report {
namespace {

using Align = base::text::TextTable::Align;
using Json = nlohmann::ordered_json;

std::string comparisons_table(const CalibrationReport& report) {
  base::text::TextTable table(
      {Align::left, Align::right, Align::right, Align::right, Align::right, Align::right, Align::right});
  table.row({"kernel", "bundles", "tiles", "error", "of joules", "in a program", "difference"});
  for (const validation::kernels::LevelComparison& comparison : report.comparisons) {
    const std::optional<double> difference = comparison.run_difference();
    table.row({comparison.kernel, std::to_string(comparison.bundle.value()), std::to_string(comparison.tile.value()),
               base::text::signed_percent(comparison.error(), 2),
               base::text::signed_percent(comparison.energy_error(), 2),
               difference ? std::to_string(comparison.run.cycles.value()) : "no op",
               difference ? base::text::signed_percent(*difference, 2) : ""});
  }
  return table.text();
}

std::string summary(const CalibrationReport& report) {
  const validation::kernels::Agreement agreement = validation::kernels::agreement_of(report.comparisons);
  const auto worst = std::ranges::max_element(
      report.comparisons, {},
      [](const validation::kernels::LevelComparison& comparison) { return std::abs(comparison.error()); });
  std::string text = fmt::format("\n{} kernels: median error {}, worst {}", report.comparisons.size(),
                                 base::text::percent(agreement.median, 2), base::text::percent(agreement.worst, 2));
  if (worst != report.comparisons.end()) text += fmt::format(" ({})", worst->kernel);
  return text + "\n";
}

std::string constants_table(const CalibrationReport& report) {
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::left});
  table.row({"constant", "derived", "present", "from"});
  for (std::size_t i = 0; i < report.constants.size(); ++i) {
    const validation::kernels::DerivedConstant& constant = report.constants[i];
    table.row({constant.key, std::to_string(constant.value.value()), std::to_string(report.present[i].value()),
               constant.method});
  }
  return "\n" + table.text();
}

}  // namespace

std::vector<std::string> CalibrationReport::warnings() const {
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < constants.size(); ++i) {
    if (constants[i].value == present[i]) continue;
    warnings.push_back(fmt::format("{} is {} in {}, bundles give {}", constants[i].key, present[i].value(),
                                   machine.name, constants[i].value.value()));
  }
  return warnings;
}

std::string calibration_text(const CalibrationReport& report) {
  std::string text = fmt::format("{}: cycles of kernels bundle by bundle, tile by tile, and as ops of a program\n\n",
                                 report.machine.name) +
                     comparisons_table(report) + summary(report) + constants_table(report);
  const std::vector<std::string> warnings = report.warnings();
  if (!warnings.empty()) text += "\n";
  for (const std::string& warning : warnings) text += "warning: " + warning + "\n";
  return text;
}

std::string calibration_json(const CalibrationReport& report) {
  const validation::kernels::Agreement agreement = validation::kernels::agreement_of(report.comparisons);
  Json kernels = Json::array(), constants = Json::object();
  for (const validation::kernels::LevelComparison& comparison : report.comparisons) {
    Json kernel = {{"kernel", comparison.kernel},
                   {"bundle_cycles", comparison.bundle.value()},
                   {"bundle_bytes", comparison.moved.value()},
                   {"tile_cycles", comparison.tile.value()},
                   {"error", comparison.error()}};
    kernel["bundle_events_j"] = comparison.bundle_joules;
    kernel["tile_events_j"] = comparison.tile_joules;
    kernel["program_ops"] = comparison.run.ops;
    kernel["program_cycles"] = comparison.run.cycles.value();
    kernel["program_bytes"] = comparison.run.moved.value();
    kernels.push_back(std::move(kernel));
  }
  for (const validation::kernels::DerivedConstant& constant : report.constants)
    constants[constant.key] = constant.value.value();
  const Json json = {{"schema_version", 1},    {"command", "calibrate core"},      {"machine", report.machine.name},
                     {"kernels", kernels},     {"median_error", agreement.median}, {"worst_error", agreement.worst},
                     {"constants", constants}, {"warnings", report.warnings()},    {"wall_s", report.wall_s}};
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::report
