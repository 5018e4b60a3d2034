// SPDX-License-Identifier: Apache-2.0
#include "noc/router/route_function.h"

namespace podsim::noc::router {

RouteFunction::RouteFunction(const Topology& topology, int vcs, VcClasses classes, int local_ports)
    : dimensions_(topology.dimensions()), local_ports_(local_ports), classes_(classes) {
  all_ = ~std::uint64_t(0) >> (64 - vcs);
  lower_ = ~std::uint64_t(0) >> (64 - (vcs + 1) / 2);
  upper_ = vcs > 1 ? all_ & ~lower_ : all_;
  for (int d = 0; d < dimensions_; ++d) {
    sizes_.push_back(topology.size(d));
    wrapped_.push_back(topology.wraps(d) && classes != VcClasses::none && vcs > 1);
  }
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const Coordinates at = topology.coordinates(node);
    coordinates_.insert(coordinates_.end(), at.begin(), at.begin() + dimensions_);
  }
}

int RouteFunction::vc_class(int dimension, int direction, std::int32_t from, std::int32_t at, std::int32_t to) const {
  if (!wrapped_[dimension]) return 0;
  if (classes_ == VcClasses::destination) return from > to;
  const std::int32_t edge = direction > 0 ? sizes_[dimension] - 1 : 0;
  return at == edge || (direction > 0 ? at < from : at > from);
}

RouteFunction::Step RouteFunction::next(NodeId node, int input_port, Packet& packet) const {
  int d = 0;
  while (d < dimensions_ && packet.hops[d] == 0) ++d;
  if (d == dimensions_) {
    const int local = local_ports_ == 1 ? 0 : input_port % (2 * dimensions_);
    return {2 * dimensions_ + local, all_};
  }
  const int direction = packet.hops[d] < 0 ? -1 : 1;
  const int port = 2 * d + (direction < 0);
  const std::int32_t hops = packet.hops[d];
  packet.hops[d] = std::int16_t(hops - direction);
  if (!wrapped_[d]) return {port, all_};
  const std::int32_t at = coordinates_[std::size_t(node) * dimensions_ + d];
  if (input_port / 2 != d) packet.vc_class = entry_class(d, at, hops);
  const bool at_dateline = at == (direction > 0 ? sizes_[d] - 1 : 0);
  if (classes_ == VcClasses::dateline && at_dateline) packet.vc_class = 1;
  return {port, packet.vc_class == 0 ? lower_ : upper_};
}

std::uint8_t RouteFunction::entry_class(int dimension, std::int32_t at, std::int32_t hops) const {
  if (classes_ == VcClasses::dateline) return 0;
  const std::int32_t size = sizes_[dimension];
  const std::int32_t to = (at + hops + size) % size;
  return at > to;
}

int RouteFunction::entry_port(const Coordinates& hops) const {
  if (local_ports_ == 1) return 0;
  for (int d = 0; d < dimensions_; ++d) {
    if (hops[d] != 0) return 2 * d + (hops[d] < 0);
  }
  return 0;
}

}  // namespace podsim::noc::router
