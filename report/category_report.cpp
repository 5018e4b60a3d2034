// SPDX-License-Identifier: Apache-2.0
#include "report/category_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"

namespace podsim::report {
namespace {

using Align = base::text::TextTable::Align;

constexpr double min_share = 0.005;  ///< share of a step

std::string error_of(double simulated, double measured) {
  return measured > 0 ? base::text::signed_percent(simulated / measured - 1) : "";
}

std::string milliseconds(double time_s) { return fmt::format("{:.3f} ms", 1e3 * time_s); }

}  // namespace

std::string category_text(const CategoryReport& report) {
  const validation::profile::StepTimes &measured = report.measured, &simulated = report.simulated;
  std::string text = fmt::format("ops of a step of {}, compared with {}\n", report.profile, report.ops);
  text += fmt::format("steps     {}\n", measured.steps);
  text += fmt::format("left out  {} of the profile's time, in ops that occur in less than half of the steps\n\n",
                      base::text::percent(measured.left_out));
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.row({"category", "profile", "of the step", "run", "error"});
  for (const validation::profile::CategoryRow& row : validation::profile::categories_of(measured, simulated)) {
    const bool is_small = row.first_s < min_share * measured.time_s && row.second_s < min_share * simulated.time_s;
    if (is_small) continue;
    table.row({row.category, milliseconds(row.first_s),
               measured.time_s > 0 ? base::text::percent(row.first_s / measured.time_s) : "",
               milliseconds(row.second_s), error_of(row.second_s, row.first_s)});
  }
  table.row({"all", milliseconds(measured.time_s), "", milliseconds(simulated.time_s),
             error_of(simulated.time_s, measured.time_s)});
  return text + table.text();
}

std::string category_json(const CategoryReport& report) {
  nlohmann::ordered_json json;
  json["schema_version"] = 1;
  json["command"] = "ops";
  json["profile"] = report.profile;
  json["categories_of"] = report.ops;
  json["steps"] = report.measured.steps;
  json["left_out_share"] = report.measured.left_out;
  json["step_s"] = report.measured.time_s;
  json["run_step_s"] = report.simulated.time_s;
  json["categories"] = nlohmann::ordered_json::array();
  for (const validation::profile::CategoryRow& row :
       validation::profile::categories_of(report.measured, report.simulated)) {
    nlohmann::ordered_json entry;
    entry["category"] = row.category;
    entry["step_s"] = row.first_s;
    entry["run_step_s"] = row.second_s;
    json["categories"].push_back(std::move(entry));
  }
  json["warnings"] = nlohmann::ordered_json::array();
  json["wall_s"] = report.wall_s;
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::report
