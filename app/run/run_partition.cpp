// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_partition.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options/slice.h"
#include "app/run/default_slice.h"
#include "app/run/module_file.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/free_memory.h"
#include "base/host/host_clock.h"
#include "base/text/counted.h"
#include "noc/slice.h"
#include "sw/compiler/compile.h"
#include "sw/compiler/fuse/horizontal_fusion.h"
#include "sw/compiler/lowering.h"
#include "sw/compiler/memory_account.h"
#include "sw/compiler/memory_order.h"
#include "sw/compiler/recompute.h"
#include "sw/compiler/scope_time.h"
#include "sw/ir/rules/instruction_error.h"
#include "sw/ir/rules/shape_inference.h"
#include "sw/spmd/mesh/mesh_collectives.h"
#include "sw/spmd/partition/partitioner.h"
#include "sw/spmd/propagate/narrow_lookups.h"
#include "sw/spmd/propagate/overruled.h"
#include "workloads/shardings/shardings.h"

namespace podsim::app::run {
namespace {

/// The sub-axes of the axes that `text` names, joined by commas.
sw::spmd::mesh::SubAxes axes_named(const sw::spmd::mesh::Mesh& mesh, const std::string& text) {
  std::vector<std::string> names;
  for (const sw::spmd::mesh::MeshAxis& axis : mesh.axes()) names.push_back(axis.name);
  sw::spmd::mesh::SubAxes over;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    const int axis = mesh.find(name);
    if (axis < 0) {
      throw base::InputError(
          fmt::format("'{}' is neither on, off, nor an axis of the mesh {}", name, sw::spmd::mesh::to_string(mesh)),
          base::did_you_mean(name, names));
    }
    for (const sw::spmd::mesh::SubAxis sub_axis : mesh.sub_axes(axis)) over.push_back(sub_axis);
    begin = end + 1;
  }
  std::ranges::sort(over);
  over.erase(std::ranges::unique(over).begin(), over.end());
  return over;
}

/// The axis in the text of a sub-axis: "x" for " x[0:1] ".
std::string axis_name(std::string_view text) {
  text = text.substr(0, text.find('['));
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return std::string(text);
}

/// The names of axes in a sharding file, in alphabetical order.
std::set<std::string> axes_in(const sw::spmd::mesh::ShardingFile& file) {
  std::set<std::string> names;
  for (const sw::spmd::mesh::ShardingRule& rule : file.rules) {
    for (const std::string& dimension : rule.dimensions) {
      for (std::size_t begin = 0; begin <= dimension.size();) {
        const std::size_t end = std::min(dimension.find('+', begin), dimension.size());
        const std::string name = axis_name(std::string_view(dimension).substr(begin, end - begin));
        if (!name.empty() && name != "-") names.insert(name);
        begin = end + 1;
      }
    }
  }
  return names;
}

/// A mesh of one axis over all cores, with the axis name that the sharding uses.
sw::spmd::mesh::MeshText one_axis(std::int64_t cores, const std::optional<sw::spmd::mesh::ShardingFile>& sharding) {
  const std::set<std::string> names = sharding ? axes_in(*sharding) : std::set<std::string>{};
  if (names.size() > 1) {
    throw base::InputError(
        fmt::format("the sharding cuts along the axes {}, and nothing says how long they are", fmt::join(names, ", ")),
        "--mesh 'x=2,y=4', or axes in a section [mesh] of the file");
  }
  return sw::spmd::mesh::parse_mesh(fmt::format("{}={}", names.empty() ? "data" : *names.begin(), cores));
}

base::Bytes parameter_bytes(const sw::ir::Module& module) {
  const sw::ir::Computation& entry = module.entry_computation();
  base::Bytes bytes;
  for (const sw::ir::InstructionId id : entry.parameters) bytes += sw::ir::logical_bytes(entry[id].shape);
  return bytes;
}

/// The mesh of the shipped sharding file for a workload.
std::optional<sw::spmd::mesh::MeshText> mesh_that_comes_with(const std::string& workload) {
  const auto& files = workloads::shardings::embedded_shardings();
  const auto found = std::ranges::find(files, workload, &workloads::shardings::EmbeddedSharding::name);
  if (found == files.end()) return std::nullopt;
  return mesh_of(sw::spmd::mesh::read_sharding_file(found->name + ".toml", found->toml));
}

}  // namespace

RunPartition::RunPartition(const PartitionFlags& flags, const std::string& workload) : flags_(flags) {
  if (!flags.sharding.empty()) {
    sharding_ = sharding_argument(flags.sharding);
    mesh_ = mesh_of(*sharding_);
    origin_ = flags.sharding;
  } else {
    mesh_ = mesh_that_comes_with(workload);
  }
  if (!flags.mesh.empty()) {
    mesh_ = mesh_argument(flags.mesh);
    mesh_of_flag_ = true;
  }
}

void RunPartition::bring(const sw::spmd::mesh::ShardingFile& sharding) {
  if (sharding_) return;
  sharding_ = sharding;
  if (!mesh_) mesh_ = mesh_of(sharding);
  origin_ = "that of the net";
}

std::optional<std::int64_t> RunPartition::cores() const {
  return mesh_ ? std::optional(mesh_->mesh.partitions()) : std::nullopt;
}

std::optional<std::string> RunPartition::default_slice(const hw::Machine& machine) const {
  if (!mesh_) return std::nullopt;
  if (auto slice = slice_for(mesh_->mesh.partitions(), machine)) return slice;
  const std::string message = fmt::format("no slice of {} has a core for each of the {} partitions of the mesh {}",
                                          machine.name, mesh_->mesh.partitions(), mesh_->text);
  const std::string hint = slice_hint(mesh_->mesh.partitions(), machine);
  if (!mesh_of_flag_) throw base::InputError(message, hint);
  base::host::locate_errors("--mesh", flags_.mesh, [&] { throw base::InputError(message, hint); });
  return std::nullopt;  // not reached
}

void RunPartition::check_slice(const std::string& slice, std::int64_t cores, const hw::Machine& machine) const {
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
    sharding_ = sw::spmd::mesh::read_sharding_file(workload.name + ".toml", workload.sharding);
    if (!mesh_) mesh_ = mesh_of(*sharding_);
    origin_ = "that of the workload";
    return;
  }
  if (!mesh_) mesh_ = one_axis(cores, sharding_);
  std::vector<std::string> axes;
  for (const sw::spmd::mesh::MeshAxis& axis : mesh_->mesh.axes()) axes.push_back(axis.name);
  sharding_ =
      sw::spmd::mesh::read_sharding_file(workload.name + ".toml", workloads::data_parallel_sharding(workload, axes));
  origin_ = "the batch along all axes";
}

void RunPartition::choose_mesh(const sw::ir::Module& module, std::int64_t cores) {
  if (!mesh_) mesh_ = mesh_of_annotations(module);
  if (!mesh_) mesh_ = one_axis(cores, sharding_);
  if (origin_.empty()) origin_ = "the annotations of the program";
}

sw::ir::Module RunPartition::partitioned(const sw::ir::Module& module, const hw::Machine& machine) {
  const base::host::HostClock::time_point begin = base::host::HostClock::now();
  sw::spmd::partition::PartitionOptions options = flags_.options(machine);
  options.tile_by_tile = tile_by_tile_;
  sw::ir::Module local =
      sw::spmd::partition::partition(module, mesh_->mesh, sw::spmd::propagate::propagate(module, mesh_->mesh), options);
  seconds_ += base::host::seconds_since(begin);
  if (local.replicas > 1) {
    throw base::InputError(fmt::format("the program has {} replicas: with {} partitions of each it is for {} devices, "
                                       "and a mesh has one replica",
                                       local.replicas, local.partitions, local.replicas * local.partitions),
                           "without --mesh and --sharding its replicas are the cores");
  }
  return local;
}

namespace {

/// The partitioner computes shapes anew, so those of the text must be what their operands give.
void require_sound_shapes(const sw::ir::Module& module) {
  const std::span<const sw::ir::Computation> computations = module.computations;
  for (std::size_t c = 0; c < computations.size(); ++c) {
    for (const sw::ir::Instruction& instruction : computations[c].instructions) {
      try {
        sw::ir::rules::verify_shape(instruction, computations[c], computations.first(c));
      } catch (const std::logic_error& error) {
        throw sw::ir::rules::InstructionError(
            instruction.name,
            fmt::format("{} cannot be partitioned: {}: {}", module.name, instruction.name, error.what()),
            "'podsim hlo check' finds all shapes that do not follow from their operands");
      }
    }
  }
}

}  // namespace

sw::ir::Module RunPartition::annotated(sw::ir::Module module, std::int64_t cores) {
  if (is_of_one_core_ && module.partitions > 1) {
    throw base::InputError(fmt::format("{} is a program for {} cores already, which say by themselves what goes where",
                                       module.name, module.partitions),
                           "without --mesh, --sharding and --weight-update-sharding it runs as it is");
  }
  require_sound_shapes(module);
  devices_ = sw::spmd::mesh::device_numbers(module);
  if (!devices_.empty()) module = sw::spmd::mesh::by_position(std::move(module), devices_);
  choose_mesh(module, cores);
  parameters_ = parameter_bytes(module);
  if (sharding_) sw::spmd::mesh::annotate(module, mesh_->mesh, *sharding_);
  if (is_of_one_core_) sw::spmd::propagate::make_infeeds_manual(module);
  sw::spmd::propagate::DeviceBranches branches =
      sw::spmd::propagate::write_device_branches(std::move(module), mesh_->mesh.partitions());
  unplaced_ = std::move(branches.unused);
  overruled_ = sw::spmd::propagate::overruled_annotations(branches.module, mesh_->mesh);
  return std::move(branches.module);
}

sw::ir::Module RunPartition::partition(sw::ir::Module module, std::span<const sw::ir::Donation> donations,
                                       const hw::Machine& machine, sw::compiler::OpCache* cache) {
  if (flags_.shards_updates()) module = with_sharded_update(std::move(module), donations, machine, cache);
  sw::ir::Module fused;
  sw::compiler::RecomputedModule repeated;
  const auto memory = [&](const sw::ir::Module& whole) {
    fused = {};  // of the trial before
    repeated = {};
    base::host::return_free_memory();
    sw::ir::Module local = partitioned(whole, machine);
    if (!is_of_one_core_) layers_ = sw::spmd::partition::sharding_costs(whole, local);
    fused = sw::compiler::fused(std::move(local), machine);
    if (flags_.shards_updates()) fused = sw::compiler::fuse::fuse_horizontally(std::move(fused), machine);
    fused = sw::compiler::ordered_by_memory(std::move(fused), donations);
    if (flags_.rematerialise) return sw::compiler::account_memory(fused, donations).heap;
    repeated = sw::compiler::recompute_to_fit(fused, machine.memory_before_recomputing(), machine.hbm.usable_per_core(),
                                              donations);
    fused = std::move(repeated.module);
    return sw::compiler::account_memory(fused, donations).heap;
  };
  if (flags_.rematerialise) {
    const sw::ir::transform::RematerialisedModule once_more =
        sw::ir::transform::rematerialise(module, *flags_.rematerialise);
    rematerialised_ = {*flags_.rematerialise, memory(once_more.module), once_more.flops};
  } else {
    rematerialised_ =
        sw::ir::transform::rematerialise_to_fit(module, machine.hbm.usable_per_core(), memory).trials.back();
    using enum sw::ir::transform::Rematerialisation;
    if (repeated.ops > 0 && rematerialised_.policy == none) rematerialised_.policy = ops;
    rematerialised_.flops += repeated.flops * double(mesh().partitions());
  }
  return fused;
}

sw::ir::Module RunPartition::with_sharded_update(sw::ir::Module module, std::span<const sw::ir::Donation> donations,
                                                 const hw::Machine& machine, sw::compiler::OpCache* cache) {
  const sw::spmd::mesh::Mesh& mesh = mesh_->mesh;
  sw::spmd::mesh::SubAxes over = mesh.all();
  if (flags_.weight_update_sharding != "on") {
    const std::string& text = flags_.weight_update_sharding;
    base::host::locate_errors("--weight-update-sharding", text, [&] { over = axes_named(mesh, text); });
  }
  module = sw::spmd::propagate::narrow_lookups(std::move(module));
  const sw::spmd::propagate::ModuleShardings present = sw::spmd::propagate::propagate(module, mesh);
  const sw::ir::Module whole =
      sw::compiler::fused(sw::spmd::partition::partition(module, mesh, present, flags_.options(machine)), machine);
  whole_update_ = sw::compiler::time_under(sw::compiler::lower(whole, machine, cache), machine, "optimizer", cache);
  const std::vector<sw::spmd::mesh::ValueSharding>& of_entry = present.values[std::size_t(module.entry)];
  sw::spmd::propagate::UpdateSharding sharded = sw::spmd::propagate::shard_weight_update(
      std::move(module), mesh, over, donations, of_entry, machine.compiler.combine_all_reduce);
  update_memory_ = sharded.memory;
  tile_by_tile_ = sharded.tile_by_tile;
  return std::move(sharded.module);
}

sw::report::run::PartitionReport RunPartition::place(sw::compiler::Program& program, const hw::Machine& machine,
                                                     const noc::Topology& slice) {
  const base::host::HostClock::time_point begin = base::host::HostClock::now();
  sw::spmd::mesh::name_axes(program, mesh_->mesh);
  std::optional<sw::spmd::mesh::PlacementChoice> choice;
  bool chosen = true;
  at_mesh_flag(mesh_->text, [&] {
    const auto fixed = sw::spmd::mesh::resolve_placements(*mesh_, slice, int(machine.cores_per_chip));
    chosen = !std::ranges::all_of(fixed, [](const auto& place) { return place.has_value(); });
    choice = sw::spmd::mesh::choose_placement(machine, mesh_->mesh, slice, fixed, program);
  });
  sw::spmd::mesh::place(program, choice->placement);
  seconds_ += base::host::seconds_since(begin);
  return {.placed = *std::move(choice),
          .chosen = chosen,
          .sharding = origin_,
          .parameters = parameters_,
          .samples = samples_,
          .tokens = tokens_,
          .model_flops = model_flops_,
          .rematerialised = rematerialised_,
          .update_memory = update_memory_,
          .whole_update = whole_update_,
          .layers = std::move(layers_),
          .partition_s = seconds_};
}

}  // namespace podsim::app::run
