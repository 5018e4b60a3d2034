// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace podsim::hlo {

/// Assignment of the parts of a value to partitions, in HLO's forms: {replicated}, {maximal device=0}, {manual},
/// {devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}, or a tuple of these.
///
/// A tiled value is divided into tiles[i] equal parts along dimension i; the last parts are shorter or empty if the
/// size does not divide. The parts go to a list of devices in row-major order. Tile dimensions after those of the value
/// are subgroups: devices that hold the same part (replicated) or that the program handles itself (manual).
struct Sharding {
  enum class Kind : std::uint8_t { replicated, maximal, manual, unknown, tiled, tuple };
  enum class Subgroup : std::uint8_t { replicated, manual };

  Kind kind = Kind::replicated;
  std::int64_t device = 0;          ///< maximal
  std::vector<std::int64_t> tiles;  ///< of a tiled sharding: one per dimension, then one per subgroup
  std::vector<Subgroup> subgroups;  ///< kinds of the trailing tile dimensions; {replicated} is last_tile_dim_replicate
  /// The list of devices in iota form: 0, 1, ... as an array of these sizes, with permuted dimensions. Empty if
  /// `devices` has the list.
  std::vector<std::int64_t> iota;
  std::vector<int> permutation;       ///< of the iota; empty: no permutation
  std::vector<std::int64_t> devices;  ///< explicit list
  std::vector<Sharding> elements;     ///< of a tuple

  bool operator==(const Sharding&) const = default;

  /// Number of dimensions of the value, without subgroups.
  int rank() const { return int(tiles.size() - subgroups.size()); }
  /// The list of devices, in iota form or not; a tiled sharding has one for each tile.
  std::vector<std::int64_t> device_list() const;
};

/// The form that HLO prints: "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}".
std::string to_string(const Sharding& sharding);

}  // namespace podsim::hlo
