// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "noc/topology.h"

namespace podsim::noc {

/// A box of chips of a slice.
struct SlicePart {
  Coordinates first{}, sizes{};
  int dimensions = 0;
};

/// A box with the most chips that contains none of `dead`, of sizes that are powers of two, as those of slices are; of
/// several one that is narrowest along the first dimensions, where it lies first. Boxes do not wrap around. Empty (a
/// size of 0) if all chips are dead.
SlicePart whole_part(const Topology& slice, std::span<const NodeId> dead);
/// "8x5 chips from (0,3) on"; "no chip" for an empty part.
std::string to_string(const SlicePart& part);

}  // namespace podsim::noc
