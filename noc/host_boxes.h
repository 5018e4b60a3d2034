// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "noc/topology.h"

namespace podsim::noc {

/// The hosts of a slice. A host has a box of chips that tiles the slice: its size doubles along one dimension after
/// another, x first, as long as that divides the slice, up to the chips of a host. On TPU v3 it is 4x2.
class HostBoxes {
 public:
  /// `host_chips`: chips that a host has at most.
  HostBoxes(const Topology& slice, std::int64_t host_chips);

  std::int64_t hosts() const { return hosts_; }
  std::int64_t host_of(NodeId chip) const { return host_of_[std::size_t(chip)]; }
  const std::vector<std::int32_t>& box() const { return box_; }  ///< chips per dimension

 private:
  std::vector<std::int32_t> box_;
  std::vector<std::int64_t> host_of_;
  std::int64_t hosts_ = 0;
};

}  // namespace podsim::noc
