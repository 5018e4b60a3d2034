// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "noc/topology.h"
#include "sw/collectives/collective_groups.h"

/// A group of ranks laid out as a grid, which algorithms run on: innermost the cores of a chip, then rings or lines of
/// chips.
///
/// A group that has the same number of cores (all, or the same one) on each chip of a box, at a constant stride along
/// each dimension, becomes a grid with one logical dimension for each physical one that it spans. A stride above one
/// hops over the chips of other groups, such as model-parallel neighbours. The dimension is closed, a ring, where the
/// physical dimension wraps and the strides lead back to the first chip. Any other group becomes one ring in the order
/// of its chips (of its cores, where chips are not complete), whose neighbours may be several hops apart in any
/// direction.
namespace podsim::sw::collectives {

struct LogicalDimension {
  int physical = -1;        ///< the dimension of the slice that it runs along; -1: hops of any kind
  std::int32_t size = 1;    ///< positions
  std::int32_t stride = 0;  ///< chips from a position to the next, along `physical`
  bool closed = false;      ///< the last position is one stride before the first
  bool operator==(const LogicalDimension&) const = default;
};

/// "x", or "group" where hops are of any kind.
std::string to_string(const LogicalDimension& dimension);

struct GroupLayout {
  int cores = 1;                             ///< of every chip
  std::vector<LogicalDimension> dimensions;  ///< of more than one position, in the order of the physical ones
  /// Cores of the slice: the core in its chip fastest, then the first dimension.
  std::vector<std::int32_t> members;
  std::int32_t box = 1;  ///< chips of the smallest box of the slice around the group

  std::int32_t positions() const { return std::int32_t(members.size()) / cores; }  ///< positions of the grid
  /// The coordinates of the position with an index, and the index of a position.
  noc::Coordinates position(std::int32_t index) const;
  std::int32_t index(const noc::Coordinates& position) const;
};

GroupLayout lay_out(const CollectiveGroups::Ranks& ranks, const noc::Topology& slice, int cores_per_chip);

}  // namespace podsim::sw::collectives
