// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/fifo_dependences.h"

#include <algorithm>
#include <optional>

#include "hw/isa/fixed_sizes.h"

namespace podsim::sw::codegen::schedule {

using hw::isa::Opcode;

namespace {

/// Cycles that the rows of a register take to enter an array.
constexpr int register_cycles = hw::isa::register_sublanes;

int count_up(int a, int b) { return (a + b - 1) / b; }

/// An element of a sequence that repeats every iteration, as seen from an iteration.
struct Repeated {
  int index = 0;
  int distance = 0;  ///< number of iterations ago
};
/// Returns element `position` of a sequence of `length` elements. Positions before 0 belong to previous iterations; for
/// code without iterations they give std::nullopt.
std::optional<Repeated> repeated(int position, int length, bool loop) {
  if (position >= 0) return Repeated{position, 0};
  if (!loop || length == 0) return std::nullopt;
  const int distance = count_up(-position, length);
  return Repeated{position + distance * length, distance};
}

/// Adds the dependences of the operations of a unit.
class UnitDependences {
 public:
  UnitDependences(const DependenceScope& scope, int unit, std::vector<int> operations, DependenceGraph& graph)
      : scope_(scope), unit_(unit), operations_(std::move(operations)), graph_(graph) {}

  void run() {
    if (scope_.fifos.unknown[std::size_t(unit_)]) return keep_order(operations_, 1);
    if (unit_ >= hw::isa::max_matrix_units && add_pairs()) return;
    std::vector<int> pushes, pops;
    for (int i : operations_) (registers::is_pop(at(i)) ? pops : pushes).push_back(i);
    keep_order(pops, 1);
    if (unit_ < hw::isa::max_matrix_units) {
      add_matrix_unit();
    } else {
      keep_order(pushes, interval());
      add_results(pushes);
    }
    match(pops);
  }

 private:
  const registers::Operation& at(int i) const { return scope_.operations[std::size_t(i)]; }
  int interval() const { return push_interval(scope_.machine, unit_); }
  int latency() const { return push_to_pop(scope_.machine, unit_); }
  int waiting() const { return scope_.fifos.waiting[std::size_t(unit_)]; }

  void keep_order(const std::vector<int>& operations, int latency) {
    for (std::size_t i = 1; i < operations.size(); ++i) graph_.add(operations[i - 1], operations[i], latency);
    if (scope_.loop && !operations.empty()) graph_.add(operations.back(), operations.front(), latency, 1);
  }

  bool add_pairs() {
    if (waiting() != 0) return false;
    std::vector<int> pushes;
    std::vector<FifoPair> pairs;
    for (int i : operations_) {
      const int results = results_of(at(i));
      if (results == 1) {
        pushes.push_back(i);
      } else if (results == -1 && pairs.size() < pushes.size()) {
        pairs.push_back({pushes[pairs.size()], i});
      } else {
        return false;
      }
    }
    if (pairs.size() != pushes.size()) return false;
    for (const FifoPair& pair : pairs) graph_.add(pair.push, pair.pop, latency());
    graph_.pairs.insert(graph_.pairs.end(), pairs.begin(), pairs.end());
    return true;
  }

  /// Adds the results of a unit without operand FIFOs.
  void add_results(const std::vector<int>& pushes) {
    for (int push : pushes) {
      for (int r = 0; r < results_of(at(push)); ++r) {
        const int event = graph_.add_event();
        graph_.add(push, event, latency());
        ready_.push_back({push, event});
      }
    }
    for (std::size_t r = 1; r < ready_.size(); ++r) graph_.add(ready_[r - 1].event, ready_[r].event, interval());
    if (scope_.loop && !ready_.empty()) graph_.add(ready_.back().event, ready_.front().event, interval(), 1);
  }

  /// An operation in a FIFO at an array's input: the push, and the event of leaving the FIFO.
  struct Entry {
    int push = -1, event = -1;
    bool before = false;  ///< belongs to the previous iteration
  };

  void depend(const Entry& from, int to, int latency) {
    if (from.event >= 0 && from.before == second_) graph_.add(from.event, to, latency, second_ ? 1 : 0);
  }
  void order(const Entry& from, int to, int latency = 1) {
    if (from.push >= 0 && from.before == second_) graph_.add(from.push, to, latency, second_ ? 1 : 0);
  }

  void add_matrix_unit() {
    std::vector<Entry> rows, weights;  // the two FIFOs
    for (int i : operations_) {
      if (registers::is_pop(at(i))) continue;
      const Entry entry{i, graph_.add_event()};
      graph_.add(i, entry.event, 1);
      (is_weights(i) ? weights : rows).push_back(entry);
      if (at(i).opcode == hw::isa::Opcode::mxu_lhs) {
        const int ready = graph_.add_event();
        graph_.add(entry.event, ready, int(scope_.machine.mxu.first_result_latency().value()));
        ready_.push_back({i, ready});
      }
    }
    keep_room(rows);
    keep_room(weights);
    walk_matrix_unit(rows, weights);
    if (!scope_.loop) return;
    for (Entry* last : {&last_row_, &last_weights_, &last_latch_}) last->before = true;
    second_ = true;
    walk_matrix_unit(rows, weights);
  }

  bool is_weights(int i) const {
    return at(i).opcode == hw::isa::Opcode::mxu_weights || at(i).opcode == hw::isa::Opcode::mxu_weights_transposed;
  }

  /// An entry is pushed only after the entry `operand_fifo` positions before it has left the FIFO.
  void keep_room(const std::vector<Entry>& fifo) {
    for (int i = 0; i < int(fifo.size()); ++i) {
      const auto ahead = repeated(i - int(scope_.machine.mxu.operand_fifo), int(fifo.size()), scope_.loop);
      if (ahead) graph_.add(fifo[std::size_t(ahead->index)].event, fifo[std::size_t(i)].push, 0, ahead->distance);
    }
  }

  /// Adds the equations of MatrixUnit, in the order of the pushes.
  void walk_matrix_unit(const std::vector<Entry>& rows, const std::vector<Entry>& weights) {
    auto row = rows.begin();
    auto weight = weights.begin();
    for (int i : operations_) {
      if (registers::is_pop(at(i))) continue;
      if (is_weights(i)) {
        push_weights(*weight++);
      } else if (at(i).opcode == hw::isa::Opcode::mxu_lhs) {
        push_lhs(*row++);
      } else {
        latch(*row++);
      }
    }
  }

  void push_lhs(const Entry& entry) {
    depend(last_row_, entry.event, register_cycles);
    depend(last_latch_, entry.event, 0);
    // In a loop, an early push gains nothing in the long run, so pushes are spaced at the rate of the array.
    order(last_row_, entry.push, scope_.loop ? register_cycles : 1);
    order(last_latch_, entry.push);
    last_row_ = entry;
  }

  void push_weights(const Entry& entry) {
    depend(last_weights_, entry.event, register_cycles);
    depend(last_latch_, entry.event, 0);
    order(last_weights_, entry.push);
    order(last_latch_, entry.push);
    last_weights_ = entry;
  }

  void latch(const Entry& entry) {
    const bool transposed =
        last_weights_.push >= 0 && at(last_weights_.push).opcode == hw::isa::Opcode::mxu_weights_transposed;
    depend(last_row_, entry.event, register_cycles);
    depend(last_weights_, entry.event, register_cycles + (transposed ? int(scope_.machine.mxu.size) : 0));
    depend(last_latch_, entry.event, 1);
    order(last_row_, entry.push);
    order(last_weights_, entry.push);
    order(last_latch_, entry.push);
    last_latch_ = entry;
  }

  /// Orders pops after their results, and pushes after the pops that make room.
  void match(const std::vector<int>& pops) {
    const int results = int(ready_.size());
    for (int p = 0; p < int(pops.size()); ++p) {
      const auto result = repeated(p - waiting(), results, scope_.loop);
      if (!result || result->index >= results) continue;
      graph_.add(ready_[std::size_t(result->index)].event, pops[std::size_t(p)], 0, result->distance);
      graph_.add(ready_[std::size_t(result->index)].push, pops[std::size_t(p)], 1, result->distance);
    }
    const int most = std::max(result_slots(scope_.machine, unit_), max_in_flight());
    for (int r = 0; r < results; ++r) {
      const auto pop = repeated(waiting() + r - most, int(pops.size()), scope_.loop);
      if (!pop || pop->index >= int(pops.size())) continue;
      graph_.add(pops[std::size_t(pop->index)], ready_[std::size_t(r)].push, 1, pop->distance);
    }
  }

  int max_in_flight() const {
    int now = waiting(), most = now;
    for (int i : operations_) most = std::max(most, now += results_of(at(i)));
    return most;
  }

  const DependenceScope& scope_;
  int unit_;
  std::vector<int> operations_;
  DependenceGraph& graph_;
  struct Result {
    int push = 0, event = 0;  ///< event: the result can be popped
  };
  std::vector<Result> ready_;
  bool second_ = false;  ///< finding dependences on the previous iteration
  Entry last_row_, last_weights_, last_latch_;
};

}  // namespace

void add_fifo_dependences(const DependenceScope& scope, DependenceGraph& graph) {
  std::vector<std::vector<int>> by_unit(hw::isa::result_units);
  for (int i = 0; i < int(scope.operations.size()); ++i) {
    const int unit = registers::unit_of(scope.operations[std::size_t(i)]);
    if (unit >= 0) by_unit[std::size_t(unit)].push_back(i);
  }
  for (int unit = 0; unit < hw::isa::result_units; ++unit) {
    std::vector<int>& operations = by_unit[std::size_t(unit)];
    if (!operations.empty()) UnitDependences(scope, unit, std::move(operations), graph).run();
  }
}

}  // namespace podsim::sw::codegen::schedule
