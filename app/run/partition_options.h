// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "hlo/spmd/mesh/sharding_file.h"
#include "hlo/transform/rematerialize.h"
#include "sw/placement/mesh_placement.h"

namespace CLI {
class App;
}

namespace podsim::app::run {

/// The flags for partitioning a program, shared by `run` and `hlo partition`.
struct PartitionFlags {
  std::string mesh;      ///< empty: the mesh of the sharding file or of the text
  std::string sharding;  ///< file; empty: the annotations of the text
  bool windowed_einsum = false;
  /// Axes of the mesh over which weight updates are sharded, joined by commas; "on" for all, "off" for none, "auto" for
  /// those that make the step fastest (update_choice.h).
  std::string weight_update_sharding = "off";
  std::optional<hlo::transform::Rematerialisation> rematerialise;  ///< std::nullopt: as little as fits into memory

  void add_to(CLI::App& command);
  bool chooses_update() const { return weight_update_sharding == "auto"; }
  bool shards_updates() const { return weight_update_sharding != "off"; }
  bool any() const { return !mesh.empty() || !sharding.empty() || shards_updates(); }
};

/// The mesh of --mesh, including placements. Throws InputError at the flag.
sw::placement::MeshText mesh_argument(const std::string& text);
/// The file of --sharding. Throws InputError with locations in the file.
hlo::spmd::mesh::ShardingFile sharding_argument(const std::string& file);
/// Runs `body`. Errors that it throws about the text of a mesh get their location in --mesh.
void at_mesh_flag(const std::string& text, const std::function<void()>& body);
/// Warning for a program without annotations.
constexpr const char* nothing_is_sharded = "no value has a sharding: every core does all of it (--sharding FILE)";
/// Warning for an annotated module that runs without a mesh: its shardings split values, but it has no collectives,
/// like a program that still has to be partitioned. Empty otherwise.
std::string unused_annotations(const hlo::Module& module);

}  // namespace podsim::app::run
