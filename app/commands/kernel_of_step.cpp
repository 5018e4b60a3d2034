// SPDX-License-Identifier: Apache-2.0
#include "app/commands/kernel_of_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "app/run/compiled_step.h"
#include "base/host/arguments.h"
#include "base/text/text_table.h"
#include "sw/codegen/fusion/fusion_kernel.h"
#include "sw/codegen/fusion/no_code.h"
#include "validation/kernels/step_ops.h"
#include "workloads/importers/importer.h"
#include "workloads/models/registry.h"

namespace podsim::app::commands {

namespace {

constexpr std::array step_extensions{".hlo", ".mlir", ".stablehlo", ".txt"};

run::CompiledStep compiled_step(const options::KernelOptions& options, const sw::TargetMachine& machine) {
  run::RunOptions run;
  run.workload = options.file;
  run.machine = options.machine;
  return run::StepCompiler(run, machine).compile();
}

std::vector<std::string> names_of(const std::map<std::string, std::size_t>& numbers) {
  std::vector<std::string> names;
  for (const auto& [name, number] : numbers) names.push_back(name);
  return names;
}

}  // namespace

bool names_step(const std::string& word) {
  if (workloads::importers::is_net(word)) return true;
  const std::string extension = std::filesystem::path(word).extension().string();
  if (std::ranges::find(step_extensions, extension) != step_extensions.end()) return true;
  std::error_code ignored;
  if (std::filesystem::exists(word, ignored)) return false;
  return std::ranges::any_of(workloads::models::workload_registry(),
                             [&](const workloads::WorkloadEntry& entry) { return entry.name == word; });
}

StepKernel kernel_of_step(const options::KernelOptions& options, const sw::TargetMachine& machine) {
  const run::CompiledStep compiled = compiled_step(options, machine);
  const hlo::Module& module = compiled.step.module;
  const std::vector<validation::kernels::StepOp> ops = validation::kernels::ops_of(compiled.step);
  const std::string name = options.op.starts_with('%') ? options.op.substr(1) : options.op;
  const std::map<std::string, std::size_t> numbers = validation::kernels::op_numbers(compiled.step, ops);
  StepKernel made;
  base::host::locate_errors("--op", options.op, [&] {
    const auto found = numbers.find(name);
    if (found == numbers.end()) {
      throw base::InputError(fmt::format("the step has no op '{}'", name), base::did_you_mean(name, names_of(numbers)));
    }
    const validation::kernels::StepOp& op = ops[found->second];
    const hlo::Computation& computation = module.computations[std::size_t(op.computation)];
    try {
      made.kernel = sw::codegen::fusion::build_fusion(machine, module, computation, op.id);
    } catch (const sw::codegen::fusion::NoCode& none) {
      throw base::InputError(
          fmt::format("there is no code for '{}' yet: {}", name, none.diagnostics().front().message));
    }
    made.run = validation::kernels::compiled_op(module, computation, op.id, machine);
  });
  return made;
}

std::string ops_of_step(const options::KernelOptions& options, const sw::TargetMachine& machine) {
  const run::CompiledStep compiled = compiled_step(options, machine);
  base::text::TextTable table({base::text::TextTable::Align::left, base::text::TextTable::Align::left,
                               base::text::TextTable::Align::left, base::text::TextTable::Align::left});
  table.row({"op", "category", "code", "origin"});
  std::size_t with_code = 0;
  const std::vector<validation::kernels::StepOp> ops = validation::kernels::ops_of(compiled.step);
  for (const validation::kernels::StepOp& op : ops) {
    const std::string cause = validation::kernels::cause_of_no_code(compiled.step.module, op);
    with_code += cause.empty() ? 1 : 0;
    table.row({op.name, op.category, cause.empty() ? "yes" : "no: " + cause, op.origin});
  }
  return fmt::format("{} of the {} distinct ops of {} have code\n\n", with_code, ops.size(), options.file) +
         table.text();
}

}  // namespace podsim::app::commands
