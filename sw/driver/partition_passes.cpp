// SPDX-License-Identifier: Apache-2.0
#include "sw/driver/partition_passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/diagnostic.h"
#include "base/host/host_clock.h"
#include "hlo/rules/instruction_error.h"
#include "hlo/rules/shape_inference.h"
#include "hlo/spmd/partition/partitioner.h"
#include "hlo/spmd/propagate/narrow_lookups.h"
#include "hlo/spmd/propagate/overruled.h"
#include "sw/compiler/lowering.h"
#include "sw/compiler/scope_time.h"
#include "sw/driver/machine_costs.h"
#include "sw/driver/mesh_choice.h"
#include "sw/driver/passes.h"

namespace podsim::sw::driver {
namespace {

/// The sub-axes of the axes that `text` names, joined by commas.
hlo::spmd::mesh::SubAxes axes_named(const hlo::spmd::mesh::Mesh& mesh, const std::string& text) {
  if (text == "on") return mesh.all();
  std::vector<std::string> names;
  for (const hlo::spmd::mesh::MeshAxis& axis : mesh.axes()) names.push_back(axis.name);
  hlo::spmd::mesh::SubAxes over;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    const int axis = mesh.find(name);
    if (axis < 0) {
      throw base::InputError({base::Diagnostic::Severity::error,
                              fmt::format("'{}' is neither on, off, auto, nor an axis of the mesh {}", name,
                                          hlo::spmd::mesh::to_string(mesh)),
                              base::locate("weight-update-sharding", text, begin, std::max(1, int(name.size()))),
                              base::did_you_mean(name, names)});
    }
    for (const hlo::spmd::mesh::SubAxis sub_axis : mesh.sub_axes(axis)) over.push_back(sub_axis);
    begin = end + 1;
  }
  std::ranges::sort(over);
  over.erase(std::ranges::unique(over).begin(), over.end());
  return over;
}

base::Bytes parameter_bytes(const hlo::Module& module) {
  const hlo::Computation& entry = module.entry_computation();
  base::Bytes bytes;
  for (const hlo::InstructionId id : entry.parameters) bytes += hlo::logical_bytes(entry[id].shape);
  return bytes;
}

hlo::spmd::partition::PartitionOptions options_of(const Compilation& compilation) {
  hlo::spmd::partition::PartitionOptions options;
  options.costs = partition_costs(compilation.machine());
  options.windowed_einsum = compilation.choices.partition->windowed_einsum;
  options.tile_by_tile = compilation.step.partitioned->tile_by_tile;
  return options;
}

hlo::Module core_program(const hlo::Module& module, const hlo::spmd::propagate::ModuleShardings& shardings,
                         const Compilation& compilation) {
  return hlo::spmd::partition::partition(module, compilation.step.partitioned->mesh.mesh, shardings,
                                         options_of(compilation));
}

/// How long the update of whole weights takes.
base::Time time_of_whole_update(const Compilation& compilation,
                                const hlo::spmd::propagate::ModuleShardings& shardings) {
  const TargetMachine& machine = compilation.machine();
  compiler::OpCache* cache = compilation.choices.op_cache;
  Compilation trial{.target = compilation.target,
                    .choices = compilation.choices,
                    .name = compilation.name,
                    .network = {},
                    .kinds = {},
                    .module = core_program(compilation.module, shardings, compilation),
                    .step = {}};
  for (const Pass& pass : fusion_passes()) pass.run(trial);
  return compiler::time_under(compiler::lower(trial.module, machine, cache), machine, "optimizer", cache);
}

}  // namespace

void check_shapes(Compilation& compilation) {
  const hlo::Module& module = compilation.module;
  if (compilation.choices.partition->of_one_core && module.partitions > 1) {
    throw base::InputError(fmt::format("{} is a program for {} cores already, which say by themselves what goes where",
                                       module.name, module.partitions),
                           "without --mesh, --sharding and --weight-update-sharding it runs as it is");
  }
  const std::span<const hlo::Computation> computations = module.computations;
  for (std::size_t c = 0; c < computations.size(); ++c) {
    for (const hlo::Instruction& instruction : computations[c].instructions) {
      try {
        hlo::rules::verify_shape(instruction, computations[c], computations.first(c));
      } catch (const std::logic_error& error) {
        throw hlo::rules::InstructionError(
            instruction.name,
            fmt::format("{} cannot be partitioned: {}: {}", module.name, instruction.name, error.what()),
            "'podsim hlo check' finds all shapes that do not follow from their operands");
      }
    }
  }
  compilation.step.partitioned.emplace();
}

void number_devices(Compilation& compilation) {
  hlo::spmd::mesh::DeviceNumbers& devices = compilation.step.partitioned->devices;
  devices = hlo::spmd::mesh::device_numbers(compilation.module);
  if (!devices.empty()) compilation.module = hlo::spmd::mesh::by_position(std::move(compilation.module), devices);
}

void choose_mesh(Compilation& compilation) {
  const PartitionChoices& choices = *compilation.choices.partition;
  std::optional<placement::MeshText> mesh = choices.mesh;
  if (!mesh) mesh = mesh_of_annotations(compilation.module);
  if (!mesh) mesh = mesh_of_one_axis(compilation.target.cores, choices.sharding);
  compilation.step.partitioned->mesh = *std::move(mesh);
}

void annotate(Compilation& compilation) {
  const PartitionChoices& choices = *compilation.choices.partition;
  Partitioned& partitioned = *compilation.step.partitioned;
  partitioned.parameters = parameter_bytes(compilation.module);
  if (choices.sharding) hlo::spmd::mesh::annotate(compilation.module, partitioned.mesh.mesh, *choices.sharding);
  if (choices.of_one_core) hlo::spmd::propagate::make_infeeds_manual(compilation.module);
}

void split_device_branches(Compilation& compilation) {
  Partitioned& partitioned = *compilation.step.partitioned;
  hlo::spmd::propagate::DeviceBranches branches =
      hlo::spmd::propagate::write_device_branches(std::move(compilation.module), partitioned.mesh.mesh.partitions());
  partitioned.unplaced = std::move(branches.unused);
  partitioned.overruled = hlo::spmd::propagate::overruled_annotations(branches.module, partitioned.mesh.mesh);
  compilation.module = std::move(branches.module);
}

void shard_weight_updates(Compilation& compilation) {
  Partitioned& partitioned = *compilation.step.partitioned;
  const hlo::spmd::mesh::Mesh& mesh = partitioned.mesh.mesh;
  const hlo::spmd::mesh::SubAxes over = axes_named(mesh, compilation.choices.partition->update_axes);
  compilation.module = hlo::spmd::propagate::narrow_lookups(std::move(compilation.module));
  const hlo::spmd::propagate::ModuleShardings present = hlo::spmd::propagate::propagate(compilation.module, mesh);
  partitioned.whole_update = time_of_whole_update(compilation, present);
  const std::vector<hlo::Donation> donations = compilation.module.donations;
  const std::vector<hlo::spmd::mesh::ValueSharding>& of_entry = present.values[std::size_t(compilation.module.entry)];
  hlo::spmd::propagate::UpdateSharding sharded = hlo::spmd::propagate::shard_weight_update(
      std::move(compilation.module), mesh, over, donations, of_entry, compilation.combine_all_reduce());
  partitioned.update_memory = sharded.memory;
  partitioned.update_shards = sharded.shards;
  partitioned.tile_by_tile = sharded.tile_by_tile;
  compilation.module = std::move(sharded.module);
}

void partition(Compilation& compilation) {
  Partitioned& partitioned = *compilation.step.partitioned;
  const base::host::HostClock::time_point begin = base::host::HostClock::now();
  hlo::Module local = core_program(
      compilation.module, hlo::spmd::propagate::propagate(compilation.module, partitioned.mesh.mesh), compilation);
  partitioned.seconds += base::host::seconds_since(begin);
  if (local.replicas > 1) {
    throw base::InputError(fmt::format("the program has {} replicas: with {} partitions of each it is for {} devices, "
                                       "and a mesh has one replica",
                                       local.replicas, local.partitions, local.replicas * local.partitions),
                           "without --mesh and --sharding its replicas are the cores");
  }
  if (!compilation.choices.partition->of_one_core) {
    partitioned.layers = hlo::spmd::partition::sharding_costs(compilation.module, local);
  }
  compilation.module = std::move(local);
}

}  // namespace podsim::sw::driver
