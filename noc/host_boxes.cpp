// SPDX-License-Identifier: Apache-2.0
#include "noc/host_boxes.h"

namespace podsim::noc {
namespace {

/// Chips of a host per dimension.
std::vector<std::int32_t> box_of_host(const Topology& slice, std::int64_t host_chips) {
  std::vector<std::int32_t> box(std::size_t(slice.dimensions()), 1);
  std::int64_t chips = 1;
  for (bool grown = true; grown;) {
    grown = false;
    for (int d = 0; d < slice.dimensions(); ++d) {
      const std::int32_t next = 2 * box[std::size_t(d)];
      if (2 * chips > host_chips || slice.size(d) % next != 0) continue;
      box[std::size_t(d)] = next;
      chips *= 2;
      grown = true;
    }
  }
  return box;
}

}  // namespace

HostBoxes::HostBoxes(const Topology& slice, std::int64_t host_chips)
    : box_(box_of_host(slice, host_chips)), host_of_(std::size_t(slice.nodes())) {
  for (NodeId chip = 0; chip < slice.nodes(); ++chip) {
    const Coordinates at = slice.coordinates(chip);
    std::int64_t host = 0, stride = 1;
    for (int d = 0; d < slice.dimensions(); ++d) {
      host += stride * (at[std::size_t(d)] / box_[std::size_t(d)]);
      stride *= slice.size(d) / box_[std::size_t(d)];
    }
    hosts_ = stride;
    host_of_[std::size_t(chip)] = host;
  }
}

}  // namespace podsim::noc
