// SPDX-License-Identifier: Apache-2.0
// Part of app/commands/commands.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/hlo_parts/hlo_dimensions.h"
#include "app/commands/hlo_parts/hlo_eval.h"
#include "app/commands/hlo_parts/hlo_grad.h"
#include "app/commands/hlo_parts/hlo_ops.h"
#include "app/commands/hlo_parts/hlo_partition.h"
#include "app/commands/hlo_parts/hlo_print.h"
#include "app/options/limit_option.h"
#include "app/output/failed_check.h"
#include "app/run/files/module_file.h"
#include "base/host/arguments.h"
#include "base/host/host_clock.h"
#include "base/host/standard_output.h"
#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "base/text/text_table.h"
#include "hlo/text/graph/statistics.h"
#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"
#include "hlo/text/shape_check.h"

namespace podsim::app::commands {
namespace {

using Json = nlohmann::ordered_json;
using Severity = base::Diagnostic::Severity;
struct HloOptions {
  std::vector<std::string> files;
  bool strict = false, json = false;
};

hlo::text::ReadResult read_module_file(const HloOptions& options, const std::string& file) {
  const auto unknown = options.strict ? hlo::text::UnknownOpcodes::reject : hlo::text::UnknownOpcodes::warn;
  return hlo::text::read(file, run::files::module_text("FILE", file), unknown);
}

std::string warning_text(const base::Diagnostic& warning) {
  const base::SourceLocation& at = warning.location;
  return fmt::format("{}:{}:{}: {}", at.file, at.line, at.column, warning.message);
}

/// Reads a file. Warnings go to stderr immediately; errors are thrown.
std::vector<hlo::text::Module> read_valid(const HloOptions& options, const std::string& file, Json& warnings) {
  hlo::text::ReadResult result = read_module_file(options, file);
  if (!result.ok()) throw base::InputError(std::move(result.diagnostics));
  for (const base::Diagnostic& diagnostic : result.diagnostics) {
    warnings.push_back(warning_text(diagnostic));
    if (!options.json) std::fputs(base::format(diagnostic).c_str(), stderr);
  }
  return std::move(result.modules);
}

Json json_head(const char* command) { return {{"schema_version", 1}, {"command", command}}; }

void finish_json(Json& json, const Json& warnings, base::host::HostClock::time_point begin) {
  json["warnings"] = warnings;
  json["wall_s"] = base::host::seconds_since(begin);
}

std::string contents(const std::vector<hlo::text::Module>& modules) {
  std::size_t computations = 0, instructions = 0;
  for (const hlo::text::Module& module : modules) {
    computations += module.computations.size();
    instructions += module.instructions.size();
  }
  return fmt::format("{}, {}, {}", base::text::counted(modules.size(), "module"),
                     base::text::counted(computations, "computation"),
                     base::text::counted(instructions, "instruction"));
}

/// Result over all files.
struct CheckResult {
  std::size_t ok = 0;
  std::string text;
  Json errors = Json::array(), warnings = Json::array();
  std::vector<base::Diagnostic> diagnostics;
};

/// Adds what is wrong with the shapes and values of modules that can be read.
hlo::text::ReadResult checked(hlo::text::ReadResult read) {
  if (!read.ok()) return read;
  for (const hlo::text::Module& module : read.modules) {
    std::vector<base::Diagnostic> found;
    try {
      found = hlo::text::check_shapes(module, hlo::text::graph::to_graph(module));
    } catch (const base::InputError& error) {
      found = error.diagnostics();
    }
    for (base::Diagnostic& diagnostic : found) {
      diagnostic.severity = Severity::error;
      read.diagnostics.push_back(std::move(diagnostic));
    }
  }
  return read;
}

void add_check(CheckResult& check, const std::string& file, const hlo::text::ReadResult& result) {
  std::size_t errors = 0;
  for (const base::Diagnostic& diagnostic : result.diagnostics) {
    check.diagnostics.push_back(diagnostic);
    if (diagnostic.severity != Severity::error) {
      check.warnings.push_back(warning_text(diagnostic));
      continue;
    }
    ++errors;
    check.errors.push_back({{"file", file},
                            {"line", diagnostic.location.line},
                            {"column", diagnostic.location.column},
                            {"message", diagnostic.message},
                            {"hint", diagnostic.hint}});
  }
  check.ok += errors == 0 ? 1 : 0;
  check.text += fmt::format("{}: {}\n", file,
                            errors == 0 ? "ok, " + contents(result.modules) : base::text::counted(errors, "error"));
}

void check_files(const HloOptions& options) {
  const auto begin = base::host::HostClock::now();
  CheckResult check;
  for (const std::string& file : options.files) add_check(check, file, checked(read_module_file(options, file)));
  if (options.json) {
    Json json = json_head("hlo check");
    json["files"] = options.files.size();
    json["ok"] = check.ok;
    json["errors"] = check.errors;
    finish_json(json, check.warnings, begin);
    base::host::print_result(base::text::json_text(json, 2) + "\n");
    check.diagnostics.clear();
  } else {
    base::host::print_result(check.text);
  }
  if (check.ok < options.files.size()) throw output::FailedCheck(std::move(check.diagnostics));
  for (const base::Diagnostic& diagnostic : check.diagnostics) std::fputs(base::format(diagnostic).c_str(), stderr);
}

std::string statistics_text(const std::string& file, const hlo::text::Module& module) {
  using Align = base::text::TextTable::Align;
  const hlo::text::graph::Statistics counts = hlo::text::graph::statistics(module);
  base::text::TextTable head({Align::left, Align::left});
  head.row({"module", fmt::format("{} of {}", module.name, file)});
  head.row({"computations", std::to_string(counts.computations)});
  head.row({"instructions", fmt::format("{}{}", counts.instructions, counts.scheduled ? ", scheduled" : "")});
  head.row({"partitions", std::to_string(counts.partitions)});
  head.row({"parameters", fmt::format("{}, {} bytes", counts.parameters, counts.parameter_bytes)});
  for (const auto& [kind, count] : counts.fusions) head.row({"fusions", fmt::format("{} {}", count, kind)});
  std::string text = head.text();
  if (!counts.collectives.empty()) {
    base::text::TextTable table({Align::left, Align::left, Align::left, Align::right, Align::right});
    table.row({"collective", "type", "groups", "count", "bytes"});
    for (const hlo::text::graph::CollectiveCount& row : counts.collectives) {
      table.row({row.opcode, row.element_type, row.groups, std::to_string(row.count), std::to_string(row.bytes)});
    }
    text += "\n" + table.text();
  }
  std::vector<std::pair<std::string, std::int64_t>> opcodes(counts.opcodes.begin(), counts.opcodes.end());
  std::ranges::stable_sort(opcodes, std::greater<>{}, &std::pair<std::string, std::int64_t>::second);
  base::text::TextTable table({Align::left, Align::right});
  table.row({"opcode", "count"});
  for (const auto& [opcode, count] : opcodes) table.row({opcode, std::to_string(count)});
  return text + "\n" + table.text();
}

Json statistics_json(const std::string& file, const hlo::text::Module& module) {
  const hlo::text::graph::Statistics counts = hlo::text::graph::statistics(module);
  Json collectives = Json::array();
  for (const hlo::text::graph::CollectiveCount& row : counts.collectives) {
    collectives.push_back({{"kind", row.opcode},
                           {"dtype", row.element_type},
                           {"groups", row.groups},
                           {"count", row.count},
                           {"bytes", row.bytes}});
  }
  return {{"file", file},
          {"module", module.name},
          {"computations", counts.computations},
          {"instructions", counts.instructions},
          {"scheduled", counts.scheduled},
          {"partitions", counts.partitions},
          {"parameters", counts.parameters},
          {"parameter_bytes", counts.parameter_bytes},
          {"fusions", counts.fusions},
          {"collectives", collectives},
          {"opcodes", counts.opcodes}};
}

void count_files(const HloOptions& options) {
  const auto begin = base::host::HostClock::now();
  Json modules = Json::array(), warnings = Json::array();
  std::string text;
  for (const std::string& file : options.files) {
    for (const hlo::text::Module& module : read_valid(options, file, warnings)) {
      if (options.json) {
        modules.push_back(statistics_json(file, module));
      } else {
        text += (text.empty() ? "" : "\n") + statistics_text(file, module);
      }
    }
  }
  if (options.json) {
    Json json = json_head("hlo stats");
    json["modules"] = modules;
    finish_json(json, warnings, begin);
    text = base::text::json_text(json, 2) + "\n";
  }
  base::host::print_result(text);
}

CLI::App* add_part(CLI::App& hlo, const std::shared_ptr<HloOptions>& options, const char* name, const char* summary,
                   void (*run)(const HloOptions&)) {
  CLI::App* part = hlo.add_subcommand(name, summary)->group("Parts");
  part->add_option("FILE", options->files, "HLO text, of one module or several; or StableHLO (MLIR text)")
      ->option_text(" ")
      ->required();
  options::add_limit_option(*part);
  part->add_flag("--strict", options->strict, "An unknown opcode is an error, not a warning");
  part->callback([options, run] { run(*options); });
  return part;
}

}  // namespace

void add_hlo(CLI::App& program) {
  auto options = std::make_shared<HloOptions>();
  CLI::App* hlo = program
                      .add_subcommand("hlo",
                                      "Read HLO or StableHLO: check it, print it, count what is in it,\nevaluate it, "
                                      "differentiate it, partition it")
                      ->group("Commands");
  hlo->require_subcommand(1);
  hlo->footer("Examples:\n  podsim hlo check step.hlo\n  podsim hlo stats step.hlo --json");
  CLI::App* check =
      add_part(*hlo, options, "check", "Say of each file whether it can be read, and where not", check_files);
  check->add_flag("--json", options->json, "One JSON object on stdout");
  check->footer("Exit codes: 0 every file is sound, 1 one is not, 2 one cannot be opened.");
  hlo_parts::add_hlo_print(*hlo);
  CLI::App* stats =
      add_part(*hlo, options, "stats",
               "Opcodes, fusions, collectives with their groups and bytes, bytes of the parameters", count_files);
  stats->add_flag("--json", options->json, "One JSON object on stdout");
  hlo_parts::add_hlo_eval(*hlo);
  hlo_parts::add_hlo_grad(*hlo);
  hlo_parts::add_hlo_ops(*hlo);
  hlo_parts::add_hlo_dimensions(*hlo);
  hlo_parts::add_hlo_partition(*hlo);
}

}  // namespace podsim::app::commands
