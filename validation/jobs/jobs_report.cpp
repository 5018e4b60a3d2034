// SPDX-License-Identifier: Apache-2.0
// Part of validation/jobs/published_jobs.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text/csv_field.h"
#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/shell_word.h"
#include "base/text/text_table.h"
#include "validation/jobs/published_jobs.h"

namespace podsim::validation::jobs {
namespace {

constexpr std::array kinds{std::pair(JobKind::loop, "loop"), std::pair(JobKind::training, "training"),
                           std::pair(JobKind::start, "start")};

std::string name_of(JobKind kind) { return kinds[std::size_t(kind)].second; }

std::string job_command_line(const PublishedJob& job) {
  std::string line = "podsim";
  for (const std::string& word : job.command) line += " " + base::text::shell_word(word);
  return line;
}

std::string time_text(JobKind kind, double seconds) {
  if (kind == JobKind::training) return fmt::format("{:.2f} min", seconds / 60);
  return kind == JobKind::loop ? fmt::format("{:.2f} s", seconds) : fmt::format("{:.0f} s", seconds);
}

/// Mean size of the errors of the simulated figures of a kind that nothing was derived from.
struct MeanError {
  int figures = 0;
  double sum = 0;
  double mean() const { return figures == 0 ? 0 : sum / figures; }
};

MeanError mean_error(const std::vector<SimulatedJob>& jobs, JobKind kind) {
  MeanError error;
  for (const SimulatedJob& job : jobs) {
    if (job.published.kind != kind || job.published.used || !job.seconds) continue;
    ++error.figures;
    error.sum += std::abs(error_of(job));
  }
  return error;
}

}  // namespace

std::string jobs_text(const std::vector<SimulatedJob>& jobs) {
  using Align = base::text::TextTable::Align;
  base::text::TextTable table({Align::right, Align::left, Align::left, Align::left, Align::right, Align::right,
                               Align::right, Align::left, Align::left});
  table.row({"", "figure", "network", "slice", "published", "simulated", "error", "", "source"});
  std::string commands, failed;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const PublishedJob& row = jobs[i].published;
    table.row({fmt::to_string(i + 1), name_of(row.kind), row.network, row.slice, time_text(row.kind, row.seconds),
               jobs[i].seconds ? time_text(row.kind, *jobs[i].seconds) : "-",
               jobs[i].seconds ? base::text::signed_percent(error_of(jobs[i])) : "", row.used ? "used" : "",
               row.source});
    commands += fmt::format("{:>3}  {}\n", i + 1, job_command_line(row));
    if (!jobs[i].seconds) failed += fmt::format("{:>3}  is not simulated: {}\n", i + 1, jobs[i].problem);
  }
  std::string text =
      table.text() +
      "\nused: a value of the model was derived from the figure. Mean size of the errors of the others:\n";
  for (const auto& [kind, name] : kinds) {
    const MeanError error = mean_error(jobs, kind);
    if (error.figures > 0)
      text += fmt::format("  {:<9} {} of {}\n", name, base::text::percent(error.mean()), error.figures);
  }
  text += "\n" + commands;
  return failed.empty() ? text : text + "\n" + failed;
}

std::string jobs_json(const std::vector<SimulatedJob>& jobs) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const SimulatedJob& job : jobs) {
    const PublishedJob& row = job.published;
    nlohmann::ordered_json object = {
        {"figure", name_of(row.kind)}, {"network", row.network}, {"slice", row.slice},
        {"source", row.source},        {"used", row.used},       {"published_s", row.seconds},
        {"simulated_s", nullptr},      {"error", nullptr},       {"command", job_command_line(row)},
        {"not_simulated", job.problem}};
    if (job.seconds) {
      object["simulated_s"] = *job.seconds;
      object["error"] = error_of(job);
    }
    rows.push_back(std::move(object));
  }
  nlohmann::ordered_json errors = nlohmann::ordered_json::object();
  for (const auto& [kind, name] : kinds) {
    const MeanError error = mean_error(jobs, kind);
    errors[name] = {{"figures", error.figures}, {"mean_error", error.mean()}};
  }
  return base::text::json_text(nlohmann::ordered_json{{"jobs", rows}, {"not_used", errors}});
}

std::string jobs_csv(const std::vector<SimulatedJob>& jobs) {
  std::string text = "figure,network,slice,source,used,published_s,simulated_s,error,command,not_simulated\n";
  for (const SimulatedJob& job : jobs) {
    const PublishedJob& row = job.published;
    std::vector<std::string> cells = {name_of(row.kind),
                                      row.network,
                                      row.slice,
                                      row.source,
                                      row.used ? "true" : "false",
                                      fmt::format("{:.9g}", row.seconds),
                                      job.seconds ? fmt::format("{:.9g}", *job.seconds) : "",
                                      job.seconds ? fmt::format("{:.6f}", error_of(job)) : "",
                                      job_command_line(row),
                                      job.problem};
    for (std::string& cell : cells) cell = base::text::csv_field(cell);
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

}  // namespace podsim::validation::jobs
