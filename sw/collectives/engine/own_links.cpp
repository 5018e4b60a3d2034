// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/own_links.h"

#include <cassert>
#include <utility>

#include "hw/machine.h"
#include "sw/collectives/engine/collective_run.h"
#include "sw/collectives/engine/core_run.h"
#include "sw/collectives/engine/message_tag.h"

namespace podsim::sw::collectives::engine {

namespace {

// Ranks of what is due at one time: what reaches a chip or a core by its port, as in noc/ici/message_fabric.cpp, then
// the timers.
constexpr std::uint32_t rank_deliver = 0;
constexpr std::uint32_t rank_arrive = 2 * noc::max_dimensions;
constexpr std::uint32_t rank_timer = 4 * noc::max_dimensions;
/// What a Flight does; timers have a core.
constexpr int arrive = 0, reach_core = 1;

std::uint32_t port(int dimension, int direction) { return std::uint32_t(2 * dimension + (direction < 0)); }

int next_dimension(const noc::Coordinates& hops) {
  for (int d = 0; d < noc::max_dimensions; ++d) {
    if (hops[std::size_t(d)] != 0) return d;
  }
  return -1;
}

}  // namespace

void OwnLinks::make_links() {
  const noc::Topology& nodes = topology().representatives();
  for (noc::LinkId id = 0; id < nodes.link_ids(); ++id) {
    links_.emplace_back(machine().ici, nodes.crosses_pod(id));
    const auto link = nodes.link(id);
    link_target_.push_back(link ? link->to : -1);
  }
}

bool OwnLinks::more_is_due() {
  if (!taken_at_once_.empty() && (queue_.empty() || queue_.top().when > now_)) {
    for (const Taken& taken : std::exchange(taken_at_once_, {})) took(*taken.run, taken.chip, taken.message, now_);
  }
  return !queue_.empty();
}

void OwnLinks::serve_next() {
  const auto entry = queue_.pop();
  now_ = entry.when;
  if (entry.value.core != nullptr) {
    serve(entry.value);
  } else {
    perform(entry.value);
  }
}

void OwnLinks::serve(const Timer& timer) { timer.core->due(timer); }

void OwnLinks::at(base::Time when, std::uint32_t rank, const Timer& timer) {
  queue_.push(when, rank_timer + rank, timer);
}

/// A message of this chip takes its first link behind all heads that have reached it by now.
void OwnLinks::send(CollectiveRun& run, noc::NodeId chip, const noc::ici::Message& message) {
  Flight flight{&run, chip, message.hops, now_, message};
  const int dimension = next_dimension(flight.remaining);
  const int direction = flight.remaining[std::size_t(dimension)] < 0 ? -1 : 1;
  const noc::ici::LinkPassage passage = pass(flight, dimension, now_);
  if (passage.tail_out > now_) {
    took(run, chip, message, passage.tail_out);
  } else {
    taken_at_once_.push_back({&run, chip, message});
  }
  go_on(flight, passage, dimension, direction);
}

void OwnLinks::took(CollectiveRun& run, noc::NodeId chip, const noc::ici::Message& message, base::Time when) {
  const MessageTag tag = unpack(message.tag);
  run.core(chip, tag.source).link_took(tag, message.hops, when);
}

/// The next link along a dimension, from its head's arrival there.
noc::ici::LinkPassage OwnLinks::pass(Flight& flight, int dimension, base::Time head) {
  std::int32_t& left = flight.remaining[std::size_t(dimension)];
  const int direction = left < 0 ? -1 : 1;
  const auto link = std::size_t(topology().representatives().link_id(flight.node, dimension, direction));
  assert(link_target_[link] >= 0 && "a message ran over an open edge");
  const noc::ici::LinkPassage passage = links_[link].pass(head, flight.tail, flight.message.bytes);
  ++hops_;
  left -= direction;
  flight.node = link_target_[link];
  flight.tail = passage.tail_at_next;
  return passage;
}

void OwnLinks::go_on(Flight& flight, const noc::ici::LinkPassage& passage, int dimension, int direction) {
  if (next_dimension(flight.remaining) >= 0) {
    keep(passage.head_at_next, rank_arrive + port(dimension, direction), arrive, flight);
  } else if (flight.run->schedule().to_neighbours()) {
    deliver(flight, passage.tail_at_next);
  } else {
    keep(passage.tail_at_next, rank_deliver + port(dimension, direction), reach_core, flight);
  }
}

void OwnLinks::keep(base::Time when, std::uint32_t rank, int kind, const Flight& flight) {
  std::uint32_t slot = std::uint32_t(flights_.size());
  if (free_flights_.empty()) {
    flights_.push_back(flight);
  } else {
    slot = free_flights_.back();
    free_flights_.pop_back();
    flights_[slot] = flight;
  }
  queue_.push(when, rank, {.core = nullptr, .kind = kind, .queue = 0, .tag = slot});
}

void OwnLinks::perform(const Timer& step) {
  Flight flight = flights_[step.tag];
  free_flights_.push_back(std::uint32_t(step.tag));
  if (step.kind == reach_core) return deliver(flight, now_);
  const int dimension = next_dimension(flight.remaining);
  const int direction = flight.remaining[std::size_t(dimension)] < 0 ? -1 : 1;
  go_on(flight, pass(flight, dimension, now_), dimension, direction);
}

void OwnLinks::deliver(const Flight& flight, base::Time when) {
  ++delivered_;
  const MessageTag tag = unpack(flight.message.tag);
  flight.run->core(flight.node, tag.target).arrived(tag, when);
}

}  // namespace podsim::sw::collectives::engine
