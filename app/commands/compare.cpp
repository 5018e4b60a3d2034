// SPDX-License-Identifier: Apache-2.0
// Part of app/commands/commands.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/commands/commands.h"
#include "app/options/file_option.h"
#include "app/options/limit_option.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/output_file.h"
#include "base/host/standard_output.h"
#include "report/compare/run_comparison.h"
#include "report/run/json_fault.h"
#include "report/run/run_folder.h"
#include "studies/store/point_comparison.h"

namespace podsim::app::commands {
namespace {

struct CompareOptions {
  std::string a, b;
  std::int64_t most = 10, depth = 1;
  bool json = false;
  std::string csv;
};

/// Throws InputError for a study without a point: studies are compared point by point.
void require_no_study(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return;
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  if (is_folder ? !studies::store::find_study_database(path) : !path.ends_with(".sqlite")) return;
  throw base::InputError(fmt::format("'{}' is a study, of which two points are compared", path),
                         fmt::format("as in {0}:baseline and {0}:3", path));
}

report::compare::ComparedRun read(const char* argument, const std::string& folder, std::size_t depth) {
  report::compare::ComparedRun run;
  base::host::locate_errors(argument, base::host::parse_path(argument, folder), [&] {
    require_no_study(folder);
    run = report::compare::compared_run(report::run::read_run_folder(folder), depth);
  });
  return run;
}

void compare_folders(const CompareOptions& options) {
  const std::size_t depth = std::size_t(options.depth);
  const report::compare::RunComparison comparison =
      report::compare::compare_runs(read("A", options.a, depth), read("B", options.b, depth));
  if (!options.csv.empty()) base::host::write_file(options.csv, report::compare::comparison_csv(comparison));
  base::host::print_result(options.json ? report::compare::comparison_json(comparison)
                                        : report::compare::comparison_text(comparison, std::size_t(options.most)));
}

/// Names the JSON file of a folder that podsim did not write.
void compare_readable_folders(const CompareOptions& options) {
  try {
    compare_folders(options);
  } catch (const nlohmann::json::exception&) {
    std::vector<std::filesystem::path> files;
    for (const std::string& folder : {options.a, options.b}) {
      for (const char* name : {"stats.json", "manifest.json"}) files.push_back(std::filesystem::path(folder) / name);
    }
    report::run::reject_json(files);
  }
}

studies::store::ComparedPoint read_point(const char* argument, const std::string& text) {
  studies::store::ComparedPoint point;
  base::host::locate_errors(argument, text, [&] {
    const auto reference = studies::store::point_reference(text);
    if (!reference)
      throw base::InputError("this is no point of a study, and the other is", "as in study:baseline or study:3");
    const studies::store::StudyResults study = studies::store::read_study_results(reference->first);
    point = studies::store::compared_point(study, studies::store::find_point(study, reference->second));
  });
  return point;
}

void compare_points(const CompareOptions& options) {
  if (!options.csv.empty()) throw base::InputError("--csv is for the ops of two runs; points of a study have none");
  const studies::store::PointComparison comparison =
      studies::store::compare_points(read_point("A", options.a), read_point("B", options.b));
  base::host::print_result(options.json ? studies::store::comparison_json(comparison)
                                        : studies::store::comparison_text(comparison));
}

void run_compare(const CompareOptions& options) {
  const bool points = studies::store::point_reference(options.a) || studies::store::point_reference(options.b);
  points ? compare_points(options) : compare_readable_folders(options);
}

void add_count(CLI::App& command, const std::string& flags, std::int64_t& number, std::int64_t most, const char* what) {
  const std::string name = flags.substr(flags.find("--"));
  command
      .add_option_function<std::string>(
          flags,
          [name, most, &number](const std::string& text) {
            number = base::host::parse_whole_number(name, text, 1, most);
          },
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
  add_count(*compare_command, "-n,--rows", options->most, 1'000'000, "Rows of lists of ops and layers [10]");
  add_count(*compare_command, "--depth", options->depth, 100,
            "Names of an op_name that make a layer: 2 for layer1/block0\n[1]");
  options::add_limit_option(*compare_command);
  compare_command->add_flag("--json", options->json, "One JSON object on stdout, with every row");
  options::add_file_option(*compare_command, "--csv", options->csv, "Every row of ops, times in picoseconds");
  compare_command->footer(R"(Examples:
  podsim run resnet50 -o before
  podsim run resnet50 --set mxu.size=256 -o after
  podsim compare before after
  podsim compare before after -n 30 --csv ops.csv
  podsim compare ici:baseline ici:3)");
  compare_command->callback([options] { run_compare(*options); });
}

}  // namespace podsim::app::commands
