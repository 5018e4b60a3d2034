// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/spmd/mesh/mesh.h"
#include "noc/topology.h"

/// Maps partitions to cores of the slice. Cores are numbered by rank as in collective_groups.h: core c of chip n has
/// rank n * cores_per_chip + c, and chips are numbered with the first dimension fastest.
namespace podsim::sw::placement {

/// Equidistant positions along a dimension of the slice or among the cores of a chip.
struct SliceFactor {
  int dimension = 0;        ///< of the slice; slice.dimensions() for the cores of a chip
  std::int64_t size = 1;    ///< number of positions
  std::int64_t stride = 1;  ///< distance of neighbouring positions, in chips (or cores of a chip)
  bool operator==(const SliceFactor&) const = default;
};
/// The factors of the slice that an axis covers, from its slowest positions to its fastest.
using AxisPlacement = std::vector<SliceFactor>;

class MeshPlacement {
 public:
  /// Partition p runs on core p.
  static MeshPlacement natural(const hlo::spmd::mesh::Mesh& mesh, const noc::Topology& slice, int cores_per_chip);
  /// Every axis on the factors given for it. Throws std::logic_error if factors overlap or leave the slice, or if their
  /// number of positions is not that of the axis.
  MeshPlacement(const hlo::spmd::mesh::Mesh& mesh, std::vector<AxisPlacement> axes, const noc::Topology& slice,
                int cores_per_chip);

  const hlo::spmd::mesh::Mesh& mesh() const { return mesh_; }
  const noc::Topology& slice() const { return slice_; }
  int cores_per_chip() const { return cores_per_chip_; }
  /// By axis; empty for a natural placement in which an axis does not cover whole factors of the slice's dimensions.
  const std::vector<AxisPlacement>& axes() const { return axes_; }
  std::int32_t core(std::int64_t partition) const { return cores_[std::size_t(partition)]; }
  /// The core of every partition.
  const std::vector<std::int32_t>& cores() const { return cores_; }
  /// The partition that runs on each core, -1 for a core without one.
  std::vector<std::int64_t> partitions() const;

 private:
  MeshPlacement(const hlo::spmd::mesh::Mesh& mesh, const noc::Topology& slice, int cores_per_chip)
      : mesh_(mesh), slice_(slice), cores_per_chip_(cores_per_chip) {}

  hlo::spmd::mesh::Mesh mesh_;
  noc::Topology slice_;
  int cores_per_chip_;
  std::vector<AxisPlacement> axes_;
  std::vector<std::int32_t> cores_;
};

/// A mesh as a user writes it, optionally with a placement of each axis: "x=32@X,y=64@Y+core". A placement lists
/// factors from the axis's slowest positions to its fastest: X, Y, Z, ... (a dimension of the slice, or what blocks
/// leave of it), core (the cores of a chip), or X[4] (blocks of four neighbours, taken from what earlier blocks leave).
struct MeshText {
  struct Part {
    std::string name;        ///< "X", "core", in lower case
    std::int64_t block = 0;  ///< size of the block; 0: all that blocks leave
    std::size_t offset = 0, length = 0;
  };
  std::string text;
  hlo::spmd::mesh::Mesh mesh;
  std::vector<std::vector<Part>> places;  ///< by axis; empty if the user gives none
  bool has_placements() const;
};

/// Throws base::InputError with the location in `text`.
MeshText parse_mesh(std::string_view text);

/// The placements on a slice of the axes that have one in the text; nullopt for the others. Throws base::InputError
/// with the location in the mesh's text if a dimension does not exist or is taken twice, or if sizes do not fit.
std::vector<std::optional<AxisPlacement>> resolve_placements(const MeshText& text, const noc::Topology& slice,
                                                             int cores_per_chip);

/// "X", "Y[4]", "Y/4" (every fourth chip), "core", joined by '+'; "1 core" for an axis with one position.
std::string to_string(const AxisPlacement& place, const noc::Topology& slice, int cores_per_chip);
/// "x=32@X,y=64@Y+core", or the mesh and "in the order of the cores" if placement.axes() is empty.
std::string to_string(const MeshPlacement& placement);

}  // namespace podsim::sw::placement
