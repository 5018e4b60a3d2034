// SPDX-License-Identifier: Apache-2.0
#include "app/run/compiled_step.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "app/options/slice.h"
#include "app/run/default_slice.h"
#include "app/run/files/trip_counts.h"
#include "app/run/files/unused_shardings.h"
#include "app/run/update_choice.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/input_file.h"
#include "base/text/counted.h"
#include "hlo/transform/buffer_donors.h"
#include "sw/compiler/scope_time.h"
#include "sw/driver/mesh_choice.h"
#include "sw/placement/placement_search.h"
#include "workloads/importers/importer.h"
#include "workloads/models/registry.h"
#include "workloads/nets/net_workload.h"
#include "workloads/workload.h"
#include "workloads/workload_text.h"

namespace podsim::app::run {

void CompiledStep::place(const sw::TargetMachine& machine) {
  if (!unplaced) return;
  partition = unplaced->place(step, machine, *slice);
  unplaced.reset();
}

base::Duration CompiledStep::estimate(const sw::TargetMachine& machine, sw::compiler::OpCache* cache) const {
  const base::Duration ops = base::to_duration(sw::compiler::time_of_ops(step.program, machine, cache));
  if (partition) return ops + partition->placed.modelled;
  const hlo::spmd::mesh::Mesh all({{"cores", slice->nodes() * machine.cores_per_chip}});
  const auto placement = sw::placement::MeshPlacement::natural(all, *slice, int(machine.cores_per_chip));
  return ops + sw::placement::modelled_collective_time(machine, placement, step.program);
}

StepCompiler::StepCompiler(const RunOptions& options, const sw::TargetMachine& machine)
    : options_(options),
      machine_(machine),
      part_(options.build.inference && !options.build.decode ? sw::driver::Part::inference : sw::driver::Part::step),
      partition_(options.partition, options.workload, options.build.model) {
  const workloads::importers::Importer* importer = workloads::importers::importer_of(options_.workload);
  if (importer != nullptr && importer->net == nullptr && options_.build.decode) {
    throw base::InputError(
        "--decode is for built-in workloads and pages of layers: a program of a file is a step as it is");
  }
  if (importer != nullptr && importer->net != nullptr) {
    read_net(*importer);
  } else if (importer != nullptr) {
    read_module_file(*importer);
  }
  if (!module_ && !written_ && !options_.trips.empty()) {
    throw base::InputError("--trips is for loops of files");
  }
  read_costs();
  step_.slice_text = options_.slice.empty() ? default_slice() : options_.slice;
  step_.slice = chosen_slice();
  train();
  divide();
}

void StepCompiler::read_costs() {
  if (options_.costs.empty()) return;
  const hlo::Module* module = module_ ? &*module_ : written_ ? &written_->step.module : nullptr;
  if (module == nullptr) throw base::InputError("--costs is for custom calls of files");
  prices_ = sw::compiler::costs::PriceList(options_.costs, base::host::read_input("--costs", options_.costs));
  for (std::string& warning : prices_.unused(*module)) warnings_.push_back(std::move(warning));
}

void StepCompiler::read_net(const workloads::importers::Importer& importer) {
  net_ = importer.net("WORKLOAD", options_.workload, options_.build.model);
  if (net_->sharding && options_.build.decode) {
    net_->sharding = workloads::nets::net_decode_sharding(*net_, options_.build);
  }
  if (net_->sharding) partition_.bring(*net_->sharding);
}

void StepCompiler::read_module_file(const workloads::importers::Importer& importer) {
  if (options_.build.batch_per_core || options_.build.optimizer) {
    throw base::InputError(
        "--batch-per-core and --optimizer are for built-in workloads: the batch and the optimiser "
        "of a module are in its text");
  }
  if (!options_.build.model.empty() && !importer.has_keys) {
    const auto& [key, value] = *options_.build.model.begin();
    base::host::locate_errors("--set", key + "=" + value,
                              [] { throw base::InputError("keys of a model are for built-in workloads"); });
  }
  files::ModuleFile file = files::read_module(options_.workload, warnings_, "WORKLOAD", options_.build.model);
  files::set_trip_counts(file.graph, options_.trips);
  devices_ = file.graph.replicas * file.graph.partitions;
  if (!differentiates()) written_ = workloads::workload_of_text(file.text, file.graph);
  if (written_) {
    if (written_->global) devices_ = 0;
    if (!written_->sharding.empty()) {
      partition_.bring(hlo::spmd::mesh::read_sharding_file(written_->name + ".toml", written_->sharding));
    }
    text_ = std::move(file.text);
    return;
  }
  module_ = std::move(file.graph);
  // A scheduled text has been through the pass that pairs donors with outputs.
  if (!module_->scheduled) module_->donations = hlo::transform::with_buffer_donors(*module_);
  is_global_ = file.is_global && devices_ > 1 && sw::driver::is_annotated(*module_);
  if (is_global_ || partition_.asked()) partition_.take_declared_mesh(*module_, file.text);
  if (differentiates()) {
    file_ = std::move(file);
  } else {
    text_ = std::move(file.text);
  }
}

void StepCompiler::train() {
  const files::TrainingFlags& flags = options_.training;
  if (!flags.any()) return;
  if (!differentiates()) {
    if (!module_) throw base::InputError("--parameters is for files of programs: a network tells its weights");
    weights_ = workloads::chosen_parameters(*module_, flags.plan().parameters);
    return;
  }
  if (!file_)
    throw base::InputError(
        "--train, --loss, --parameters and --precision are for files of programs: built-in workloads and nets train");
  if (flags.optimizer.empty()) {
    throw base::InputError("--loss, --parameters and --precision are of a training step", "add --train NAME");
  }
  const bool whole = is_global_ || partition_.asked();
  if (!whole && devices_ > 1) {
    throw base::InputError("--train takes a program of one device or of all of them together, this one is partitioned");
  }
  const bool in_stages = options_.pipeline.asked();
  files::locate_gradient_errors(*file_, [&] {
    const std::optional<std::int64_t> replicas = whole || in_stages ? std::nullopt : std::optional(this->replicas());
    workloads::TrainingStep step = workloads::trained_program(*module_, flags.plan(), replicas);
    if (in_stages && whole) throw base::InputError("a program of all cores together cannot be divided into stages");
    if (in_stages) pipeline_ = options::divided(step, options_.pipeline, cores(), machine_);
    module_ = std::move(step.module);
  });
  text_ = std::move(file_->text);
  file_.reset();
}

void StepCompiler::divide() {
  const options::PipelineFlags& flags = options_.pipeline;
  if (!flags.asked()) {
    if (!flags.micro_batches && !flags.chunks && flags.divide_at.empty()) return;
    throw base::InputError("--micro-batches, --chunks and --divide-at are for pipelines", "add --stages N");
  }
  options::kept_by(options_.partition.rematerialise);
  if (pipeline_) return;
  if (module_ || written_) {
    throw base::InputError("a step out of a file cannot be divided into stages",
                           "a forward program can: add --train NAME");
  }
  base::host::locate_errors("workload", options_.workload, [&] {
    const auto build = [&](const workloads::WorkloadOptions& options) {
      return net_ ? workloads::nets::net_workload(*net_, options)
                  : workloads::models::build_workload(options_.workload, options);
    };
    pipeline_ = options::divided(build, options_.build, flags, cores(), machine_);
  });
}

noc::Topology StepCompiler::chosen_slice() {
  noc::Topology slice = options::parse_slice(slice_text(), machine_);
  const std::int64_t cores = slice.nodes() * machine_.cores_per_chip;
  partition_.check_slice(slice_text(), cores, machine_);
  if (!partition_.asked() && devices_ > 1 && devices_ != cores) {
    base::host::locate_errors("--slice", slice_text(), [&] {
      throw base::InputError(fmt::format("the module is for {}, this slice has {}",
                                         base::text::counted(devices_, "device"), base::text::counted(cores, "core")),
                             slice_hint(devices_, machine_));
    });
  }
  return slice;
}

std::string StepCompiler::default_slice() const {
  if (const auto slice = partition_.default_slice(machine_)) return *slice;
  if (options_.pipeline.asked()) {
    const std::size_t stages = options_.pipeline.read_schedule().stages.size();
    if (const auto slice = slice_for(std::int64_t(stages), machine_)) return *slice;
  }
  if (options_.operators.asked()) {
    if (const auto slice = slice_for(*options_.operators.devices, machine_)) return *slice;
  }
  if (devices_ == 0) return "4x4";
  const std::int64_t cores = devices_ == 1 ? machine_.cores_per_chip : devices_;
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
  part_ = sw::driver::Part::evaluation;
  CompiledStep step = compile(cache);
  step.place(machine_);
  return step;
}

CompiledStep StepCompiler::compile(sw::compiler::OpCache* cache) {
  if (options_.operators.asked()) return compile_on_devices(cache);
  if (pipeline_) {
    const std::optional<hlo::pipeline::Kept> kept = options::kept_by(options_.partition.rematerialise);
    const auto fallback = [&] {
      warnings_.emplace_back(
          "stages keep what they receive and compute activations again, so that the step needs less "
          "memory");
      return pipeline_program(hlo::pipeline::Kept::received);
    };
    sw::driver::Program first = pipeline_program(kept.value_or(hlo::pipeline::Kept::activations));
    sw::driver::Choices chosen = choices(cache);
    chosen.rematerialise = hlo::transform::Rematerialisation::none;
    return compiled(std::move(first), chosen, kept ? std::function<sw::driver::Program()>() : fallback);
  }
  if (partition_.chooses_update()) {
    bring_mesh_of_workload();
    if (module_ && mesh() == nullptr) {
      base::host::locate_errors("--weight-update-sharding", "auto", [] {
        throw base::InputError("nothing says which cores hold the same weights of a program out of a file",
                               "add a --mesh, with a --sharding or shardings in the text");
      });
    }
    return compile_with_best_update(*this, machine_, cache);
  }
  sw::driver::Program given = program();  // which may bring choices
  return compiled(std::move(given), choices(cache));
}

void StepCompiler::bring_mesh_of_workload() {
  if (module_ || written_ || net_ || mesh() != nullptr) return;
  const workloads::Workload workload = *take_workload();
  if (!workload.global || workload.sharding.empty()) return;
  const hlo::spmd::mesh::ShardingFile file =
      hlo::spmd::mesh::read_sharding_file(workload.name + ".toml", workload.sharding);
  if (file.mesh) partition_.bring(file);
}

CompiledStep StepCompiler::compile_sharing(const report::run::UpdateSharing& sharing,
                                           sw::compiler::OpCache* cache) const {
  StepCompiler copy(*this);
  copy.partition_.share_update(sharing.mesh, sharing.axes);
  return copy.compile(cache);
}

sw::driver::Program StepCompiler::pipeline_program(hlo::pipeline::Kept kept) {
  step_.batch_per_core = pipeline_->samples / cores();
  workloads::TrainingStep step = pipeline_->step(kept);
  step.module.donations = std::move(step.donations);
  return {.name = options_.workload, .module = std::move(step.module), .network = sw::driver::NetworkFacts{}};
}

hlo::Module StepCompiler::module_after(std::string_view pass) {
  sw::driver::Program given = program();
  sw::driver::Choices chosen = choices(nullptr);
  chosen.last = pass;
  return compiled(std::move(given), chosen).step.module;
}

CompiledStep StepCompiler::compiled(sw::driver::Program program, const sw::driver::Choices& choices,
                                    const std::function<sw::driver::Program()>& fallback) {
  const sw::driver::Target target{.machine = machine_, .cores = cores()};
  const auto work = [&] {
    try {
      step_.step = sw::driver::compile(std::move(program), target, choices);
    } catch (const sw::driver::OutOfMemory&) {
      if (!fallback) throw;
      step_.step = sw::driver::compile(fallback(), target, choices);
    }
  };
  at_blamed_flags([&] {
    if (text_) {
      files::locate_instruction_errors(*text_, work);
    } else {
      work();
    }
  });
  std::vector<std::string>& warnings = step_.step.warnings;
  warnings.insert(warnings.begin(), warnings_.begin(), warnings_.end());
  if (text_ && is_partitioned_) {
    for (std::string& warning : files::unused_shardings(*text_, *step_.step.partitioned))
      warnings.push_back(std::move(warning));
  }
  text_.reset();
  if (is_partitioned_) step_.unplaced = std::move(partition_);
  return std::move(step_);
}

sw::driver::Program StepCompiler::file_program() {
  is_partitioned_ = partition_.asked() || is_global_;
  if (is_partitioned_) {
    if (options_.partition.sharding.empty() && !sw::driver::is_annotated(*module_)) {
      warnings_.emplace_back(nothing_is_sharded);
    }
  } else if (std::string unused = unused_annotations(*module_); !unused.empty()) {
    warnings_.push_back(std::move(unused));
  }
  return {.name = options_.workload, .module = *std::move(module_), .parameters = std::move(weights_)};
}

std::optional<workloads::Workload> StepCompiler::take_workload() {
  if (module_) return std::nullopt;
  if (written_) return std::move(written_);
  const workloads::WorkloadOptions options = build_options();
  workloads::Workload workload;
  base::host::locate_errors("workload", options_.workload, [&] {
    workload = net_ ? workloads::nets::net_workload(*net_, options)
                    : workloads::models::build_workload(options_.workload, options);
  });
  if (net_ && net_->sharding) workload.sharding = hlo::spmd::mesh::to_string(*net_->sharding);
  // A text has no other names for what has one that HLO does not allow.
  hlo::Module& module = workload.step.module;
  hlo::Computation& entry = module.computations[std::size_t(module.entry)];
  for (const hlo::InstructionId id : entry.parameters) entry[id].op_name = entry[id].name;
  return workload;
}

std::optional<hlo::Module> StepCompiler::take_whole_program() {
  if (pipeline_) return std::nullopt;
  if (std::optional<workloads::Workload> workload = take_workload()) {
    if (!workload->global) return std::nullopt;
    workload->step.module.donations = std::move(workload->step.donations);
    return std::move(workload->step.module);
  }
  const bool is_of_one_core = devices_ > 1 && !is_global_;
  return is_of_one_core || module_->scheduled ? std::nullopt : std::move(module_);
}

sw::driver::Program StepCompiler::program() {
  if (pipeline_) {
    const auto kept = options::kept_by(options_.partition.rematerialise);
    return pipeline_program(kept.value_or(hlo::pipeline::Kept::activations));
  }
  std::optional<workloads::Workload> workload = take_workload();
  if (!workload) return file_program();
  partition_.take(*workload, replicas());
  samples_ = workload->samples;
  is_partitioned_ = workload->global || partition_.asked();
  if (!is_partitioned_) step_.batch_per_core = workload->samples / cores();
  workloads::TrainingStep& step = workload->step;
  step.module.donations = std::move(step.donations);
  return {.name = options_.workload,
          .module = std::move(step.module),
          .network = sw::driver::NetworkFacts{.predictions = std::move(step.predictions),
                                              .frozen = std::move(step.frozen),
                                              .decodes = options_.build.decode}};
}

sw::driver::Choices StepCompiler::choices(sw::compiler::OpCache* cache) const {
  sw::driver::Choices choices;
  choices.part = part_;
  choices.weights = options_.weights;
  if (is_partitioned_) choices.partition = partition_.choices();
  choices.rematerialise = options_.partition.rematerialise;
  choices.overlap = options_.overlap;
  choices.compiler = options_.compiler_as_set();
  choices.prices = prices_;
  choices.op_cache = cache;
  choices.after_pass = after_pass_;
  return choices;
}

void StepCompiler::at_blamed_flags(const std::function<void()>& body) const {
  try {
    at_partition_flags(body);
  } catch (const sw::driver::OutOfMemory& error) {
    const std::optional<std::int64_t>& batch = options_.build.batch_per_core;
    std::vector<base::Diagnostic> diagnostics = error.diagnostics();
    diagnostics.front().location = base::host::argument_location(batch ? "--batch-per-core" : "WORKLOAD",
                                                                 batch ? std::to_string(*batch) : options_.workload);
    throw sw::driver::OutOfMemory(std::move(diagnostics));
  }
}

}  // namespace podsim::app::run
