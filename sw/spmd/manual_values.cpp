// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/manual_values.h"

#include <algorithm>

#include "sw/graph/device_groups.h"

namespace podsim::sw {
namespace {

/// What each partition computes from values of its own, until nothing changes.
class Spreading {
 public:
  Spreading(const ArrayTable& table, const Mesh& mesh, std::vector<ArrayState>& states)
      : table_(table), module_(table.module()), mesh_(mesh), states_(states) {}

  void run() {
    do {
      changed_ = false;
      table_.walk([this](ComputationId c, InstructionId id) { pass_in(c, id); },
                  [this](ComputationId c, InstructionId id) { visit(c, id); });
    } while (changed_);
  }

 private:
  const Computation& computation(ComputationId c) const { return module_.computations[std::size_t(c)]; }

  bool is_manual(ArrayId array) const { return states_[std::size_t(table_.representative(array))].sharding.manual; }

  /// The first manual array of a value, -1 where there is none.
  ArrayId manual_array(ComputationId c, InstructionId id) const {
    const ArrayId first = table_.first(c, id);
    for (int k = 0; k < table_.count(c, id); ++k) {
      if (is_manual(first + k)) return first + k;
    }
    return -1;
  }

  void make_manual(ArrayId array, ArrayId from, ShardingReason::Kind kind) {
    ArrayState& state = states_[std::size_t(table_.representative(array))];
    const Shape& shape = *table_.place(array).shape;
    if (state.fixed || shape.element_type == ElementType::token) return;
    state.sharding = manual(shape.rank());
    state.fixed = true;
    const ArrayTable::Place& place = table_.place(from);
    state.reasons.assign(1, {kind, 0, place.computation, place.id, place.array, 0, -1});
    changed_ = true;
  }

  void pass(ArrayId from, ArrayId to, int count, ShardingReason::Kind kind) {
    for (int k = 0; k < count; ++k) {
      if (is_manual(from + k)) make_manual(to + k, from + k, kind);
    }
  }

  void pass_in(ComputationId c, InstructionId id) {
    const Instruction& instruction = computation(c)[id];
    const auto kind = ShardingReason::Kind::agreement;
    if (instruction.opcode == Opcode::while_loop) {
      const InstructionId from = instruction.operands[0];
      return pass(table_.first(c, from), table_.first(c, id), std::min(table_.count(c, from), table_.count(c, id)),
                  kind);
    }
    const std::size_t first = instruction.opcode == Opcode::conditional ? 1 : 0;
    for (std::size_t i = first; i < instruction.operands.size(); ++i) {
      const ComputationId called = instruction.called[first > 0 ? i - 1 : 0];
      const InstructionId from = instruction.operands[i], to = computation(called).parameters.at(first > 0 ? 0 : i);
      pass(table_.first(c, from), table_.first(called, to), std::min(table_.count(c, from), table_.count(called, to)),
           kind);
    }
  }

  void all_from(ComputationId c, InstructionId id, ArrayId from) {
    if (from < 0) return;
    const ArrayId first = table_.first(c, id);
    // What is manual by itself has no other reason.
    const auto kind = from == first ? ShardingReason::Kind::none : ShardingReason::Kind::operand;
    for (int k = 0; k < table_.count(c, id); ++k) make_manual(first + k, from, kind);
  }

  /// Whether a collective gives every partition the same.
  bool gives_same(const Instruction& instruction) const {
    if (instruction.opcode != Opcode::all_reduce && instruction.opcode != Opcode::all_gather) return false;
    const Participants& participants = instruction.participants;
    if (!participants.iota && participants.groups.empty()) return true;
    const auto groups = device_groups(instruction, module_.replicas, module_.partitions);
    return groups.size() == 1 && std::int64_t(groups[0].size()) == mesh_.partitions();
  }

  void visit(ComputationId c, InstructionId id) {
    const Instruction& instruction = computation(c)[id];
    if (instruction.phase != AsyncPhase::none) return spread(c, id);
    switch (instruction.opcode) {
      case Opcode::partition_id:
      case Opcode::replica_id:
        return all_from(c, id, table_.first(c, id));
      case Opcode::tuple: {
        ArrayId to = table_.first(c, id);
        for (const InstructionId operand : instruction.operands) {
          pass(table_.first(c, operand), to, table_.count(c, operand), ShardingReason::Kind::operand);
          to += table_.count(c, operand);
        }
        return;
      }
      case Opcode::get_tuple_element: {
        const InstructionId tuple = instruction.operands[0];
        ArrayId from = table_.first(c, tuple);
        const std::vector<Shape>& elements = computation(c)[tuple].shape.tuple_shapes;
        for (std::int64_t i = 0; i < instruction.index; ++i) {
          from += int(leaf_shapes(elements[std::size_t(i)]).size());
        }
        return pass(from, table_.first(c, id), table_.count(c, id), ShardingReason::Kind::operand);
      }
      case Opcode::copy:
      case Opcode::domain:
      case Opcode::opt_barrier: {
        ArrayId to = table_.first(c, id);
        for (const InstructionId operand : instruction.operands) {
          pass(table_.first(c, operand), to, table_.count(c, operand), ShardingReason::Kind::operand);
          to += table_.count(c, operand);
        }
        return;
      }
      case Opcode::while_loop: {
        // Trips of which every partition has its own number.
        const ComputationId condition = instruction.called[0];
        return all_from(c, id, manual_array(condition, computation(condition).root));
      }
      case Opcode::conditional:
        return all_from(c, id, manual_array(c, instruction.operands[0]));
      case Opcode::call:
        return;
      default:
        break;
    }
    if (gives_same(instruction)) return;
    if (instruction.opcode == Opcode::custom_call && instruction.target == "SPMDShardToFullShape") return;
    if (instruction.opcode == Opcode::custom_call && instruction.target == "SPMDFullToShardShape") {
      return all_from(c, id, table_.first(c, instruction.operands[0]));
    }
    spread(c, id);
  }

  /// All results from any operand.
  void spread(ComputationId c, InstructionId id) {
    for (const InstructionId operand : computation(c)[id].operands) all_from(c, id, manual_array(c, operand));
  }

  const ArrayTable& table_;
  const Module& module_;
  const Mesh& mesh_;
  std::vector<ArrayState>& states_;
  bool changed_ = false;
};

bool has_manual(const ArrayTable& table, const std::vector<ArrayState>& states) {
  if (std::ranges::any_of(states, [](const ArrayState& state) { return state.sharding.manual; })) return true;
  for (ComputationId c = 0; c < int(table.module().computations.size()); ++c) {
    if (!table.is_executed(c)) continue;
    for (const Instruction& instruction : table.module().computations[std::size_t(c)].instructions) {
      if (instruction.target == "SPMDFullToShardShape") return true;
    }
  }
  return false;
}

}  // namespace

void spread_manual(const ArrayTable& table, const Mesh& mesh, std::vector<ArrayState>& states) {
  if (has_manual(table, states)) Spreading(table, mesh, states).run();
}

}  // namespace podsim::sw
