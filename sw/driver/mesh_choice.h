// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sw/ir/graph.h"
#include "sw/spmd/mesh/mesh_placement.h"
#include "sw/spmd/mesh/sharding_file.h"

/// The mesh of a program that is partitioned, where the user gives none.
namespace podsim::sw::driver {

/// True if a value of the module has a sharding.
bool is_annotated(const ir::Module& module);
/// The mesh of a sharding file; std::nullopt if it has none.
std::optional<spmd::mesh::MeshText> mesh_of(const spmd::mesh::ShardingFile& file);
/// The mesh that fits the shardings of a module; std::nullopt if the module has one partition or no shardings.
std::optional<spmd::mesh::MeshText> mesh_of_annotations(const ir::Module& module);
/// A mesh of one axis over all cores, with the name that the sharding file uses: "data" if it uses none. Throws
/// InputError if it uses several.
spmd::mesh::MeshText mesh_of_one_axis(std::int64_t cores, const std::optional<spmd::mesh::ShardingFile>& sharding);

}  // namespace podsim::sw::driver
