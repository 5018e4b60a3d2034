// SPDX-License-Identifier: Apache-2.0
// Part of app/commands/commands.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "app/commands/commands.h"
#include "app/commands/run_page.h"
#include "app/commands/study_report.h"
#include "app/options/file_option.h"
#include "app/options/limit_option.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"

namespace podsim::app::commands {
namespace {

struct ReportOptions {
  std::string path;
  std::string output;  ///< file of the page; empty: in the folder
  StudyReportOptions study;
};

/// Adds a flag for a name; `form` is the form of its values (flag_values.h).
void add_name(CLI::App& command, const char* flag, std::string& text, const char* what, const char* form) {
  command.add_option(flag, text, what)->type_name(form)->option_text("NAME");
}

/// Fixes the axis that a text such as "slice=4x4" names.
void fix_axis(studies::charts::ChartRequest& request, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw base::InputError({.message = fmt::format("'{}' fixes no axis", text),
                            .location = base::host::argument_location("--fix", text),
                            .hint = "as in --fix slice=4x4, or slice=any"});
  }
  request.fixed[text.substr(0, equals)] = text.substr(equals + 1);
}

void add_chart_flags(CLI::App& command, StudyReportOptions& study) {
  options::add_file_option(command, "--chart", study.chart,
                           "Of a study: a chart as an SVG file, and no page without -o");
  studies::charts::ChartRequest& request = study.request;
  add_name(command, "--metric", request.metric, "What the chart shows [the study's first objective]", "METRIC");
  add_name(command, "--x", request.x,
           "The axis, derived value or metric along x [what the study\nsays, or its first axis of numbers]",
           "VARIABLE");
  add_name(command, "--family", request.family,
           "A curve for every value of this axis, or none [the axis that\nmoves the metric most]", "AXIS");
  command
      .add_option_function<std::vector<std::string>>(
          "--fix",
          [&request](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) fix_axis(request, text);
          },
          "Draw one value of another axis, or all with any [the\nbaseline's]; may be repeated")
      ->type_name("AXIS=VALUE")
      ->option_text("AXIS=VALUE")
      ->allow_extra_args(false);
}

void run_report(const ReportOptions& options) {
  StudyReportOptions study = options.study;
  std::optional<std::filesystem::path> database;
  base::host::locate_errors("PATH", base::host::parse_path("PATH", options.path), [&] {
    database = studies::store::find_study_database(options.path);
    if (!database && !study.chart.empty()) {
      throw base::InputError(fmt::format("'{}' has no study to draw a chart of", options.path));
    }
  });
  if (!database) return write_run_page(options.path, options.output);
  study.database = *database;
  study.output = options.output;
  write_study_report(study);
}

}  // namespace

void add_report(CLI::App& program) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* report = program.add_subcommand("report", "Write what a run or a study found as one page for a browser")
                         ->group("Commands");
  report
      ->add_option_function<std::string>(
          "PATH", [options](const std::string& text) { options->path = base::host::parse_path("PATH", text); },
          "The folder of a run (podsim run -o), a study's database\n(.sqlite), or the folder of one")
      ->option_text(" ")
      ->required();
  options::add_file_option(
      *report, "-o,--output", options->output,
      "The page [of a run: report.html in its folder; of a\nstudy: beside the database, ending in .html]");
  add_chart_flags(*report, options->study);
  options::add_limit_option(*report);
  report->footer(
      "A page is one file that asks for nothing; podsim run -o writes that of a run too.\n\n"
      "Examples:\n  podsim report r -o resnet50.html\n  podsim report study\n"
      "  podsim report study.sqlite --chart study.svg\n"
      "  podsim report study.sqlite --chart study.svg --x ici.link_rate --family slice --fix batch_per_core=128");
  report->callback([options] { run_report(*options); });
}

}  // namespace podsim::app::commands
