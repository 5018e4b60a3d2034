// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/propagate/narrow_lookups.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace podsim::sw::spmd::propagate {
namespace {

/// The narrower type to which all readers of a look-up convert its rows.
std::optional<ir::ElementType> narrow_type(const ir::Computation& entry, const std::vector<ir::InstructionId>& users,
                                           ir::InstructionId lookup) {
  if (users.empty() || lookup == entry.root) return std::nullopt;
  const ir::ElementType type = entry[users.front()].shape.element_type;
  for (const ir::InstructionId user : users) {
    if (entry[user].opcode != ir::Opcode::convert || entry[user].shape.element_type != type) return std::nullopt;
  }
  const bool narrows = ir::byte_width(type) < ir::byte_width(entry[lookup].shape.element_type);
  return narrows ? std::optional(type) : std::nullopt;
}

class Rewriting {
 public:
  explicit Rewriting(ir::Computation& entry) : entry_(entry), users_(ir::users_of(entry)) {}

  void run() {
    for (ir::InstructionId id = 0; id < ir::InstructionId(entry_.instructions.size()); ++id) {
      ir::Instruction instruction = entry_[id];
      if (instruction.opcode == ir::Opcode::convert && is_narrow(instruction.operands[0])) {
        renumbered_.push_back(renumbered_[std::size_t(instruction.operands[0])]);
        continue;
      }
      for (ir::InstructionId& operand : instruction.operands) operand = renumbered_[std::size_t(operand)];
      if (const std::optional<ir::ElementType> type = narrow_type_of(id)) {
        instruction.operands[0] = converted(entry_[id].operands[0], *type);
        instruction.shape.element_type = *type;
      }
      renumbered_.push_back(append(std::move(instruction)));
    }
    entry_.instructions = std::move(written_);
    entry_.root = renumbered_[std::size_t(entry_.root)];
    for (ir::InstructionId& parameter : entry_.parameters) parameter = renumbered_[std::size_t(parameter)];
  }

 private:
  std::optional<ir::ElementType> narrow_type_of(ir::InstructionId id) const {
    const ir::Instruction& instruction = entry_[id];
    if (instruction.opcode != ir::Opcode::gather) return std::nullopt;
    if (entry_[instruction.operands[0]].opcode != ir::Opcode::parameter) return std::nullopt;
    return narrow_type(entry_, users_[std::size_t(id)], id);
  }
  bool is_narrow(ir::InstructionId id) const { return narrow_type_of(id).has_value(); }

  ir::InstructionId append(ir::Instruction instruction) {
    written_.push_back(std::move(instruction));
    return ir::InstructionId(written_.size()) - 1;
  }

  /// The conversion of a table: one for each type.
  ir::InstructionId converted(ir::InstructionId table, ir::ElementType type) {
    const auto [at, is_new] = conversions_.try_emplace({table, type}, -1);
    if (is_new) {
      ir::Instruction conversion;
      conversion.opcode = ir::Opcode::convert;
      conversion.shape = ir::make_shape(type, entry_[table].shape.dimensions);
      conversion.operands = {renumbered_[std::size_t(table)]};
      conversion.op_name = entry_[table].op_name;
      conversion.name = entry_[table].name + ".narrow";
      at->second = append(std::move(conversion));
    }
    return at->second;
  }

  ir::Computation& entry_;
  const std::vector<std::vector<ir::InstructionId>> users_;
  std::vector<ir::Instruction> written_;
  std::vector<ir::InstructionId> renumbered_;
  std::map<std::pair<ir::InstructionId, ir::ElementType>, ir::InstructionId> conversions_;
};

}  // namespace

ir::Module narrow_lookups(ir::Module module) {
  Rewriting(module.computations[std::size_t(module.entry)]).run();
  return module;
}

}  // namespace podsim::sw::spmd::propagate
