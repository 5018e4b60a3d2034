// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "noc/host_boxes.h"
#include "noc/slice.h"
#include "noc/topology.h"

namespace podsim::workloads::goodput {

/// The parts of a slice that fail: its chips, the hosts of boxes of them, and the links that leave these boxes.
///
/// Links within the box of a host (noc/host_boxes.h) are traces of a board, which fail with their host. The positive
/// direction of a link stands for the cable.
class Site {
 public:
  Site(noc::Topology slice, noc::PodShape pod, std::int64_t host_chips);

  const noc::Topology& slice() const { return slice_; }
  const noc::PodShape& pod() const { return pod_; }
  const std::vector<std::int64_t>& sizes() const { return sizes_; }
  std::int64_t hosts() const { return hosts_.hosts(); }
  const std::vector<std::int32_t>& host_box() const { return hosts_.box(); }  ///< chips per dimension
  std::int64_t host_of(noc::NodeId chip) const { return hosts_.host_of(chip); }
  const std::vector<noc::NodeId>& chips_of(std::int64_t host) const { return chips_of_[std::size_t(host)]; }
  /// Links between hosts of a pod, by the ids of their positive directions, in ascending order.
  const std::vector<noc::LinkId>& cables() const { return cables_; }
  /// Likewise between pods.
  const std::vector<noc::LinkId>& optical_links() const { return optical_; }

 private:
  void assign_hosts();
  void sort_links();

  noc::Topology slice_;
  noc::PodShape pod_;
  std::vector<std::int64_t> sizes_;
  noc::HostBoxes hosts_;
  std::vector<std::vector<noc::NodeId>> chips_of_;
  std::vector<noc::LinkId> cables_, optical_;
};

}  // namespace podsim::workloads::goodput
