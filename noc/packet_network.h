// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "noc/faults.h"
#include "noc/ici_parameters.h"
#include "noc/message.h"
#include "noc/route_plan.h"
#include "noc/router/router_network.h"
#include "noc/timed_queue.h"

/// The links of a slice at packet level: bound and spoken to like MessageFabric, with routers, flits and credits inside
/// (RouterNetwork). One process, which sleeps until the next cycle in which something happens.
///
/// A message becomes packets of up to PacketParameters::payload bytes, made as the node's queue takes them, so that
/// memory follows the packets under way. It is taken (END_REQ) when its last flit has left that queue, and delivered
/// when its last packet has arrived, in whatever order they do. A node has as many channels to and from its router as
/// it has links: the switch on the chip is wider than they are. One sends the messages of one first link in their
/// order.
///
/// A hop takes ici.hop_latency, plus ici.cross_pod_latency between pods: the router's pipeline, and the rest on the
/// link. At zero load a message takes what it takes at message level, and the entry and exit of the network: pipeline
/// and header, some nanoseconds.
///
/// Routes avoid dead links by RoutePlanner; a message whose way has several legs is sent on by software, which takes
/// ici.remote_dma_latency less the hop. A bit error costs the link a round trip.
namespace podsim::noc {

struct PacketNetworkOptions {
  Faults faults = {};
  std::uint64_t seed = 1;     ///< of bit errors and stalls
  bool refuse_cycles = true;  ///< false: run a routing that can deadlock, and end where it does
};

class PacketNetwork : public sc_core::sc_module {
 public:
  using TargetSocket = tlm_utils::passthrough_target_socket_tagged<PacketNetwork, 32, MessageProtocol>;
  using InitiatorSocket = tlm_utils::simple_initiator_socket_tagged<PacketNetwork, 32, MessageProtocol>;

  /// SimulationError when the routing can deadlock, unless that is allowed; the message names the ring of channels.
  PacketNetwork(sc_core::sc_module_name name, const Topology& topology, const IciParameters& ici,
                const PacketNetworkOptions& options = {});

  TargetSocket& in(NodeId node) { return in_[node]; }
  InitiatorSocket& out(NodeId node) { return out_[node]; }
  const Topology& topology() const { return topology_; }
  /// Routers, links and their flits.
  const RouterNetwork& routers() const { return network_; }
  base::Clock clock() const { return clock_; }
  void observe(RouterObserver* observer) { network_.observe(observer); }

  std::int64_t messages_delivered() const { return delivered_; }
  /// Messages that software sent on, each counted once per relay.
  std::int64_t messages_relayed() const { return relayed_; }
  /// SimulationError with the verdict when the simulation ended because buffers wait for one another or because no
  /// living links join two chips.
  void check() const;

 private:
  struct Sending {
    tlm::tlm_generic_payload* payload = nullptr;
    RoutePlanner::Legs legs = {};
    std::size_t leg = 0;
    NodeId at = 0;               ///< where the leg begins
    std::int64_t unsent = 0;     ///< bytes of the leg that are in no packet yet
    std::int64_t in_flight = 0;  ///< packets that have not arrived
    std::int64_t queued = 0;     ///< of them those that have not left the node
    bool packed = false;         ///< all bytes are in packets
  };
  struct Entry {
    std::deque<std::uint32_t> messages;  ///< that are not packed, in order
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
  void packet_departed(PacketId id);
  void packet_delivered(PacketId id);
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
  RouterNetwork network_;
  RoutePlanner planner_;
  std::deque<TargetSocket> in_;
  std::deque<InitiatorSocket> out_;
  std::vector<Entry> entries_;  ///< per node and channel into its router
  std::vector<Sending> sending_;
  std::vector<std::uint32_t> free_;
  TimedQueue<std::uint32_t> waiting_;  ///< messages that begin a leg
  sc_core::sc_event wake_;
  std::int64_t delivered_ = 0, relayed_ = 0;
  std::string verdict_;
};

}  // namespace podsim::noc
