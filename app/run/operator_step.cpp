// SPDX-License-Identifier: Apache-2.0
// Part of app/run/compiled_step.h.
#include <fmt/format.h>

#include <utility>

#include "app/run/compiled_step.h"
#include "app/run/files/module_file.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/text/counted.h"
#include "sw/operators/operator_search.h"
#include "sw/runtime/session/session.h"

namespace podsim::app::run {
namespace {

report::run::OperatorReport report_of(const sw::operators::OperatorSearch& search) {
  report::run::OperatorReport report;
  report.operations = search.operations;
  report.clusters = search.clusters;
  report.estimates = search.estimates;
  report.simulations = search.simulations;
  report.work = base::Duration(search.work_s);
  for (const double seconds : search.best().schedule.busy) report.busy.emplace_back(seconds);
  report.transfers = search.best().schedule.transfers;
  report.transferred = base::Bytes(search.best().schedule.transferred_bytes);
  for (const sw::operators::OperatorDivision& division : search.tried) {
    report.tried.push_back({division.name, base::Duration(division.schedule.seconds), division.step, ""});
  }
  report.chosen = search.chosen;
  return report;
}

}  // namespace

workloads::WorkloadOptions StepCompiler::build_options() const {
  workloads::WorkloadOptions options = options_.build;
  options.replicas = replicas();
  if (!options_.operators.asked()) return options;
  if (options.batch_per_core) *options.batch_per_core *= *options_.operators.devices;
  if (options_.operators.batch) options.batch_per_core = options_.operators.batch;
  return options;
}

CompiledStep StepCompiler::compile_on_devices(sw::compiler::OpCache* cache) {
  if (devices_ > 1 || is_global_) {
    base::host::locate_errors("WORKLOAD", options_.workload, [] {
      throw base::InputError("the program is one of several devices, whose operations have theirs",
                             "leave out --place-operators");
    });
  }
  if (options_.operators.batch && (module_ || written_)) {
    base::host::locate_errors("--batch-per-replica", std::to_string(*options_.operators.batch), [] {
      throw base::InputError("the batch of a file is in its text", "leave out --batch-per-replica");
    });
  }
  sw::driver::Program given = program();
  sw::driver::Choices chosen = choices(cache);
  sw::driver::Choices whole = chosen;
  whole.compiler.combine_all_reduce = base::Bytes(0);
  whole.last = "fuse";
  const sw::operators::DeviceSet set{*step_.slice, int(*options_.operators.devices), replicas()};
  const sw::driver::Target replica{.machine = machine_, .cores = replicas()},
      target{.machine = machine_, .cores = cores()};
  const std::int64_t samples = samples_;
  const std::string name = given.name;
  const auto work = [&] {
    const sw::driver::Step fused = sw::driver::compile(std::move(given), replica, whole);
    sw::operators::OperatorSearch search = search_operators(name, fused.module, target, chosen, set);
    step_.operators = report_of(search);
    step_.step = std::move(search.step);
    warnings_.insert(warnings_.end(), fused.warnings.begin(), fused.warnings.end());
  };
  at_blamed_flags([&] {
    if (text_) {
      files::locate_instruction_errors(*text_, work);
    } else {
      base::host::locate_errors("WORKLOAD", options_.workload, work);
    }
  });
  step_.operators->devices = set.devices;
  step_.operators->replicas = set.replicas;
  step_.operators->samples = samples;
  step_.operators->data_parallel = data_parallel(samples, chosen.op_cache);
  step_.batch_per_core = samples % cores() == 0 ? samples / cores() : 0;
  std::vector<std::string>& warnings = step_.step.warnings;
  warnings.insert(warnings.begin(), warnings_.begin(), warnings_.end());
  text_.reset();
  return std::move(step_);
}

report::run::OperatorReport::Way StepCompiler::data_parallel(std::int64_t samples, sw::compiler::OpCache* cache) const {
  report::run::OperatorReport::Way way{.name = "data parallel, the same batch"};
  if (samples == 0) {
    way.why_not = "the batch is in the text";
    return way;
  }
  if (samples % cores() != 0) {
    way.why_not = fmt::format("{} on {}", base::text::counted(samples, "sample"), base::text::counted(cores(), "core"));
    return way;
  }
  RunOptions options = options_;
  options.operators = {};
  options.slice = step_.slice_text;
  if (!options.build.model.contains("model.batch")) options.build.batch_per_core = samples / cores();
  try {
    CompiledStep step = StepCompiler(options, machine_).compile(cache);
    if (step.partition) way.name = "as the workload divides it, the same batch";
    step.place(machine_);
    sw::runtime::SimulationOptions simulation;
    simulation.op_cache = cache;
    sw::runtime::session::Session session(machine_, *step_.slice, std::move(simulation));
    way.step = session.run({.program = session.add(step.step.program)}).result.step_time;
  } catch (const sw::driver::OutOfMemory&) {
    way.why_not = "does not fit the memory";
  }
  return way;
}

}  // namespace podsim::app::run
