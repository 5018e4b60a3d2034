// SPDX-License-Identifier: Apache-2.0
#include "app/run/files/module_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/diagnostic.h"
#include "base/host/input_file.h"
#include "hlo/rules/instruction_error.h"
#include "hlo/text/diagnostic_list.h"
#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"
#include "hlo/text/shape_check.h"
#include "hlo/transform/gradient.h"
#include "hlo/transform/inline_calls.h"
#include "workloads/importers/importer.h"

namespace podsim::app::run::files {

namespace {

void warn(const std::vector<base::Diagnostic>& diagnostics, std::vector<std::string>& warnings) {
  for (const base::Diagnostic& diagnostic : diagnostics) {
    const base::SourceLocation& at = diagnostic.location;
    warnings.push_back(fmt::format("{}:{}:{}: {}", at.file, at.line, at.column, diagnostic.message));
  }
}

}  // namespace

bool names_workload(const std::string& word) {
  std::error_code unknown;
  const workloads::importers::Importer* importer = workloads::importers::importer_of(word);
  return importer != nullptr ? importer->net != nullptr : !std::filesystem::exists(word, unknown);
}

std::string module_text(const std::string& argument, const std::string& file,
                        const workloads::ModelSettings& settings) {
  const workloads::importers::Importer* importer = workloads::importers::importer_of(file);
  return importer != nullptr ? importer->text(argument, file, settings) : base::host::read_input(argument, file);
}

ModuleFile read_module(const std::string& file, std::vector<std::string>& warnings, const std::string& argument,
                       const workloads::ModelSettings& settings) {
  hlo::text::ReadResult read = hlo::text::read(file, module_text(argument, file, settings));
  if (!read.ok()) throw base::InputError(std::move(read.diagnostics));
  warn(read.diagnostics, warnings);
  if (read.modules.size() > 1) {
    warnings.push_back(fmt::format("{} has {} modules; the last one, {}, is used", file, read.modules.size(),
                                   read.modules.back().name));
  }
  hlo::Module graph = hlo::text::graph::to_graph(read.modules.back());
  std::vector<base::Diagnostic> found = hlo::text::check_shapes(read.modules.back(), graph);
  const auto is_error = [](const base::Diagnostic& d) { return d.severity == base::Diagnostic::Severity::error; };
  if (std::ranges::any_of(found, is_error)) throw base::InputError(std::move(found));
  // All sizes that matter are in the text, so one that does not follow from others does not prevent a run.
  warn(found, warnings);
  if (!graph.scheduled) {
    locate_instruction_errors(read.modules.back(), [&] { graph = hlo::transform::inline_calls(std::move(graph)); });
  }
  const bool is_global = hlo::text::is_global(read.modules.back());
  return {std::move(graph), std::move(read.modules.back()), is_global};
}

std::string_view place_of(const hlo::text::Module& module, std::string_view name) {
  const auto found = std::ranges::find(module.instructions, name, &hlo::text::Instruction::name);
  return found == module.instructions.end() ? std::string_view() : found->opcode_text;
}

std::string warning_at(const hlo::text::Module& module, std::string_view place, const std::string& message) {
  if (place.empty()) return message;
  hlo::text::DiagnosticList found(module.file, *module.text, module.origin.get());
  found.warning(place, message);
  std::vector<std::string> warnings;
  warn(found.take(), warnings);
  return warnings.front();
}

namespace {

/// The location in the text of an instruction of the graph made from it. A name that was taken in the flattened program
/// has a number after it.
std::string_view place_of_written(const hlo::text::Module& text, std::string_view name) {
  const std::string_view place = place_of(text, name);
  return place.empty() ? place_of(text, name.substr(0, name.rfind('.'))) : place;
}

[[noreturn]] void throw_at(const hlo::text::Module& text, std::string_view place, const std::string& message,
                           const std::string& hint) {
  if (place.empty()) throw base::InputError(message, hint);
  hlo::text::DiagnosticList found(text.file, *text.text, text.origin.get());
  found.error(place, message, hint);
  throw base::InputError(found.take());
}

}  // namespace

void locate_instruction_errors(const hlo::text::Module& text, const std::function<void()>& body) {
  try {
    body();
  } catch (const hlo::rules::InstructionError& error) {
    const base::Diagnostic& said = error.diagnostics().front();
    throw_at(text, place_of_written(text, error.instruction()), said.message, said.hint);
  } catch (const std::logic_error& error) {  // of a pass over the whole graph
    const hlo::text::Computation& entry = text.computations[std::size_t(text.entry)];
    throw_at(text, text.instructions[std::size_t(entry.root)].opcode_text,
             fmt::format("{}: {}", text.name, error.what()), "");
  }
}

void locate_gradient_errors(const ModuleFile& file, const std::function<void()>& body) {
  try {
    body();
  } catch (const hlo::transform::NoGradient& error) {
    throw_at(file.text, place_of_written(file.text, error.instruction()), error.what(), "");
  }
}

}  // namespace podsim::app::run::files
