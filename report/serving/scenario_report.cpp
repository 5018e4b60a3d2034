// SPDX-License-Identifier: Apache-2.0
#include "report/serving/scenario_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "base/text/text_table.h"
#include "base/units.h"

namespace podsim::report::serving {
namespace {

using ScenarioJson = nlohmann::ordered_json;

std::string seconds_text(double seconds) { return base::to_string(base::Duration(seconds)); }

std::string percentile_text(double percentile) { return fmt::format("p{:g}", 100 * percentile); }

std::string result_text(const ScenarioReport& r) {
  if (r.scenario == "offline") {
    return fmt::format("offline        {:.5g} samples/s, {} a step\n", r.samples_per_s,
                       base::text::counted(r.batches[std::size_t(r.best)].samples, "sample"));
  }
  if (r.scenario != "server") {
    const bool single = r.scenario == "single_stream";
    return fmt::format("{}  {} is the {} of the latency of {}\n", single ? "single stream" : "multi stream ",
                       seconds_text(r.latency_s), percentile_text(r.percentile),
                       single ? "a sample" : "a query of 8 samples");
  }
  std::string text = fmt::format("limit          {} for {} of the queries: {}\n", seconds_text(r.limit_s),
                                 percentile_text(r.percentile), r.limit_source);
  if (r.best < 0) return text + "server         no rate: a step alone takes longer\n";
  text += fmt::format("server         {:.5g} queries/s, up to {} a step; {} {} of {} queries, seed {}\n",
                      r.samples_per_s, base::text::counted(r.batches[std::size_t(r.best)].samples, "sample"),
                      percentile_text(r.percentile), seconds_text(r.latency_s), r.queries, r.seed);
  return text;
}

std::string batch_table(const ScenarioReport& r) {
  using enum base::text::TextTable::Align;
  base::text::TextTable table({right, right, right, right});
  const bool server = r.scenario == "server";
  table.row({"  samples a step", "step", "samples/s", server ? "most queries/s" : ""});
  for (const ScenarioReport::Batch& of : r.batches) {
    table.row({fmt::format("{}", of.samples), seconds_text(of.step_s), fmt::format("{:.5g}", of.samples_per_s),
               !server        ? ""
               : of.most_rate ? fmt::format("{:.5g}", *of.most_rate)
                              : "-"});
  }
  return "\n" + table.text();
}

}  // namespace

std::string scenario_text(const ScenarioReport& r) {
  std::string warnings = r.warnings.empty() ? "" : "\n";
  for (const std::string& warning : r.warnings) warnings += "warning: " + warning + "\n";
  return fmt::format("{} on {} of {} slice of {}: {} each\n\n", r.workload, base::text::counted(r.replicas, "replica"),
                     base::text::with_article(r.slice), r.machine, base::text::counted(r.chips, "chip")) +
         result_text(r) + batch_table(r) + warnings + fmt::format("\n{:.2f} s on this host\n", r.wall_s);
}

std::string scenario_json(const ScenarioReport& r) {
  ScenarioJson json = {{"schema_version", 1},    {"command", "serve"},    {"scenario", r.scenario},
                       {"workload", r.workload}, {"machine", r.machine},  {"slice", r.slice},
                       {"chips", r.chips},       {"replicas", r.replicas}};
  if (r.limit_s > 0) {
    json["limit_s"] = r.limit_s;
    json["limit_source"] = r.limit_source;
  }
  if (r.percentile > 0) json["percentile"] = r.percentile;
  if (r.queries > 0) {
    json["queries"] = r.queries;
    json["seed"] = r.seed;
  }
  const bool rate = r.scenario == "offline" || r.scenario == "server";
  if (rate) json["samples_per_s"] = r.samples_per_s;
  if (r.scenario != "offline" && r.best >= 0) json["latency_s"] = r.latency_s;
  if (rate && r.best >= 0) json["batch"] = r.batches[std::size_t(r.best)].samples;
  ScenarioJson rows = ScenarioJson::array();
  for (const ScenarioReport::Batch& of : r.batches) {
    ScenarioJson row = {{"samples", of.samples}, {"step_s", of.step_s}, {"samples_per_s", of.samples_per_s}};
    if (of.most_rate) row["most_queries_per_s"] = *of.most_rate;
    rows.push_back(std::move(row));
  }
  json["batches"] = std::move(rows);
  json["warnings"] = r.warnings;
  json["wall_s"] = r.wall_s;
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::report::serving
