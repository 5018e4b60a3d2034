// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sw/stablehlo/attribute_value.h"
#include "sw/stablehlo/device_mesh.h"
#include "sw/stablehlo/operation.h"

namespace podsim::sw::stablehlo {

/// Shardings of Shardy in the form of HLO.
class ShardingTexts {
 public:
  /// Throws Fault at a mesh that is none.
  void add_mesh(const NamedMesh& mesh);

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
  /// `{manual}`, or the form for some of a mesh's axes.
  std::string manual(std::string_view sharding, std::size_t rank, const std::vector<std::string_view>& axes) const;

 private:
  DeviceMesh mesh_of(std::string_view text) const;

  std::vector<std::pair<std::string_view, DeviceMesh>> meshes_;
};

}  // namespace podsim::sw::stablehlo
