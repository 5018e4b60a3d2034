// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/link_bytes.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace podsim::sw::runtime {

LinkBytes::LinkBytes(const noc::ici::Links& links, const noc::FoldedTopology& topology)
    : links_(links),
      topology_(topology),
      skipped_(std::size_t(topology.representatives().link_ids())),
      before_(carried()) {}

LinkBytes::Counts LinkBytes::carried() const {
  Counts bytes = skipped_;
  for (std::size_t link = 0; link < bytes.size(); ++link) bytes[link] += links_.link(noc::LinkId(link)).bytes();
  return bytes;
}

void LinkBytes::add_skipped(const Counts& of_a_trip, std::int64_t times) {
  for (std::size_t link = 0; link < of_a_trip.size(); ++link) skipped_[link] += of_a_trip[link] * times;
}

void LinkBytes::step_ended() {
  Counts now = carried();
  step_ = difference(now, before_);
  before_ = std::move(now);
}

LinkBytes::Counts LinkBytes::of_last_step() const {
  const noc::Topology &slice = topology_.full(), &simulated = topology_.representatives();
  Counts bytes(std::size_t(slice.link_ids()));
  if (step_.empty()) return bytes;
  for (noc::LinkId id = 0; id < slice.link_ids(); ++id) {
    const auto link = slice.link(id);
    if (!link) continue;
    bytes[std::size_t(id)] = step_[std::size_t(
        simulated.link_id(topology_.representative_of(link->from), link->dimension, link->direction))];
  }
  return bytes;
}

LinkBytes::Counts difference(const LinkBytes::Counts& after, const LinkBytes::Counts& before) {
  LinkBytes::Counts bytes(after.size());
  std::ranges::transform(after, before, bytes.begin(), std::minus{});
  return bytes;
}

}  // namespace podsim::sw::runtime
