// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/site.h"

#include <utility>

namespace podsim::workloads::goodput {
Site::Site(noc::Topology slice, noc::PodShape pod, std::int64_t host_chips)
    : slice_(std::move(slice)), pod_(std::move(pod)), hosts_(slice_, host_chips) {
  for (int d = 0; d < slice_.dimensions(); ++d) sizes_.push_back(slice_.size(d));
  assign_hosts();
  sort_links();
}

void Site::assign_hosts() {
  chips_of_.resize(std::size_t(hosts()));
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
