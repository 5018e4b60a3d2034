// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// What every router of a network has in common.
namespace podsim::noc {

/// A cycle of the routers' clock.
using Cycle = std::int64_t;

/// When the head of a packet may go on: as soon as one flit fits behind the link, or when the whole packet does.
enum class Switching : std::uint8_t { wormhole, virtual_cut_through };

/// How the pointers of separable allocators move. With iSLIP an arbiter's pointer moves past a requester only when the
/// grant was accepted, in the first iteration (N. McKeown, IEEE/ACM Trans. Networking 7(2), 1999); with plain round
/// robin it moves past whom it granted, accepted or not.
enum class Allocation : std::uint8_t { islip, round_robin };

/// Which virtual channels a packet may take on a wrapped dimension, so that no ring of buffers waits for itself. The
/// lower class has the lower half of the channels (the larger one when their number is odd), the upper class the rest.
/// On open dimensions and into a node every channel is free to take.
enum class VcClasses : std::uint8_t {
  destination,  ///< lower when the coordinate on entering the dimension is not above the destination's, else upper;
                ///< kept until the next dimension. Splits the load better; for shortest ways only
  dateline,     ///< lower until the packet crosses the wrap link, upper from that link on
  none,         ///< all channels: deadlocks on a ring
};

struct RouterParameters {
  int vcs = 2;           ///< virtual channels per port, 1 to 64
  int buffer_flits = 8;  ///< per virtual channel
  Switching switching = Switching::wormhole;
  Allocation allocation = Allocation::islip;
  int iterations = 1;  ///< of both allocators
  VcClasses vc_classes = VcClasses::destination;
  // The pipeline: a flit that arrives at cycle a with nothing in its way leaves the switch after route + vc + switch +
  // traversal cycles; body flits need the last two only. A route of 0 cycles is known on arrival.
  int route_cycles = 1;
  int vc_cycles = 1;
  int switch_cycles = 1;
  int traversal_cycles = 1;

  int pipeline_cycles() const { return route_cycles + vc_cycles + switch_cycles + traversal_cycles; }
};

/// Why routers cannot have these parameters with packets of up to so many flits, as a sentence; empty when they can.
std::string router_problem(const RouterParameters& router, std::int64_t largest_packet);

std::string_view to_string(Switching switching);
std::string_view to_string(Allocation allocation);
std::string_view to_string(VcClasses classes);

}  // namespace podsim::noc
