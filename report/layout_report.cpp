// SPDX-License-Identifier: Apache-2.0
#include "report/layout_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"

namespace podsim::report {
namespace {

using Align = base::text::TextTable::Align;

constexpr double min_shown = 0.0001;  ///< share of the profile's time

}  // namespace

std::string layout_text(const LayoutReport& report) {
  const validation::profile::LayoutComparison& layouts = report.layouts;
  std::string text = fmt::format("layouts of {}, compared with {}\n\n", report.profile, report.ops);
  text += fmt::format("arrays in both  {} of the profile's time\n", base::text::percent(layouts.compared));
  text += fmt::format("same layout     {} of that time\n", base::text::percent(layouts.agreement));
  base::text::TextTable table({Align::right, Align::left, Align::left, Align::left});
  table.row({"time", "array", "profile", "ops"});
  bool any = false;
  for (const validation::profile::LayoutRow& row : layouts.rows) {
    const double share = row.share * (1 - row.agreement);
    if (share < min_shown) continue;
    any = true;
    table.row({base::text::percent(share), row.array, row.first, row.second.empty() ? "no such array" : row.second});
  }
  if (any) text += "\narrays whose layouts differ, and arrays that are not among the ops\n" + table.text();
  return text;
}

std::string layout_json(const LayoutReport& report) {
  nlohmann::ordered_json json;
  json["schema_version"] = 1;
  json["command"] = "ops";
  json["profile"] = report.profile;
  json["layouts_of"] = report.ops;
  json["compared_share"] = report.layouts.compared;
  json["same_layout_share"] = report.layouts.agreement;
  json["arrays"] = nlohmann::ordered_json::array();
  for (const validation::profile::LayoutRow& row : report.layouts.rows) {
    nlohmann::ordered_json entry;
    entry["array"] = row.array;
    entry["time_share"] = row.share;
    entry["profile"] = row.first;
    if (row.second.empty()) {
      entry["ops"] = nullptr;
    } else {
      entry["ops"] = row.second;
      entry["same_layout_share"] = row.agreement;
    }
    json["arrays"].push_back(std::move(entry));
  }
  json["warnings"] = nlohmann::ordered_json::array();
  json["wall_s"] = report.wall_s;
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::report
