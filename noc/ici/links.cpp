// SPDX-License-Identifier: Apache-2.0
#include "noc/ici/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "base/diagnostic.h"

namespace podsim::noc::ici {

namespace {

// Ranks of steps at the same time: ends before beginnings; arriving heads by port, then relayed messages.
constexpr std::uint32_t rank_end = 0;
constexpr std::uint32_t rank_arrive = 2 * max_dimensions;
constexpr std::uint32_t rank_relayed = rank_arrive + 2 * max_dimensions;

std::uint32_t port(int dimension, int direction) { return std::uint32_t(2 * dimension + (direction < 0)); }

/// The share of packets that arrive without a bit error.
double delivered_share(const IciParameters& ici, double bit_error_rate) {
  const double bits = 8 * double((ici.packet.payload + ici.packet.header).value());
  return std::pow(1 - bit_error_rate, bits);
}

double speed_of(const Faults& faults, LinkId id, const IciParameters& ici) {
  return faults.link_speed(id) * delivered_share(ici, faults.bit_error_rate(id)) * (1 - faults.stall_rate(id));
}

/// A message at a link: what it is, and from where relative to the link it comes.
std::uint64_t key_of(const Message& message, const Coordinates& remaining, std::uint32_t channel) {
  std::uint64_t key = service_key(channel, message.tag);
  for (std::size_t d = 0; d < remaining.size(); ++d) {
    key = service_key(key, std::uint64_t(message.hops[d]));
    key = service_key(key, std::uint64_t(remaining[d]));
  }
  return key;
}

int next_dimension(const Coordinates& hops) {
  for (int d = 0; d < max_dimensions; ++d) {
    if (hops[std::size_t(d)] != 0) return d;
  }
  return -1;
}

}  // namespace

Links::Links(FoldedTopology topology, const IciParameters& ici, const Faults& faults)
    : topology_(std::move(topology)), relay_time_(base::to_time(ici.end_latency())) {
  assert(faults.none() || !topology_.is_folded());
  if (faults.any_dead()) planner_.emplace(topology_.full(), faults);
  const Topology& nodes = topology_.representatives();
  links_.reserve(std::size_t(nodes.link_ids()));
  link_target_.reserve(links_.capacity());
  for (LinkId id = 0; id < nodes.link_ids(); ++id) {
    links_.emplace_back(ici, nodes.crosses_pod(id), faults.none() ? 1 : speed_of(faults, id, ici));
    const auto link = nodes.link(id);
    link_target_.push_back(link ? link->to : -1);
  }
}

void Links::record(std::vector<ServiceOrder>& orders) {
  orders.resize(links_.size());
  record_ = &orders;
}

void Links::follow(const std::vector<ServiceOrder>& orders, const FoldedTopology& recorded) {
  if (!planner_) services_ = services_of(orders, recorded);
}

void Links::follow(std::uint32_t channel, const std::vector<ServiceOrder>& orders, const FoldedTopology& recorded) {
  if (!planner_) channel_services_.insert_or_assign(channel, services_of(orders, recorded));
}

Links::Services Links::services_of(const std::vector<ServiceOrder>& orders, const FoldedTopology& recorded) const {
  const Topology &nodes = topology_.representatives(), &theirs = recorded.representatives();
  Services services;
  services.reserve(links_.size());
  static const ServiceOrder nothing;
  for (LinkId id = 0; id < LinkId(links_.size()); ++id) {
    const auto link = nodes.link(id);
    if (!link) {
      services.emplace_back(nothing);
      continue;
    }
    const NodeId from = recorded.representative_of(topology_.full_node_of(link->from));
    services.emplace_back(orders[std::size_t(theirs.link_id(from, link->dimension, link->direction))]);
  }
  return services;
}

void Links::check() const {
  if (!verdict_.empty()) throw base::SimulationError(verdict_);
}

void Links::send(const Message& message, IciClient& client, Delivery delivery, base::Time now) {
  assert(!active() || next_due() > now);
  Flight flight{.client = &client,
                .node = message.source,
                .remaining = message.hops,
                .tail = now,
                .delivery = delivery,
                .message = message};
  if (planner_ && !plan(flight)) return;
  if (next_dimension(flight.remaining) < 0) {  // a message to the sender itself
    client.message_taken(flight.node, message, now);
    return keep(now, rank_end, Kind::end_of_leg, flight);
  }
  arrive(flight, now);
}

void Links::count(const Carried& carried, const Topology& part, const Coordinates& first) {
  const Topology& nodes = topology_.representatives();
  for (LinkId id = 0; id < part.link_ids(); ++id) {
    const auto link = part.link(id);
    if (!link) continue;
    Coordinates from = part.coordinates(link->from);
    for (std::size_t d = 0; d < from.size(); ++d) from[d] += first[d];
    const LinkId here = nodes.link_id(nodes.node(from), link->dimension, link->direction);
    links_[std::size_t(here)].count(carried.links[std::size_t(id)]);
  }
  delivered_ += carried.messages;
  hops_ += carried.hops;
}

bool Links::plan(Flight& flight) {
  if (next_dimension(flight.remaining) < 0) return true;
  const auto legs = planner_->plan(flight.node, flight.remaining);
  if (!legs) {
    // The message stays where it is, and so does everything that waits for it.
    if (verdict_.empty()) {
      const Topology& slice = topology_.full();
      Coordinates to = slice.coordinates(flight.node);
      for (int d = 0; d < slice.dimensions(); ++d) {
        const std::int32_t size = slice.size(d);
        to[std::size_t(d)] = ((to[std::size_t(d)] + flight.remaining[std::size_t(d)]) % size + size) % size;
      }
      verdict_ = fmt::format("chips {} and {} cannot communicate: no living links lead from one to the other",
                             slice.name(flight.node), slice.name(slice.node(to)));
    }
    return false;
  }
  flight.remaining = legs->front();
  if (legs->size() > 1) {
    flight.route = ++routes_;
    legs_left_[flight.route] = {legs->begin() + 1, legs->end()};
  }
  return true;
}

void Links::serve_next() {
  const auto entry = queue_.pop();
  Flight flight = flights_[entry.value.flight];
  free_flights_.push_back(entry.value.flight);
  if (entry.value.kind == Kind::arrive) return arrive(flight, entry.when);
  end_leg(flight, entry.when);
}

void Links::arrive(Flight& flight, base::Time now) {
  const int dimension = next_dimension(flight.remaining);
  const int direction = flight.remaining[std::size_t(dimension)] < 0 ? -1 : 1;
  const LinkId link = topology_.representatives().link_id(flight.node, dimension, direction);
  assert(link_target_[std::size_t(link)] >= 0 && "a message ran over an open edge");
  const std::uint32_t channel = flight.message.channel;
  if (record_ != nullptr) (*record_)[std::size_t(link)].push_back(key_of(flight.message, flight.remaining, channel));
  const auto take_turn = [&](Flight turn) { take(turn, link, dimension, now); };
  if (!channel_services_.empty()) {
    if (const auto own = channel_services_.find(channel); own != channel_services_.end()) {
      constexpr std::uint32_t recorded_channel = 1;
      return own->second[std::size_t(link)].come(key_of(flight.message, flight.remaining, recorded_channel), flight,
                                                 take_turn);
    }
  }
  if (services_.empty()) return take(flight, link, dimension, now);
  services_[std::size_t(link)].come(key_of(flight.message, flight.remaining, channel), flight, take_turn);
}

void Links::take(Flight& flight, LinkId link, int dimension, base::Time now) {
  const LinkPassage passage = links_[std::size_t(link)].pass(now, flight.tail, flight.message.bytes);
  ++hops_;
  if (observer_ != nullptr) observer_->link_taken(link, passage, flight.message);
  if (std::exchange(flight.injected, false)) {
    flight.client->message_taken(flight.node, flight.message, passage.tail_out);
  }
  std::int32_t& left = flight.remaining[std::size_t(dimension)];
  const int direction = left < 0 ? -1 : 1;
  left -= direction;
  flight.node = link_target_[std::size_t(link)];
  flight.tail = passage.tail_at_next;
  if (next_dimension(flight.remaining) >= 0) {
    keep(passage.head_at_next, rank_arrive + port(dimension, direction), Kind::arrive, flight);
  } else if (flight.delivery == Delivery::ahead && flight.route == 0) {
    deliver(flight, passage.tail_at_next);
  } else {
    keep(passage.tail_at_next, rank_end + port(dimension, direction), Kind::end_of_leg, flight);
  }
}

/// At the end of a leg software receives a message and sends it on; at the end of the last it has been received.
void Links::end_leg(Flight& flight, base::Time now) {
  if (flight.route == 0) return deliver(flight, now);
  const auto left = legs_left_.find(flight.route);
  flight.remaining = left->second.front();
  left->second.erase(left->second.begin());
  if (left->second.empty()) {
    legs_left_.erase(left);
    flight.route = 0;
  }
  ++relayed_;
  flight.tail = now + relay_time_;
  keep(flight.tail, rank_relayed, Kind::arrive, flight);
}

void Links::deliver(const Flight& flight, base::Time when) {
  ++delivered_;
  flight.client->message_received(flight.node, flight.message, when);
}

void Links::keep(base::Time when, std::uint32_t rank, Kind kind, const Flight& flight) {
  std::uint32_t slot = std::uint32_t(flights_.size());
  if (free_flights_.empty()) {
    flights_.push_back(flight);
  } else {
    slot = free_flights_.back();
    free_flights_.pop_back();
    flights_[slot] = flight;
  }
  queue_.push(when, rank, {kind, slot});
}

}  // namespace podsim::noc::ici
