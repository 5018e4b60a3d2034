// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/direct_engine.h"

#include <algorithm>
#include <cassert>
#include <utility>

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

constexpr int between_pauses = 1 << 16;  ///< timers

std::uint32_t port(int dimension, int direction) { return std::uint32_t(2 * dimension + (direction < 0)); }

int next_dimension(const noc::Coordinates& hops) {
  for (int d = 0; d < noc::max_dimensions; ++d) {
    if (hops[std::size_t(d)] != 0) return d;
  }
  return -1;
}

/// Whether messages come to a core, stripe and direction from one other member only, and therefore in turn.
bool to_neighbours(const schedule::CollectiveSchedule& schedule) {
  for (std::size_t group = 0; group < schedule.groups(); ++group) {
    const schedule::GroupSchedule& program = schedule.group_program(group);
    for (int order = 0; order < program.orders(); ++order) {
      for (const schedule::Phase& phase : program.phases(order)) {
        if (!phase.pattern->to_neighbours()) return false;
      }
    }
  }
  return true;
}

}  // namespace

/// What transfers take from a chip; hw::chip::Chip is the module with the same timings.
class DirectEngine::DirectChip : public hw::chip::ChipTransfers {
 public:
  DirectChip(const hw::Machine& machine, const base::Time& now)
      : now_(now),
        clock_(machine.clock),
        switch_(machine.chip_switch, machine.clock, int(machine.cores_per_chip)),
        vector_(machine),
        hbm_(std::size_t(machine.cores_per_chip), hw::timing::HbmOccupancy(machine.hbm)),
        vector_free_at_(std::size_t(machine.cores_per_chip)) {}

  base::Time read(int core, base::Bytes bytes) override {
    return hbm_[std::size_t(core)].claim(now_, hw::Direction::read, bytes);
  }
  base::Time write(int core, base::Bytes bytes) override {
    return hbm_[std::size_t(core)].claim(now_, hw::Direction::write, bytes);
  }
  noc::chip_switch::SwitchPassage pass(int from, int to, base::Bytes bytes) override {
    return switch_.pass(now_, from, to, bytes);
  }
  base::Time compute(int core, base::Time ready, const hw::VectorWork& work) override {
    base::Time& free_at = vector_free_at_[std::size_t(core)];
    return free_at = std::max(ready, free_at) + clock_.time_of(vector_.duration(work));
  }
  base::Time slowed(base::Time healthy) const override { return healthy; }

 private:
  const base::Time& now_;
  base::Clock clock_;
  noc::chip_switch::SwitchTiming switch_;
  hw::timing::VectorTiming vector_;
  std::vector<hw::timing::HbmOccupancy> hbm_;
  std::vector<base::Time> vector_free_at_;
};

DirectEngine::DirectEngine(const hw::Machine& machine, const noc::FoldedTopology& topology,
                           std::shared_ptr<const schedule::CollectiveSchedule> schedule, CollectiveData* data)
    : Surroundings(machine, topology),
      in_turn_(to_neighbours(*schedule)),
      collective_(*this, std::move(schedule), 1, {}, data) {
  const noc::Topology& nodes = topology.representatives();
  for (noc::LinkId id = 0; id < nodes.link_ids(); ++id) {
    links_.emplace_back(machine.ici, nodes.crosses_pod(id));
    const auto link = nodes.link(id);
    link_target_.push_back(link ? link->to : -1);
  }
  for (noc::NodeId node = 0; node < nodes.nodes(); ++node) chips_.emplace_back(this->machine(), now_);
}

DirectEngine::~DirectEngine() = default;

hw::chip::ChipTransfers& DirectEngine::chip(noc::NodeId chip) { return chips_[std::size_t(chip)]; }

void DirectEngine::start_cores(const schedule::StartTimes& starts) {
  struct Start {
    base::Time when;
    noc::NodeId chip;
    int core;
  };
  std::vector<Start> order;
  for (noc::NodeId chip = 0; chip < topology().representatives().nodes(); ++chip) {
    const std::size_t first = std::size_t(topology().full_node_of(chip)) * std::size_t(cores_per_chip());
    for (int core = 0; core < cores_per_chip(); ++core) {
      order.push_back({starts.empty() ? base::Time(0) : starts[first + std::size_t(core)], chip, core});
    }
  }
  std::ranges::stable_sort(order, {}, &Start::when);
  for (const Start& start : order) {
    now_ = start.when;
    collective_.start(start.chip, start.core);
  }
}

void DirectEngine::run(const schedule::StartTimes& starts, const std::function<void()>& pause) {
  start_cores(starts);
  for (int count = 1; more_is_due(); ++count) {
    const auto entry = queue_.pop();
    now_ = entry.when;
    if (entry.value.core != nullptr) {
      entry.value.core->due(entry.value);
    } else {
      perform(entry.value);
    }
    if (count % between_pauses == 0 && pause) pause();
  }
}

bool DirectEngine::more_is_due() {
  if (!taken_at_once_.empty() && (queue_.empty() || queue_.top().when > now_)) {
    for (const Taken& taken : std::exchange(taken_at_once_, {})) took(*taken.run, taken.chip, taken.message, now_);
  }
  return !queue_.empty();
}

void DirectEngine::at(base::Time when, std::uint32_t rank, const Timer& timer) {
  queue_.push(when, rank_timer + rank, timer);
}

/// A message of this chip takes its first link behind all heads that have reached it by now.
void DirectEngine::send(CollectiveRun& run, noc::NodeId chip, const noc::ici::Message& message) {
  Flight flight{chip, message.hops, now_, message};
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

void DirectEngine::took(CollectiveRun& run, noc::NodeId chip, const noc::ici::Message& message, base::Time when) {
  const MessageTag tag = unpack(message.tag);
  run.core(chip, tag.source).link_took(tag, message.hops, when);
}

/// The next link along a dimension, from its head's arrival there.
noc::ici::LinkPassage DirectEngine::pass(Flight& flight, int dimension, base::Time head) {
  std::int32_t& left = flight.remaining[std::size_t(dimension)];
  const int direction = left < 0 ? -1 : 1;
  const auto link = std::size_t(topology().representatives().link_id(flight.node, dimension, direction));
  assert(link_target_[link] >= 0 && "a message ran over an open edge");
  const noc::ici::LinkPassage passage = links_[link].pass(head, flight.tail, flight.message.bytes);
  left -= direction;
  flight.node = link_target_[link];
  flight.tail = passage.tail_at_next;
  return passage;
}

void DirectEngine::go_on(Flight& flight, const noc::ici::LinkPassage& passage, int dimension, int direction) {
  if (next_dimension(flight.remaining) >= 0) {
    keep(passage.head_at_next, rank_arrive + port(dimension, direction), arrive, flight);
  } else if (in_turn_) {
    deliver(flight, passage.tail_at_next);
  } else {
    keep(passage.tail_at_next, rank_deliver + port(dimension, direction), reach_core, flight);
  }
}

void DirectEngine::keep(base::Time when, std::uint32_t rank, int kind, const Flight& flight) {
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

void DirectEngine::perform(const Timer& step) {
  Flight flight = flights_[step.tag];
  free_flights_.push_back(std::uint32_t(step.tag));
  if (step.kind == reach_core) return deliver(flight, now_);
  const int dimension = next_dimension(flight.remaining);
  const int direction = flight.remaining[std::size_t(dimension)] < 0 ? -1 : 1;
  go_on(flight, pass(flight, dimension, now_), dimension, direction);
}

void DirectEngine::deliver(const Flight& flight, base::Time when) {
  ++delivered_;
  const MessageTag tag = unpack(flight.message.tag);
  collective_.core(flight.node, tag.target).arrived(tag, when);
}

}  // namespace podsim::sw::collectives::engine
