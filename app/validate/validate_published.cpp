// SPDX-License-Identifier: Apache-2.0
#include "app/validate/validate_published.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/options/compiler_option.h"
#include "app/options/file_option.h"
#include "app/options/limit_option.h"
#include "app/output/partial_result.h"
#include "app/validate/simulated_command.h"
#include "app/validate/steps_svg.h"
#include "base/diagnostic.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "base/host/output_file.h"
#include "base/progress.h"
#include "base/text/glob.h"
#include "validation/measured/published/published_memory.h"
#include "validation/measured/published/published_points.h"
#include "validation/measured/published/published_steps.h"
#include "validation/measured/published/scaling_lines.h"
#include "validation/measured/published/software_year.h"

namespace podsim::app::validate {
namespace {

struct PublishedOptions {
  std::string data = "../shared/measurements", csv, svg, only = "*";
  bool json = false;
  std::optional<sw::driver::CompilerYear> compiler;  ///< std::nullopt: that of the row's year

  std::string path(const std::string& file) const { return (std::filesystem::path(data) / file).string(); }
};

std::string text_of(const std::string& path, const std::string& file) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) {
    throw base::InputError("'" + path + "' cannot be read", "--data names a folder with " + file);
  }
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// What a row's command gave; no object if the row has none, or if it failed, and then why.
nlohmann::json result_of(const std::vector<std::string>& command, std::string& problem) {
  if (command.empty()) return {};
  SimulatedCommand simulated = simulated_command(command);
  problem = std::move(simulated.problem);
  return problem.empty() ? std::move(simulated.json) : nlohmann::json();
}

/// Simulates rows one by one and prints the table of `result`. `name` is what is told of a row that is simulated.
template <typename Row, typename Result>
void simulate_rows(const PublishedOptions& options, std::vector<Row> rows, Result& result,
                   const std::function<std::string(const Row&)>& name, const std::function<void(Row)>& simulate,
                   std::string (*text)(const Result&), std::string (*json)(const Result&),
                   std::string (*csv)(const Result&), std::string (*svg)(const Result&)) {
  base::host::throw_on_interrupt();
  const auto begin = base::host::HostClock::now();
  if (rows.empty()) throw base::InputError(fmt::format("no network of {} matches '{}'", result.file, options.only));
  base::Progress progress("simulating");
  output::publish(
      options.json,
      [&] {
        for (std::size_t i = 0; i < rows.size(); ++i) {
          base::host::end_if_interrupted(fmt::format("before row {} of {}", i + 1, rows.size()));
          progress.update(double(i) / double(rows.size()), name(rows[i]));
          simulate(std::move(rows[i]));
        }
      },
      [&] {
        result.wall_s = base::host::seconds_since(begin);
        return options.json ? json(result) : text(result);
      },
      {[&] {
        if (!options.csv.empty()) base::host::write_file(options.csv, csv(result));
        if (!options.svg.empty()) base::host::write_file(options.svg, svg(result));
      }});
}

void run_validate_steps(const PublishedOptions& options) {
  using namespace validation::measured::published;
  SimulatedSteps result{.file = options.path("training_steps.csv"), .steps = {}};
  std::vector<PublishedStep> rows = published_steps(result.file, text_of(result.file, "training_steps.csv"));
  if (const std::string points = options.path("v3_points.csv"); std::filesystem::exists(points)) {
    for (PublishedStep& row : published_points(points, text_of(points, "v3_points.csv")))
      rows.push_back(std::move(row));
  }
  std::erase_if(rows, [&](const PublishedStep& row) { return !base::text::glob_match(options.only, row.network); });
  const std::size_t published = rows.size();
  if (!options.svg.empty()) {
    for (PublishedStep& row : steps_between(rows)) rows.push_back(std::move(row));
  }
  if (options.compiler) {
    for (PublishedStep& row : rows) choose_compiler(row, *options.compiler);
  }
  const auto simulate = [&](PublishedStep row) {
    SimulatedStep step{.published = std::move(row), .step_s = {}};
    const nlohmann::json run = result_of(step.published.command, step.problem);
    // With --loop the published figure is a cadence.
    const auto figure = run.contains("train_loop") ? "/train_loop/cadence_s"_json_pointer : "/step_time_s"_json_pointer;
    if (run.is_object()) {
      step.step_s = run.at(figure).get<double>();
      step.products_s = 2 * run.at("/activity/core/mxu/multiply_accumulates"_json_pointer).get<double>() /
                        run.at("/machine_peaks/mxu_flops_per_s_per_core"_json_pointer).get<double>();
    }
    (result.steps.size() < published ? result.steps : result.between).push_back(std::move(step));
  };
  simulate_rows<PublishedStep, SimulatedSteps>(
      options, std::move(rows), result, [](const PublishedStep& row) { return row.network + " on " + row.slice; },
      simulate, steps_text, steps_json, steps_csv,
      [](const SimulatedSteps& steps) { return steps_svg(scaling_lines(steps)); });
}

void run_validate_memory(const PublishedOptions& options) {
  using namespace validation::measured::published;
  SimulatedMemories result{.file = options.path("memory.csv"), .rows = {}};
  std::vector<PublishedMemory> rows = published_memory(result.file, text_of(result.file, "memory.csv"));
  std::erase_if(rows, [&](const PublishedMemory& row) { return !base::text::glob_match(options.only, row.model); });
  const auto simulate = [&](PublishedMemory row) {
    SimulatedMemory memory{.published = std::move(row), .heap = {}};
    const nlohmann::json run = result_of(memory.published.command, memory.problem);
    if (run.is_object()) memory.heap = base::Bytes(run.at("memory").at("heap_bytes_per_core").get<std::int64_t>());
    result.rows.push_back(std::move(memory));
  };
  simulate_rows<PublishedMemory, SimulatedMemories>(
      options, std::move(rows), result, [](const PublishedMemory& row) { return row.model; }, simulate, memories_text,
      memories_json, memories_csv, nullptr);
}

/// Declares a command for the rows of `file`, and returns it.
CLI::App* add_published(CLI::App& validate, const std::string& name, const std::string& what, const std::string& file,
                        const std::string& each, const std::string& example, void (*run)(const PublishedOptions&),
                        const std::shared_ptr<PublishedOptions>& options = std::make_shared<PublishedOptions>()) {
  CLI::App* command = validate.add_subcommand(name, what);
  command->add_option("--data", options->data, "Folder with " + file + " [../shared/measurements]")->option_text("DIR");
  command->add_option("--only", options->only, "Networks whose name matches, such as '" + example + "' [*]")
      ->option_text("PATTERN");
  options::add_limit_option(*command);
  command->add_flag("--json", options->json, "One JSON object on stdout");
  options::add_file_option(*command, "--csv", options->csv, each);
  command->footer(fmt::format("Examples:\n  podsim validate {0}\n  podsim validate {0} --only '{1}'", name, example));
  command->callback([options, run] { run(*options); });
  return command;
}

}  // namespace

void add_validate_steps(CLI::App& validate) {
  auto options = std::make_shared<PublishedOptions>();
  CLI::App* command = add_published(validate, "steps", "Published training steps of whole networks, each simulated",
                                    "training_steps.csv", "Every row with both times and its command", "ssd*",
                                    run_validate_steps, options);
  options::add_compiler_option(
      *command, [options](const sw::driver::CompilerYear& of) { options->compiler = of; },
      "that of the year\nof each row's software");
  options::add_file_option(*command, "--svg", options->svg,
                           "A chart for each network: steps against chips, published on\na line of simulated ones, "
                           "also on chips in between");
}

void add_validate_memory(CLI::App& validate) {
  add_published(validate, "memory", "Published peaks of device memory, each simulated", "memory.csv",
                "Every row with both sizes and its command", "GPipe*", run_validate_memory);
}

}  // namespace podsim::app::validate
