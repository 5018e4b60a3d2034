// SPDX-License-Identifier: Apache-2.0
// Part of report/goodput_report.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "report/goodput_report.h"

namespace podsim::report {

namespace goodput = workloads::goodput;

namespace {

using GoodputJson = nlohmann::ordered_json;
using goodput::Nanoseconds;

GoodputJson shares_json(const goodput::JobOutcome& sum) {
  goodput::CauseTimes causes;
  for (const goodput::CauseTimes& one : sum.causes) {
    causes.lost += one.lost;
    causes.detection += one.detection;
    causes.waiting += one.waiting;
    causes.restart += one.restart;
  }
  const auto share = [&](Nanoseconds part) { return goodput::seconds(part) / goodput::seconds(sum.all()); };
  return {
      {"steps", share(sum.training)},     {"slower_steps", share(sum.slower)}, {"checkpoints", share(sum.checkpoints)},
      {"checks", share(sum.checks)},      {"lost_steps", share(causes.lost)},  {"detection", share(causes.detection)},
      {"waiting", share(causes.waiting)}, {"restarts", share(causes.restart)}, {"start", share(sum.start)}};
}

GoodputJson causes_json(const GoodputReport& r, const goodput::JobOutcome& sum) {
  const auto n = double(r.outcomes.size());
  GoodputJson rows = GoodputJson::array();
  for (const goodput::FaultSource& source : r.sources) {
    const goodput::CauseTimes& of = sum.of(source.cause);
    rows.push_back({{"cause", to_string(source.cause)},
                    {"parts", source.units},
                    {"interruptions", double(of.interruptions) / n},
                    {"lost_steps_s", goodput::seconds(of.lost) / n},
                    {"detection_s", goodput::seconds(of.detection) / n},
                    {"waiting_s", goodput::seconds(of.waiting) / n},
                    {"restarts_s", goodput::seconds(of.restart) / n}});
  }
  return rows;
}

GoodputJson interval_json(const GoodputReport& r) {
  GoodputJson json = {{"steps", r.plan.checkpoint_steps},
                      {"work_s", r.interval().si()},
                      {"source", r.interval_source},
                      {"wait_s", r.checkpoint_wait().si()},
                      {"young_s", r.young().si()},
                      {"daly_s", r.daly().si()},
                      {"stored_beside_steps", r.plan.beside},
                      {"state_bytes", r.checkpoint.state.value()}};
  if (!r.search) return json;
  GoodputJson points = GoodputJson::array();
  for (const goodput::IntervalPoint& point : r.search->points) {
    points.push_back({{"work_s", point.work_s}, {"cost", point.cost}});
  }
  json["best_s"] = r.search->best.work.si();
  json["best_at_limit"] = r.search->best.at_limit;
  json["seeds"] = r.search->seeds;
  json["points"] = std::move(points);
  return json;
}

GoodputJson ways_json(const GoodputReport& r) {
  GoodputJson rows = GoodputJson::array();
  for (const GoodputReport::WayReport& way : r.ways) {
    rows.push_back({{"slice", fmt::format("{}", fmt::join(way.way.sizes, "x"))},
                    {"step_s", goodput::seconds(way.way.step)},
                    {"restart_s", goodput::seconds(way.way.restart)},
                    {"how", way.how}});
  }
  return rows;
}

GoodputJson verdicts_json(const GoodputReport& r) {
  GoodputJson rows = GoodputJson::array();
  for (const GoodputReport::LinkVerdict& of : r.verdicts) {
    GoodputJson row = {{"part", to_string(of.verdict.part)}, {"name", of.verdict.name}};
    if (of.verdict.part == goodput::Verdict::Part::link) row["hops_around"] = of.verdict.hops;
    if (of.slowdown) row["slowdown"] = *of.slowdown;
    if (of.verdict.remaining) {
      row["remaining"] = fmt::format("{}", fmt::join(of.verdict.remaining->sizes, "x"));
      if (const auto slowdown = r.slowdown_on(of.verdict.remaining->sizes)) row["remaining_slowdown"] = *slowdown;
      row["text"] = to_string(*of.verdict.remaining);
    } else {
      row["remaining"] = nullptr;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::string goodput_json(const GoodputReport& r) {
  const goodput::JobOutcome sum = goodput::sum_of(r.outcomes);
  const auto n = double(r.outcomes.size());
  GoodputJson values = GoodputJson::array();
  for (const base::ConfigEntry& entry : r.values) {
    values.push_back({{"key", entry.key},
                      {"value", entry.text},
                      {"evidence", base::to_string(entry.evidence)},
                      {"source", entry.source}});
  }
  GoodputJson json = {{"schema_version", 1},
                      {"command", "goodput"},
                      {"workload", r.workload},
                      {"machine", r.machine},
                      {"slice", r.slice},
                      {"chips", r.chips},
                      {"hosts", r.hosts},
                      {"cables", r.cables},
                      {"optical_links", r.optical_links},
                      {"days", r.days},
                      {"seeds", r.seeds.count},
                      {"seed", r.seeds.seed},
                      {"spares", r.plan.spares},
                      {"step_time_s", goodput::seconds(r.plan.ways[0].step)},
                      {"goodput", goodput::goodput(sum)},
                      {"goodput_p10", goodput::goodput_quantile(r.outcomes, 0.1)},
                      {"goodput_p50", goodput::goodput_quantile(r.outcomes, 0.5)},
                      {"goodput_p90", goodput::goodput_quantile(r.outcomes, 0.9)},
                      {"steps", double(sum.steps) / n},
                      {"interruptions", double(sum.interruptions) / n},
                      {"announced", double(sum.announced) / n},
                      {"between_failures_s", r.between_failures().si()},
                      {"host_availability", r.host_availability()},
                      {"slice_availability", r.slice_availability()},
                      {"smaller_slices", double(sum.smaller_slices) / n},
                      {"rerouted", double(sum.rerouted) / n},
                      {"suspect_steps", double(sum.suspect_steps) / n},
                      {"shares", shares_json(sum)},
                      {"causes", causes_json(r, sum)},
                      {"checkpoint", interval_json(r)},
                      {"ways", ways_json(r)}};
  if (r.plan.rerouted) json["rerouted_step_s"] = goodput::seconds(*r.plan.rerouted);
  json["faults"] = std::move(values);
  if (!r.verdicts.empty()) json["verdicts"] = verdicts_json(r);
  json["warnings"] = r.warnings;
  json["wall_s"] = r.wall_s;
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::report
