// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Parameters common to all routers of a network.
namespace podsim::noc::router {

/// A cycle of the routers' clock.
using Cycle = std::int64_t;

/// Condition for the head of a packet to move on: one flit fits into the next buffer, or the whole packet does.
enum class Switching : std::uint8_t { wormhole, virtual_cut_through };

/// Movement of the pointers of separable allocators. With iSLIP, an arbiter's pointer moves past a requester only if
/// the grant was accepted, in the first iteration (N. McKeown, IEEE/ACM Trans. Networking 7(2), 1999). With plain round
/// robin it moves past every requester that was granted, accepted or not.
enum class Allocation : std::uint8_t { islip, round_robin };

/// Which of the flits that want an input or an output of the switch goes first.
enum class Arbitration : std::uint8_t {
  fair,  ///< every flit by its turn, so that packets share a link
  /// A packet that has begun to cross, as long as it has flits and credits: winner-take-all (W. Dally, B. Towles,
  /// Principles and Practices of Interconnection Networks, 2004, 13.2). Then packets that came by a link, last those
  /// that enter the network here: the Rotary Rule of the Alpha 21364's torus, which keeps full rings moving (S.
  /// Mukherjee et al., A Comparative Study of Arbitration Algorithms for the Alpha 21364 Pipelined Router, ASPLOS
  /// 2002). A packet that enters waits for its virtual channel while two others hold one of the link, so that packets
  /// in the network always find one.
  rotary,
};

/// Virtual channels that a packet may take on a wrapped dimension, so that no ring of buffers waits for itself. The
/// lower class has the lower half of the channels (the larger half if their number is odd), the upper class the rest.
/// On open dimensions and into a node, packets may take any channel.
enum class VcClasses : std::uint8_t {
  destination,  ///< lower if the coordinate on entering the dimension is not above the destination's, else upper;
                ///< kept until the next dimension. Splits the load better; for shortest routes only
  dateline,     ///< lower until the packet crosses the wrap link, upper from that link on
  none,         ///< all channels: deadlocks on a ring
};

struct RouterParameters {
  int vcs = 2;           ///< virtual channels per port, 1 to 64
  int buffer_flits = 8;  ///< per virtual channel
  Switching switching = Switching::wormhole;
  Allocation allocation = Allocation::islip;
  int iterations = 1;  ///< for both allocators
  Arbitration arbitration = Arbitration::fair;
  VcClasses vc_classes = VcClasses::destination;
  // The pipeline: a flit that arrives at cycle a and is not delayed leaves the switch after route + vc + switch +
  // traversal cycles; body flits need only the last two. A route of 0 cycles is known on arrival.
  int route_cycles = 1;
  int vc_cycles = 1;
  int switch_cycles = 1;
  int traversal_cycles = 1;

  int pipeline_cycles() const { return route_cycles + vc_cycles + switch_cycles + traversal_cycles; }
};

/// Returns why routers with these parameters cannot carry packets of up to `largest_packet` flits, as a sentence; empty
/// if they can.
std::string router_problem(const RouterParameters& router, std::int64_t largest_packet);

std::string_view to_string(Switching switching);
std::string_view to_string(Allocation allocation);
std::string_view to_string(Arbitration arbitration);
std::string_view to_string(VcClasses classes);

}  // namespace podsim::noc::router
