// SPDX-License-Identifier: Apache-2.0
#include "app/commands/hlo_parts/hlo_partition.h"
#include "app/options/limit_option.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/options/machine_options.h"
#include "app/run/files/module_file.h"
#include "app/run/files/unused_shardings.h"
#include "app/run/partition_options.h"
#include "app/run/run_partition.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/output_file.h"
#include "base/host/standard_output.h"
#include "hlo/hlo_names.h"
#include "hlo/spmd/propagate/propagation.h"
#include "sw/driver/compile.h"
#include "sw/driver/mesh_choice.h"
#include "workloads/importers/importer.h"
#include "workloads/models/registry.h"
#include "workloads/nets/net_workload.h"
#include "workloads/workload.h"

namespace podsim::app::commands::hlo_parts {
namespace {

struct HloPartitionOptions {
  std::string program;  ///< file or built-in workload
  run::PartitionFlags flags;
  workloads::machines::MachineChoice settings;
  std::vector<std::string> explain;
  std::string output;
};

[[noreturn]] void report_no_mesh(const std::string& program) {
  throw base::InputError(fmt::format("nothing says for how many cores {} is to be partitioned", program),
                         "--mesh 'x=2,y=4', or shardings in the text");
}

/// A program to be partitioned.
struct PartitionedProgram {
  sw::driver::Program program;
  std::int64_t cores = 1;                 ///< if the mesh does not tell
  std::optional<hlo::text::Module> text;  ///< if it is that of a file
};

PartitionedProgram file_program(const HloPartitionOptions& options, run::RunPartition& partition,
                                const workloads::ModelSettings& model) {
  if (!model.empty() && !workloads::importers::has_keys(options.program)) {
    base::host::locate_errors("--set", model.begin()->first + "=" + model.begin()->second,
                              [] { throw base::InputError("keys of a model are for built-in workloads"); });
  }
  std::vector<std::string> warnings;
  run::files::ModuleFile file = run::files::read_module(options.program, warnings, "FILE", model);
  for (const std::string& warning : warnings) base::host::print_warning(warning);
  partition.take_declared_mesh(file.graph, file.text);
  if (!partition.cores() && (file.graph.partitions == 1 || !sw::driver::is_annotated(file.graph))) {
    report_no_mesh(options.program);
  }
  return {.program = {.name = options.program, .module = std::move(file.graph)}, .text = std::move(file.text)};
}

PartitionedProgram workload_program(const HloPartitionOptions& options, run::RunPartition& partition,
                                    const workloads::ModelSettings& model) {
  workloads::Workload workload;
  std::optional<workloads::nets::Net> net;
  if (workloads::importers::is_net(options.program)) {
    net = workloads::importers::importer_of(options.program)->net("FILE", options.program, model);
  }
  if (net && net->sharding) partition.bring(*net->sharding);
  base::host::locate_errors("FILE", options.program, [&] {
    workloads::WorkloadOptions build;
    build.replicas = partition.cores().value_or(1);
    build.model = model;
    workload =
        net ? workloads::nets::net_workload(*net, build) : workloads::models::build_workload(options.program, build);
  });
  if (!partition.cores()) report_no_mesh(options.program);
  partition.take(workload, *partition.cores());
  workload.step.module.donations = workload.step.donations;
  return {.program = {.name = options.program, .module = std::move(workload.step.module)},
          .cores = *partition.cores(),
          .text = std::nullopt};
}

/// The step after the pass that `last` names.
sw::driver::Step partitioned(const PartitionedProgram& program, const run::RunPartition& partition,
                             const sw::TargetMachine& machine, std::string_view last) {
  sw::driver::Choices choices;
  choices.partition = partition.choices();
  choices.last = last;
  return sw::driver::compile(program.program, {.machine = machine, .cores = program.cores}, choices);
}

/// The text that a command prints or writes of a program: its partitioned form, or what explains its shardings.
std::string text_of_partition(const HloPartitionOptions& options, const PartitionedProgram& program,
                              const run::RunPartition& partition) {
  const sw::TargetMachine machine = sw::read_target(options.settings.load());
  const sw::driver::Step whole = partitioned(program, partition, machine, "give_own_constants");
  if (program.text) {
    for (const std::string& warning : run::files::unused_shardings(*program.text, *whole.partitioned)) {
      base::host::print_warning(warning);
    }
  }
  if (!sw::driver::is_annotated(whole.module)) base::host::print_warning(run::nothing_is_sharded);
  std::string text;
  if (!options.explain.empty()) {
    const hlo::spmd::mesh::Mesh& mesh = whole.partitioned->mesh.mesh;
    const hlo::spmd::propagate::ModuleShardings shardings = hlo::spmd::propagate::propagate(whole.module, mesh);
    for (const std::string& pattern : options.explain) {
      text += hlo::spmd::propagate::explain(whole.module, mesh, shardings, pattern);
    }
    if (options.output.empty()) return text;
  }
  sw::driver::Step local = partitioned(program, partition, machine, "partition");
  const hlo::spmd::mesh::DeviceNumbers& devices = local.partitioned->devices;
  if (!devices.empty()) local.module = hlo::spmd::mesh::by_device(std::move(local.module), devices);
  const std::string written = hlo::to_string(hlo::with_hlo_names(local.module));
  if (options.output.empty()) return text + written;
  base::host::write_file(options.output, written);
  return text;
}

void partition_program(HloPartitionOptions& options) {
  const workloads::ModelSettings model = options.settings.take_model_settings();
  if (!options.settings.assignments.empty()) {
    base::host::locate_errors("--set", options.settings.assignments.front(), [] {
      throw base::InputError("only keys of a model are set here, such as model.layers=4");
    });
  }
  run::RunPartition partition(options.flags, options.program, model);
  const PartitionedProgram program = run::files::names_workload(options.program)
                                         ? workload_program(options, partition, model)
                                         : file_program(options, partition, model);
  std::string text;
  const auto work = [&] { text = text_of_partition(options, program, partition); };
  run::at_partition_flags([&] {
    if (program.text) {
      run::files::locate_instruction_errors(*program.text, work);
    } else {
      work();
    }
  });
  base::host::print_source(text);
}

}  // namespace

void add_hlo_partition(CLI::App& hlo) {
  auto options = std::make_shared<HloPartitionOptions>();
  CLI::App* part = hlo.add_subcommand("partition",
                                      "The program of one core out of one of the whole machine, by the shardings of "
                                      "its values")
                       ->group("Parts");
  part->add_option("FILE", options->program,
                   "HLO text of a program that counts one device, or is\nannotated; or a built-in workload, such as "
                   "transformer")
      ->option_text(" ")
      ->required();
  options->flags.add_to(*part);
  part->add_option("--set", options->settings.assignments,
                   "Change a key of a built-in workload, such as\nmodel.layers=4; may be repeated")
      ->type_name("KEY=VALUE")
      ->option_text("KEY=VALUE")
      ->allow_extra_args(false);
  part->add_option(
          "--explain", options->explain,
          "Instead, the sharding of the values whose names match, such\nas '*dot*', and where each comes from; "
          "may be repeated")
      ->option_text("GLOB")
      ->allow_extra_args(false);
  options::add_limit_option(*part);
  part->add_option_function<std::string>(
          "-o,--output", [options](const std::string& text) { options->output = base::host::parse_path("-o", text); },
          "File for the partitioned text [stdout]")
      ->option_text("FILE");
  part->footer(
      "Examples:\n  podsim hlo partition step.hlo --mesh 'x=2,y=4' --sharding cuts.toml -o local.hlo\n"
      "  podsim hlo partition annotated.hlo --explain '*weights*'\n"
      "  podsim hlo partition transformer --mesh 'x=4,y=8' --sharding cuts.toml --explain 'layer0/ffn/*'");
  part->callback([options] { partition_program(*options); });
}

}  // namespace podsim::app::commands::hlo_parts
