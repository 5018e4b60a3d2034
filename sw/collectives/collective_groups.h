// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "noc/topology.h"

/// The groups of ranks that each perform a collective together. A rank is a core of the slice: core c of chip n is
/// number n * cores_per_chip + c, with chips numbered first dimension fastest. The order within a group is the order of
/// its blocks, and its first rank is the root of a broadcast.
///
///   {{0,1,2,3},{4,5,6,7}}     HLO's replica_groups, as a list
///   [4,2]<=[8]                HLO's iota form: 0 to 7 in four groups of two
///   [4,2]<=[2,4]T(1,0)        the same, transposed first
///   x, y, xy                  mesh axes of the slice: one group per line of chips along these dimensions, all cores of
///                             every chip in it
///   chips:...                 any of the above with chips for ranks, all cores of every chip in it
namespace podsim::sw::collectives {

class CollectiveGroups {
 public:
  using Ranks = std::vector<std::int32_t>;

  /// One group of all cores.
  static CollectiveGroups all(const noc::Topology& slice, int cores_per_chip);
  /// Throws InputError, without a location, for any other text, and for a rank that is named twice or does not exist.
  static CollectiveGroups parse(std::string_view text, const noc::Topology& slice, int cores_per_chip);
  /// Pairs of source and target for a collective-permute, HLO's source_target_pairs: {{0,1},{1,2}}. Throws InputError
  /// when a rank is a source, or a target, twice.
  static CollectiveGroups parse_pairs(std::string_view text, const noc::Topology& slice, int cores_per_chip);
  /// Groups of any ranks, which must exist and differ.
  explicit CollectiveGroups(std::vector<Ranks> groups) : groups_(std::move(groups)) {}

  const std::vector<Ranks>& groups() const { return groups_; }
  std::int64_t largest() const;
  /// Whether all groups have the same number of ranks.
  bool equal_sizes() const;

 private:
  std::vector<Ranks> groups_;
};

/// "{{0,1},{2,3}}", truncated when there are many.
std::string to_string(const CollectiveGroups& groups);

}  // namespace podsim::sw::collectives
