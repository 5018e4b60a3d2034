// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "noc/topology.h"
#include "sw/collectives/collective_groups.h"

/// The parts of a slice in which a collective's groups work without the others.
///
/// A part is the smallest box of chips with a group, and with all groups that have a member in it. Messages stay in it:
/// dimension-order routes do not leave a box, and a wrapped dimension of which a group spans half or more is in the
/// part as a whole, with its wrap links. So a part by itself takes the time that it takes in the slice.
namespace podsim::sw::collectives::engine {

struct SlicePart {
  noc::Topology slice;
  std::vector<CollectiveGroups::Ranks> groups;  ///< ranks are cores of the part
  std::string content;                          ///< equal for parts that are translates of each other
  noc::Coordinates first{};                     ///< of its chips in the slice
};

/// All parts with a group. `groups` are pairs for a collective-permute.
std::vector<SlicePart> all_parts(const noc::Topology& slice, int cores_per_chip, const CollectiveGroups& groups);

/// The parts that differ, each once.
std::vector<SlicePart> different_parts(const noc::Topology& slice, int cores_per_chip, const CollectiveGroups& groups);

}  // namespace podsim::sw::collectives::engine
