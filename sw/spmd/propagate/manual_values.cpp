// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/propagate/manual_values.h"

#include <algorithm>

#include "sw/ir/device_groups.h"
#include "sw/ir/rules/instruction_error.h"
#include "sw/ir/rules/tuple_leaves.h"

namespace podsim::sw::spmd::propagate {
namespace {

/// Spreads manual to all values that are computed from manual ones, until nothing changes.
class Spreading {
 public:
  Spreading(const ArrayTable& table, const mesh::Mesh& mesh, std::vector<ArrayState>& states)
      : table_(table), module_(table.module()), mesh_(mesh), states_(states) {}

  void run() {
    do {
      changed_ = false;
      table_.walk([this](ir::ComputationId c, ir::InstructionId id) { pass_in(c, id); },
                  [this](ir::ComputationId c, ir::InstructionId id) {
                    ir::rules::at_instruction(computation(c)[id].name, "partitioned", [&] { visit(c, id); });
                  });
    } while (changed_);
  }

 private:
  const ir::Computation& computation(ir::ComputationId c) const { return module_.computations[std::size_t(c)]; }

  bool is_manual(ArrayId array) const { return states_[std::size_t(table_.representative(array))].sharding.manual; }

  /// The first manual array of a value, -1 if it has none.
  ArrayId manual_array(ir::ComputationId c, ir::InstructionId id) const {
    const ArrayId first = table_.first(c, id);
    for (int k = 0; k < table_.count(c, id); ++k) {
      if (is_manual(first + k)) return first + k;
    }
    return -1;
  }

  void make_manual(ArrayId array, ArrayId from, ShardingReason::Kind kind) {
    ArrayState& state = states_[std::size_t(table_.representative(array))];
    const ir::Shape& shape = *table_.location(array).shape;
    if (state.fixed || shape.element_type == ir::ElementType::token) return;
    state.sharding = mesh::manual(shape.rank());
    state.fixed = true;
    const ArrayTable::Location& location = table_.location(from);
    state.reasons.assign(1, {kind, 0, location.computation, location.id, location.array, 0, -1});
    changed_ = true;
  }

  void pass(ArrayId from, ArrayId to, int count, ShardingReason::Kind kind) {
    for (int k = 0; k < count; ++k) {
      if (is_manual(from + k)) make_manual(to + k, from + k, kind);
    }
  }

  void pass_in(ir::ComputationId c, ir::InstructionId id) {
    const ir::Instruction& instruction = computation(c)[id];
    const auto kind = ShardingReason::Kind::agreement;
    if (instruction.opcode == ir::Opcode::while_loop) {
      const ir::InstructionId from = instruction.operands[0];
      return pass(table_.first(c, from), table_.first(c, id), std::min(table_.count(c, from), table_.count(c, id)),
                  kind);
    }
    const std::size_t first = instruction.opcode == ir::Opcode::conditional ? 1 : 0;
    for (std::size_t i = first; i < instruction.operands.size(); ++i) {
      const ir::ComputationId called = instruction.called[first > 0 ? i - 1 : 0];
      const ir::InstructionId from = instruction.operands[i], to = computation(called).parameters.at(first > 0 ? 0 : i);
      pass(table_.first(c, from), table_.first(called, to), std::min(table_.count(c, from), table_.count(called, to)),
           kind);
    }
  }

  void all_from(ir::ComputationId c, ir::InstructionId id, ArrayId from) {
    if (from < 0) return;
    const ArrayId first = table_.first(c, id);
    // A value that is manual by itself has no source.
    const auto kind = from == first ? ShardingReason::Kind::none : ShardingReason::Kind::operand;
    for (int k = 0; k < table_.count(c, id); ++k) make_manual(first + k, from, kind);
  }

  /// True if a collective gives every partition the same result.
  bool gives_same(const ir::Instruction& instruction) const {
    if (instruction.opcode != ir::Opcode::all_reduce && instruction.opcode != ir::Opcode::all_gather) return false;
    const ir::Participants& participants = instruction.participants;
    if (!participants.iota && participants.groups.empty()) return true;
    const auto groups = ir::device_groups(instruction, module_.replicas, module_.partitions);
    return groups.size() == 1 && std::int64_t(groups[0].size()) == mesh_.partitions();
  }

  void visit(ir::ComputationId c, ir::InstructionId id) {
    const ir::Instruction& instruction = computation(c)[id];
    if (instruction.phase != ir::AsyncPhase::none) return spread(c, id);
    switch (instruction.opcode) {
      case ir::Opcode::partition_id:
      case ir::Opcode::replica_id:
        return all_from(c, id, table_.first(c, id));
      case ir::Opcode::tuple: {
        ArrayId to = table_.first(c, id);
        for (const ir::InstructionId operand : instruction.operands) {
          pass(table_.first(c, operand), to, table_.count(c, operand), ShardingReason::Kind::operand);
          to += table_.count(c, operand);
        }
        return;
      }
      case ir::Opcode::get_tuple_element: {
        const ir::InstructionId tuple = instruction.operands[0];
        const ArrayId from =
            table_.first(c, tuple) + int(leaves_.before(computation(c)[tuple].shape, instruction.index));
        return pass(from, table_.first(c, id), table_.count(c, id), ShardingReason::Kind::operand);
      }
      case ir::Opcode::copy:
      case ir::Opcode::domain:
      case ir::Opcode::opt_barrier: {
        ArrayId to = table_.first(c, id);
        for (const ir::InstructionId operand : instruction.operands) {
          pass(table_.first(c, operand), to, table_.count(c, operand), ShardingReason::Kind::operand);
          to += table_.count(c, operand);
        }
        return;
      }
      case ir::Opcode::while_loop: {
        // The trip count may differ between partitions.
        const ir::ComputationId condition = instruction.called[0];
        return all_from(c, id, manual_array(condition, computation(condition).root));
      }
      case ir::Opcode::conditional:
        return all_from(c, id, manual_array(c, instruction.operands[0]));
      case ir::Opcode::call:
        return;
      default:
        break;
    }
    if (gives_same(instruction)) return;
    if (instruction.opcode == ir::Opcode::custom_call && instruction.target == "SPMDShardToFullShape") return;
    if (instruction.opcode == ir::Opcode::custom_call && instruction.target == "SPMDFullToShardShape") {
      return all_from(c, id, table_.first(c, instruction.operands[0]));
    }
    spread(c, id);
  }

  /// Makes all results manual if any operand is.
  void spread(ir::ComputationId c, ir::InstructionId id) {
    for (const ir::InstructionId operand : computation(c)[id].operands) all_from(c, id, manual_array(c, operand));
  }

  const ArrayTable& table_;
  const ir::Module& module_;
  const mesh::Mesh& mesh_;
  std::vector<ArrayState>& states_;
  ir::rules::TupleLeaves leaves_;
  bool changed_ = false;
};

bool has_manual(const ArrayTable& table, const std::vector<ArrayState>& states) {
  if (std::ranges::any_of(states, [](const ArrayState& state) { return state.sharding.manual; })) return true;
  for (ir::ComputationId c = 0; c < int(table.module().computations.size()); ++c) {
    if (!table.is_executed(c)) continue;
    for (const ir::Instruction& instruction : table.module().computations[std::size_t(c)].instructions) {
      if (instruction.target == "SPMDFullToShardShape") return true;
    }
  }
  return false;
}

}  // namespace

void spread_manual(const ArrayTable& table, const mesh::Mesh& mesh, std::vector<ArrayState>& states) {
  if (has_manual(table, states)) Spreading(table, mesh, states).run();
}

}  // namespace podsim::sw::spmd::propagate
