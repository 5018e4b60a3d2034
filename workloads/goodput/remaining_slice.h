// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "noc/topology.h"
#include "workloads/goodput/site.h"

namespace podsim::workloads::goodput {

using Sizes = std::vector<std::int64_t>;

/// A box of chips of a slice.
struct Box {
  noc::Coordinates origin = {};
  Sizes sizes;
  std::vector<bool> wraps;  ///< of the box as a slice of its own
};

/// Whether a chip of the slice is in the box, which may lie across wrap links of the slice.
bool has_chip(const Site& site, const Box& box, noc::NodeId chip);
/// Whether a link joins two chips of the box as neighbours there: a wrap link only if the box takes the whole
/// dimension.
bool has_link(const Site& site, const Box& box, noc::LinkId link);

/// The slice itself.
Box whole(const Site& site);

/// Sizes of slices that the machine can form within the slice, without itself: those with most chips first, then those
/// with most wrapped dimensions, then those with the shortest longest side, then those longer along earlier dimensions.
std::vector<Sizes> smaller_slices(const Site& site);

/// The first box of these sizes without dead chips and links, x fastest. A box lies within a pod or takes whole pods;
/// within a pod it may begin anywhere, and lie across the slice's wrap links. Links are named by their positive
/// directions. std::nullopt: there is no such box.
std::optional<Box> free_box(const Site& site, const Sizes& sizes, std::span<const noc::NodeId> dead_chips,
                            std::span<const noc::LinkId> dead_links);

/// The first of smaller_slices() that has a free box.
std::optional<Box> largest_free_box(const Site& site, std::span<const noc::NodeId> dead_chips,
                                    std::span<const noc::LinkId> dead_links);

/// "8x4 at (0,4)", with "torus along x" where it wraps.
std::string to_string(const Box& box);

}  // namespace podsim::workloads::goodput
