// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hlo/stablehlo/attribute_value.h"
#include "hlo/stablehlo/device_mesh.h"
#include "hlo/stablehlo/operation.h"

namespace podsim::hlo::stablehlo {

/// Shardings of Shardy in the form of HLO.
class ShardingTexts {
 public:
  /// Throws Fault at a mesh that is none.
  void add_mesh(const NamedMesh& mesh);

  /// The meshes by name, in the order of the text.
  const std::vector<std::pair<std::string_view, DeviceMesh>>& meshes() const { return meshes_; }

  /// A sharding of HLO.
  struct Result {
    std::string hlo;            ///< "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"; empty: no constraint
    bool open = false;          ///< names axes, and lets dimensions take more of them
    bool unreduced = false;     ///< has axes with partial sums
    bool has_priority = false;  ///< orders the propagation
  };

  /// Converts `<@mesh, [{"x"}, {"y", ?}], replicated={"z"}>`, with or without "#sdy.sharding" before it. `manual` are
  /// the axes that an enclosing manual computation has taken.
  Result convert(std::string_view value, const std::vector<std::string_view>& manual = {}) const;
  /// The parts of "[<@mesh, ...>, <...>]" or "#sdy.sharding_per_value<[...]>".
  static std::vector<std::string_view> list(std::string_view value);
  /// The number of parts along each dimension that a sharding makes along these axes. Throws Fault if the sharding is
  /// for another rank, or has no such axes.
  Integers parts_along(std::string_view sharding, std::size_t rank, const std::vector<std::string_view>& axes) const;
  /// The groups of devices of "#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name =
  /// "x">]>" as HLO has them; the mesh may be written out.
  std::string device_groups(std::string_view value) const;
  /// `{manual}`, or the form for some of a mesh's axes.
  std::string manual(std::string_view sharding, std::size_t rank, const std::vector<std::string_view>& axes) const;
  /// The dimensions that may take more axes.
  static Integers open_dimensions(std::string_view sharding);

 private:
  DeviceMesh mesh_of(std::string_view text) const;

  std::vector<std::pair<std::string_view, DeviceMesh>> meshes_;
};

}  // namespace podsim::hlo::stablehlo
