// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "app/options/slice.h"
#include "app/run/default_slice.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/host_clock.h"
#include "base/text/counted.h"
#include "hlo/text/graph/shardy_attributes.h"
#include "noc/slice.h"
#include "sw/driver/compile.h"
#include "sw/driver/mesh_choice.h"
#include "sw/placement/mesh_collectives.h"
#include "workloads/shardings/shardings.h"

namespace podsim::app::run {
namespace {

/// The mesh of the shipped sharding file for a workload.
std::optional<sw::placement::MeshText> mesh_that_comes_with(const std::string& workload) {
  const auto& files = workloads::shardings::embedded_shardings();
  const auto found = std::ranges::find(files, workload, &workloads::shardings::EmbeddedSharding::name);
  if (found == files.end()) return std::nullopt;
  return sw::driver::mesh_of(hlo::spmd::mesh::read_sharding_file(found->name + ".toml", found->toml));
}

/// Whether settings share a network among the cores otherwise than its shipped sharding does.
bool shares_otherwise(const workloads::ModelSettings& model) {
  const auto has = [&](const char* key, const char* usual) {
    const auto found = model.find(key);
    return found != model.end() && found->second != usual;
  };
  return has("model.tensor_parallel", "1") || has("model.shard_weights", "off");
}

}  // namespace

RunPartition::RunPartition(const PartitionFlags& flags, const std::string& workload,
                           const workloads::ModelSettings& model)
    : flags_(flags) {
  if (!flags.sharding.empty()) {
    sharding_ = sharding_argument(flags.sharding);
    mesh_ = sw::driver::mesh_of(*sharding_);
    origin_ = flags.sharding;
  } else if (!shares_otherwise(model)) {
    mesh_ = mesh_that_comes_with(workload);
  }
  if (!flags.mesh.empty()) {
    mesh_ = mesh_argument(flags.mesh);
    mesh_of_flag_ = true;
  }
}

void RunPartition::bring(const hlo::spmd::mesh::ShardingFile& sharding) {
  if (sharding_) return;
  sharding_ = sharding;
  if (!mesh_) mesh_ = sw::driver::mesh_of(sharding);
  origin_ = "that of the workload";
}

void RunPartition::take_declared_mesh(const hlo::Module& graph, const hlo::text::Module& text) {
  if (mesh_ || sharding_) return;
  std::vector<std::vector<hlo::spmd::mesh::MeshAxis>> meshes;
  for (const hlo::text::graph::MeshAxes& axes : hlo::text::graph::declared_meshes(text)) {
    std::vector<hlo::spmd::mesh::MeshAxis>& mesh = meshes.emplace_back();
    for (const auto& [name, size] : axes) mesh.push_back({name, size});
  }
  mesh_ = sw::driver::mesh_of_declared(graph, meshes);
}

void RunPartition::share_update(const std::string& mesh, const std::string& axes) {
  flags_.weight_update_sharding = axes;
  if (mesh.empty()) return;
  flags_.mesh = mesh;
  mesh_ = mesh_argument(mesh);
}

std::optional<std::int64_t> RunPartition::cores() const {
  return mesh_ ? std::optional(mesh_->mesh.partitions()) : std::nullopt;
}

std::optional<std::string> RunPartition::default_slice(const sw::TargetMachine& machine) const {
  if (!mesh_) return std::nullopt;
  if (auto slice = slice_for(mesh_->mesh.partitions(), machine)) return slice;
  const std::string message = fmt::format("no slice of {} has a core for each of the {} partitions of the mesh {}",
                                          machine.name, mesh_->mesh.partitions(), mesh_->text);
  const std::string hint = slice_hint(mesh_->mesh.partitions(), machine);
  if (!mesh_of_flag_) throw base::InputError(message, hint);
  base::host::locate_errors("--mesh", flags_.mesh, [&] { throw base::InputError(message, hint); });
  return std::nullopt;  // not reached
}

void RunPartition::check_slice(const std::string& slice, std::int64_t cores, const sw::TargetMachine& machine) const {
  if (!mesh_ || mesh_->mesh.partitions() == cores) return;
  const std::string message = fmt::format("the mesh {} has {}, a slice of {} has {}", mesh_->text,
                                          base::text::counted(mesh_->mesh.partitions(), "partition"), slice,
                                          base::text::counted(cores, "core"));
  std::string hint = slice_hint(mesh_->mesh.partitions(), machine);
  if (!slice_for(mesh_->mesh.partitions(), machine)) hint += fmt::format("; or axes of {} positions in all", cores);
  base::host::locate_errors(mesh_of_flag_ ? "--mesh" : "--slice", mesh_of_flag_ ? flags_.mesh : slice, [&] {
    throw base::InputError(message, mesh_of_flag_ ? hint : hint + "; or give a --mesh");
  });
}

void RunPartition::take(const workloads::Workload& workload, std::int64_t cores) {
  samples_ = workload.samples;
  tokens_ = workload.samples * workload.tokens_per_sample;
  model_flops_ = workload.model_flops;
  is_of_one_core_ = !workload.global;
  if (!workload.global || sharding_) return;
  if (!workload.sharding.empty()) {
    sharding_ = hlo::spmd::mesh::read_sharding_file(workload.name + ".toml", workload.sharding);
    if (!mesh_) mesh_ = sw::driver::mesh_of(*sharding_);
    origin_ = "that of the workload";
    return;
  }
  if (!mesh_) mesh_ = sw::driver::mesh_of_one_axis(cores, sharding_);
  std::vector<std::string> axes;
  for (const hlo::spmd::mesh::MeshAxis& axis : mesh_->mesh.axes()) axes.push_back(axis.name);
  sharding_ =
      hlo::spmd::mesh::read_sharding_file(workload.name + ".toml", workloads::data_parallel_sharding(workload, axes));
  origin_ = "the batch along all axes";
}

sw::driver::PartitionChoices RunPartition::choices() const {
  return {.mesh = mesh_,
          .sharding = sharding_,
          .of_one_core = is_of_one_core_,
          .windowed_einsum = flags_.windowed_einsum,
          .update_axes = flags_.weight_update_sharding};
}

report::run::PartitionReport RunPartition::place(sw::driver::Step& step, const sw::TargetMachine& machine,
                                                 const noc::Topology& slice) const {
  const base::host::HostClock::time_point begin = base::host::HostClock::now();
  sw::driver::Partitioned& partitioned = *step.partitioned;
  const sw::placement::MeshText& mesh = partitioned.mesh;
  sw::placement::name_axes(step.program, mesh.mesh);
  std::optional<sw::placement::PlacementChoice> choice;
  bool chosen = true;
  at_mesh_flag(mesh.text, [&] {
    const auto fixed = sw::placement::resolve_placements(mesh, slice, int(machine.cores_per_chip));
    chosen = !std::ranges::all_of(fixed, [](const auto& place) { return place.has_value(); });
    choice = sw::placement::choose_placement(machine, mesh.mesh, slice, fixed, step.program);
  });
  sw::placement::place(step.program, choice->placement);
  return {.placed = *std::move(choice),
          .chosen = chosen,
          .sharding = origin_,
          .parameters = partitioned.parameters,
          .samples = samples_,
          .tokens = tokens_,
          .model_flops = model_flops_,
          .rematerialised = step.rematerialised,
          .update_memory = partitioned.update_memory,
          .update_shards = partitioned.update_shards,
          .whole_update = partitioned.whole_update,
          .layers = std::move(partitioned.layers),
          .partition_s = partitioned.seconds + base::host::seconds_since(begin)};
}

void at_partition_flags(const std::function<void()>& body) {
  try {
    body();
  } catch (const sw::driver::OutOfMemory&) {
    throw;
  } catch (const base::InputError& error) {
    std::vector<base::Diagnostic> diagnostics = error.diagnostics();
    for (base::Diagnostic& diagnostic : diagnostics) {
      std::string& file = diagnostic.location.file;
      if (file == "mesh" || file == "weight-update-sharding") file.insert(0, "--");
    }
    throw base::InputError(std::move(diagnostics));
  }
}

}  // namespace podsim::app::run
