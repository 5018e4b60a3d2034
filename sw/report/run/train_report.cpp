// SPDX-License-Identifier: Apache-2.0
#include "sw/report/run/train_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "base/text/text_table.h"
#include "sw/report/run/job_report.h"

namespace podsim::sw::report::run {
namespace {

using TrainColumn = base::text::TextTable::Align;

/// The time of all loops in seconds. MLPerf's clock begins with the first step.
double loops_s(const RunReport& r) { return base::to_duration(r.loop->time.all()).si() * r.training->loops(); }

std::string minutes(double seconds) { return fmt::format("{:.2f} min", seconds / 60); }

std::string start_text(const job::StartTime& start) {
  base::text::TextTable table({TrainColumn::left, TrainColumn::right, TrainColumn::left});
  const auto row = [&](const char* name, base::Duration time, const char* details) {
    table.row({name, fmt::format("{:.1f} s", time.si()), details});
  };
  row("  connect", start.connect, "processes, runtime and mesh");
  row("  graph", start.graph, "built by the clients");
  row("  compile", start.compile, "training and evaluation step");
  row("  weights", start.weights, "to the devices");
  row("  input", start.input, "the first batch through the hosts");
  return table.text();
}

}  // namespace

std::string train_text(const RunReport& r) {
  const TrainReport& t = *r.training;
  std::string text =
      fmt::format("{} on {} slice of {}: {}, batch {:.0f}\n\n", r.workload, base::text::with_article(r.slice),
                  r.machine.name, base::text::counted(r.chips, "chip"), r.samples_per_step());
  text += fmt::format("time to train  {} from the first step: {:.4g} epochs{}{} in {:.2f} loops\n", minutes(loops_s(r)),
                      t.epochs, t.target.empty() ? "" : " to " + t.target,
                      t.source.empty() ? "" : " (" + t.source + ")", t.loops());
  text += fmt::format("start          {:.1f} s before it, with {}\n", t.start.all().si(), t.clients);
  for (const PublishedTime& published : t.published) {
    text += fmt::format("published      {:.2f} min on {} ({})\n", published.minutes,
                        base::text::counted(published.chips, "chip"), published.source);
  }
  text += loop_text(r) + "\nthe start\n" + start_text(t.start) + hosts_text(r);
  if (!r.warnings.empty()) text += "\n";
  for (const std::string& warning : r.warnings) text += "warning: " + warning + "\n";
  return text;
}

std::string train_json(const RunReport& r) {
  const TrainReport& t = *r.training;
  nlohmann::ordered_json published = nlohmann::ordered_json::array();
  for (const PublishedTime& run : t.published) {
    published.push_back({{"chips", run.chips}, {"minutes", run.minutes}, {"source", run.source}});
  }
  nlohmann::ordered_json json = {{"schema_version", 1},
                                 {"command", "train"},
                                 {"workload", r.workload},
                                 {"machine", r.machine.name},
                                 {"slice", r.slice},
                                 {"chips", r.chips},
                                 {"samples_per_step", r.samples_per_step()},
                                 {"step_time_s", r.step_s()},
                                 {"epochs", t.epochs},
                                 {"epochs_source", t.source},
                                 {"target", t.target},
                                 {"loops", t.loops()},
                                 {"time_to_train_s", loops_s(r)},
                                 {"start",
                                  {{"clients", t.clients},
                                   {"time_s", t.start.all().si()},
                                   {"connect_s", t.start.connect.si()},
                                   {"graph_s", t.start.graph.si()},
                                   {"compile_s", t.start.compile.si()},
                                   {"weights_s", t.start.weights.si()},
                                   {"input_s", t.start.input.si()}}},
                                 {"published", published}};
  add_job(json, r);
  json["warnings"] = r.warnings;
  json["compile_s"] = r.compile_s;
  json["wall_s"] = r.wall_s;
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::sw::report::run
