// SPDX-License-Identifier: Apache-2.0
#include "report/run/operator_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text/counted.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"

namespace podsim::report::run {
namespace {

using Align = base::text::TextTable::Align;
using OperatorJson = nlohmann::ordered_json;

std::string step_text(const OperatorReport::Way& way) {
  if (way.step) return fmt::format("{:.3f} ms", base::to_duration(*way.step).si() * 1e3);
  return way.why_not.empty() ? "not simulated" : way.why_not;
}

OperatorJson json_of(const OperatorReport::Way& way) {
  OperatorJson json{{"name", way.name}};
  if (way.estimate) json["estimated_step_s"] = way.estimate->si();
  if (way.step) json["step_s"] = base::to_duration(*way.step).si();
  if (!way.why_not.empty()) json["why_not"] = way.why_not;
  return json;
}

}  // namespace

std::string operators_text(const OperatorReport& r) {
  std::string text = fmt::format("\noperations: {} in {} shared out to {} each of {}, {:.3f} ms one after another\n",
                                 base::text::counted(r.operations, "operation"),
                                 base::text::counted(r.clusters, "cluster"), base::text::counted(r.devices, "core"),
                                 base::text::counted(r.replicas, "replica"), r.work.si() * 1e3);
  std::string busy;
  for (const base::Duration time : r.busy) {
    const double share = r.work.si() > 0 ? time.si() / r.work.si() : 0;
    busy += (busy.empty() ? "" : ", ") + base::text::percent(share);
  }
  text += fmt::format("  work of the cores of a replica: {}; {} between them, {}\n", busy,
                      base::text::counted(r.transfers, "transfer"), base::to_string(r.transferred));
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::left});
  table.row({"", "step", "estimate", ""});
  for (std::size_t i = 0; i < r.tried.size(); ++i) {
    const OperatorReport::Way& way = r.tried[i];
    table.row({"  " + way.name, step_text(way), fmt::format("{:.3f} ms", way.estimate->si() * 1e3),
               i == r.chosen ? "chosen" : ""});
  }
  const bool is_shorter = r.data_parallel.step && *r.data_parallel.step < *r.tried[r.chosen].step;
  table.row({"  " + r.data_parallel.name, step_text(r.data_parallel), "", is_shorter ? "shorter" : ""});
  return text + table.text();
}

nlohmann::ordered_json operators_json(const OperatorReport& r) {
  OperatorJson busy = OperatorJson::array(), tried = OperatorJson::array();
  for (std::size_t core = 0; core < r.busy.size(); ++core) {
    busy.push_back({{"core", core}, {"busy_s", r.busy[core].si()}});
  }
  for (const OperatorReport::Way& way : r.tried) tried.push_back(json_of(way));
  return {{"devices", r.devices},
          {"replicas", r.replicas},
          {"samples_per_step", r.samples},
          {"operations", r.operations},
          {"clusters", r.clusters},
          {"estimated_schedules", r.estimates},
          {"simulated_steps", r.simulations},
          {"work_s", r.work.si()},
          {"cores", busy},
          {"transfers", r.transfers},
          {"transferred_bytes", r.transferred.value()},
          {"chosen", r.tried[r.chosen].name},
          {"tried", tried},
          {"data_parallel", json_of(r.data_parallel)}};
}

}  // namespace podsim::report::run
