// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/list_scheduler.h"

#include <algorithm>
#include <deque>
#include <queue>
#include <set>
#include <unordered_map>

#include "hw/isa/latency.h"
#include "sw/codegen/schedule/bundle_packer.h"

namespace podsim::sw::codegen::schedule {

using hw::isa::SlotKind;

namespace {

constexpr int slot_kinds = int(hw::isa::SlotKind::misc) + 1;
/// Number of operations of a kind that may fail to fit a bundle, mostly because of literals, before it counts as full.
constexpr int tries = 12;

/// Counts the live values of each class while operations are issued.
class Pressure {
 public:
  explicit Pressure(const ListScope& scope) : scope_(scope) {
    scope.live_in.for_each([&](int number) { begin(number); });
    for (const registers::Operation& operation : scope.operations) {
      for (registers::Register reg : registers::RegisterReads(operation)) ++reads_left_[reg.number()];
    }
  }

  /// Returns true if an operation keeps its class within the budget, counting the values that it ends.
  bool allows(const registers::Operation& operation) const {
    const auto written = registers::written_register(operation);
    if (!written || alive_.contains(written->number())) return true;
    const auto cls = std::size_t(written->cls());
    return count_[cls] + 1 - ended_by(operation, written->cls()) <= scope_.budget[cls];
  }

  void issue(const registers::Operation& operation) {
    const registers::RegisterReads reads(operation);
    for (registers::Register reg : reads) {
      if (--reads_left_[reg.number()] == 0) end(reg.number());
    }
    if (const auto written = registers::written_register(operation)) begin(written->number());
  }

 private:
  int ended_by(const registers::Operation& operation, registers::RegisterClass cls) const {
    int ended = 0;
    const registers::RegisterReads reads(operation);
    for (const registers::Register* reg = reads.begin(); reg != reads.end(); ++reg) {
      if (reg->cls() != cls || std::find(reads.begin(), reg, *reg) != reg) continue;
      const auto uses = std::count(reads.begin(), reads.end(), *reg);
      if (reads_left_.at(reg->number()) == uses && !scope_.live_out.contains(*reg)) ++ended;
    }
    return ended;
  }

  void begin(int number) {
    if (alive_.insert(number).second) ++count_[std::size_t(registers::Register::from_number(number).cls())];
  }
  void end(int number) {
    if (scope_.live_out.contains(number)) return;
    if (alive_.erase(number) > 0) --count_[std::size_t(registers::Register::from_number(number).cls())];
  }

  const ListScope& scope_;
  std::set<int> alive_;
  std::unordered_map<int, int> reads_left_;
  RegisterBudget count_{};
};

/// Keeps pushes and pops of reorderable units consistent.
class FifoOrder {
 public:
  explicit FifoOrder(const ListScope& scope) : scope_(scope) {
    for (const FifoPair& pair : scope.graph.pairs) {
      pop_of_[pair.push] = pair.pop;
      push_of_[pair.pop] = pair.push;
    }
  }

  bool allows(int operation, int cycle) const {
    if (pop_of_.contains(operation)) {
      const Unit& unit = units_[std::size_t(unit_of(operation))];
      return cycle >= unit.next_push && int(unit.waiting.size()) + (unit.popped_in == cycle ? 1 : 0) < slots(operation);
    }
    if (const auto pop = push_of_.find(operation); pop != push_of_.end()) {
      const Unit& unit = units_[std::size_t(unit_of(operation))];
      return !unit.waiting.empty() && unit.waiting.front() == operation;
    }
    return true;
  }

  void issue(int operation, int cycle) {
    if (const auto push = pop_of_.find(operation); push != pop_of_.end()) {
      Unit& unit = units_[std::size_t(unit_of(operation))];
      unit.waiting.push_back(push->second);
      unit.next_push = cycle + interval(operation);
    } else if (push_of_.contains(operation)) {
      Unit& unit = units_[std::size_t(unit_of(operation))];
      unit.waiting.pop_front();
      unit.popped_in = cycle;
    }
  }

 private:
  struct Unit {
    std::deque<int> waiting;  ///< pops of the results in flight
    int next_push = 0;
    int popped_in = -1;
  };
  int unit_of(int operation) const { return registers::unit_of(scope_.operations[std::size_t(operation)]); }
  int slots(int operation) const { return result_slots(scope_.machine, unit_of(operation)); }
  int interval(int operation) const { return push_interval(scope_.machine, unit_of(operation)); }

  const ListScope& scope_;
  std::unordered_map<int, int> pop_of_, push_of_;
  std::array<Unit, hw::isa::result_units> units_;
};

class ListSchedule {
 public:
  explicit ListSchedule(const ListScope& scope)
      : scope_(scope),
        pressure_(scope),
        fifos_(scope),
        heights_(find_heights(scope.graph)),
        earliest_(std::size_t(scope.graph.nodes())),
        blockers_(std::size_t(scope.graph.nodes())),
        issued_(scope.operations.size()),
        ready_(slot_kinds, ReadySet(Sooner{&heights_})) {}

  std::optional<registers::Block> run() {
    for (int node = 0; node < scope_.graph.nodes(); ++node) {
      for (const Dependence& d : scope_.graph.to(node)) blockers_[std::size_t(node)] += d.distance == 0 ? 1 : 0;
    }
    for (int node = 0; node < scope_.graph.nodes(); ++node) {
      if (blockers_[std::size_t(node)] == 0) waiting_.emplace(0, node);
    }
    int idle = 0;
    for (int cycle = 0; left_ > 0; ++cycle) {
      const bool issued = issue_bundle(cycle, false) || (idle > 0 && waiting_.empty() && issue_bundle(cycle, true));
      idle = issued ? 0 : idle + 1;
      if (idle > max_idle && waiting_.empty()) return std::nullopt;
    }
    registers::Block block{scope_.operations, packer_.rows(), -1, false, 0};
    block.settle = settling_cycles(scope_.machine, block.operations, block.rows);
    return block;
  }

 private:
  /// Upper bound of the wait for a unit's next push.
  static constexpr int max_idle = 1000;

  /// Orders operations by decreasing height, then in the order of the code.
  struct Sooner {
    const std::vector<int>* heights;
    bool operator()(int a, int b) const {
      const int height_a = (*heights)[std::size_t(a)], height_b = (*heights)[std::size_t(b)];
      return height_a != height_b ? height_a > height_b : a < b;
    }
  };
  using ReadySet = std::set<int, Sooner>;

  /// Returns the cycles from each node's issue to the end of all nodes that depend on it.
  static std::vector<int> find_heights(const DependenceGraph& graph);

  hw::isa::SlotKind slot_of(int operation) const { return scope_.operations[std::size_t(operation)].info().slot; }

  /// Moves operations that become ready in a cycle to the ready sets.
  void release(int cycle) {
    while (!waiting_.empty() && waiting_.top().first <= cycle) {
      const auto [when, node] = waiting_.top();
      waiting_.pop();
      if (node < scope_.graph.operations()) {
        ready_[std::size_t(slot_of(node))].insert(node);
      } else {
        finish(node, when);
      }
    }
  }

  /// Fills a bundle, with `freely` regardless of register pressure. Returns true if anything was issued.
  bool issue_bundle(int cycle, bool freely) {
    bool any = false;
    for (bool again = true; again;) {
      again = false;
      release(cycle);
      for (ReadySet& ready : ready_) again |= issue_kind(ready, cycle, freely);
      any |= again;
    }
    return any;
  }

  bool issue_kind(ReadySet& ready, int cycle, bool freely) {
    bool any = false;
    int left = tries;
    for (auto candidate = ready.begin(); candidate != ready.end() && left > 0;) {
      const int operation = *candidate;
      ++candidate;
      if (!may_issue(operation, cycle, freely)) continue;
      if (packer_.place(cycle, scope_.operations[std::size_t(operation)], operation) < 0) {
        --left;
        continue;
      }
      ready.erase(operation);
      issue(operation, cycle);
      any = true;
      if (freely) break;
    }
    return any;
  }

  bool may_issue(int operation, int cycle, bool freely) const {
    if (!fifos_.allows(operation, cycle)) return false;
    return freely || operation == oldest_ || pressure_.allows(scope_.operations[std::size_t(operation)]);
  }

  void issue(int operation, int cycle) {
    pressure_.issue(scope_.operations[std::size_t(operation)]);
    fifos_.issue(operation, cycle);
    issued_[std::size_t(operation)] = true;
    while (oldest_ < int(issued_.size()) && issued_[std::size_t(oldest_)]) ++oldest_;
    --left_;
    finish(operation, cycle);
  }

  void finish(int node, int cycle) {
    for (const Dependence& d : scope_.graph.from(node)) {
      if (d.distance > 0) continue;
      int& earliest = earliest_[std::size_t(d.to)];
      earliest = std::max(earliest, cycle + d.latency);
      if (--blockers_[std::size_t(d.to)] == 0) waiting_.emplace(earliest, d.to);
    }
  }

  const ListScope& scope_;
  Pressure pressure_;
  FifoOrder fifos_;
  BundlePacker packer_;
  std::vector<int> heights_, earliest_, blockers_;
  std::vector<bool> issued_;
  int oldest_ = 0;  ///< the first operation that has not been issued
  int left_ = int(scope_.operations.size());
  using Event = std::pair<int, int>;  ///< cycle, node
  std::priority_queue<Event, std::vector<Event>, std::greater<>> waiting_;
  std::vector<ReadySet> ready_;
};

std::vector<int> ListSchedule::find_heights(const DependenceGraph& graph) {
  std::vector<int> heights(std::size_t(graph.nodes())), followers(heights.size());
  for (const Dependence& d : graph.dependences()) followers[std::size_t(d.from)] += d.distance == 0 ? 1 : 0;
  std::vector<int> done;
  for (int node = 0; node < graph.nodes(); ++node) {
    if (followers[std::size_t(node)] == 0) done.push_back(node);
  }
  for (std::size_t next = 0; next < done.size(); ++next) {
    for (const Dependence& d : graph.to(done[next])) {
      if (d.distance > 0) continue;
      int& height = heights[std::size_t(d.from)];
      height = std::max(height, heights[std::size_t(d.to)] + d.latency);
      if (--followers[std::size_t(d.from)] == 0) done.push_back(d.from);
    }
  }
  return heights;
}

}  // namespace

std::optional<registers::Block> schedule_list(const ListScope& scope) { return ListSchedule(scope).run(); }

int settling_cycles(const hw::Machine& machine, const std::vector<registers::Operation>& operations,
                    const std::vector<registers::Row>& rows) {
  int settled = int(rows.size());
  for (int r = 0; r < int(rows.size()); ++r) {
    for (int number : rows[std::size_t(r)].operation) {
      if (number < 0) continue;
      const registers::Operation& operation = operations[std::size_t(number)];
      auto latency = hw::isa::result_latency(machine, operation.opcode).value();
      if (operation.info().slot == hw::isa::SlotKind::store) latency = machine.vector.store_to_load.value();
      settled = std::max(settled, r + int(latency));
    }
  }
  return settled - int(rows.size());
}

}  // namespace podsim::sw::codegen::schedule
