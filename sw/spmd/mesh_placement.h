// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "noc/topology.h"
#include "sw/spmd/mesh.h"

/// Which core of the slice runs which partition. A rank is a core as in collective_groups.h: core c of chip n is number
/// n * cores_per_chip + c, chips numbered with the first dimension fastest.
namespace podsim::sw {

/// Positions of the slice at a constant distance: a part of a physical dimension, or of the cores of a chip.
struct SliceFactor {
  int dimension = 0;        ///< of the slice; one more than the last: the cores of a chip
  std::int64_t size = 1;    ///< positions
  std::int64_t stride = 1;  ///< chips (cores) from one position to the next
  bool operator==(const SliceFactor&) const = default;
};
/// Where an axis lies, from its slowest positions to its fastest.
using AxisPlace = std::vector<SliceFactor>;

class MeshPlacement {
 public:
  /// Partition p on core p.
  static MeshPlacement natural(const Mesh& mesh, const noc::Topology& slice, int cores_per_chip);
  /// Every axis in its place. std::logic_error when places overlap, or an axis has not as many positions as its place.
  MeshPlacement(const Mesh& mesh, std::vector<AxisPlace> axes, const noc::Topology& slice, int cores_per_chip);

  const Mesh& mesh() const { return mesh_; }
  const noc::Topology& slice() const { return slice_; }
  int cores_per_chip() const { return cores_per_chip_; }
  /// By axis; empty where partitions are numbered as cores and an axis lies on no borders of the slice.
  const std::vector<AxisPlace>& axes() const { return axes_; }
  std::int32_t core(std::int64_t partition) const { return cores_[std::size_t(partition)]; }
  /// The core of every partition.
  const std::vector<std::int32_t>& cores() const { return cores_; }
  /// The partition on every core.
  std::vector<std::int64_t> partitions() const;

 private:
  MeshPlacement(const Mesh& mesh, const noc::Topology& slice, int cores_per_chip)
      : mesh_(mesh), slice_(slice), cores_per_chip_(cores_per_chip) {}

  Mesh mesh_;
  noc::Topology slice_;
  int cores_per_chip_;
  std::vector<AxisPlace> axes_;
  std::vector<std::int32_t> cores_;
};

/// A mesh as a user writes it, with the places that he chose: "x=32@X,y=64@Y+core". A place is a list, from the axis's
/// slowest positions to its fastest, of X, Y, Z, ... (a dimension of the slice, or what is left of it), core (the cores
/// of a chip), and X[4]: blocks of four neighbours, of what the blocks before leave.
struct MeshText {
  struct Part {
    std::string name;        ///< "X", "core", in lower case
    std::int64_t block = 0;  ///< 0: what is left
    std::size_t offset = 0, length = 0;
  };
  std::string text;
  Mesh mesh;
  std::vector<std::vector<Part>> places;  ///< by axis; empty: left to choose
  bool has_places() const;
};

/// InputError with the place in `text`.
MeshText parse_mesh(std::string_view text);

/// Where the axes that have places lie in a slice; nothing for the others. InputError with the place in the mesh's text
/// for a dimension that there is not, one taken twice, and sizes that do not fit.
std::vector<std::optional<AxisPlace>> resolve_places(const MeshText& text, const noc::Topology& slice,
                                                     int cores_per_chip);

/// "X", "Y[4]", "Y/4" (every fourth chip), "core", joined by '+'; "1 core" for an axis of one position.
std::string to_string(const AxisPlace& place, const noc::Topology& slice, int cores_per_chip);
/// "x=32@X,y=64@Y+core", or the mesh and "in the order of the cores".
std::string to_string(const MeshPlacement& placement);

}  // namespace podsim::sw
