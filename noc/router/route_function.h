// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "noc/router/packet.h"
#include "noc/router/router_parameters.h"
#include "noc/topology.h"

/// Dimension-order routing: a packet makes all its hops along one dimension before it begins the next, dimension 0
/// first. The sender gives the signed hops and so chooses the direction around a ring.
///
/// Ports are numbered 2 dimension + (direction < 0) for links, with the same number where a link leaves and where it
/// arrives, followed by the local ports. With several local ports, a packet leaves the network by the one that belongs
/// to the link by which it came, so that nodes can receive from all links at once.
namespace podsim::noc::router {

class RouteFunction {
 public:
  RouteFunction(const Topology& topology, int vcs, VcClasses classes, int local_ports);

  int ports() const { return 2 * dimensions_ + local_ports_; }
  int first_local_port() const { return 2 * dimensions_; }

  struct Step {
    int port;           ///< port by which the packet leaves
    std::uint64_t vcs;  ///< mask of virtual channels it may take there
  };
  /// Moves the head of a packet that came by `input_port` one hop further.
  Step next(NodeId node, int input_port, Packet& packet) const;

  /// Local port by which a packet with these hops enters.
  int entry_port(const Coordinates& hops) const;

  /// Number of virtual-channel classes on links of a dimension: 1 if packets may take any channel, else 2.
  int classes(int dimension) const { return wrapped_[dimension] ? 2 : 1; }
  /// The class in which a packet crosses a link of a wrapped dimension. `from` is the coordinate at which it enters the
  /// dimension, `to` that at which it leaves it, and `at` that before the link.
  int vc_class(int dimension, int direction, std::int32_t from, std::int32_t at, std::int32_t to) const;

 private:
  std::uint8_t entry_class(int dimension, std::int32_t at, std::int32_t hops) const;

  int dimensions_;
  int local_ports_;
  VcClasses classes_;
  std::uint64_t all_, lower_, upper_;
  std::vector<std::int32_t> sizes_;
  std::vector<bool> wrapped_;  ///< wrapped and with two classes
  std::vector<std::int32_t> coordinates_;
};

}  // namespace podsim::noc::router
