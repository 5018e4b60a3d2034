// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/dependence_graph.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "hw/isa/latency.h"
#include "sw/codegen/registers/scalar_values.h"
#include "sw/codegen/schedule/fifo_dependences.h"

namespace podsim::sw::codegen::schedule {

using hw::isa::Opcode;
using hw::isa::SlotKind;

void DependenceGraph::index() {
  const auto sort = [&](std::vector<Dependence>& sorted, std::vector<int>& first, auto node_of) {
    first.assign(std::size_t(nodes_) + 1, 0);
    for (const Dependence& d : dependences_) ++first[std::size_t(node_of(d)) + 1];
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    std::vector<int> next = first;
    sorted.resize(dependences_.size());
    for (const Dependence& d : dependences_) sorted[std::size_t(next[std::size_t(node_of(d))]++)] = d;
  };
  sort(by_from_, first_from_, [](const Dependence& d) { return d.from; });
  sort(by_to_, first_to_, [](const Dependence& d) { return d.to; });
}

namespace {

bool is_barrier(const registers::Operation& operation) {
  return operation.info().slot == hw::isa::SlotKind::misc && operation.opcode != hw::isa::Opcode::mark;
}

/// Finds dependences through registers, in one or two passes over the code. The second pass finds the dependences of an
/// iteration on the previous one.
class RegisterDependences {
 public:
  RegisterDependences(const DependenceScope& scope, DependenceGraph& graph) : scope_(scope), graph_(graph) {}

  void run() {
    pass();
    if (!scope_.loop) return;
    for (auto entry = state_.begin(); entry != state_.end();) {
      entry = scope_.renamed->contains(entry->first) ? state_.erase(entry) : std::next(entry);
    }
    second_ = true;
    pass();
  }

 private:
  struct Access {
    int operation = -1;
    bool before = false;  ///< in the second pass: an access that the first pass saw
  };
  struct State {
    Access write;
    std::vector<Access> reads;  ///< since the write
  };

  void pass() {
    if (second_) {
      for (auto& [number, state] : state_) {
        state.write.before = true;
        for (Access& read : state.reads) read.before = true;
      }
    }
    for (int i = 0; i < int(scope_.operations.size()); ++i) visit(i);
  }

  void visit(int i) {
    const registers::Operation& operation = scope_.operations[std::size_t(i)];
    for (registers::Register reg : registers::RegisterReads(operation)) {
      State& state = state_[reg.number()];
      add(state.write, i, latency_of(state.write));
      state.reads.push_back({i, false});
    }
    const auto reg = registers::written_register(operation);
    if (!reg) return;
    State& state = state_[reg->number()];
    add(state.write, i, latency_of(state.write));
    for (const Access& read : state.reads) {
      if (read.before || read.operation != i) add(read, i, 0);
    }
    state.write = {i, false};
    state.reads.clear();
  }

  int latency_of(const Access& write) const {
    if (write.operation < 0) return 0;
    const hw::isa::Opcode opcode = scope_.operations[std::size_t(write.operation)].opcode;
    return std::max(1, int(hw::isa::result_latency(scope_.machine, opcode).value()));
  }

  void add(const Access& from, int to, int latency) {
    if (from.operation < 0 || from.before != second_) return;
    graph_.add(from.operation, to, latency, second_ ? 1 : 0);
  }

  const DependenceScope& scope_;
  DependenceGraph& graph_;
  bool second_ = false;
  std::unordered_map<int, State> state_;
};

/// The rows of a vector access, or the word of a scalar one, relative to a root.
struct MemoryAccess {
  int operation = 0;
  bool smem = false;
  bool store = false;
  int buffer = -1;
  int root = -1;  ///< -1: may be anything
  std::array<std::int64_t, 8> cells{};
  std::int64_t lowest = 0, highest = 0;
};

class MemoryDependences {
 public:
  MemoryDependences(const DependenceScope& scope, DependenceGraph& graph)
      : scope_(scope),
        graph_(graph),
        addresses_(scope.inductions ? registers::find_addresses(scope.operations, *scope.inductions)
                                    : registers::find_addresses(scope.operations)) {}

  void run() {
    for (int i = 0; i < int(scope_.operations.size()); ++i) {
      if (auto access = access_of(i)) accesses_.push_back(*access);
    }
    for (std::size_t later = 0; later < accesses_.size(); ++later) {
      for (std::size_t earlier = 0; earlier < later; ++earlier) order(accesses_[earlier], accesses_[later]);
    }
    if (!scope_.loop) return;
    for (const MemoryAccess& from : accesses_) {
      for (const MemoryAccess& to : accesses_) order_between_iterations(from, to);
    }
  }

 private:
  std::optional<MemoryAccess> access_of(int i) const {
    const registers::Operation& operation = scope_.operations[std::size_t(i)];
    const hw::isa::SlotKind slot = operation.info().slot;
    MemoryAccess access;
    access.operation = i;
    access.smem = operation.opcode == hw::isa::Opcode::s_load || operation.opcode == hw::isa::Opcode::s_store;
    if (!access.smem && slot != hw::isa::SlotKind::load && slot != hw::isa::SlotKind::store) return std::nullopt;
    access.store = operation.info().reads_destination;
    access.buffer = operation.buffer;
    const auto& address = addresses_.of[std::size_t(i)];
    if (!address || !(access.smem || operation.z.literal)) return access;
    access.root = address->root;
    for (int s = 0; s < 8; ++s) access.cells[std::size_t(s)] = address->offset + distance(operation, s);
    const auto [low, high] = std::minmax_element(access.cells.begin(), access.cells.end());
    access.lowest = *low;
    access.highest = *high;
    return access;
  }

  /// Returns the distance of sublane s from the first row.
  static std::int64_t distance(const registers::Operation& operation, int s) {
    switch (operation.opcode) {
      case hw::isa::Opcode::v_load:
      case hw::isa::Opcode::v_store:
        return std::int64_t(s) * operation.z.value;
      case hw::isa::Opcode::v_load_shuffle:
      case hw::isa::Opcode::v_store_shuffle:
        return std::uint32_t(operation.z.value) >> (4 * s) & 15;
      default:
        return 0;
    }
  }

  /// Returns true if the accesses may be to the same memory and their order matters.
  static bool related(const MemoryAccess& a, const MemoryAccess& b) {
    return a.smem == b.smem && (a.store || b.store) && (a.smem || a.buffer == b.buffer);
  }

  /// Returns true if the accesses overlap when b is shifted by `shift`.
  static bool meet(const MemoryAccess& a, const MemoryAccess& b, std::int64_t shift) {
    if (a.highest < b.lowest + shift || b.highest + shift < a.lowest) return false;
    for (std::int64_t x : a.cells) {
      for (std::int64_t y : b.cells) {
        if (x == y + shift) return true;
      }
    }
    return false;
  }

  int latency(const MemoryAccess& from, const MemoryAccess& to) const {
    if (!from.store) return 0;
    return from.smem || to.store ? 1 : int(scope_.machine.vector.store_to_load.value());
  }

  void order(const MemoryAccess& earlier, const MemoryAccess& later) {
    if (!related(earlier, later)) return;
    const bool known = earlier.root >= 0 && earlier.root == later.root;
    if (known && !meet(earlier, later, 0)) return;
    graph_.add(earlier.operation, later.operation, latency(earlier, later));
  }

  void order_between_iterations(const MemoryAccess& from, const MemoryAccess& to) {
    if (!related(from, to)) return;
    const std::vector<int>& independent = *scope_.independent_buffers;
    if (!from.smem && std::find(independent.begin(), independent.end(), from.buffer) != independent.end()) return;
    if (const int distance = first_meeting(from, to); distance > 0) {
      graph_.add(from.operation, to.operation, latency(from, to), distance);
    }
  }

  /// Returns the least number of iterations after which `to` may overlap with `from` of this iteration; 0: never.
  int first_meeting(const MemoryAccess& from, const MemoryAccess& to) const {
    const auto step = addresses_.steps.find(from.root);
    if (from.root < 0 || from.root != to.root || step == addresses_.steps.end()) return 1;
    if (step->second == 0) return meet(from, to, 0) ? 1 : 0;
    // from.lowest <= to + distance * step <= from.highest
    const std::int64_t down = from.lowest - to.highest, up = from.highest - to.lowest;
    const std::int64_t last = std::max(down / step->second, up / step->second);
    for (std::int64_t distance = 1; distance <= last; ++distance) {
      if (meet(from, to, distance * step->second)) return int(distance);
    }
    return 0;
  }

  const DependenceScope& scope_;
  DependenceGraph& graph_;
  const registers::Addresses addresses_;
  std::vector<MemoryAccess> accesses_;
};

/// Keeps the operations of the misc slot in order, and memory operations on their side of them.
void add_barriers(const DependenceScope& scope, DependenceGraph& graph) {
  int misc = -1, barrier = -1;
  std::vector<int> memory;  // since the barrier
  for (int i = 0; i < int(scope.operations.size()); ++i) {
    const registers::Operation& operation = scope.operations[std::size_t(i)];
    const hw::isa::SlotKind slot = operation.info().slot;
    if (slot == hw::isa::SlotKind::misc) {
      if (misc >= 0) graph.add(misc, i, 1);
      misc = i;
    }
    if (is_barrier(operation)) {
      for (int access : memory) graph.add(access, i, 1);
      memory.clear();
      barrier = i;
    } else if (slot == hw::isa::SlotKind::load || slot == hw::isa::SlotKind::store ||
               operation.opcode == hw::isa::Opcode::s_load || operation.opcode == hw::isa::Opcode::s_store) {
      if (barrier >= 0) graph.add(barrier, i, 1);
      memory.push_back(i);
    }
  }
}

/// Makes the branch last. Operations in flight when it is taken must be complete when its target issues.
void add_branch(const DependenceScope& scope, DependenceGraph& graph) {
  const int last = int(scope.operations.size()) - 1;
  if (last < 0 || !hw::isa::is_branch(scope.operations[std::size_t(last)].opcode)) return;
  const auto target = 1 + scope.machine.scalar.branch_penalty.value();
  for (int i = 0; i < last; ++i) {
    const registers::Operation& operation = scope.operations[std::size_t(i)];
    auto settled = hw::isa::result_latency(scope.machine, operation.opcode).value();
    if (operation.info().slot == hw::isa::SlotKind::store) settled = scope.machine.vector.store_to_load.value();
    graph.add(i, last, int(std::max<std::int64_t>(0, settled - target)));
  }
}

}  // namespace

DependenceGraph find_dependences(const DependenceScope& scope) {
  DependenceGraph graph(int(scope.operations.size()));
  RegisterDependences(scope, graph).run();
  MemoryDependences(scope, graph).run();
  add_barriers(scope, graph);
  add_fifo_dependences(scope, graph);
  add_branch(scope, graph);
  graph.index();
  return graph;
}

}  // namespace podsim::sw::codegen::schedule
