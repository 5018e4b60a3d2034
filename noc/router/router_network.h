// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "noc/router/packet.h"
#include "noc/router/packet_rings.h"
#include "noc/router/route_function.h"
#include "noc/router/router_parameters.h"
#include "noc/router/switch_allocator.h"
#include "noc/router/timing_wheel.h"
#include "noc/router/vc_allocator.h"
#include "noc/topology.h"

/// Packets, flits and credits on a mesh or torus of input-queued routers, cycle by cycle, without SystemC.
///
/// Timing of one flit, in cycles: it arrives at a, its route is known route_cycles later, it has a virtual channel
/// vc_cycles later, wins the switch at s, leaves the router at s + switch_cycles + traversal_cycles and is at the next
/// one `latency` cycles later. A node's channels to and from its router work the same way, with one cycle to enter
/// them. So over h links of latency L, an empty network takes a packet of F flits
///
///   2 (local_latency + 1) - 1 + (h + 1) pipeline_cycles + h L + F - 1     cycles, 7 + (4 + L) h by default,
///
/// counted from the cycle in which it is given to send() to that in which the node has its last flit.
///
/// A flit takes a credit of the buffer ahead when it wins the switch, and returns that of its own buffer, which is back
/// one cycle and the channel's latency later. A virtual channel of an output belongs to one packet from the grant until
/// its tail wins the switch; the next packet of an input virtual channel begins its route the cycle after.
///
/// Only routers and nodes with something to do are visited; when there is none, next_event() says how far the network
/// may be put forward. State lies in flat arrays, and nothing is allocated per flit.
namespace podsim::noc {

struct ChannelParameters {
  int latency = 1;             ///< cycles, also of the credits' way back
  double cycles_per_flit = 1;  ///< at least 1
  /// Chance of a flit to arrive damaged. It and what followed is sent again (go back N): the link repeats itself for a
  /// round trip.
  double flit_error_rate = 0;
  double stall_rate = 0;  ///< chance to stand still for a cycle, drawn again in each, after a flit
  bool dead = false;      ///< no packet may be routed over it
};

struct RouterNetworkParameters {
  RouterParameters router;
  int local_ports = 1;                   ///< of a node: 1, or one per link
  int local_latency = 1;                 ///< of the channels between node and router
  std::vector<ChannelParameters> links;  ///< by LinkId; those off an open edge do not matter
  std::uint64_t seed = 1;                ///< of transmission errors and stalls
};

/// What may look on; calls come in the order of events, with the cycle in which a flit or packet has won.
class RouterObserver {
 public:
  virtual ~RouterObserver() = default;
  virtual void buffered(Cycle now, NodeId node, int port, int vc, PacketId packet, int flits) = 0;
  virtual void left(Cycle now, NodeId node, int port, int vc, int output_port, int output_vc, PacketId packet,
                    int flits_left) = 0;
};

class RouterNetwork {
 public:
  RouterNetwork(const Topology& topology, RouterNetworkParameters parameters);

  /// A packet of `hops`, which must lead over living links, into the endless queue of its source, now.
  PacketId send(NodeId source, const Coordinates& hops, int flits, std::uint64_t tag = 0) {
    return send(source, hops, flits, tag, now_);
  }
  /// The same, for one that was created before.
  PacketId send(NodeId source, const Coordinates& hops, int flits, std::uint64_t tag, Cycle created);
  /// Performs the cycle now() and goes on to the next.
  void step();
  /// Packets whose tail reached their destination, and whose tail left their source's queue, in the last step; they
  /// are there until the next.
  std::span<const PacketId> delivered() const { return delivered_; }
  std::span<const PacketId> departed() const { return departed_; }
  const Packet& packet(PacketId id) const { return packets_[id]; }

  Cycle now() const { return now_; }
  /// The first cycle from now() on in which something happens; -1 when nothing will.
  Cycle next_event() const;
  /// Goes on to a cycle not after next_event(), if there is one.
  void skip_to(Cycle cycle) {
    assert(next_event() < 0 || cycle <= next_event());
    now_ = cycle;
  }

  /// Packets that were sent and have not arrived.
  std::size_t in_flight() const { return packets_.in_use() - delivered_.size(); }
  /// Whether nothing has moved, with packets under way, for longer than anything takes: it will not move again.
  bool stuck() const { return in_flight() > 0 && now_ - last_progress_ > patience_; }
  /// The ring of full buffers that wait for one another, as text; empty when there is none.
  std::string waiting_cycle() const;

  const Topology& topology() const { return topology_; }
  const RouterNetworkParameters& parameters() const { return parameters_; }
  /// Flits that went over a link, repetitions not counted.
  std::int64_t link_flits(LinkId link) const { return output_ports_[port_index(link)].flits; }
  /// Times that a link repeated itself.
  std::int64_t link_retries(LinkId link) const { return output_ports_[port_index(link)].retries; }
  /// Flits over links, each counted once per link.
  std::int64_t flit_hops() const { return flit_hops_; }
  std::int64_t flits_sent() const { return flits_sent_; }
  std::int64_t flits_received() const { return flits_received_; }

  /// What is wrong with the books: for every virtual channel, credits, flits under way and in the buffer ahead and
  /// credits under way must add up to its depth, and the flits in the network to those sent and not received. Empty
  /// when all is well.
  std::string audit() const;
  /// Largest number of packets that were under way at once, and of places in all buffers: what memory follows.
  std::size_t packet_capacity() const { return packets_.capacity(); }

  void observe(RouterObserver* observer) { observer_ = observer; }

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t(0);
  static constexpr std::uint32_t head_bit = std::uint32_t(1) << 31;
  enum class State : std::uint8_t { idle, routing, waiting, active };
  struct InputVc {
    Cycle ready_at = 0;     ///< of the stage that it is in
    std::uint64_t vcs = 0;  ///< of the output, that the packet may take
    NodeId node = 0;
    std::uint16_t index = 0;  ///< in the router: port * vcs + vc
    std::uint8_t port = 0, vc = 0;
    State state = State::idle;
    std::uint8_t output_port = 0, output_vc = 0;
    bool head = false;  ///< active: the head has not left
  };
  struct OutputVc {
    std::int32_t credits = 0;
    std::uint32_t owner = nobody;  ///< the input virtual channel whose packet has it
  };
  struct OutputPort {
    std::uint32_t target = 0;  ///< first virtual channel of the buffer ahead; for local ports of ejection
    std::int32_t flight = 0;   ///< cycles from winning the switch to the buffer ahead
    std::int32_t latency = 0;  ///< of the channel
    std::int64_t period = 0;   ///< of a flit, in 1/65536 cycles
    std::int64_t free_at = 0;  ///< in 1/65536 cycles
    double flit_error_rate = 0, stall_rate = 0;
    std::int64_t flits = 0;
    std::int64_t retries = 0;
  };
  struct InputPort {
    std::uint32_t upstream = 0;  ///< first virtual channel of the output, or of the source, that feeds it
    std::int32_t credit_flight = 0;
  };
  struct Source {
    PacketId first = no_packet, last = no_packet;
    std::int32_t left = 0;  ///< flits of the first packet still to be sent; 0: it has not begun
    std::int32_t vc = 0;    ///< that it, or the packet before, took
  };
  struct FlitEvent {
    std::uint32_t target;  ///< input virtual channel, or channels_ + output virtual channel of a local port
    std::uint32_t packet;  ///< the top bit marks a head
  };

  std::size_t port_index(LinkId link) const {
    return std::size_t(link / (2 * topology_.dimensions())) * ports_ + link % (2 * topology_.dimensions());
  }
  void number_inputs();
  void connect(NodeId node, int port);
  int longest_flight() const;

  void deliver();
  void take_flit(std::uint32_t channel, PacketId packet, bool head);
  void eject(std::uint32_t output, PacketId packet);
  void take_credit(std::uint32_t target);
  void run_source(std::uint32_t source);
  bool begin_packet(std::uint32_t source, Source& state);
  void run_router(NodeId node);
  void start_route(std::uint32_t channel, Cycle when);
  void find_route(std::uint32_t channel, Cycle known_at);
  void allocate_vcs(NodeId node, const std::uint64_t* waiting);
  void give_vc(std::uint32_t channel, int output_vc);
  void allocate_switch(NodeId node, const std::uint64_t* ready);
  void cross_switch(std::uint32_t channel, OutputPort& port);
  void release(std::uint32_t channel, std::uint32_t output);
  Cycle transmit(OutputPort& port);
  bool may_send(std::uint32_t channel);

  std::uint32_t first_channel(NodeId node) const { return std::uint32_t(node) * std::uint32_t(channels_per_node_); }
  void set(std::vector<std::uint64_t>& masks, const InputVc& input) {
    masks[std::size_t(input.node) * words_ + input.index / 64] |= std::uint64_t(1) << input.index % 64;
  }
  void clear(std::vector<std::uint64_t>& masks, const InputVc& input) {
    masks[std::size_t(input.node) * words_ + input.index / 64] &= ~(std::uint64_t(1) << input.index % 64);
  }
  void wake(NodeId node) { active_[std::size_t(node) / 64] |= std::uint64_t(1) << node % 64; }
  void wake_source(std::uint32_t source) { active_sources_[source / 64] |= std::uint64_t(1) << source % 64; }

  std::vector<std::uint32_t> waits_for(std::uint32_t channel) const;
  std::string buffer_name(std::uint32_t channel) const;

  Topology topology_;
  RouterNetworkParameters parameters_;
  RouteFunction routes_;
  int ports_, vcs_, channels_per_node_, words_;
  std::uint32_t channels_;  ///< input virtual channels of the network
  SwitchAllocator switch_allocator_;
  VcAllocator vc_allocator_;

  std::vector<InputVc> inputs_;
  PacketRings rings_;
  std::vector<OutputVc> outputs_;
  std::vector<OutputPort> output_ports_;
  std::vector<InputPort> input_ports_;
  std::vector<std::uint64_t> free_vcs_;                   ///< per output port
  std::vector<std::uint64_t> routing_, waiting_, ready_;  ///< per router, by input virtual channel
  std::vector<SwitchPointers> switch_pointers_;
  std::vector<std::uint8_t> vc_offsets_;  ///< per input port: the channel that comes first
  std::vector<std::uint16_t> grant_pointers_, accept_pointers_;
  std::vector<std::uint64_t> active_;  ///< routers
  std::vector<Source> sources_;
  std::vector<std::int32_t> source_credits_;
  std::vector<std::uint64_t> active_sources_;

  PacketPool packets_;
  TimingWheel<FlitEvent> flits_;
  TimingWheel<std::uint32_t> credits_;
  std::vector<PacketId> delivered_, departed_;
  std::vector<VcRequest> requests_;
  std::mt19937_64 random_;
  Cycle now_ = 0;
  Cycle last_progress_ = 0;
  Cycle patience_ = 0;
  std::int64_t flit_hops_ = 0, flits_sent_ = 0, flits_received_ = 0;
  RouterObserver* observer_ = nullptr;
};

}  // namespace podsim::noc
