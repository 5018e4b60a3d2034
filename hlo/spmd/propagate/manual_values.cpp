// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/manual_values.h"

#include <algorithm>

#include "hlo/device_groups.h"
#include "hlo/rules/instruction_error.h"
#include "hlo/rules/tuple_leaves.h"
#include "hlo/spmd/mesh/manual_border.h"

namespace podsim::hlo::spmd::propagate {
namespace {

/// Spreads manual to all values that are computed from manual ones, until nothing changes.
class Spreading {
 public:
  Spreading(const ArrayTable& table, const mesh::Mesh& mesh, std::vector<ArrayState>& states)
      : table_(table), module_(table.module()), mesh_(mesh), states_(states) {}

  void run() {
    do {
      changed_ = false;
      table_.walk([this](hlo::ComputationId c, hlo::InstructionId id) { pass_in(c, id); },
                  [this](hlo::ComputationId c, hlo::InstructionId id) {
                    rules::at_instruction(computation(c)[id].name, "partitioned", [&] { visit(c, id); });
                  });
    } while (changed_);
  }

 private:
  const hlo::Computation& computation(hlo::ComputationId c) const { return module_.computations[std::size_t(c)]; }

  bool is_manual(ArrayId array) const { return states_[std::size_t(table_.representative(array))].sharding.manual; }

  /// The first manual array of a value, -1 if it has none.
  ArrayId manual_array(hlo::ComputationId c, hlo::InstructionId id) const {
    const ArrayId first = table_.first(c, id);
    for (int k = 0; k < table_.count(c, id); ++k) {
      if (is_manual(first + k)) return first + k;
    }
    return -1;
  }

  void make_manual(ArrayId array, ArrayId from, ShardingReason::Kind kind) {
    ArrayState& state = states_[std::size_t(table_.representative(array))];
    const hlo::Shape& shape = *table_.location(array).shape;
    if (state.fixed || shape.element_type == hlo::ElementType::token) return;
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

  void pass_in(hlo::ComputationId c, hlo::InstructionId id) {
    const hlo::Instruction& instruction = computation(c)[id];
    const auto kind = ShardingReason::Kind::agreement;
    if (instruction.opcode == hlo::Opcode::while_loop) {
      const hlo::InstructionId from = instruction.operands[0];
      return pass(table_.first(c, from), table_.first(c, id), std::min(table_.count(c, from), table_.count(c, id)),
                  kind);
    }
    const std::size_t first = instruction.opcode == hlo::Opcode::conditional ? 1 : 0;
    for (std::size_t i = first; i < instruction.operands.size(); ++i) {
      const hlo::ComputationId called = instruction.called[first > 0 ? i - 1 : 0];
      const hlo::InstructionId from = instruction.operands[i],
                               to = computation(called).parameters.at(first > 0 ? 0 : i);
      pass(table_.first(c, from), table_.first(called, to), std::min(table_.count(c, from), table_.count(called, to)),
           kind);
    }
  }

  void all_from(hlo::ComputationId c, hlo::InstructionId id, ArrayId from) {
    if (from < 0) return;
    const ArrayId first = table_.first(c, id);
    // A value that is manual by itself has no source.
    const auto kind = from == first ? ShardingReason::Kind::none : ShardingReason::Kind::operand;
    for (int k = 0; k < table_.count(c, id); ++k) make_manual(first + k, from, kind);
  }

  /// True if a collective gives every partition the same result.
  bool gives_same(const hlo::Instruction& instruction) const {
    if (instruction.opcode != hlo::Opcode::all_reduce && instruction.opcode != hlo::Opcode::all_gather) return false;
    const hlo::Participants& participants = instruction.participants;
    if (!participants.iota && participants.groups.empty()) return true;
    const auto groups = hlo::device_groups(instruction, module_.replicas, module_.partitions);
    return groups.size() == 1 && std::int64_t(groups[0].size()) == mesh_.partitions();
  }

  void visit(hlo::ComputationId c, hlo::InstructionId id) {
    const hlo::Instruction& instruction = computation(c)[id];
    if (instruction.phase != hlo::AsyncPhase::none) return spread(c, id);
    switch (instruction.opcode) {
      case hlo::Opcode::partition_id:
      case hlo::Opcode::replica_id:
        return all_from(c, id, table_.first(c, id));
      case hlo::Opcode::tuple: {
        ArrayId to = table_.first(c, id);
        for (const hlo::InstructionId operand : instruction.operands) {
          pass(table_.first(c, operand), to, table_.count(c, operand), ShardingReason::Kind::operand);
          to += table_.count(c, operand);
        }
        return;
      }
      case hlo::Opcode::get_tuple_element: {
        const hlo::InstructionId tuple = instruction.operands[0];
        const ArrayId from =
            table_.first(c, tuple) + int(leaves_.before(computation(c)[tuple].shape, instruction.index));
        return pass(from, table_.first(c, id), table_.count(c, id), ShardingReason::Kind::operand);
      }
      case hlo::Opcode::copy:
      case hlo::Opcode::domain:
      case hlo::Opcode::opt_barrier: {
        ArrayId to = table_.first(c, id);
        for (const hlo::InstructionId operand : instruction.operands) {
          pass(table_.first(c, operand), to, table_.count(c, operand), ShardingReason::Kind::operand);
          to += table_.count(c, operand);
        }
        return;
      }
      case hlo::Opcode::while_loop: {
        // The trip count may differ between partitions.
        const hlo::ComputationId condition = instruction.called[0];
        return all_from(c, id, manual_array(condition, computation(condition).root));
      }
      case hlo::Opcode::conditional:
        return all_from(c, id, manual_array(c, instruction.operands[0]));
      case hlo::Opcode::call:
        return;
      default:
        break;
    }
    if (gives_same(instruction)) return;
    if (instruction.opcode == hlo::Opcode::custom_call && instruction.target == "SPMDShardToFullShape") return;
    if (instruction.opcode == hlo::Opcode::custom_call && instruction.target == "SPMDFullToShardShape") {
      // Along a part of the devices it gives shards that are divided further along the others.
      if (mesh::manual_border(mesh_, computation(c), id)) return;
      return all_from(c, id, table_.first(c, instruction.operands[0]));
    }
    spread(c, id);
  }

  /// Makes all results manual if any operand is.
  void spread(hlo::ComputationId c, hlo::InstructionId id) {
    for (const hlo::InstructionId operand : computation(c)[id].operands) all_from(c, id, manual_array(c, operand));
  }

  const ArrayTable& table_;
  const hlo::Module& module_;
  const mesh::Mesh& mesh_;
  std::vector<ArrayState>& states_;
  rules::TupleLeaves leaves_;
  bool changed_ = false;
};

bool has_manual(const ArrayTable& table, const std::vector<ArrayState>& states) {
  if (std::ranges::any_of(states, [](const ArrayState& state) { return state.sharding.manual; })) return true;
  for (hlo::ComputationId c = 0; c < int(table.module().computations.size()); ++c) {
    if (!table.is_executed(c)) continue;
    for (const hlo::Instruction& instruction : table.module().computations[std::size_t(c)].instructions) {
      if (instruction.target == "SPMDFullToShardShape") return true;
    }
  }
  return false;
}

}  // namespace

void spread_manual(const ArrayTable& table, const mesh::Mesh& mesh, std::vector<ArrayState>& states) {
  if (has_manual(table, states)) Spreading(table, mesh, states).run();
}

}  // namespace podsim::hlo::spmd::propagate
