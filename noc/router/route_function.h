// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "noc/router/packet.h"
#include "noc/router/router_parameters.h"
#include "noc/topology.h"

/// Dimension-order routing: a packet goes all its hops along one dimension before it begins the next, dimension 0
/// first. Its hops, signed, are given by the sender, who so decides the way around a ring.
///
/// Ports: 2 dimension + (direction < 0) for links, the same number where a link leaves and where it arrives; then the
/// local ones. With several local ports a packet leaves the network by the one that belongs to the link by which it
/// came, so that nodes can receive from all links at once.
namespace podsim::noc {

class RouteFunction {
 public:
  RouteFunction(const Topology& topology, int vcs, VcClasses classes, int local_ports);

  int ports() const { return 2 * dimensions_ + local_ports_; }
  int first_local_port() const { return 2 * dimensions_; }

  struct Step {
    int port;           ///< by which the packet leaves
    std::uint64_t vcs;  ///< that it may take there
  };
  /// Takes the head of a packet, which came by `input_port`, one hop further.
  Step next(NodeId node, int input_port, Packet& packet) const;

  /// The local port by which a packet of these hops enters.
  int entry_port(const Coordinates& hops) const;

  /// Classes of virtual channels that differ on a link: 1 where all channels are free to take, else 2.
  int classes(int dimension) const { return wrapped_[dimension] ? 2 : 1; }
  /// The class in which a packet crosses a link of a wrapped dimension. `from` and `to` are the coordinates on entering
  /// the dimension and of its end, `at` that before the link.
  int vc_class(int dimension, int direction, std::int32_t from, std::int32_t at, std::int32_t to) const;

 private:
  std::uint8_t entry_class(int dimension, std::int32_t at, std::int32_t hops) const;

  int dimensions_;
  int local_ports_;
  VcClasses classes_;
  std::uint64_t all_, lower_, upper_;
  std::vector<std::int32_t> sizes_;
  std::vector<bool> wrapped_;  ///< and with two classes
  std::vector<std::int32_t> coordinates_;
};

}  // namespace podsim::noc
