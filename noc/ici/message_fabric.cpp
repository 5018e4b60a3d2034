// SPDX-License-Identifier: Apache-2.0
#include "noc/ici/message_fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <utility>

#include "base/systemc/systemc_time.h"

namespace podsim::noc::ici {

namespace {

// Ranks of events at chips' ports at the same time.
constexpr std::uint32_t rank_taken = 0, rank_send = 1;

}  // namespace

MessageFabric::MessageFabric(sc_core::sc_module_name name, FoldedTopology topology, const IciParameters& ici,
                             base::trace::ProbeSink* sink, const Faults& faults)
    : sc_module(name),
      links_(std::move(topology), ici, faults),
      labeller_([](const Message& m) { return fmt::format("{} B", m.bytes.value()); }) {
  for (NodeId node = 0; node < links_.topology().representatives().nodes(); ++node) {
    in_.emplace_back(fmt::format("in_{}", node).c_str()).register_nb_transport_fw(this, &MessageFabric::inject, node);
    out_.emplace_back(fmt::format("out_{}", node).c_str())
        .register_nb_transport_bw(this, &MessageFabric::ignore_backward, node);
  }
  declare_traces(sink);
  SC_HAS_PROCESS(MessageFabric);
  SC_METHOD(work);
  sensitive << wake_;
  dont_initialize();
}

/// SystemC finds an object fast that was made last.
MessageFabric::~MessageFabric() {
  for (; !out_.empty(); out_.pop_back()) in_.pop_back();
}

void MessageFabric::declare_traces(base::trace::ProbeSink* sink) {
  if (sink == nullptr) return;
  const Topology& nodes = links_.topology().representatives();
  traces_.resize(std::size_t(nodes.link_ids()));
  for (LinkId id = 0; id < nodes.link_ids(); ++id) {
    auto link = nodes.link(id);
    if (!link) continue;
    std::string scope = fmt::format("chip{}.ici.{}_{}", nodes.name(link->from), dimension_name(link->dimension),
                                    link->direction > 0 ? "plus" : "minus");
    const base::trace::Probe<bool> busy(sink, scope, "busy");
    traces_[std::size_t(id)] = base::trace::StateTrace::make(sink, {sink, scope, "message"}, busy, "");
  }
  links_.observe(*this);
}

Links& MessageFabric::look_ahead() {
  if (!traces_.empty()) throw std::logic_error("signals show what links do at the simulated time");
  looks_ahead_ = true;
  return links_;
}

void MessageFabric::link_taken(LinkId link, const LinkPassage& passage, const Message& message) {
  if (const auto& trace = traces_[std::size_t(link)]) {
    trace->show({{passage.start, labeller_(message)}}, passage.tail_out);
  }
}

tlm::tlm_sync_enum MessageFabric::inject(int node, tlm::tlm_generic_payload& payload,
                                         [[maybe_unused]] tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  assert(phase == tlm::BEGIN_REQ);
  if (looks_ahead_) throw std::logic_error("a client drives the links of this fabric ahead of the simulated time");
  payload.acquire();
  message_extension(payload).message.source = node;
  const base::Time when = base::systemc::now() + base::systemc::from_sc_time(delay);
  port_events_.push(when, rank_send, {.taken = false, .payload = &payload});
  if (!working_) wake_for_next();
  return tlm::TLM_ACCEPTED;
}

void MessageFabric::send(tlm::tlm_generic_payload& payload) {
  if (idle_.empty()) idle_.push_back(&in_flight_.emplace_back(*this));
  InFlight& in_flight = *idle_.back();
  idle_.pop_back();
  in_flight.payload = &payload;
  links_.send(message_extension(payload).message, in_flight, Delivery::in_turn, base::systemc::now());
}

tlm::tlm_sync_enum MessageFabric::ignore_backward(int, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) {
  return tlm::TLM_ACCEPTED;
}

void MessageFabric::work() {
  const base::Time now = base::systemc::now();
  working_ = true;
  for (;;) {
    if (links_.active() && links_.next_due() <= now) {
      links_.serve_next();
    } else if (!port_events_.empty() && port_events_.top().when <= now) {
      perform(port_events_.pop().value);
    } else {
      break;
    }
  }
  working_ = false;
  wake_for_next();
}

void MessageFabric::wake_for_next() {
  const bool no_event = port_events_.empty();
  if (no_event && !links_.active()) return;
  const base::Time next = no_event          ? links_.next_due()
                          : links_.active() ? std::min(links_.next_due(), port_events_.top().when)
                                            : port_events_.top().when;
  wake_.notify(base::systemc::to_sc_time(next - base::systemc::now()));
}

void MessageFabric::perform(const PortEvent& event) {
  if (!event.taken) return send(*event.payload);
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  in(message_extension(*event.payload).message.source)->nb_transport_bw(*event.payload, phase, delay);
}

void MessageFabric::InFlight::message_taken(NodeId, const Message&, base::Time when) {
  fabric_.port_events_.push(when, rank_taken, {.taken = true, .payload = payload});
}

void MessageFabric::InFlight::message_received(NodeId node, const Message&, base::Time) {
  fabric_.deliver(*this, node);
}

void MessageFabric::deliver(InFlight& in_flight, NodeId node) {
  tlm::tlm_generic_payload& payload = *std::exchange(in_flight.payload, nullptr);
  idle_.push_back(&in_flight);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  out(node)->nb_transport_fw(payload, phase, delay);
  payload.release();
}

}  // namespace podsim::noc::ici
