// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/site.h"

#include <utility>

namespace podsim::workloads::goodput {
namespace {

/// Chips of a host per dimension.
std::vector<std::int32_t> box_of_host(const noc::Topology& slice, std::int64_t host_chips) {
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

Site::Site(noc::Topology slice, noc::PodShape pod, std::int64_t host_chips)
    : slice_(std::move(slice)), pod_(std::move(pod)), box_(box_of_host(slice_, host_chips)) {
  for (int d = 0; d < slice_.dimensions(); ++d) sizes_.push_back(slice_.size(d));
  assign_hosts();
  sort_links();
}

void Site::assign_hosts() {
  host_of_.resize(std::size_t(slice_.nodes()));
  for (noc::NodeId chip = 0; chip < slice_.nodes(); ++chip) {
    const noc::Coordinates at = slice_.coordinates(chip);
    std::int64_t host = 0, stride = 1;
    for (int d = 0; d < slice_.dimensions(); ++d) {
      host += stride * (at[std::size_t(d)] / box_[std::size_t(d)]);
      stride *= slice_.size(d) / box_[std::size_t(d)];
    }
    hosts_ = stride;
    host_of_[std::size_t(chip)] = host;
  }
  chips_of_.resize(std::size_t(hosts_));
  for (noc::NodeId chip = 0; chip < slice_.nodes(); ++chip) chips_of_[std::size_t(host_of(chip))].push_back(chip);
}

void Site::sort_links() {
  for (noc::LinkId id = 0; id < slice_.link_ids(); ++id) {
    const auto link = slice_.link(id);
    if (!link || link->direction < 0 || host_of(link->from) == host_of(link->to)) continue;
    (slice_.crosses_pod(id) ? optical_ : cables_).push_back(id);
  }
}

}  // namespace podsim::workloads::goodput
