// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace podsim::sw {

/// Which partition holds which part of a value, as HLO writes it: {replicated}, {maximal device=0}, {manual},
/// {devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}, or a tuple of these.
///
/// A tiled value is cut into tiles[i] equal parts along dimension i, the last of them shorter or empty where it does
/// not divide. The parts are handed out row-major to a list of devices; what further tile dimensions stand behind those
/// of the value are devices that hold the same part (replicated) or that the program treats by itself (manual).
struct Sharding {
  enum class Kind : std::uint8_t { replicated, maximal, manual, unknown, tiled, tuple };
  enum class Subgroup : std::uint8_t { replicated, manual };

  Kind kind = Kind::replicated;
  std::int64_t device = 0;          ///< maximal
  std::vector<std::int64_t> tiles;  ///< tiled: of every dimension, then of every subgroup
  std::vector<Subgroup> subgroups;  ///< what the trailing tile dimensions are; {replicated} is last_tile_dim_replicate
  /// The list of devices in iota form: 0, 1, ... as an array of these sizes, its dimensions permuted. Empty: `devices`.
  std::vector<std::int64_t> iota;
  std::vector<int> permutation;       ///< of the iota; empty: as it is
  std::vector<std::int64_t> devices;  ///< the list written out
  std::vector<Sharding> elements;     ///< tuple

  bool operator==(const Sharding&) const = default;

  /// Of the value's own dimensions.
  int rank() const { return int(tiles.size() - subgroups.size()); }
  /// The list of devices, written out: of a tiled sharding, one for each tile.
  std::vector<std::int64_t> device_list() const;
};

/// As HLO prints it: "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}".
std::string to_string(const Sharding& sharding);

}  // namespace podsim::sw
