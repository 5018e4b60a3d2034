// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/arguments.h"
#include "app/commands.h"
#include "app/standard_output.h"
#include "base/atomic_file.h"
#include "base/diagnostic.h"
#include "sw/report/run_comparison.h"
#include "workloads/study/point_comparison.h"

namespace podsim::app {
namespace {

struct CompareOptions {
  std::string a, b;
  std::int64_t most = 10, depth = 1;
  bool json = false;
  std::string csv;
};

/// A study is compared point by point.
void require_no_study(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return;
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  if (is_folder ? !workloads::find_study_database(path) : !path.ends_with(".sqlite")) return;
  throw base::InputError(fmt::format("'{}' is a study, of which two points are compared", path),
                         fmt::format("as in {0}:baseline and {0}:3", path));
}

sw::ComparedRun read(const char* argument, const std::string& folder, std::size_t depth) {
  sw::ComparedRun run;
  locate_errors(argument, parse_path(argument, folder), [&] {
    require_no_study(folder);
    run = sw::compared_run(sw::read_run_folder(folder), depth);
  });
  return run;
}

/// Reads both and compares them. Files that are JSON but not what a run writes are found out on the way.
sw::RunComparison read_both(const CompareOptions& options) {
  const std::size_t depth = std::size_t(options.depth);
  try {
    return sw::compare_runs(read("A", options.a, depth), read("B", options.b, depth));
  } catch (const nlohmann::json::exception& error) {
    throw base::InputError(fmt::format("'{}' or '{}' has a manifest.json or stats.json that podsim did not write: {}",
                                       options.a, options.b, error.what()));
  }
}

void compare_folders(const CompareOptions& options) {
  const sw::RunComparison comparison = read_both(options);
  if (!options.csv.empty()) base::write_file(options.csv, sw::comparison_csv(comparison));
  print_result(options.json ? sw::comparison_json(comparison)
                            : sw::comparison_text(comparison, std::size_t(options.most)));
}

workloads::ComparedPoint read_point(const char* argument, const std::string& text) {
  workloads::ComparedPoint point;
  locate_errors(argument, text, [&] {
    const auto reference = workloads::point_reference(text);
    if (!reference)
      throw base::InputError("this is no point of a study, and the other is", "as in study:baseline or study:3");
    const workloads::StudyResults study = workloads::read_study_results(reference->first);
    point = workloads::compared_point(study, workloads::find_point(study, reference->second));
  });
  return point;
}

void compare_points(const CompareOptions& options) {
  if (!options.csv.empty()) throw base::InputError("--csv is for the ops of two runs; points of a study have none");
  const workloads::PointComparison comparison =
      workloads::compare_points(read_point("A", options.a), read_point("B", options.b));
  print_result(options.json ? workloads::comparison_json(comparison) : workloads::comparison_text(comparison));
}

void compare(const CompareOptions& options) {
  const bool points = workloads::point_reference(options.a) || workloads::point_reference(options.b);
  points ? compare_points(options) : compare_folders(options);
}

void add_number(CLI::App& command, const std::string& flags, std::int64_t& number, std::int64_t most,
                const char* what) {
  const std::string name = flags.substr(flags.find("--"));
  command
      .add_option_function<std::string>(
          flags, [name, most, &number](const std::string& text) { number = parse_whole_number(name, text, 1, most); },
          what)
      ->option_text("N");
}

}  // namespace

void add_compare(CLI::App& program) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* compare_command =
      program.add_subcommand("compare", "Say what two runs differ in, and op by op where the time went")
          ->group("Commands");
  compare_command
      ->add_option(
          "A", options->a,
          "A folder that 'podsim run -o' wrote, or a point of a study,\nSTUDY:POINT, by its position, id, or baseline")
      ->type_name("RUN")
      ->option_text(" ")
      ->required();
  compare_command->add_option("B", options->b, "Another")->type_name("RUN")->option_text(" ")->required();
  add_number(*compare_command, "-n,--rows", options->most, 1'000'000, "Rows of lists of ops and layers [10]");
  add_number(*compare_command, "--depth", options->depth, 100,
             "Names of an op_name that make a layer: 2 for layer1/block0\n[1]");
  compare_command->add_flag("--json", options->json, "One JSON object on stdout, with every row");
  compare_command
      ->add_option_function<std::string>(
          "--csv", [options](const std::string& text) { options->csv = parse_path("--csv", text); },
          "Every row of ops, times in picoseconds")
      ->option_text("FILE");
  compare_command->footer(R"(Examples:
  podsim run resnet50 -o before
  podsim run resnet50 --set mxu.size=256 -o after
  podsim compare before after
  podsim compare before after -n 30 --csv ops.csv
  podsim compare ici:baseline ici:3)");
  compare_command->callback([options] { compare(*options); });
}

}  // namespace podsim::app
