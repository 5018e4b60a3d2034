// SPDX-License-Identifier: Apache-2.0
#include "app/run/module_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/diagnostic.h"
#include "base/host/input_file.h"
#include "sw/hlo/diagnostic_list.h"
#include "sw/hlo/graph/to_graph.h"
#include "sw/hlo/reader.h"
#include "sw/hlo/shape_check.h"
#include "sw/ir/rules/instruction_error.h"
#include "sw/ir/transform/gradient.h"
#include "sw/ir/transform/inline_calls.h"
#include "workloads/importers/importer.h"

namespace podsim::app::run {

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
  sw::hlo::ReadResult read = sw::hlo::read(file, module_text(argument, file, settings));
  if (!read.ok()) throw base::InputError(std::move(read.diagnostics));
  warn(read.diagnostics, warnings);
  if (read.modules.size() > 1) {
    warnings.push_back(fmt::format("{} holds {} modules; the last, {}, is taken", file, read.modules.size(),
                                   read.modules.back().name));
  }
  sw::ir::Module graph = sw::hlo::graph::to_graph(read.modules.back());
  std::vector<base::Diagnostic> found = sw::hlo::check_shapes(read.modules.back(), graph);
  const auto is_error = [](const base::Diagnostic& d) { return d.severity == base::Diagnostic::Severity::error; };
  if (std::ranges::any_of(found, is_error)) throw base::InputError(std::move(found));
  // All sizes that matter are in the text, so one that does not follow from others does not prevent a run.
  warn(found, warnings);
  if (!graph.scheduled) {
    locate_instruction_errors(read.modules.back(), [&] { graph = sw::ir::transform::inline_calls(std::move(graph)); });
  }
  const bool is_global = sw::hlo::is_global(read.modules.back());
  return {std::move(graph), std::move(read.modules.back()), is_global};
}

std::string_view place_of(const sw::hlo::Module& module, std::string_view name) {
  const auto found = std::ranges::find(module.instructions, name, &sw::hlo::Instruction::name);
  return found == module.instructions.end() ? std::string_view() : found->opcode_text;
}

std::string warning_at(const sw::hlo::Module& module, std::string_view place, const std::string& message) {
  if (place.empty()) return message;
  sw::hlo::DiagnosticList found(module.file, *module.text, module.origin.get());
  found.warning(place, message);
  std::vector<std::string> warnings;
  warn(found.take(), warnings);
  return warnings.front();
}

namespace {

/// The place of an instruction of a graph that was made from the text. A name that was taken in the flattened program
/// has a number after it.
std::string_view place_of_written(const sw::hlo::Module& text, std::string_view name) {
  const std::string_view place = place_of(text, name);
  return place.empty() ? place_of(text, name.substr(0, name.rfind('.'))) : place;
}

[[noreturn]] void throw_at(const sw::hlo::Module& text, std::string_view place, const std::string& message,
                           const std::string& hint) {
  if (place.empty()) throw base::InputError(message, hint);
  sw::hlo::DiagnosticList found(text.file, *text.text, text.origin.get());
  found.error(place, message, hint);
  throw base::InputError(found.take());
}

}  // namespace

void locate_instruction_errors(const sw::hlo::Module& text, const std::function<void()>& body) {
  try {
    body();
  } catch (const sw::ir::rules::InstructionError& error) {
    const base::Diagnostic& said = error.diagnostics().front();
    throw_at(text, place_of_written(text, error.instruction()), said.message, said.hint);
  } catch (const std::logic_error& error) {  // of a pass over the whole graph
    const sw::hlo::Computation& entry = text.computations[std::size_t(text.entry)];
    throw_at(text, text.instructions[std::size_t(entry.root)].opcode_text,
             fmt::format("{}: {}", text.name, error.what()), "");
  }
}

void locate_gradient_errors(const ModuleFile& file, const std::function<void()>& body) {
  try {
    body();
  } catch (const sw::ir::transform::NoGradient& error) {
    throw_at(file.text, place_of_written(file.text, error.instruction()), error.what(), "");
  }
}

}  // namespace podsim::app::run
