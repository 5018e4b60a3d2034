// SPDX-License-Identifier: Apache-2.0
#include "app/run/module_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/diagnostic.h"
#include "base/host/input_file.h"
#include "sw/hlo/graph/to_graph.h"
#include "sw/hlo/reader.h"
#include "sw/hlo/shape_check.h"

namespace podsim::app::run {

namespace {

void warn(const std::vector<base::Diagnostic>& diagnostics, std::vector<std::string>& warnings) {
  for (const base::Diagnostic& diagnostic : diagnostics) {
    const base::SourceLocation& at = diagnostic.location;
    warnings.push_back(fmt::format("{}:{}:{}: {}", at.file, at.line, at.column, diagnostic.message));
  }
}

}  // namespace

bool is_module_file(const std::string& workload) { return workload.find_first_of("./") != std::string::npos; }

ModuleFile read_module(const std::string& file, std::vector<std::string>& warnings, const std::string& argument) {
  sw::hlo::ReadResult read = sw::hlo::read(file, base::host::read_input(argument, file));
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
  return {std::move(graph), read.modules.back().origin != nullptr};
}

}  // namespace podsim::app::run
