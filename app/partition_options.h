// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "sw/graph/rematerialize.h"
#include "sw/spmd/mesh_placement.h"
#include "sw/spmd/op_partition.h"
#include "sw/spmd/sharding_file.h"

namespace CLI {
class App;
}

namespace podsim::app {

/// The flags that say how a program is cut into one for each core, shared by `run` and `hlo partition`.
struct PartitionFlags {
  std::string mesh;      ///< empty: that of the sharding file or of the text
  std::string sharding;  ///< file; empty: the annotations of the text
  bool windowed_einsum = false;
  /// Axes of the mesh along which weight updates are sharded, joined by commas; "on" for all, "off" for none.
  std::string weight_update_sharding = "off";
  std::optional<sw::Rematerialisation> rematerialise;  ///< not given: as little as fits the memory

  void add_to(CLI::App& command);
  bool shards_updates() const { return weight_update_sharding != "off"; }
  bool any() const { return !mesh.empty() || !sharding.empty() || shards_updates(); }
  sw::PartitionOptions options() const;
};

/// The mesh of --mesh, places and all; InputError at the flag.
sw::MeshText mesh_argument(const std::string& text);
/// The file of --sharding. InputError with its places.
sw::ShardingFile sharding_argument(const std::string& file);
/// Runs `body`; what it reports about the text of a mesh gets its place in --mesh.
void at_mesh_flag(const std::string& text, const std::function<void()>& body);
/// The mesh that a sharding file asks for; nothing when it has none.
std::optional<sw::MeshText> mesh_of(const sw::ShardingFile& file);
/// The mesh that the shardings of a module's text ask for; nothing where it counts one device or has none.
std::optional<sw::MeshText> mesh_of_annotations(const sw::Module& module);

/// Of a program without annotations.
constexpr const char* nothing_is_cut = "no value has a sharding: every core does all of it (--sharding FILE)";
/// Whether a value of the module has a sharding.
bool is_annotated(const sw::Module& module);
/// What a user should know of an annotated text that is to run without a mesh: its shardings cut values, and it has no
/// collectives, as a program that still has to be partitioned. Empty where there is nothing to say.
std::string unused_annotations(const sw::Module& module);

}  // namespace podsim::app
