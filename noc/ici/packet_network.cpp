// SPDX-License-Identifier: Apache-2.0
#include "noc/ici/packet_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/diagnostic.h"
#include "base/systemc/systemc_time.h"
#include "noc/router/channel_dependency.h"

namespace podsim::noc::ici {

namespace {

// Packets queued per channel into a router: enough to keep the channel busy, few enough to keep memory small.
constexpr int max_queued_packets = 4;

// Around dead links, packets take the longer direction around rings. Datelines handle that; the split of virtual
// channels by destination does not.
router::RouterParameters router_of(const PacketParameters& packet, const Faults& faults) {
  router::RouterParameters router = packet.router;
  if (faults.any_dead() && router.vc_classes == router::VcClasses::destination)
    router.vc_classes = router::VcClasses::dateline;
  return router;
}

router::ChannelParameters channel_of(const Topology& topology, LinkId link, const IciParameters& ici,
                                     const Faults& faults) {
  const base::Duration hop = ici.hop_latency + (topology.crosses_pod(link) ? ici.cross_pod_latency : base::Duration());
  const auto cycles = std::int64_t(std::llround(hop * ici.router_clock()));
  const double bits = double(ici.packet.flit.value()) * 8;
  return {.latency = int(std::max<std::int64_t>(1, cycles - ici.packet.router.pipeline_cycles())),
          .cycles_per_flit = 1 / faults.link_speed(link),
          .flit_error_rate = -std::expm1(bits * std::log1p(-faults.bit_error_rate(link))),
          .stall_rate = faults.stall_rate(link),
          .dead = faults.dead(link)};
}

router::RouterNetworkParameters network_of(const Topology& topology, const IciParameters& ici,
                                           const PacketNetworkOptions& options) {
  router::RouterNetworkParameters network;
  network.router = router_of(ici.packet, options.faults);
  network.local_ports = 2 * topology.dimensions();
  for (LinkId link = 0; link < topology.link_ids(); ++link) {
    network.links.push_back(channel_of(topology, link, ici, options.faults));
  }
  network.seed = options.seed;
  const std::string cycle =
      options.refuse_cycles ? router::dependency_cycle(topology, network.router, options.faults) : std::string();
  if (!cycle.empty()) throw base::SimulationError("the routing can deadlock: " + cycle);
  return network;
}

/// The routers' clock. InputError unless it is between 1 kHz and 1 THz, so that a cycle is at least 1 ps and SystemC
/// can count the cycles.
base::Clock clock_of(const IciParameters& ici) {
  const base::Frequency clock = ici.router_clock();
  if (!(clock.si() >= 1e3 && clock.si() <= 1e12)) {
    throw base::InputError(
        fmt::format("links of packets carry from 1 kHz to 1 THz of flits; 'ici.link_rate' and "
                    "'ici.flit' make it {}",
                    base::to_string(clock)));
  }
  return base::Clock(clock);
}

}  // namespace

PacketNetwork::PacketNetwork(sc_core::sc_module_name name, const Topology& topology, const IciParameters& ici,
                             const PacketNetworkOptions& options)
    : sc_module(name),
      topology_(topology),
      packet_(ici.packet),
      clock_(clock_of(ici)),
      relay_time_(base::to_time(ici.end_latency())),
      network_(topology, network_of(topology, ici, options)),
      planner_(topology, options.faults, ici.packet.row_and_column_only),
      entries_(std::size_t(topology.nodes()) * 2 * topology.dimensions()) {
  for (NodeId node = 0; node < topology_.nodes(); ++node) {
    in_.emplace_back(fmt::format("in_{}", node).c_str()).register_nb_transport_fw(this, &PacketNetwork::inject, node);
    out_.emplace_back(fmt::format("out_{}", node).c_str())
        .register_nb_transport_bw(this, &PacketNetwork::ignore_backward, node);
  }
  SC_HAS_PROCESS(PacketNetwork);
  SC_METHOD(work);
  sensitive << wake_;
  dont_initialize();
}

tlm::tlm_sync_enum PacketNetwork::inject(int node, tlm::tlm_generic_payload& payload,
                                         [[maybe_unused]] tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  assert(phase == tlm::BEGIN_REQ);
  payload.acquire();
  Message& message = message_extension(payload).message;
  message.source = node;
  std::uint32_t id = std::uint32_t(sending_.size());
  if (free_.empty()) {
    sending_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  sending_[id] = {.payload = &payload, .at = node};
  const base::Time due = base::systemc::now() + base::systemc::from_sc_time(delay);
  waiting_.push(due, 0, id);
  wake_.notify(base::systemc::to_sc_time(due - base::systemc::now()));
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum PacketNetwork::ignore_backward(int, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) {
  return tlm::TLM_ACCEPTED;
}

void PacketNetwork::work() {
  if (!verdict_.empty()) return;
  const base::Time time = base::systemc::now();
  start_due(time);
  const base::Cycles edge = clock_.edge_at_or_after(time);
  if (network_.next_event() == edge.value() && clock_.time_of(edge) == time) run_cycle();
  sleep();
}

// Queues messages that are due, at the next edge of the clock.
void PacketNetwork::start_due(base::Time now) {
  const router::Cycle edge = clock_.edge_at_or_after(now).value();
  while (!waiting_.empty() && waiting_.top().when <= now) {
    if (network_.now() < edge) network_.skip_to(edge);
    begin_leg(waiting_.pop().value);
  }
}

void PacketNetwork::begin_leg(std::uint32_t message) {
  Sending& sending = sending_[message];
  const Message& content = message_extension(*sending.payload).message;
  if (sending.leg == 0) {
    auto legs = planner_.plan(sending.at, content.hops);
    if (!legs) {
      return stop(fmt::format("chip {} cannot reach chip {}: no living links join them", topology_.name(sending.at),
                              topology_.name(topology_.end(sending.at, content.hops))));
    }
    sending.legs = std::move(*legs);
  }
  const Coordinates& hops = sending.legs[sending.leg];
  if (hop_count(hops) == 0) {  // the sender is the destination
    tell_taken(sending);
    return deliver(message);
  }
  sending.unsent = content.bytes.value();
  sending.packed = false;
  const std::size_t entry = entry_of(sending.at, hops);
  entries_[entry].messages.push_back(message);
  fill(entry);
}

std::size_t PacketNetwork::entry_of(NodeId node, const Coordinates& hops) const {
  for (int d = 0; d < topology_.dimensions(); ++d) {
    if (hops[d] != 0) return std::size_t((node * topology_.dimensions() + d) * 2 + (hops[d] < 0));
  }
  return std::size_t(node) * 2 * topology_.dimensions();
}

// Makes packets of the first message while the router's queue has few.
void PacketNetwork::fill(std::size_t index) {
  Entry& entry = entries_[index];
  while (entry.queued < max_queued_packets && !entry.messages.empty()) {
    const std::uint32_t message = entry.messages.front();
    Sending& sending = sending_[message];
    const std::int64_t bytes = std::min(sending.unsent, packet_.payload.value());
    network_.send(sending.at, sending.legs[sending.leg], int(packet_.flits(base::Bytes(bytes))), message);
    ++entry.queued;
    ++sending.queued;
    ++sending.in_flight;
    sending.unsent -= bytes;
    if (sending.unsent > 0) continue;
    sending.packed = true;
    entry.messages.pop_front();
  }
}

void PacketNetwork::run_cycle() {
  network_.step();
  for (router::PacketId id : network_.departed()) packet_departed(id);
  for (router::PacketId id : network_.delivered()) packet_delivered(id);
  if (network_.stuck()) stop_in_deadlock();
}

void PacketNetwork::stop_in_deadlock() {
  stop("the network is in deadlock; buffers wait for one another: " + network_.waiting_cycle());
}

void PacketNetwork::packet_departed(router::PacketId id) {
  Sending& sending = sending_[network_.packet(id).tag];
  const std::size_t entry = entry_of(sending.at, sending.legs[sending.leg]);
  --entries_[entry].queued;
  fill(entry);
  if (--sending.queued == 0 && sending.packed && sending.leg == 0) tell_taken(sending);
}

void PacketNetwork::packet_delivered(router::PacketId id) {
  const auto message = std::uint32_t(network_.packet(id).tag);
  Sending& sending = sending_[message];
  if (--sending.in_flight == 0 && sending.packed) leg_arrived(message);
}

// Delivers a message after its last leg; otherwise software relays it.
void PacketNetwork::leg_arrived(std::uint32_t message) {
  Sending& sending = sending_[message];
  if (sending.leg + 1 == sending.legs.size()) return deliver(message);
  sending.at = topology_.end(sending.at, sending.legs[sending.leg]);
  ++sending.leg;
  ++relayed_;
  waiting_.push(base::systemc::now() + relay_time_, 0, message);
}

void PacketNetwork::tell_taken(const Sending& sending) {
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const NodeId node = message_extension(*sending.payload).message.source;
  in_[node]->nb_transport_bw(*sending.payload, phase, delay);
}

void PacketNetwork::deliver(std::uint32_t message) {
  ++delivered_;
  tlm::tlm_generic_payload& payload = *sending_[message].payload;
  const Message& content = message_extension(payload).message;
  free_.push_back(message);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  out_[topology_.end(content.source, content.hops)]->nb_transport_fw(payload, phase, delay);
  payload.release();
}

void PacketNetwork::stop(std::string verdict) {
  if (!verdict_.empty()) return;
  verdict_ = std::move(verdict);
  sc_core::sc_stop();  // check() throws the verdict
}

void PacketNetwork::sleep() {
  if (!verdict_.empty()) return;
  const router::Cycle event = network_.next_event();
  if (event < 0 && network_.in_flight() > 0) return stop_in_deadlock();  // no event is left
  if (event >= 0) wake_.notify(base::systemc::to_sc_time(clock_.time_of(base::Cycles(event)) - base::systemc::now()));
  if (!waiting_.empty()) wake_.notify(base::systemc::to_sc_time(waiting_.top().when - base::systemc::now()));
}

void PacketNetwork::check() const {
  if (!verdict_.empty()) throw base::SimulationError(verdict_);
}

}  // namespace podsim::noc::ici
