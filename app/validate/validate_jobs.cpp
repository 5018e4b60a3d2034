// SPDX-License-Identifier: Apache-2.0
#include "app/validate/validate_jobs.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "app/options/file_option.h"
#include "app/options/limit_option.h"
#include "app/output/partial_result.h"
#include "app/validate/simulated_command.h"
#include "base/diagnostic.h"
#include "base/host/interrupt.h"
#include "base/host/output_file.h"
#include "base/progress.h"
#include "base/text/glob.h"
#include "validation/jobs/published_jobs.h"

namespace podsim::app::validate {
namespace {

struct ValidateJobsOptions {
  std::string csv, only = "*";
  bool json = false;
};

validation::jobs::SimulatedJob simulated_job(validation::jobs::PublishedJob published) {
  SimulatedCommand command = simulated_command(published.command);
  validation::jobs::SimulatedJob job{std::move(published), {}, std::move(command.problem)};
  if (job.problem.empty()) job.seconds = command.json.at(nlohmann::json::json_pointer(job.published.pointer()));
  return job;
}

void run_validate_jobs(const ValidateJobsOptions& options) {
  base::host::throw_on_interrupt();
  std::vector<validation::jobs::PublishedJob> rows = validation::jobs::published_jobs();
  std::erase_if(rows, [&](const auto& row) { return !base::text::glob_match(options.only, row.network); });
  if (rows.empty()) throw base::InputError(fmt::format("no network matches '{}'", options.only));
  std::vector<validation::jobs::SimulatedJob> jobs;
  base::Progress progress("simulating");
  output::publish(
      options.json,
      [&] {
        for (std::size_t i = 0; i < rows.size(); ++i) {
          base::host::end_if_interrupted(fmt::format("before figure {} of {}", i + 1, rows.size()));
          progress.update(double(i) / double(rows.size()), rows[i].network + " on " + rows[i].slice);
          jobs.push_back(simulated_job(std::move(rows[i])));
        }
      },
      [&] { return options.json ? validation::jobs::jobs_json(jobs) : validation::jobs::jobs_text(jobs); }, {[&] {
        if (!options.csv.empty()) base::host::write_file(options.csv, validation::jobs::jobs_csv(jobs));
      }});
}

}  // namespace

void add_validate_jobs(CLI::App& validate) {
  auto options = std::make_shared<ValidateJobsOptions>();
  CLI::App* jobs = validate.add_subcommand("jobs", "Published loops, trainings and starts of jobs, each simulated");
  jobs->add_option("--only", options->only, "Networks whose name matches, such as 'resnet*' [*]")
      ->option_text("PATTERN");
  options::add_limit_option(*jobs);
  jobs->add_flag("--json", options->json, "One JSON object on stdout");
  options::add_file_option(*jobs, "--csv", options->csv, "Every figure with both times and its command");
  jobs->footer("Examples:\n  podsim validate jobs\n  podsim validate jobs --only 'ssd*'");
  jobs->callback([options] { run_validate_jobs(*options); });
}

}  // namespace podsim::app::validate
