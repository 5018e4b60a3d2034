// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/modulo_reservation.h"

#include <algorithm>

#include "base/units.h"

namespace podsim::sw::codegen::schedule {

namespace {

constexpr int slots_of(hw::isa::SlotKind kind) {
  return kind == hw::isa::SlotKind::scalar || kind == hw::isa::SlotKind::vector ? 2 : 1;
}

/// The time of a FifoPair's result in its unit.
struct Flight {
  int unit = -1;   ///< -1: the group is not a FifoPair
  int cycles = 0;  ///< from the push to the pop, both included
};

Flight flight_of(const ModuloGraph& graph, const std::vector<registers::Operation>& operations, int group) {
  const auto members = graph.members(group);
  if (members.size() < 2) return {};
  const auto [first, last] = std::ranges::minmax(members, {}, &GroupMember::offset);
  return {registers::unit_of(operations[std::size_t(first.operation)]), last.offset - first.offset + 1};
}

}  // namespace

ModuloReservation::ModuloReservation(const hw::Machine& machine, const std::vector<registers::Operation>& operations,
                                     const ModuloGraph& graph, int interval)
    : machine_(machine),
      operations_(operations),
      graph_(graph),
      interval_(interval),
      cross_lane_cycles_(int(machine.cross_lane.interval.value())),
      taken_(std::size_t(interval)),
      cross_lane_(std::size_t(interval), -1),
      placed_(std::size_t(graph.groups())) {
  for (std::vector<int>& rows : in_flight_) rows.resize(std::size_t(interval));
}

bool ModuloReservation::uses_cross_lane(int operation) const {
  const registers::Operation& o = operations_[std::size_t(operation)];
  return registers::is_push(o) && registers::unit_of(o) == hw::isa::cross_lane_unit;
}

bool ModuloReservation::cross_lane_free(int cycle) const {
  if (cross_lane_cycles_ > interval_) return false;
  for (int c = cycle; c < cycle + cross_lane_cycles_; ++c) {
    if (cross_lane_[row(c)] >= 0) return false;
  }
  return true;
}

void ModuloReservation::mark_cross_lane(int cycle, int group) {
  for (int c = cycle; c < cycle + cross_lane_cycles_; ++c) cross_lane_[row(c)] = group;
}

bool ModuloReservation::results_fit(int group, int cycle) const {
  const Flight flight = flight_of(graph_, operations_, group);
  if (flight.unit < 0) return true;
  const int slots = result_slots(machine_, flight.unit), around = flight.cycles / interval_;
  const std::vector<int>& rows = in_flight_[std::size_t(flight.unit)];
  for (int i = 0; i < std::min(flight.cycles, interval_); ++i) {
    const int own = around + (i < flight.cycles % interval_ ? 1 : 0);
    if (rows[row(cycle + i)] + own > slots) return false;
  }
  return true;
}

void ModuloReservation::mark_results(int group, int cycle, int change) {
  const Flight flight = flight_of(graph_, operations_, group);
  for (int i = 0; i < flight.cycles; ++i) in_flight_[std::size_t(flight.unit)][row(cycle + i)] += change;
  placed_[std::size_t(group)] = change > 0;
}

bool ModuloReservation::place(int group, int cycle) {
  if (!results_fit(group, cycle)) return false;
  const auto members = graph_.members(group);
  std::size_t placed = 0;
  for (; placed < members.size(); ++placed) {
    const auto [operation, offset] = members[placed];
    const registers::Operation& o = operations_[std::size_t(operation)];
    int& taken = taken_[row(cycle + offset)][std::size_t(o.info().slot)];
    if (taken >= slots_of(o.info().slot)) break;
    if (uses_cross_lane(operation) && !cross_lane_free(cycle + offset)) break;
    if (packer_.place(int(row(cycle + offset)), o, operation) < 0) break;
    ++taken;
    if (uses_cross_lane(operation)) mark_cross_lane(cycle + offset, group);
  }
  if (placed == members.size()) {
    mark_results(group, cycle, 1);
    return true;
  }
  while (placed-- > 0) remove_member(members[placed], cycle);
  return false;
}

void ModuloReservation::remove(int group, int cycle) {
  for (const GroupMember& member : graph_.members(group)) remove_member(member, cycle);
  mark_results(group, cycle, -1);
}

void ModuloReservation::remove_member(const GroupMember& member, int cycle) {
  const std::size_t at = row(cycle + member.offset);
  const registers::Row& slots = packer_.rows()[at];
  const auto slot = std::find(slots.operation.begin(), slots.operation.end(), member.operation);
  packer_.remove(int(at), int(slot - slots.operation.begin()));
  --taken_[at][std::size_t(operations_[std::size_t(member.operation)].info().slot)];
  if (uses_cross_lane(member.operation)) mark_cross_lane(cycle + member.offset, -1);
}

std::vector<int> ModuloReservation::conflicts(int group, int cycle) const {
  std::vector<int> others;
  const auto add = [&](int other) {
    if (other != group && std::find(others.begin(), others.end(), other) == others.end()) others.push_back(other);
  };
  const auto add_row = [&](std::size_t at, auto matches) {
    if (at >= packer_.rows().size()) return;
    for (int operation : packer_.rows()[at].operation) {
      if (operation >= 0 && matches(operations_[std::size_t(operation)])) add(graph_.group_of(operation));
    }
  };
  if (!results_fit(group, cycle)) {
    const int unit = flight_of(graph_, operations_, group).unit;
    for (int other = 0; other < graph_.groups(); ++other) {
      if (placed_[std::size_t(other)] && flight_of(graph_, operations_, other).unit == unit) add(other);
    }
  }
  for (const auto& [operation, offset] : graph_.members(group)) {
    const hw::isa::SlotKind kind = operations_[std::size_t(operation)].info().slot;
    add_row(row(cycle + offset), [&](const registers::Operation& o) { return o.info().slot == kind; });
    if (!uses_cross_lane(operation)) continue;
    for (int c = cycle + offset; c < cycle + offset + cross_lane_cycles_; ++c) {
      if (cross_lane_[row(c)] >= 0) add(cross_lane_[row(c)]);
    }
  }
  for (const auto& [operation, offset] : graph_.members(group)) {
    add_row(row(cycle + offset), [](const registers::Operation&) { return true; });
  }
  return others;
}

int min_interval_of_slots(const hw::Machine& machine, const std::vector<registers::Operation>& operations,
                          const ModuloGraph& graph) {
  std::array<std::int64_t, std::size_t(hw::isa::SlotKind::misc) + 1> count{};
  std::int64_t cross_lane = 0, transcendental = 0;
  for (const registers::Operation& operation : operations) {
    ++count[std::size_t(operation.info().slot)];
    if (!registers::is_push(operation)) continue;
    cross_lane += registers::unit_of(operation) == hw::isa::cross_lane_unit ? 1 : 0;
    transcendental += registers::unit_of(operation) == hw::isa::transcendental_unit ? 1 : 0;
  }
  std::int64_t least = std::max<std::int64_t>(1, cross_lane * machine.cross_lane.interval.value());
  least = std::max(least, transcendental * machine.vector.transcendental_interval.value());
  for (std::size_t kind = 0; kind < count.size(); ++kind) {
    least = std::max(least, base::divide_round_up(count[kind], slots_of(hw::isa::SlotKind(kind))));
  }
  std::array<std::int64_t, hw::isa::result_units> in_flight{};
  for (int group = 0; group < graph.groups(); ++group) {
    const Flight flight = flight_of(graph, operations, group);
    if (flight.unit >= 0) in_flight[std::size_t(flight.unit)] += flight.cycles;
  }
  for (int unit = 0; unit < hw::isa::result_units; ++unit) {
    least = std::max(least, base::divide_round_up(in_flight[std::size_t(unit)], result_slots(machine, unit)));
  }
  return int(least);
}

}  // namespace podsim::sw::codegen::schedule
