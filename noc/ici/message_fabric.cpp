// SPDX-License-Identifier: Apache-2.0
#include "noc/ici/message_fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/diagnostic.h"
#include "base/systemc/systemc_time.h"

namespace podsim::noc::ici {

namespace {

// Ranks of steps at the same time: ends before beginnings; arriving heads by port, then local ones.
constexpr std::uint32_t rank_deliver = 0;
constexpr std::uint32_t rank_taken = 2 * max_dimensions;
constexpr std::uint32_t rank_arrive = rank_taken + 1;
constexpr std::uint32_t rank_local = rank_arrive + 2 * max_dimensions;

std::uint32_t port(int dimension, int direction) { return std::uint32_t(2 * dimension + (direction < 0)); }

/// The share of packets that arrive without a bit error.
double delivered_share(const IciParameters& ici, double bit_error_rate) {
  const double bits = 8 * double((ici.packet.payload + ici.packet.header).value());
  return std::pow(1 - bit_error_rate, bits);
}

/// A message at a link: what it is, and from where relative to the link it comes.
std::uint64_t key_of(const MessageExtension& extension) {
  std::uint64_t key = service_key(extension.message.channel, extension.message.tag);
  for (std::size_t d = 0; d < extension.remaining.size(); ++d) {
    key = service_key(key, std::uint64_t(extension.message.hops[d]));
    key = service_key(key, std::uint64_t(extension.remaining[d]));
  }
  return key;
}

int next_dimension(const Coordinates& hops) {
  for (int d = 0; d < max_dimensions; ++d) {
    if (hops[d] != 0) return d;
  }
  return -1;
}

}  // namespace

MessageFabric::MessageFabric(sc_core::sc_module_name name, FoldedTopology topology, const IciParameters& ici,
                             base::trace::ProbeSink* sink, const Faults& faults)
    : sc_module(name),
      topology_(std::move(topology)),
      labeller_([](const Message& m) { return fmt::format("{} B", m.bytes.value()); }),
      relay_time_(std::max(base::Time(0), base::to_time(ici.remote_dma_latency) - base::to_time(ici.hop_latency))) {
  assert(faults.none() || !topology_.is_folded());
  if (faults.any_dead()) planner_.emplace(topology_.full(), faults);
  const Topology& nodes = topology_.representatives();
  for (LinkId id = 0; id < nodes.link_ids(); ++id) {
    links_.emplace_back(
        ici, nodes.crosses_pod(id),
        faults.link_speed(id) * delivered_share(ici, faults.bit_error_rate(id)) * (1 - faults.stall_rate(id)));
    auto link = nodes.link(id);
    link_target_.push_back(link ? link->to : -1);
  }
  for (NodeId node = 0; node < nodes.nodes(); ++node) {
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

void MessageFabric::declare_traces(base::trace::ProbeSink* sink) {
  if (sink == nullptr) return;
  const Topology& nodes = topology_.representatives();
  traces_.resize(links_.size());
  for (LinkId id = 0; id < nodes.link_ids(); ++id) {
    auto link = nodes.link(id);
    if (!link) continue;
    std::string scope = fmt::format("chip{}.ici.{}_{}", nodes.name(link->from), dimension_name(link->dimension),
                                    link->direction > 0 ? "plus" : "minus");
    const base::trace::Probe<bool> busy(sink, scope, "busy");
    traces_[id] = base::trace::StateTrace::make(sink, {sink, scope, "message"}, busy, "");
  }
}

tlm::tlm_sync_enum MessageFabric::inject(int node, tlm::tlm_generic_payload& payload,
                                         [[maybe_unused]] tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  assert(phase == tlm::BEGIN_REQ);
  payload.acquire();
  MessageExtension& extension = message_extension(payload);
  extension.message.source = node;
  if (!plan(node, payload)) return tlm::TLM_ACCEPTED;
  base::Time when = base::systemc::now() + base::systemc::from_sc_time(delay);
  extension.tail = when;
  schedule(when, rank_local,
           {.kind = Kind::arrive, .node = node, .injected = true, .payload = &payload, .extension = &extension});
  return tlm::TLM_ACCEPTED;
}

bool MessageFabric::plan(NodeId node, tlm::tlm_generic_payload& payload) {
  MessageExtension& extension = message_extension(payload);
  extension.remaining = extension.message.hops;
  if (!planner_ || next_dimension(extension.remaining) < 0) return true;
  auto legs = planner_->plan(node, extension.message.hops);
  if (!legs) {
    // The message stays where it is, and so does everything that waits for it.
    if (verdict_.empty()) {
      Coordinates to = topology_.full().coordinates(node);
      for (int d = 0; d < topology_.full().dimensions(); ++d) {
        const std::int32_t size = topology_.full().size(d);
        to[std::size_t(d)] = ((to[std::size_t(d)] + extension.message.hops[std::size_t(d)]) % size + size) % size;
      }
      verdict_ = fmt::format("chips {} and {} cannot communicate: no living links lead from one to the other",
                             topology_.full().name(node), topology_.full().name(topology_.full().node(to)));
    }
    payload.release();
    return false;
  }
  extension.remaining = legs->front();
  if (legs->size() > 1) legs_left_[&payload] = {legs->begin() + 1, legs->end()};
  return true;
}

void MessageFabric::record(std::vector<ServiceOrder>& orders) {
  orders.resize(links_.size());
  record_ = &orders;
}

void MessageFabric::follow(const std::vector<ServiceOrder>& orders, const FoldedTopology& recorded) {
  if (planner_) return;
  const Topology &nodes = topology_.representatives(), &theirs = recorded.representatives();
  services_.reserve(links_.size());
  static const ServiceOrder nothing;
  for (LinkId id = 0; id < LinkId(links_.size()); ++id) {
    const auto link = nodes.link(id);
    if (!link) {
      services_.emplace_back(nothing);
      continue;
    }
    const NodeId from = recorded.representative_of(topology_.full_node_of(link->from));
    services_.emplace_back(orders[std::size_t(theirs.link_id(from, link->dimension, link->direction))]);
  }
}

void MessageFabric::check() const {
  if (!verdict_.empty()) throw base::SimulationError(verdict_);
}

tlm::tlm_sync_enum MessageFabric::ignore_backward(int, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) {
  return tlm::TLM_ACCEPTED;
}

void MessageFabric::schedule(base::Time when, std::uint32_t rank, const Step& step) {
  bool earliest = queue_.empty() || when < queue_.top().when;
  queue_.push(when, rank, step);
  if (earliest && !working_) wake_.notify(base::systemc::to_sc_time(when - base::systemc::now()));
}

void MessageFabric::work() {
  base::Time time = base::systemc::now();
  working_ = true;
  while (!queue_.empty() && queue_.top().when <= time) {
    const Step step = queue_.pop().value;
    // Thousands of messages are in flight, more than the host's caches hold.
    if (!queue_.empty()) __builtin_prefetch(queue_.top().value.extension);
    perform(step, time);
  }
  working_ = false;
  if (!queue_.empty()) wake_.notify(base::systemc::to_sc_time(queue_.top().when - time));
}

void MessageFabric::perform(const Step& step, base::Time now) {
  switch (step.kind) {
    case Kind::deliver:
      return deliver(step);
    case Kind::taken:
      return taken(step);
    case Kind::arrive:
      return arrive(step, now);
  }
}

void MessageFabric::arrive(const Step& step, base::Time now) {
  MessageExtension& extension = *step.extension;
  int dimension = next_dimension(extension.remaining);
  if (dimension < 0) {  // a message to the sender itself
    schedule(now, rank_taken, {Kind::taken, step.node, false, step.payload, step.extension});
    schedule(now, rank_deliver, {Kind::deliver, step.node, false, step.payload, step.extension});
    return;
  }
  int direction = extension.remaining[dimension] < 0 ? -1 : 1;
  LinkId link = topology_.representatives().link_id(step.node, dimension, direction);
  assert(link_target_[link] >= 0 && "a message ran over an open edge");
  if (record_ != nullptr) (*record_)[std::size_t(link)].push_back(key_of(extension));
  if (services_.empty()) return take(step, link, dimension, direction, now);
  services_[std::size_t(link)].come(key_of(extension), step,
                                    [&](const Step& turn) { take(turn, link, dimension, direction, now); });
}

void MessageFabric::take(const Step& step, LinkId link, int dimension, int direction, base::Time now) {
  MessageExtension& extension = *step.extension;
  LinkPassage passage = links_[link].pass(now, extension.tail, extension.message.bytes);
  const NodeId next = link_target_[link];
  ++hops_;
  extension.remaining[dimension] -= direction;
  extension.tail = passage.tail_at_next;
  if (!traces_.empty() && traces_[link]) {
    traces_[link]->show({{passage.start, labeller_(extension.message)}}, passage.tail_out);
  }
  if (step.injected)
    schedule(passage.tail_out, rank_taken, {Kind::taken, step.node, false, step.payload, step.extension});
  if (next_dimension(extension.remaining) < 0) {
    schedule(passage.tail_at_next, rank_deliver + port(dimension, direction),
             {Kind::deliver, next, false, step.payload, step.extension});
  } else {
    schedule(passage.head_at_next, rank_arrive + port(dimension, direction),
             {Kind::arrive, next, false, step.payload, step.extension});
  }
}

void MessageFabric::taken(const Step& step) {
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  in_[step.node]->nb_transport_bw(*step.payload, phase, delay);
}

/// Relays a message at the end of a leg: software receives it and sends it on. Returns false after the last leg.
bool MessageFabric::begin_next_leg(const Step& step) {
  const auto left = legs_left_.find(step.payload);
  if (left == legs_left_.end()) return false;
  MessageExtension& extension = *step.extension;
  extension.remaining = left->second.front();
  left->second.erase(left->second.begin());
  if (left->second.empty()) legs_left_.erase(left);
  ++relayed_;
  extension.tail = base::systemc::now() + relay_time_;
  schedule(extension.tail, rank_local,
           {.kind = Kind::arrive,
            .node = step.node,
            .injected = false,
            .payload = step.payload,
            .extension = step.extension});
  return true;
}

void MessageFabric::deliver(const Step& step) {
  if (!legs_left_.empty() && begin_next_leg(step)) return;
  ++delivered_;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  out_[step.node]->nb_transport_fw(*step.payload, phase, delay);
  step.payload->release();
}

}  // namespace podsim::noc::ici
