// SPDX-License-Identifier: Apache-2.0
#include "noc/router/router_network.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace podsim::noc::router {

namespace {

constexpr int max_repeats = 15;    // of one flit by a link, in succession
constexpr int longest_stall = 64;  // longest stall of a link, in cycles

}  // namespace

RouterNetwork::RouterNetwork(const Topology& topology, RouterNetworkParameters parameters)
    : topology_(topology),
      parameters_(std::move(parameters)),
      routes_(topology, parameters_.router.vcs, parameters_.router.vc_classes, parameters_.local_ports),
      ports_(routes_.ports()),
      vcs_(parameters_.router.vcs),
      channels_per_node_(ports_ * vcs_),
      words_((channels_per_node_ + 63) / 64),
      channels_(std::uint32_t(topology.nodes()) * std::uint32_t(channels_per_node_)),
      switch_allocator_(ports_, parameters_.router.allocation, parameters_.router.iterations),
      vc_allocator_(ports_, vcs_, parameters_.router.allocation, parameters_.router.iterations),
      inputs_(channels_),
      rings_(std::min(parameters_.router.buffer_flits, 8)),
      outputs_(channels_ + std::size_t(topology.nodes()) * parameters_.local_ports * std::size_t(vcs_),
               {.credits = parameters_.router.buffer_flits}),
      returning_(outputs_.size()),
      output_ports_(std::size_t(topology.nodes()) * ports_),
      input_ports_(output_ports_.size()),
      free_vcs_(output_ports_.size(), ~std::uint64_t(0) >> (64 - vcs_)),
      routing_(std::size_t(topology.nodes()) * words_),
      waiting_(routing_.size()),
      ready_(routing_.size()),
      switch_pointers_(std::size_t(topology.nodes())),
      vc_offsets_(output_ports_.size()),
      grant_pointers_(channels_),
      accept_pointers_(channels_),
      active_(std::size_t(topology.nodes()) / 64 + 1),
      sources_(std::size_t(topology.nodes()) * parameters_.local_ports),
      active_sources_(sources_.size() / 64 + 1),
      flits_(longest_flight()),
      credits_(longest_flight()),
      stream_events_(longest_flight() + max_stream_flits + 1),
      random_(parameters_.seed) {
  assert(ports_ <= max_ports && router_problem(parameters_.router, 1).empty());
  number_inputs();
  stall_limit_ = 2 * (longest_flight() + parameters_.router.pipeline_cycles()) + 64;
  for (NodeId node = 0; node < topology_.nodes(); ++node) {
    for (int port = 0; port < ports_; ++port) connect(node, port);
  }
}

void RouterNetwork::number_inputs() {
  for (std::uint32_t channel = 0; channel < channels_; ++channel) {
    InputVc& input = inputs_[channel];
    input.node = NodeId(channel / std::uint32_t(channels_per_node_));
    input.index = std::uint16_t(channel % std::uint32_t(channels_per_node_));
    input.port = std::uint8_t(input.index / vcs_);
    input.vc = std::uint8_t(input.index % vcs_);
    input.ring = rings_.make();
  }
}

// Longest time from winning the switch to the next buffer, with all possible repetitions.
int RouterNetwork::longest_flight() const {
  const int pipeline = parameters_.router.switch_cycles + parameters_.router.traversal_cycles;
  int longest = parameters_.local_latency;
  for (const ChannelParameters& link : parameters_.links) {
    const int repeats = link.flit_error_rate > 0 ? max_repeats * 2 * (link.latency + 1) : 0;
    longest = std::max(longest, link.latency + repeats);
  }
  return pipeline + longest + 1;
}

void RouterNetwork::connect(NodeId node, int port) {
  const std::size_t index = std::size_t(node) * ports_ + port;
  const int pipeline = parameters_.router.switch_cycles + parameters_.router.traversal_cycles;
  OutputPort& out = output_ports_[index];
  InputPort& in = input_ports_[index];
  if (port >= routes_.first_local_port()) {
    const auto source = std::uint32_t(node * parameters_.local_ports + port - routes_.first_local_port());
    out.target = channels_ + first_channel(node) + std::uint32_t(port * vcs_);
    out.latency = parameters_.local_latency;
    out.flight = pipeline + out.latency;
    in = {channels_ + source * std::uint32_t(vcs_), parameters_.local_latency + 1};
    return;
  }
  const LinkId id = topology_.link_id(node, port / 2, port % 2 == 0 ? 1 : -1);
  const auto link = topology_.link(id);
  if (!link) return;
  const ChannelParameters& channel = parameters_.links[id];
  out.target = first_channel(link->to) + std::uint32_t(port * vcs_);
  out.latency = channel.latency;
  out.flight = pipeline + out.latency;
  out.period = std::llround(channel.cycles_per_flit * double(one_cycle));
  out.flit_error_rate = channel.flit_error_rate;
  out.stall_rate = channel.stall_rate;
  out.even = out.period <= one_cycle && out.flit_error_rate == 0 && out.stall_rate == 0;
  stall_limit_ =
      std::max<Cycle>(stall_limit_, 2 * (out.period / one_cycle + longest_flight()) + 64 + 2 * longest_stall);
  input_ports_[std::size_t(link->to) * ports_ + port] = {first_channel(node) + std::uint32_t(port * vcs_),
                                                         out.latency + 1};
}

PacketId RouterNetwork::send(NodeId source, const Coordinates& hops, int flits, std::uint64_t tag, Cycle created) {
  assert(flits >= 1 && flits <= max_packet_flits);
  assert(router_problem(parameters_.router, flits).empty());
  const PacketId id = packets_.make();
  Packet& packet = packets_[id];
  for (int d = 0; d < topology_.dimensions(); ++d) packet.hops[d] = std::int16_t(hops[d]);
  packet.flits = flits;
  packet.source = source;
  packet.destination = topology_.end(source, hops);
  packet.local_port = std::uint8_t(routes_.entry_port(hops));
  packet.created = created;
  packet.tag = tag;
  const auto index = std::uint32_t(source * parameters_.local_ports + packet.local_port);
  Source& state = sources_[index];
  if (state.first == no_packet) {
    state.first = id;
  } else {
    packets_[state.last].next = id;
  }
  state.last = id;
  wake_source(index);
  return id;
}

void RouterNetwork::step() {
  for (PacketId id : delivered_) packets_.release(id);
  delivered_.clear();
  delivered_by_.clear();
  departed_.clear();
  deliver();
  for (std::size_t word = 0; word < active_sources_.size(); ++word) {
    for (std::uint64_t bits = active_sources_[word]; bits != 0; bits &= bits - 1) {
      run_source(std::uint32_t(word * 64) + std::uint32_t(std::countr_zero(bits)));
    }
  }
  for (std::size_t word = 0; word < active_.size(); ++word) {
    for (std::uint64_t bits = active_[word]; bits != 0; bits &= bits - 1) {
      run_router(NodeId(word * 64) + std::countr_zero(bits));
    }
  }
  ++now_;
}

Cycle RouterNetwork::next_event() const {
  const auto any = [](std::uint64_t bits) { return bits != 0; };
  if (std::ranges::any_of(active_, any) || std::ranges::any_of(active_sources_, any)) return now_;
  Cycle next = -1;
  if (!flits_.empty()) next = flits_.next(now_);
  if (!credits_.empty()) {
    const Cycle credit = credits_.next(now_);
    next = next < 0 ? credit : std::min(next, credit);
  }
  if (!stream_events_.empty()) {
    const Cycle stream = stream_events_.next(now_);
    next = next < 0 ? stream : std::min(next, stream);
  }
  return next;
}

void RouterNetwork::deliver() {
  if (!credits_.due(now_).empty()) {
    for (std::uint32_t target : credits_.due(now_)) take_credit(target);
    credits_.clear(now_);
  }
  if (!stream_events_.empty() && !stream_events_.due(now_).empty()) perform_stream_events();
  if (flits_.due(now_).empty()) return;
  last_progress_ = std::max(last_progress_, now_);
  for (const FlitEvent& event : flits_.due(now_)) {
    const PacketId packet = event.packet & ~head_bit;
    if (event.target >= channels_) {
      eject(event.target - channels_, packet);
    } else {
      take_flit(event.target, packet, (event.packet & head_bit) != 0);
    }
  }
  flits_.clear(now_);
}

void RouterNetwork::take_flit(std::uint32_t channel, PacketId packet, bool head) {
  const InputVc& input = inputs_[channel];
  settle_arrivals(channel);
  if (head) {
    rings_.push(inputs_[channel].ring, {packet, 1, std::uint16_t(packets_[packet].flits)});
    if (input.state == State::idle) start_route(channel, now_);
  } else {
    ++rings_.back(inputs_[channel].ring).present;
    consider(channel);
  }
  if (observer_ != nullptr) observer_->buffered(now_, input.node, input.port, input.vc, packet, +1);
}

void RouterNetwork::eject(std::uint32_t output, PacketId packet) {
  ++flits_received_;
  credits_.push(now_ + parameters_.local_latency + 1, output);
  if (++packets_[packet].ejected == packets_[packet].flits) add_delivered(output, packet);
}

// Packets of one cycle are in the order of the outputs by which they came, however their flits were simulated.
void RouterNetwork::add_delivered(std::uint32_t output, PacketId packet) {
  const auto at = std::ranges::upper_bound(delivered_by_, output);
  delivered_.insert(delivered_.begin() + (at - delivered_by_.begin()), packet);
  delivered_by_.insert(at, output);
}

void RouterNetwork::take_credit(std::uint32_t target) {
  ++outputs_[target].credits;
  credits_came(target);
}

// Wakes what may wait for credits of an output or source virtual channel.
void RouterNetwork::credits_came(std::uint32_t target) {
  if (target >= channels_) {
    const std::uint32_t source = (target - channels_) / std::uint32_t(vcs_);
    if (sources_[source].first != no_packet) wake_source(source);
  } else if (outputs_[target].owner != nobody) {
    consider(outputs_[target].owner);
  }
}

// Sends one flit per cycle, packet after packet. Without credits the source sleeps until one comes.
void RouterNetwork::run_source(std::uint32_t source) {
  Source& state = sources_[source];
  const auto sleep = [&] { active_sources_[source / 64] &= ~(std::uint64_t(1) << source % 64); };
  if (state.stream_end > now_) return sleep();
  if (state.stream_end < now_) {
    const bool begins = state.left == 0;
    const std::uint32_t room = channels_ + source * std::uint32_t(vcs_);
    if (begins ? !begin_packet(source, state) : credits_up_to(room + std::uint32_t(state.vc), state.left) == 0) {
      plan_source_check(source, state);
      return sleep();
    }
    const int local = int(source) % parameters_.local_ports;
    const auto node = NodeId(source) / parameters_.local_ports;
    const FlitEvent flit{first_channel(node) + std::uint32_t((routes_.first_local_port() + local) * vcs_ + state.vc),
                         state.first | (begins ? head_bit : 0)};
    if (begin_source_stream(source, state, flit)) return sleep();
    --outputs_[room + std::uint32_t(state.vc)].credits;
    flits_.push(now_ + 1 + parameters_.local_latency, flit);
    ++flits_sent_;
    --state.left;
  }
  last_progress_ = std::max(last_progress_, now_);
  if (state.left > 0) return;
  departed_.push_back(state.first);
  state.first = packets_[state.first].next;
  if (state.first == no_packet) sleep();
}

// Credits that a packet needs to go on.
std::int32_t RouterNetwork::room_for(const Source& state) const {
  const bool whole = state.left == 0 && parameters_.router.switching == Switching::virtual_cut_through;
  return whole ? packets_[state.first].flits : 1;
}

// Takes the next virtual channel with room, round robin. Returns false if there is none.
bool RouterNetwork::begin_packet(std::uint32_t source, Source& state) {
  const std::int32_t room = room_for(state);
  for (int i = 1; i <= vcs_; ++i) {
    const int vc = (state.vc + i) % vcs_;
    if (credits_up_to(channels_ + source * std::uint32_t(vcs_) + std::uint32_t(vc), packets_[state.first].flits) < room)
      continue;
    state.vc = vc;
    state.left = packets_[state.first].flits;
    return true;
  }
  return false;
}

// Starts to route the packet at the front of a buffer in cycle `when`.
void RouterNetwork::start_route(std::uint32_t channel, Cycle when) {
  InputVc& input = inputs_[channel];
  wake(input.node);
  if (parameters_.router.route_cycles == 0) return find_route(channel, when);
  input.state = State::routing;
  input.ready_at = when;
  set(routing_, input);
}

void RouterNetwork::find_route(std::uint32_t channel, Cycle known_at) {
  InputVc& input = inputs_[channel];
  const RouteFunction::Step step =
      routes_.next(input.node, input.port, packets_[rings_.front(inputs_[channel].ring).packet]);
  input.output_port = std::uint8_t(step.port);
  input.vcs = step.vcs;
  input.state = State::waiting;
  input.ready_at = known_at;
  set(waiting_, input);
  returning_[entry_of(input).upstream + input.vc].streams.prefetch();
}

// Number of credits that an active packet needs to send its next flit.
std::int32_t RouterNetwork::credits_to_send(std::uint32_t channel) {
  const bool whole = inputs_[channel].head && parameters_.router.switching == Switching::virtual_cut_through;
  return whole ? rings_.front(inputs_[channel].ring).left : 1;
}

// Returns whether an active packet has a flit here and room for it in the next buffer.
bool RouterNetwork::may_send(std::uint32_t channel) {
  settle_arrivals(channel);
  const std::int32_t needed = credits_to_send(channel);
  return rings_.front(inputs_[channel].ring).present > 0 &&
         credits_up_to(output_of(inputs_[channel]), needed) >= needed;
}

// Marks a packet as ready if it is; if streams will make it ready, looks again then.
void RouterNetwork::consider(std::uint32_t channel) {
  const InputVc& input = inputs_[channel];
  if (input.state != State::active || input.leaving) return;
  if (!may_send(channel)) return plan_check(channel);
  set(ready_, input);
  wake(input.node);
}

void RouterNetwork::cross_switch(std::uint32_t channel, OutputPort& port) {
  InputVc& input = inputs_[channel];
  OutputVc& next = outputs_[output_of(input)];
  BufferedPacket& front = rings_.front(inputs_[channel].ring);
  const InputPort& from = entry_of(input);
  last_progress_ = std::max(last_progress_, now_);
  if (observer_ != nullptr) {
    observer_->left(now_, input.node, input.port, input.vc, input.output_port, input.output_vc, front.packet,
                    front.left);
  }
  flits_.push(now_ + port.flight + transmit(port),
              {port.target + input.output_vc, front.packet | (input.head ? head_bit : 0)});
  credits_.push(now_ + from.credit_flight, from.upstream + input.vc);
  flit_hops_ += port.period != 0;
  ++port.flits;
  --next.credits;
  --front.present;
  input.head = false;
  if (--front.left == 0) return release(channel, now_ + 1);
  if (front.present > 0 && next.credits > 0) return;
  clear(ready_, input);
  plan_check(channel);
}

// The tail has left: frees the output and begins the next packet in cycle `when`.
void RouterNetwork::release(std::uint32_t channel, Cycle when) {
  InputVc& input = inputs_[channel];
  rings_.pop(inputs_[channel].ring);
  outputs_[output_of(input)].owner = nobody;
  free_vcs_[std::size_t(input.node) * ports_ + input.output_port] |= std::uint64_t(1) << input.output_vc;
  clear(ready_, input);
  const std::span waiting(&waiting_[std::size_t(input.node) * words_], std::size_t(words_));
  if (std::ranges::any_of(waiting, [](std::uint64_t bits) { return bits != 0; })) wake(input.node);
  input.state = State::idle;
  if (rings_.count(inputs_[channel].ring) > 0) start_route(channel, when);
}

// Occupies a link for a flit and returns the cycles that repetitions take. An idle link may begin within a cycle, so
// that over time it carries its rate, and never exceeds it by more than one flit.
Cycle RouterNetwork::transmit(OutputPort& port) {
  if (port.even) return 0;
  int repeats = 0;
  if (port.flit_error_rate > 0) {
    std::bernoulli_distribution damaged(port.flit_error_rate);
    while (repeats < max_repeats && damaged(random_)) ++repeats;
  }
  const Cycle delay = Cycle(repeats) * 2 * (port.latency + 1);
  port.retries += repeats;
  Cycle stall = 0;
  if (port.stall_rate > 0) {
    std::bernoulli_distribution stands_still(port.stall_rate);
    while (stall < longest_stall && stands_still(random_)) ++stall;
  }
  port.free_at = std::max(port.free_at, now_ * one_cycle - (one_cycle - 1)) + port.period + (delay + stall) * one_cycle;
  return delay;
}

}  // namespace podsim::noc::router
