// SPDX-License-Identifier: Apache-2.0
#include "app/validate/validate_steps.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "app/options/file_option.h"
#include "app/options/limit_option.h"
#include "app/output/partial_result.h"
#include "app/validate/simulated_command.h"
#include "base/diagnostic.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "base/host/output_file.h"
#include "base/progress.h"
#include "base/text/glob.h"
#include "workloads/measured/published_steps.h"

namespace podsim::app::validate {
namespace {

struct ValidateStepsOptions {
  std::string data = "../shared/measurements", csv, only = "*";
  bool json = false;
};

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) {
    throw base::InputError("'" + path + "' cannot be read", "--data names a folder with training_steps.csv");
  }
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

workloads::measured::SimulatedStep simulated(workloads::measured::PublishedStep published) {
  workloads::measured::SimulatedStep step{.published = std::move(published), .step_s = {}};
  if (step.published.command.empty()) return step;
  SimulatedCommand command = simulated_command(step.published.command);
  step.problem = std::move(command.problem);
  if (step.problem.empty()) step.step_s = command.json.at("step_time_s").get<double>();
  return step;
}

void run_validate_steps(const ValidateStepsOptions& options) {
  const std::atomic<bool>& stop = base::host::watch_for_interrupt();
  const auto begin = base::host::HostClock::now();
  workloads::measured::SimulatedSteps result;
  result.file = (std::filesystem::path(options.data) / "training_steps.csv").string();
  std::vector<workloads::measured::PublishedStep> rows =
      workloads::measured::published_steps(result.file, file_text(result.file));
  std::erase_if(rows, [&](const auto& row) { return !base::text::glob_match(options.only, row.network); });
  if (rows.empty()) throw base::InputError(fmt::format("no network of {} matches '{}'", result.file, options.only));
  base::Progress progress("simulating");
  output::publish(
      options.json,
      [&] {
        for (std::size_t i = 0; i < rows.size(); ++i) {
          if (stop) throw base::host::Interrupted(fmt::format("before row {} of {}", i + 1, rows.size()));
          progress.update(double(i) / double(rows.size()), rows[i].network + " on " + rows[i].slice);
          result.steps.push_back(simulated(std::move(rows[i])));
        }
      },
      [&] {
        result.wall_s = base::host::seconds_since(begin);
        return options.json ? workloads::measured::steps_json(result) : workloads::measured::steps_text(result);
      },
      {[&] {
        if (!options.csv.empty()) base::host::write_file(options.csv, workloads::measured::steps_csv(result));
      }});
}

}  // namespace

void add_validate_steps(CLI::App& validate) {
  auto options = std::make_shared<ValidateStepsOptions>();
  CLI::App* steps = validate.add_subcommand("steps", "Published training steps of whole networks, each simulated");
  steps->add_option("--data", options->data, "Folder with training_steps.csv [../shared/measurements]")
      ->option_text("DIR");
  steps->add_option("--only", options->only, "Networks whose name matches, such as 'resnet*' [*]")
      ->option_text("PATTERN");
  options::add_limit_option(*steps);
  steps->add_flag("--json", options->json, "One JSON object on stdout");
  options::add_file_option(*steps, "--csv", options->csv, "Every row with both times and its command");
  steps->footer("Examples:\n  podsim validate steps\n  podsim validate steps --only 'ssd*'");
  steps->callback([options] { run_validate_steps(*options); });
}

}  // namespace podsim::app::validate
