// SPDX-License-Identifier: Apache-2.0
#include "app/run/compiled_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "app/options/slice.h"
#include "app/run/default_slice.h"
#include "app/run/trip_counts.h"
#include "app/run/unused_shardings.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/input_file.h"
#include "base/text/counted.h"
#include "sw/compiler/host_batch.h"
#include "sw/compiler/lowering.h"
#include "sw/compiler/memory_order.h"
#include "sw/compiler/recompute.h"
#include "sw/compiler/vmem_values.h"
#include "sw/ir/transform/buffer_donors.h"
#include "sw/ir/transform/forward_part.h"
#include "workloads/models/registry.h"
#include "workloads/nets/net_workload.h"
#include "workloads/python_program.h"
#include "workloads/workload.h"

namespace podsim::app::run {

void CompiledStep::place(const hw::Machine& machine) {
  if (!unplaced) return;
  partition = unplaced->place(program, machine, *slice);
  unplaced.reset();
}

StepCompiler::StepCompiler(const RunOptions& options, const hw::Machine& machine)
    : options_(options),
      machine_(machine),
      forward_only_(options.build.inference),
      partition_(options.partition, options.workload) {
  if (workloads::nets::is_net(options_.workload)) {
    read_net();
  } else if (is_module_file(options_.workload)) {
    read_module_file();
  }
  if (!module_ && !options_.trips.empty()) {
    throw base::InputError("--trips is for loops of files");
  }
  read_costs();
  step_.slice_text = options_.slice.empty() ? default_slice() : options_.slice;
  step_.slice = chosen_slice();
  train();
}

void StepCompiler::read_costs() {
  if (options_.costs.empty()) return;
  if (!module_) throw base::InputError("--costs is for custom calls of files");
  prices_ = sw::compiler::costs::PriceList(options_.costs, base::host::read_input("--costs", options_.costs));
  for (std::string& warning : prices_.unused(*module_)) step_.warnings.push_back(std::move(warning));
}

void StepCompiler::read_net() {
  net_ = workloads::nets::load_net("WORKLOAD", options_.workload, options_.build.model);
  if (net_->sharding) partition_.bring(*net_->sharding);
}

void StepCompiler::read_module_file() {
  if (options_.build.batch_per_core || options_.build.optimizer) {
    throw base::InputError(
        "--batch-per-core and --optimizer are for built-in workloads: the batch and the optimiser "
        "of a module are in its text");
  }
  if (!options_.build.model.empty() && !workloads::is_python_program(options_.workload)) {
    const auto& [key, value] = *options_.build.model.begin();
    base::host::locate_errors("--set", key + "=" + value,
                              [] { throw base::InputError("keys of a model are for built-in workloads"); });
  }
  ModuleFile file = read_module(options_.workload, step_.warnings, "WORKLOAD", options_.build.model);
  set_trip_counts(file.graph, options_.trips);
  module_ = std::move(file.graph);
  // A scheduled text has been through the pass that pairs donors with outputs.
  if (!module_->scheduled) module_->donations = sw::ir::transform::with_buffer_donors(*module_);
  is_global_ = file.is_global && devices() > 1 && is_annotated(*module_);
  if (options_.training.any()) {
    file_ = std::move(file);
  } else {
    text_ = std::move(file.text);
  }
}

void StepCompiler::train() {
  const TrainingFlags& flags = options_.training;
  if (!flags.any()) return;
  if (!file_)
    throw base::InputError(
        "--train, --loss, --parameters and --precision are for files of programs: built-in workloads and nets train");
  if (flags.optimizer.empty()) {
    throw base::InputError("--loss, --parameters and --precision are of a training step", "add --train NAME");
  }
  const bool whole = is_global_ || partition_.asked();
  if (!whole && devices() > 1) {
    throw base::InputError("--train takes a program of one device or of all of them together, this one is partitioned");
  }
  locate_gradient_errors(*file_, [&] {
    const std::optional<std::int64_t> replicas = whole ? std::nullopt : std::optional(cores());
    module_ = workloads::trained_program(*module_, flags.plan(), replicas).module;
  });
  text_ = std::move(file_->text);
  file_.reset();
}

noc::Topology StepCompiler::chosen_slice() {
  noc::Topology slice = options::parse_slice(slice_text(), machine_);
  const std::int64_t cores = slice.nodes() * machine_.cores_per_chip;
  partition_.check_slice(slice_text(), cores, machine_);
  if (module_ && !partition_.asked() && devices() > 1 && devices() != cores) {
    base::host::locate_errors("--slice", slice_text(), [&] {
      throw base::InputError(fmt::format("the module is for {}, this slice has {}",
                                         base::text::counted(devices(), "device"), base::text::counted(cores, "core")),
                             slice_hint(devices(), machine_));
    });
  }
  return slice;
}

std::string StepCompiler::default_slice() const {
  if (const auto slice = partition_.default_slice(machine_)) return *slice;
  if (!module_) return "4x4";
  const std::int64_t cores = devices() == 1 ? machine_.cores_per_chip : devices();
  if (const auto slice = slice_for(cores, machine_)) return *slice;
  std::string hint = slice_hint(cores, machine_);
  base::host::locate_errors("WORKLOAD", options_.workload, [&] {
    throw base::InputError(fmt::format("the module is for {}, and no slice of {} has as many cores",
                                       base::text::counted(cores, "device"), machine_.name),
                           hint);
  });
  std::abort();  // not reached
}

CompiledStep StepCompiler::compile_evaluation(sw::compiler::OpCache* cache) {
  forward_only_ = true;
  CompiledStep step = compile(cache);
  step.place(machine_);
  return step;
}

void StepCompiler::leave_out_training(sw::ir::Module& module, std::vector<sw::ir::Donation>& donations,
                                      const workloads::TrainingStep* step) {
  const bool is_step = !donations.empty();
  std::vector<sw::ir::InstructionId> results = sw::ir::transform::forward_results(module, donations);
  if (step != nullptr || !results.empty()) {
    kinds_ = sw::ir::transform::argument_kinds(module, donations, results,
                                               step == nullptr ? std::vector<std::int64_t>{} : step->frozen);
  }
  if (options_.build.inference && step == nullptr) {
    step_.warnings.emplace_back(
        is_step
            ? "--inference: a step out of a file runs up to its loss, the outputs that replace no parameter"
            : "--inference: no output replaces a parameter, so the program runs as it is, up to a loss if it has one");
  }
  if (!forward_only_ || (options_.build.inference && !is_step)) return;
  if (options_.build.inference && step != nullptr && !step->predictions.empty()) results = step->predictions;
  if (results.empty()) {
    throw base::InputError(fmt::format("nothing tells what an evaluation of '{}' computes", options_.workload),
                           "the outputs of a step that replace no parameter are its loss: input_output_alias");
  }
  sw::ir::transform::ForwardPart forward = sw::ir::transform::forward_part(std::move(module), results);
  module = std::move(forward.module);
  donations.clear();
  if (!kinds_) return;
  std::vector<sw::ir::transform::ArgumentKind> kept;
  for (const std::int64_t number : forward.parameters) kept.push_back((*kinds_)[std::size_t(number)]);
  kinds_ = std::move(kept);
}

CompiledStep StepCompiler::compile(sw::compiler::OpCache* cache) {
  if (!module_) {
    compile_workload(cache);
  } else {
    locate_instruction_errors(*text_, [&] { compile_file(cache); });
    text_.reset();
  }
  return std::move(step_);
}

void StepCompiler::compile_file(sw::compiler::OpCache* cache) {
  if (partition_.asked() || is_global_) {
    const std::vector<sw::ir::Donation> donations = module_->donations;
    if (options_.partition.sharding.empty() && !is_annotated(*module_)) step_.warnings.emplace_back(nothing_is_sharded);
    compile_partitioned(*std::move(module_), donations, cache);
  } else {
    leave_out_training(*module_, module_->donations);
    if (std::string unused = unused_annotations(*module_); !unused.empty()) step_.warnings.push_back(std::move(unused));
    compile_module(cache);
  }
}

void StepCompiler::compile_workload(sw::compiler::OpCache* cache) {
  workloads::WorkloadOptions options = options_.build;
  options.replicas = cores();
  workloads::Workload workload;
  base::host::locate_errors("workload", options_.workload, [&] {
    workload = net_ ? workloads::nets::net_workload(*net_, options)
                    : workloads::models::build_workload(options_.workload, options);
  });
  partition_.take(workload, cores());
  if (workload.global || partition_.asked()) {
    sw::ir::Module module = std::move(workload.step.module);
    return compile_partitioned(std::move(module), workload.step.donations, cache, &workload.step);
  }
  leave_out_training(workload.step.module, workload.step.donations, &workload.step);
  step_.batch_per_core = workload.samples / options.replicas;
  sw::compiler::Compilation compilation =
      compile_batch(std::move(workload.step.module), workload.step.donations, cache);
  account_memory(compilation.fused, workload.step.donations);
  account_state(compilation.fused, workload.step.donations,
                sw::compiler::state_bytes(compilation.fused, workload.step.donations));
  check_memory(compilation.fused);
  step_.program = std::move(compilation.program);
}

void StepCompiler::account_memory(const sw::ir::Module& fused, std::span<const sw::ir::Donation> donations) {
  step_.memory = sw::compiler::account_memory(fused, donations);
  if (kinds_) step_.memory.kinds = sw::compiler::argument_memory(fused, *kinds_);
  step_.batch = sw::compiler::batch_bytes(fused, donations);
}

void StepCompiler::account_state(const sw::ir::Module& of_core, std::span<const sw::ir::Donation> donations,
                                 std::vector<base::Bytes> whole) {
  const std::vector<base::Bytes> parts = sw::compiler::state_bytes(of_core, donations);
  for (std::size_t i = 0; i < parts.size(); ++i) step_.state.push_back({std::max(whole[i], parts[i]), parts[i]});
}

void StepCompiler::compile_module(sw::compiler::OpCache* cache) {
  const std::vector<sw::ir::Donation> donations = module_->donations;
  std::vector<base::Bytes> whole = sw::compiler::state_bytes(*module_, donations);
  for (base::Bytes& bytes : whole) bytes = bytes * module_->partitions;  // whose parts are all different
  const sw::ir::Module fused = placed(fitted(sw::compiler::fused(*std::move(module_), machine_), donations), donations);
  sw::compiler::Program program = sw::compiler::lower(fused, machine_, cache, prices_);
  account_memory(fused, donations);
  account_state(fused, donations, std::move(whole));
  require_memory(fused);
  take_program(std::move(program));
}

void StepCompiler::compile_partitioned(sw::ir::Module module, std::vector<sw::ir::Donation> donations,
                                       sw::compiler::OpCache* cache, const workloads::TrainingStep* step) {
  module = partition_.annotated(std::move(module), cores());
  leave_out_training(module, donations, step);  // after that: annotations may be of values in the backward part
  std::vector<base::Bytes> whole = sw::compiler::state_bytes(module, donations);
  const sw::ir::Module fused = placed(partition_.partition(std::move(module), donations, machine_, cache), donations);
  account_memory(fused, donations);
  account_state(fused, donations, std::move(whole));
  require_memory(fused);
  take_program(sw::compiler::lower(fused, machine_, cache, prices_));
  if (text_) {
    for (std::string& warning : unused_shardings(*text_, partition_)) {
      step_.warnings.push_back(std::move(warning));
    }
  }
  step_.unplaced = std::move(partition_);
}

/// Compiles the module. A failure to fit it into VMEM is an error of the input: of the batch, or of the machine's
/// memory.
sw::compiler::Compilation StepCompiler::compile_batch(sw::ir::Module module,
                                                      const std::vector<sw::ir::Donation>& donations,
                                                      sw::compiler::OpCache* cache) {
  try {
    sw::compiler::Compilation result;
    result.fused = placed(sw::compiler::fused(std::move(module), machine_), donations);
    result.program = sw::compiler::lower(result.fused, machine_, cache);
    return result;
  } catch (const base::SimulationError& error) {
    reject_batch(error.what(), "a smaller --batch-per-core, or more 'core.vmem'");
  }
}

/// The module in an order that takes little memory, with ops that run twice if it does not fit without them.
sw::ir::Module StepCompiler::fitted(sw::ir::Module fused, const std::vector<sw::ir::Donation>& donations) {
  if (fused.scheduled) return fused;
  sw::compiler::RecomputedModule result =
      sw::compiler::recompute_to_fit(sw::compiler::ordered_by_memory(std::move(fused), donations),
                                     machine_.memory_before_recomputing(), machine_.hbm.usable_per_core(), donations);
  if (result.ops > 0) {
    step_.warnings.push_back(
        fmt::format("{} run once more, so that the step needs less memory", base::text::counted(result.ops, "op")));
  }
  return std::move(result.module);
}

/// The module as it is lowered: with collectives overlapped and values in VMEM, if flags and machine say so.
sw::ir::Module StepCompiler::placed(sw::ir::Module fused, const std::vector<sw::ir::Donation>& donations) {
  sw::ir::Module scheduled = overlapped(std::move(fused), donations);
  if (scheduled.scheduled && machine_.compiler.vmem_for_values > base::Bytes(0)) {
    step_.warnings.emplace_back("compiler.vmem_for_values: the program is scheduled, what it has in VMEM stays");
  }
  return sw::compiler::place_values_in_vmem(std::move(scheduled), machine_, donations);
}

/// The module with its collectives overlapped, if the flags say so.
sw::ir::Module StepCompiler::overlapped(sw::ir::Module fused, const std::vector<sw::ir::Donation>& donations) {
  if (options_.overlap == sw::compiler::Overlap::none) return fused;
  if (fused.scheduled) {
    step_.warnings.emplace_back("--overlap: the program is scheduled, its collectives stay where they are");
    return fused;
  }
  sw::ir::Module result = sw::compiler::overlap_collectives(std::move(fused), machine_, donations);
  const auto goes_on = [](const sw::ir::Instruction& instruction) {
    return sw::ir::is_collective(instruction.opcode) && instruction.phase == sw::ir::AsyncPhase::start;
  };
  const bool any = std::ranges::any_of(result.computations, [&](const sw::ir::Computation& computation) {
    return std::ranges::any_of(computation.instructions, goes_on);
  });
  if (!any) step_.warnings.emplace_back("--overlap: no collective can go on beside other work");
  return result;
}

void StepCompiler::take_program(sw::compiler::Program program) {
  step_.program = std::move(program);
  step_.warnings.insert(step_.warnings.end(), step_.program.warnings.begin(), step_.program.warnings.end());
}

void StepCompiler::require_memory(const sw::ir::Module& fused) const {
  if (step_.memory.heap <= machine_.hbm.usable_per_core()) return;
  throw base::SimulationError(fmt::format("out of memory: {}; {}", memory_needed(fused), largest_buffers()));
}

void StepCompiler::check_memory(const sw::ir::Module& fused) const {
  if (step_.memory.heap > machine_.hbm.usable_per_core()) reject_batch(memory_needed(fused), largest_buffers());
}

void StepCompiler::reject_batch(const std::string& reason, const std::string& hint) const {
  std::string message = fmt::format("batch {} per core does not fit: {}", step_.batch_per_core, reason);
  if (!options_.build.batch_per_core) throw base::InputError(message, hint);
  std::string batch = std::to_string(step_.batch_per_core);
  base::host::locate_errors("--batch-per-core", batch, [&] { throw base::InputError(message, hint); });
  std::abort();  // not reached
}

std::string StepCompiler::memory_needed(const sw::ir::Module& fused) const {
  return fmt::format("the step needs {} of HBM per core at its peak (at {}), a {} core has {} of {} for programs",
                     base::to_string(step_.memory.heap), fused.entry_computation()[step_.memory.peak_position].name,
                     machine_.name, base::to_string(machine_.hbm.usable_per_core()),
                     base::to_string(machine_.hbm.capacity_per_core));
}

std::string StepCompiler::largest_buffers() const {
  std::string largest;
  for (const sw::compiler::MemoryAccount::Buffer& buffer : step_.memory.largest_at_peak) {
    const std::string& name = buffer.op_name.empty() ? buffer.name : buffer.op_name;
    largest += fmt::format("{}{} {}", largest.empty() ? "" : ", ", name, base::to_string(buffer.bytes));
  }
  return "the largest buffers there: " + largest;
}

}  // namespace podsim::app::run
