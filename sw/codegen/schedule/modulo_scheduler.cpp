// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/modulo_scheduler.h"

#include <algorithm>
#include <limits>
#include <set>

#include "hw/isa/latency.h"
#include "sw/codegen/schedule/modulo_reservation.h"

namespace podsim::sw::codegen::schedule {

namespace {

/// Placements per group before an interval is given up.
constexpr int patience = 6;
/// More than one pass, since each group that sinks makes room for others.
constexpr int sinking_passes = 2;

/// An attempt to schedule the loop with a given interval.
class Attempt {
 public:
  Attempt(const ModuloScope& scope, const ModuloGraph& graph, int interval, std::vector<int> ranks)
      : scope_(scope),
        graph_(graph),
        interval_(interval),
        ranks_(std::move(ranks)),
        reservation_(scope.machine, scope.operations, graph, interval),
        cycle_(std::size_t(graph.groups()), none),
        last_cycle_(cycle_.size(), none) {}

  bool run() {
    for (int group = 0; group < graph_.groups(); ++group) waiting_.insert({ranks_[std::size_t(group)], group});
    for (int left = patience * graph_.groups(); !waiting_.empty(); --left) {
      if (left == 0) return false;
      const int group = waiting_.begin()->second;
      waiting_.erase(waiting_.begin());
      place(group);
    }
    return true;
  }

  /// Delays groups if that reduces the number of live values: loads, pops and computations that use them, up to the
  /// first use of their results.
  void sink() {
    const std::vector<int> gains = find_gains();
    std::vector<int> order;
    for (int group = 0; group < graph_.groups(); ++group) {
      if (gains[std::size_t(group)] > 0) order.push_back(group);
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return cycle_of(a) > cycle_of(b); });
    for (int group : order) sink(group);
  }

  ModuloSchedule schedule() const {
    ModuloSchedule result{interval_, std::vector<int>(scope_.operations.size())};
    int first = -1;
    for (int i = 0; i < int(result.cycle.size()); ++i) {
      result.cycle[std::size_t(i)] = cycle_of(graph_.group_of(i)) + graph_.offset_of(i);
      first = first < 0 ? result.cycle[std::size_t(i)] : std::min(first, result.cycle[std::size_t(i)]);
    }
    for (int& cycle : result.cycle) cycle -= first;
    return result;
  }

 private:
  static constexpr int none = -1;

  int cycle_of(int group) const { return cycle_[std::size_t(group)]; }

  int earliest(int group) const {
    int cycle = 0;
    for (const Dependence& d : graph_.to(group)) {
      if (d.from == group || cycle_of(d.from) == none) continue;
      cycle = std::max(cycle, cycle_of(d.from) + d.latency - d.distance * interval_);
    }
    return cycle;
  }

  void place(int group) {
    const int first = earliest(group);
    for (int cycle = first; cycle < first + interval_; ++cycle) {
      if (reservation_.place(group, cycle)) return settle(group, cycle);
    }
    const int last = last_cycle_[std::size_t(group)];
    const int cycle = last == none ? first : std::max(first, last + 1);
    for (int other : reservation_.conflicts(group, cycle)) {
      if (cycle_of(other) != none) push_out(other);
      if (reservation_.place(group, cycle)) return settle(group, cycle);
    }
    waiting_.insert({ranks_[std::size_t(group)], group});  // the members of the group conflict with each other
    last_cycle_[std::size_t(group)] = cycle;
  }

  void settle(int group, int cycle) {
    cycle_[std::size_t(group)] = last_cycle_[std::size_t(group)] = cycle;
    for (const Dependence& d : graph_.from(group)) {
      if (d.to == group || cycle_of(d.to) == none) continue;
      if (cycle_of(d.to) < cycle + d.latency - d.distance * interval_) push_out(d.to);
    }
  }

  void push_out(int group) {
    reservation_.remove(group, cycle_of(group));
    cycle_[std::size_t(group)] = none;
    waiting_.insert({ranks_[std::size_t(group)], group});
  }

  /// Returns the latest cycle that the dependences on the group allow.
  int latest(int group) const {
    int cycle = std::numeric_limits<int>::max();
    for (const Dependence& d : graph_.from(group)) {
      if (d.to == group) continue;
      cycle = std::min(cycle, cycle_of(d.to) - d.latency + d.distance * interval_);
    }
    return cycle;
  }

  void sink(int group) {
    const int now = cycle_of(group);
    reservation_.remove(group, now);
    const int last = latest(group);
    for (int cycle = last; cycle > now && cycle > last - interval_; --cycle) {
      if (!reservation_.place(group, cycle)) continue;
      cycle_[std::size_t(group)] = cycle;
      return;
    }
    reservation_.place(group, now);
  }

  /// Returns for each group the decrease of live values per cycle of delay, if the groups that feed only it follow: its
  /// results, minus its operands that have no later use, except operands from groups that can sink too.
  std::vector<int> find_gains() const;

  const ModuloScope& scope_;
  const ModuloGraph& graph_;
  int interval_;
  std::vector<int> ranks_;  ///< groups with lower ranks are placed first
  ModuloReservation reservation_;
  std::vector<int> cycle_, last_cycle_;
  std::set<std::pair<int, int>> waiting_;  ///< by rank
};

std::vector<int> Attempt::find_gains() const {
  struct Value {
    int group = none;    ///< group that writes it
    int last_read = -1;  ///< cycle of its last read
    int reader = none;   ///< group of its last read
  };
  std::unordered_map<int, Value> values;
  for (int i = 0; i < int(scope_.operations.size()); ++i) {
    const registers::Operation& operation = scope_.operations[std::size_t(i)];
    const int cycle = cycle_of(graph_.group_of(i)) + graph_.offset_of(i);
    for (registers::Register reg : registers::RegisterReads(operation)) {
      if (!scope_.renamed.contains(reg)) continue;
      Value& value = values[reg.number()];
      if (cycle < value.last_read) continue;
      value.last_read = cycle;
      value.reader = graph_.group_of(i);
    }
    if (auto reg = registers::written_register(operation); reg && scope_.renamed.contains(*reg)) {
      Value& value = values[reg->number()];
      if (value.group == none) value.group = graph_.group_of(i);
    }
  }
  std::vector<int> gains(std::size_t(graph_.groups()));
  for (int group = 0; group < graph_.groups(); ++group) {
    int& gain = gains[std::size_t(group)];
    for (const auto& [i, offset] : graph_.members(group)) {
      const registers::Operation& operation = scope_.operations[std::size_t(i)];
      if (auto reg = registers::written_register(operation); reg && scope_.renamed.contains(*reg)) {
        const Value& value = values[reg->number()];
        gain += value.group == group && value.reader != none ? 1 : 0;
      }
      for (registers::Register reg : registers::RegisterReads(operation)) {
        const auto found = values.find(reg.number());
        if (found == values.end() || found->second.reader != group || found->second.group == group) continue;
        const int feeder = found->second.group;
        gain -= feeder != none && feeder < group && gains[std::size_t(feeder)] > 0 ? 0 : 1;
      }
    }
  }
  return gains;
}

bool within(const RegisterBudget& alive, const RegisterBudget& budget) {
  return std::equal(alive.begin(), alive.end(), budget.begin(), std::less_equal<>());
}

}  // namespace

int ModuloSchedule::length() const { return cycle.empty() ? 0 : *std::max_element(cycle.begin(), cycle.end()) + 1; }

std::unordered_map<int, Lifetime> find_lifetimes(const hw::Machine& machine,
                                                 const std::vector<registers::Operation>& operations,
                                                 const registers::RegisterSet& renamed,
                                                 const ModuloSchedule& schedule) {
  std::unordered_map<int, Lifetime> lifetimes;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const int cycle = schedule.cycle[i];
    const auto see = [&](registers::Register reg, int end) {
      if (!renamed.contains(reg)) return;
      const auto [found, first] = lifetimes.try_emplace(reg.number(), Lifetime{cycle, end});
      found->second.begin = std::min(found->second.begin, cycle);
      found->second.end = std::max(found->second.end, end);
    };
    for (registers::Register reg : registers::RegisterReads(operations[i])) see(reg, cycle);
    if (auto reg = registers::written_register(operations[i])) {
      see(*reg, cycle + std::max(1, int(hw::isa::result_latency(machine, operations[i].opcode).value())));
    }
  }
  return lifetimes;
}

RegisterBudget max_alive(const hw::Machine& machine, const std::vector<registers::Operation>& operations,
                         const registers::RegisterSet& renamed, const ModuloSchedule& schedule) {
  const auto interval = std::size_t(schedule.interval);
  std::array<std::vector<int>, registers::register_classes> change;
  RegisterBudget alive{};  // at the end of the last row
  for (auto& rows : change) rows.resize(interval);
  for (const auto& [number, lifetime] : find_lifetimes(machine, operations, renamed, schedule)) {
    const auto cls = std::size_t(registers::Register::from_number(number).cls());
    ++change[cls][std::size_t(lifetime.begin) % interval];
    --change[cls][std::size_t(lifetime.end) % interval];
    alive[cls] += lifetime.end / schedule.interval - lifetime.begin / schedule.interval;
  }
  RegisterBudget most = alive;
  for (std::size_t cls = 0; cls < registers::register_classes; ++cls) {
    for (int now = alive[cls]; int step : change[cls]) most[cls] = std::max(most[cls], now += step);
  }
  return most;
}

std::optional<ModuloSchedule> schedule_modulo(const ModuloScope& scope) {
  const ModuloGraph graph(scope.graph);
  int interval = graph.min_interval(min_interval_of_slots(scope.machine, scope.operations, graph));
  for (; interval <= scope.longest_interval; interval += std::max(1, interval / 32)) {
    auto heights = graph.heights(interval);
    if (!heights) continue;
    for (int& height : *heights) height = -height;
    for (const std::vector<int>& ranks : {*heights, graph.code_order()}) {
      Attempt attempt(scope, graph, interval, ranks);
      if (!attempt.run()) continue;
      for (int pass = 0; pass < sinking_passes; ++pass) attempt.sink();
      ModuloSchedule schedule = attempt.schedule();
      if (within(max_alive(scope.machine, scope.operations, scope.renamed, schedule), scope.budget)) return schedule;
    }
  }
  return std::nullopt;
}

}  // namespace podsim::sw::codegen::schedule
