// SPDX-License-Identifier: Apache-2.0
#include "report/run/train_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"
#include "report/run/job_report.h"

namespace podsim::report::run {
namespace {

using TrainColumn = base::text::TextTable::Align;

/// Seconds that `loops` loops take on MLPerf's clock, which begins when data are first touched.
double seconds_of(const RunReport& r, double loops) {
  return r.training->start.input.si() + base::to_duration(r.loop->time.all()).si() * loops;
}

double time_to_train_s(const RunReport& r) { return seconds_of(r, r.training->loops); }

/// The time of the start on that clock's other side.
double before_s(const workloads::job::StartTime& start) { return (start.all() - start.input).si(); }

std::string minutes(double seconds) { return fmt::format("{:.2f} min", seconds / 60); }

std::string start_text(const workloads::job::StartTime& start) {
  base::text::TextTable table({TrainColumn::left, TrainColumn::right, TrainColumn::left});
  const auto row = [&](const char* name, base::Duration time, const char* details) {
    table.row({name, fmt::format("{:.1f} s", time.si()), details});
  };
  row("  connect", start.connect, "processes, runtime and mesh");
  row("  graph", start.graph, "built by the clients");
  row("  compile", start.compile, "training and evaluation step");
  if (start.restore.si() > 0) row("  restore", start.restore, "a checkpoint to the hosts");
  row("  weights", start.weights, "to the devices");
  row("  input", start.input, "the first batch through the hosts; from here on MLPerf's clock runs");
  return table.text();
}

/// "61 epochs to 75.9 % top-1 (source)" or "7800 steps (source)".
std::string work_text(const TrainReport& t) {
  const std::string source = t.source.empty() ? "" : " (" + t.source + ")";
  if (t.epochs == 0) return fmt::format("{:.0f} steps{}", t.steps, source);
  return fmt::format("{:.4g} epochs{}{}", t.epochs, t.target.empty() ? "" : " to " + t.target, source);
}

std::string runs_text(const RunReport& r) {
  if (!r.training->runs) return "";
  const workloads::job::RunSpread& runs = *r.training->runs;
  const double loop_s = base::to_duration(r.loop->time.all()).si();
  std::string text =
      fmt::format("runs           {} with seed {}: {} on average, {} to {}, standard deviation {}", runs.loops.size(),
                  runs.plan.seed, minutes(seconds_of(r, runs.mean())), minutes(seconds_of(r, double(runs.least()))),
                  minutes(seconds_of(r, double(runs.most()))), minutes(loop_s * runs.standard_deviation()));
  if (runs.loops.size() >= 3) {
    text += fmt::format("; without fastest and slowest {}", minutes(seconds_of(r, runs.mlperf())));
  }
  return text + fmt::format("\n               epochs vary by {} ({})\n", base::text::percent(runs.plan.spread),
                            r.training->spread_source);
}

bool is_this(const RunReport& r, const PublishedTime& run) {
  return r.chips == run.chips && std::int64_t(r.samples_per_step()) == run.batch;
}

std::string published_text(const RunReport& r) {
  if (r.training->published.empty()) return "";
  using enum base::text::TextTable::Align;
  base::text::TextTable table({right, right, right, right, left});
  table.row({"  chips", "batch", "published", "here", "source"});
  for (const PublishedTime& run : r.training->published) {
    const std::string error =
        is_this(r, run) ? base::text::signed_percent(time_to_train_s(r) / 60 / run.minutes - 1) : "";
    table.row({std::to_string(run.chips), std::to_string(run.batch), minutes(run.minutes * 60), error, run.source});
  }
  return "\npublished trainings\n" + table.text();
}

nlohmann::ordered_json runs_json(const RunReport& r) {
  const workloads::job::RunSpread& runs = *r.training->runs;
  nlohmann::ordered_json json = {
      {"count", runs.loops.size()},
      {"seed", runs.plan.seed},
      {"spread", runs.plan.spread},
      {"spread_source", r.training->spread_source},
      {"mean_s", seconds_of(r, runs.mean())},
      {"standard_deviation_s", base::to_duration(r.loop->time.all()).si() * runs.standard_deviation()},
      {"least_s", seconds_of(r, double(runs.least()))},
      {"most_s", seconds_of(r, double(runs.most()))}};
  if (runs.loops.size() >= 3) json["mlperf_s"] = seconds_of(r, runs.mlperf());
  return json;
}

}  // namespace

std::string train_text(const RunReport& r) {
  const TrainReport& t = *r.training;
  std::string text =
      fmt::format("{} on {} slice of {}: {}, batch {:.0f}\n\n", r.workload, base::text::with_article(r.slice),
                  r.machine.name, base::text::counted(r.chips, "chip"), r.samples_per_step());
  text += fmt::format("time to train  {} from the first sample: {} in {:.2f} loops\n", minutes(time_to_train_s(r)),
                      work_text(t), t.loops);
  text += fmt::format("start          {:.1f} s before it, with {}\n", before_s(t.start), t.clients);
  if (!r.compiler.is_default()) text += fmt::format("compiler       {}\n", sw::driver::to_string(r.compiler));
  if (r.faults) text += fmt::format("faults         {}\n", faults_line(r));
  text += runs_text(r) + published_text(r) + faults_text(r) + loop_text(r) + checkpoint_text(r) + "\nthe start\n" +
          start_text(t.start) + hosts_text(r);
  if (!r.warnings.empty()) text += "\n";
  for (const std::string& warning : r.warnings) text += "warning: " + warning + "\n";
  return text;
}

void add_training(nlohmann::ordered_json& json, const RunReport& r) {
  const TrainReport& t = *r.training;
  nlohmann::ordered_json published = nlohmann::ordered_json::array();
  for (const PublishedTime& run : t.published) {
    published.push_back({{"chips", run.chips}, {"batch", run.batch}, {"minutes", run.minutes}, {"source", run.source}});
  }
  json["epochs"] = t.epochs;
  json["epochs_source"] = t.source;
  json["target"] = t.target;
  json["steps"] = t.steps;
  json["loops"] = t.loops;
  json["time_to_train_s"] = time_to_train_s(r);
  json["start"] = {{"clients", t.clients},
                   {"time_s", t.start.all().si()},
                   {"connect_s", t.start.connect.si()},
                   {"graph_s", t.start.graph.si()},
                   {"compile_s", t.start.compile.si()},
                   {"restore_s", t.start.restore.si()},
                   {"weights_s", t.start.weights.si()},
                   {"input_s", t.start.input.si()}};
  json["published"] = std::move(published);
  if (t.runs) json["runs"] = runs_json(r);
}

std::string train_json(const RunReport& r) {
  nlohmann::ordered_json json = {{"schema_version", 1},
                                 {"command", "train"},
                                 {"workload", r.workload},
                                 {"machine", r.machine.name},
                                 {"slice", r.slice},
                                 {"chips", r.chips},
                                 {"samples_per_step", r.samples_per_step()},
                                 {"step_time_s", r.step_s()}};
  add_training(json, r);
  add_job(json, r);
  add_faults(json, r);
  if (!r.compiler.is_default()) json["compiler"] = sw::driver::to_string(r.compiler);
  json["warnings"] = r.warnings;
  json["compile_s"] = r.compile_s;
  json["wall_s"] = r.wall_s;
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::report::run
