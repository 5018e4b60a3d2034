// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/timed_queue.h"
#include "noc/faults.h"
#include "noc/ici/ici_parameters.h"
#include "noc/ici/message_payload.h"
#include "noc/route_plan.h"
#include "noc/router/router_network.h"

/// The links of a slice at packet level, with the same interface as MessageFabric and with routers, flits and credits
/// inside (RouterNetwork). Its one process sleeps until the next cycle in which something happens.
///
/// A message is divided into packets of up to PacketParameters::payload bytes, which are made as the node's queue takes
/// them, so that memory is proportional to the packets in flight. A message is taken (END_REQ) when its last flit has
/// left that queue, and delivered when all its packets have arrived, in any order. A node has as many channels to and
/// from its router as it has links, since the on-chip switch is wider than they are. Each channel sends the messages
/// whose first hop is over one link, in order.
///
/// A hop takes ici.hop_latency, plus ici.cross_pod_latency between pods. It consists of the router's pipeline and the
/// link, which takes the rest. At zero load a message takes the time of the message level plus some nanoseconds for
/// pipeline and header on entry and exit.
///
/// Routes avoid dead links (RoutePlanner). A route of several legs is relayed by software, which takes
/// IciParameters::end_latency(). A bit error costs the link a round trip.
namespace podsim::noc::ici {

struct PacketNetworkOptions {
  Faults faults = {};
  std::uint64_t seed = 1;     ///< for bit errors and stalls
  bool refuse_cycles = true;  ///< false: runs a routing that can deadlock; the run ends if it does
};

class PacketNetwork : public sc_core::sc_module {
 public:
  using TargetSocket = tlm_utils::passthrough_target_socket_tagged<PacketNetwork, 32, MessageProtocol>;
  using InitiatorSocket = tlm_utils::simple_initiator_socket_tagged<PacketNetwork, 32, MessageProtocol>;

  /// SimulationError if the routing can deadlock, unless refuse_cycles is false. The text names the cycle of channels.
  PacketNetwork(sc_core::sc_module_name name, const Topology& topology, const IciParameters& ici,
                const PacketNetworkOptions& options = {});

  TargetSocket& in(NodeId node) { return in_[node]; }
  InitiatorSocket& out(NodeId node) { return out_[node]; }
  const Topology& topology() const { return topology_; }
  /// The routers and links.
  const router::RouterNetwork& routers() const { return network_; }
  base::Clock clock() const { return clock_; }
  void observe(router::RouterObserver* observer) { network_.observe(observer); }

  std::int64_t messages_delivered() const { return delivered_; }
  /// Number of relays by software, summed over messages.
  std::int64_t messages_relayed() const { return relayed_; }
  /// SimulationError if the simulation ended because buffers wait for one another or because no path of living links
  /// joins two chips.
  void check() const;

 private:
  struct Sending {
    tlm::tlm_generic_payload* payload = nullptr;
    RoutePlanner::Legs legs = {};
    std::size_t leg = 0;
    NodeId at = 0;               ///< node at which the leg begins
    std::int64_t unsent = 0;     ///< bytes of the leg that are not in a packet yet
    std::int64_t in_flight = 0;  ///< packets that have not arrived
    std::int64_t queued = 0;     ///< packets that have not left the node
    bool packed = false;         ///< all bytes are in packets
  };
  struct Entry {
    std::deque<std::uint32_t> messages;  ///< messages not yet packed, in order
    int queued = 0;                      ///< packets in the router network's queue
  };
  tlm::tlm_sync_enum inject(int node, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                            sc_core::sc_time& delay);
  tlm::tlm_sync_enum ignore_backward(int node, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void work();
  void run_cycle();
  void start_due(base::Time now);
  void begin_leg(std::uint32_t message);
  void fill(std::size_t entry);
  void packet_departed(router::PacketId id);
  void packet_delivered(router::PacketId id);
  void leg_arrived(std::uint32_t message);
  void tell_taken(const Sending& sending);
  void deliver(std::uint32_t message);
  void stop(std::string verdict);
  void stop_in_deadlock();
  void sleep();
  std::size_t entry_of(NodeId node, const Coordinates& hops) const;

  Topology topology_;
  PacketParameters packet_;
  base::Clock clock_;
  base::Time relay_time_;
  router::RouterNetwork network_;
  RoutePlanner planner_;
  std::deque<TargetSocket> in_;
  std::deque<InitiatorSocket> out_;
  std::vector<Entry> entries_;  ///< indexed by node and channel into its router
  std::vector<Sending> sending_;
  std::vector<std::uint32_t> free_;
  base::TimedQueue<std::uint32_t> waiting_;  ///< messages that begin a leg
  sc_core::sc_event wake_;
  std::int64_t delivered_ = 0, relayed_ = 0;
  std::string verdict_;
};

}  // namespace podsim::noc::ici
