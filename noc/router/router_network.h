// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "noc/router/flit_stream.h"
#include "noc/router/packet.h"
#include "noc/router/packet_rings.h"
#include "noc/router/route_function.h"
#include "noc/router/router_parameters.h"
#include "noc/router/switch_allocator.h"
#include "noc/router/timing_wheel.h"
#include "noc/router/vc_allocator.h"
#include "noc/topology.h"

/// Simulates packets, flits and credits on a mesh or torus of input-queued routers, cycle by cycle, without SystemC.
///
/// Timing of one flit, in cycles: it arrives at a, its route is known route_cycles later, it has a virtual channel
/// vc_cycles later, wins the switch at s, leaves the router at s + switch_cycles + traversal_cycles, and is at the next
/// router `latency` cycles later. The channels between a node and its router have the same timing, with one cycle to
/// enter them. Over h links of latency L, an empty network therefore takes a packet of F flits in
///
///   2 (local_latency + 1) - 1 + (h + 1) pipeline_cycles + h L + F - 1     cycles, 7 + (4 + L) h by default for F = 1,
///
/// counted from the cycle in which it is given to send() to that in which the node has its last flit.
///
/// When a flit wins the switch, it takes a credit of the next buffer and returns that of its own buffer, which arrives
/// one cycle and the channel's latency later. A virtual channel of an output belongs to one packet from the grant until
/// its tail wins the switch. The next packet of an input virtual channel begins its route one cycle later.
///
/// Only routers and nodes with something to do are visited. When there are none, next_event() returns how far time may
/// skip. State is kept in flat arrays, and nothing is allocated per flit.
///
/// Flits of a packet that follow one another without contention move as a stream (`flit_stream.h`), with the same
/// result to the cycle.
namespace podsim::noc::router {

struct ChannelParameters {
  int latency = 1;             ///< cycles, also for returning credits
  double cycles_per_flit = 1;  ///< at least 1
  /// Probability that a flit arrives damaged. It and the flits after it are then sent again (go back N), which costs
  /// the link a round trip.
  double flit_error_rate = 0;
  double stall_rate = 0;  ///< probability, drawn again for each cycle, that the link stalls after a flit
  bool dead = false;      ///< packets must not be routed over it
};

struct RouterNetworkParameters {
  RouterParameters router;
  int local_ports = 1;                   ///< per node: 1, or one per link
  int local_latency = 1;                 ///< latency of the channels between node and router, in cycles
  std::vector<ChannelParameters> links;  ///< by LinkId; unused ids are ignored
  std::uint64_t seed = 1;                ///< for transmission errors and stalls
  bool streams = true;                   ///< false: every flit by itself, which is slower and has the same result
};

/// Observes a network. Calls come in order of events, with the cycle in which the event happens.
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

  /// Puts a packet into the unbounded queue of its source now. `hops` must lead over living links.
  PacketId send(NodeId source, const Coordinates& hops, int flits, std::uint64_t tag = 0) {
    return send(source, hops, flits, tag, now_);
  }
  /// As above, for a packet that was created earlier.
  PacketId send(NodeId source, const Coordinates& hops, int flits, std::uint64_t tag, Cycle created);
  /// Performs cycle now() and advances to the next.
  void step();
  /// Packets whose tail reached the destination, and packets whose tail left the source's queue, in the last step. They
  /// exist until the next.
  std::span<const PacketId> delivered() const { return delivered_; }
  std::span<const PacketId> departed() const { return departed_; }
  const Packet& packet(PacketId id) const { return packets_[id]; }

  Cycle now() const { return now_; }
  /// First cycle, not before now(), in which something happens; -1 if nothing will.
  Cycle next_event() const;
  /// Moves time to `cycle`, which is not after next_event() if there is one.
  void skip_to(Cycle cycle) {
    assert(next_event() < 0 || cycle <= next_event());
    now_ = cycle;
  }

  /// Number of packets that were sent and have not arrived.
  std::size_t in_flight() const { return packets_.in_use() - delivered_.size(); }
  /// Returns whether packets are in flight and nothing has moved for longer than anything takes, so that nothing will
  /// move again.
  bool stuck() const { return in_flight() > 0 && now_ - last_progress_ > stall_limit_; }
  /// The cycle of full buffers that wait for one another, as text; empty if there is none.
  std::string waiting_cycle() const;

  const Topology& topology() const { return topology_; }
  const RouterNetworkParameters& parameters() const { return parameters_; }
  /// Number of flits that crossed a link, without repetitions.
  std::int64_t link_flits(LinkId link) const;
  /// Number of repetitions of a link.
  std::int64_t link_retries(LinkId link) const { return output_ports_[port_index(link)].retries; }
  /// Number of flits that crossed links, counted once per link.
  std::int64_t flit_hops() const;
  std::int64_t flits_sent() const;
  std::int64_t flits_received() const;

  /// Returns the first violation of flit or credit conservation, empty if there is none. For every virtual channel,
  /// credits, flits in flight, flits in the next buffer and credits in flight must add up to the depth of that buffer.
  /// The number of flits in the network must be that sent less that received.
  std::string audit() const;
  /// Largest number of packets in flight at the same time, to which memory is proportional.
  std::size_t packet_capacity() const { return packets_.capacity(); }

  /// Before the first packet. An observed network has no streams.
  void observe(RouterObserver* observer) { observer_ = observer; }

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t(0);
  static constexpr std::int64_t one_cycle = 65536;  ///< one cycle, in units of OutputPort::period
  static constexpr std::uint32_t head_bit = std::uint32_t(1) << 31;
  enum class State : std::uint8_t { idle, routing, waiting, active };
  /// Streams of an input virtual channel, whose InputVc says whether there are any.
  struct InputStreams {
    StreamId leaving = no_stream, arriving = no_stream;
  };
  /// One line of the host's cache.
  struct alignas(64) InputVc {
    Cycle ready_at = 0;     ///< when its current router stage is done
    std::uint64_t vcs = 0;  ///< virtual channels of the output that the packet may take
    NodeId node = 0;
    std::uint16_t index = 0;  ///< within the router: port * vcs + vc
    std::uint8_t port = 0, vc = 0;
    State state = State::idle;
    std::uint8_t output_port = 0, output_vc = 0;
    bool head = false;      ///< active: the head has not left
    bool leaving = false;   ///< active: a stream leaves the buffer
    bool arriving = false;  ///< a stream reaches the buffer
    InputStreams streams = {};
    PacketRings::Ring ring = {};
  };
  /// An output or source virtual channel.
  struct OutputVc {
    std::int32_t credits = 0;
    std::uint32_t owner = nobody;  ///< input virtual channel of the packet that holds it, for outputs
  };
  /// Credits that streams return to one.
  struct alignas(64) Returning {
    CreditStreams streams;
    bool waited_for = false;  ///< something cannot go on without more
  };
  struct OutputPort {
    std::uint32_t target = 0;  ///< first virtual channel of the next buffer, or of ejection for local ports
    std::int32_t flight = 0;   ///< cycles from winning the switch to the next buffer
    std::int32_t latency = 0;  ///< latency of the channel
    std::int64_t period = 0;   ///< time of a flit, in 1/65536 cycles
    std::int64_t free_at = 0;  ///< in 1/65536 cycles
    double flit_error_rate = 0, stall_rate = 0;
    std::int64_t flits = 0;
    std::int64_t retries = 0;
    std::uint32_t streaming = nobody;  ///< input virtual channel whose stream leaves here
    bool even = true;                  ///< a flit takes a cycle, always
  };
  struct InputPort {
    std::uint32_t upstream = 0;  ///< first virtual channel of the output or source that feeds it
    std::int32_t credit_flight = 0;
    std::uint32_t streaming = nobody;  ///< virtual channel of it with a leaving stream
  };
  struct Source {
    PacketId first = no_packet, last = no_packet;
    std::int32_t left = 0;  ///< flits of the first packet still to be sent; 0 if it has not begun
    std::int32_t vc = 0;    ///< virtual channel of the first packet, or of the one before it
    Cycle stream_end = -1;  ///< cycle of the last flit of a stream; before now() if there is none
  };
  struct FlitEvent {
    std::uint32_t target;  ///< input virtual channel, or channels_ + output virtual channel of a local port
    std::uint32_t packet;  ///< the top bit marks a head
  };
  enum class StreamPart : std::uint8_t { crossed, arrives, ejected, check, source };
  struct StreamEvent {
    StreamPart part;
    std::uint32_t id;  ///< a stream; for check an input virtual channel, for source a source
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
  std::int32_t room_for(const Source& state) const;
  void run_router(NodeId node);
  bool may_sleep(NodeId node) const;
  void start_route(std::uint32_t channel, Cycle when);
  void find_route(std::uint32_t channel, Cycle known_at);
  void allocate_vcs(NodeId node, const std::uint64_t* waiting);
  void give_vc(std::uint32_t channel, int output_vc);
  void allocate_switch(NodeId node, std::uint64_t* ready);
  void leave_first(NodeId node, std::uint64_t* ready) const;
  bool waits_for_stream(const InputVc& input) const;
  std::uint64_t vcs_for(const InputVc& input) const;
  bool rotary() const { return parameters_.router.arbitration == Arbitration::rotary; }
  void cross_switch(std::uint32_t channel, OutputPort& port);
  void release(std::uint32_t channel, Cycle when);
  Cycle transmit(OutputPort& port);
  bool may_send(std::uint32_t channel);
  std::int32_t credits_to_send(std::uint32_t channel);
  void consider(std::uint32_t channel);
  void credits_came(std::uint32_t target);
  void add_delivered(std::uint32_t output, PacketId packet);

  // Streams, in router_streams.cpp.
  void perform_stream_events();
  void prefetch_current() const;
  void perform(const StreamEvent& event);
  void plan(Cycle due, StreamPart part, StreamId id);
  bool begin_stream(std::uint32_t channel);
  bool begin_source_stream(std::uint32_t source, Source& state, const FlitEvent& flit);
  void break_streams(NodeId node, std::uint64_t* ready);
  void break_stream(std::uint32_t channel);
  void cut(StreamId id, std::int32_t count);
  void follow_cut(std::uint32_t channel);
  void stop_leaving(std::uint32_t channel);
  void stream_crossed(StreamId id);
  void stream_arrives(StreamId id);
  void stream_ejected(StreamId id);
  void return_credits(std::uint32_t target, Cycle begin, std::int32_t count);
  void count_arrivals(std::uint32_t channel);
  void count_leaving(std::uint32_t channel);
  void plan_check(std::uint32_t channel);
  void plan_source_check(std::uint32_t source, const Source& state);
  std::int32_t uncrossed(const OutputPort& port) const;

  // Bring counts up to date with the streams that change them.
  void settle_arrivals(std::uint32_t channel) {
    if (inputs_[channel].arriving) count_arrivals(channel);
  }
  // Credits of a virtual channel, or at least `enough` of them.
  std::int32_t credits_up_to(std::uint32_t target, std::int32_t enough) {
    std::int32_t& credits = outputs_[target].credits;
    if (credits < enough) credits += returning_[target].streams.take(now_);
    return credits;
  }

  std::uint32_t output_of(const InputVc& input) const {
    return first_channel(input.node) + std::uint32_t(input.output_port * vcs_ + input.output_vc);
  }
  OutputPort& port_of(const InputVc& input) {
    return output_ports_[std::size_t(input.node) * ports_ + input.output_port];
  }
  const OutputPort& port_of(const InputVc& input) const {
    return output_ports_[std::size_t(input.node) * ports_ + input.output_port];
  }
  InputPort& entry_of(const InputVc& input) { return input_ports_[std::size_t(input.node) * ports_ + input.port]; }
  const InputPort& entry_of(const InputVc& input) const {
    return input_ports_[std::size_t(input.node) * ports_ + input.port];
  }
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
  std::uint32_t channels_;  ///< number of input virtual channels in the network
  SwitchAllocator switch_allocator_;
  VcAllocator vc_allocator_;

  std::vector<InputVc> inputs_;
  PacketRings rings_;
  std::vector<OutputVc> outputs_;     ///< those of outputs, then those of sources
  std::vector<Returning> returning_;  ///< as outputs_
  std::vector<OutputPort> output_ports_;
  std::vector<InputPort> input_ports_;
  std::vector<std::uint64_t> free_vcs_;                   ///< by output port
  std::vector<std::uint64_t> routing_, waiting_, ready_;  ///< by router, masks of input virtual channels
  std::vector<SwitchPointers> switch_pointers_;
  std::vector<std::uint8_t> vc_offsets_;  ///< by input port: the virtual channel that goes first
  std::vector<std::uint16_t> grant_pointers_, accept_pointers_;
  std::vector<std::uint64_t> active_;  ///< routers
  std::vector<Source> sources_;
  std::vector<std::uint64_t> active_sources_;

  PacketPool packets_;
  TimingWheel<FlitEvent> flits_;
  TimingWheel<std::uint32_t> credits_;
  StreamPool streams_;
  TimingWheel<StreamEvent> stream_events_;
  std::vector<StreamEvent> current_events_;
  std::vector<PacketId> delivered_, departed_;
  std::vector<std::uint32_t> delivered_by_;  ///< output virtual channels of delivered_
  std::vector<VcRequest> requests_;
  std::mt19937_64 random_;
  Cycle now_ = 0;
  Cycle last_progress_ = 0;
  Cycle stall_limit_ = 0;
  std::int64_t flit_hops_ = 0, flits_sent_ = 0, flits_received_ = 0;
  RouterObserver* observer_ = nullptr;
};

}  // namespace podsim::noc::router
