// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/graph.h"
#include "hlo/spmd/mesh/sharding_file.h"
#include "sw/placement/mesh_placement.h"

/// The mesh of a program that is partitioned, where the user gives none.
namespace podsim::sw::driver {

/// True if a value of the module has a sharding.
bool is_annotated(const hlo::Module& module);
/// The mesh of a sharding file; std::nullopt if it has none.
std::optional<placement::MeshText> mesh_of(const hlo::spmd::mesh::ShardingFile& file);
/// The mesh that fits the shardings of a module; std::nullopt if the module has one partition or no shardings.
std::optional<placement::MeshText> mesh_of_annotations(const hlo::Module& module);
/// The first of these meshes that fits the shardings of a module; std::nullopt if none does.
std::optional<placement::MeshText> mesh_of_declared(const hlo::Module& module,
                                                    const std::vector<std::vector<hlo::spmd::mesh::MeshAxis>>& meshes);
/// A mesh of one axis over all cores, with the name that the sharding file uses: "data" if it uses none. Throws
/// InputError if it uses several.
placement::MeshText mesh_of_one_axis(std::int64_t cores, const std::optional<hlo::spmd::mesh::ShardingFile>& sharding);

}  // namespace podsim::sw::driver
