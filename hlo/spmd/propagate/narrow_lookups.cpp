// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/narrow_lookups.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace podsim::hlo::spmd::propagate {
namespace {

/// The narrower type to which all readers of a look-up convert its rows.
std::optional<hlo::ElementType> narrow_type(const hlo::Computation& entry, const std::vector<hlo::InstructionId>& users,
                                            hlo::InstructionId lookup) {
  if (users.empty() || lookup == entry.root) return std::nullopt;
  const hlo::ElementType type = entry[users.front()].shape.element_type;
  for (const hlo::InstructionId user : users) {
    if (entry[user].opcode != hlo::Opcode::convert || entry[user].shape.element_type != type) return std::nullopt;
  }
  const bool narrows = hlo::byte_width(type) < hlo::byte_width(entry[lookup].shape.element_type);
  return narrows ? std::optional(type) : std::nullopt;
}

class Rewriting {
 public:
  explicit Rewriting(hlo::Computation& entry) : entry_(entry), users_(hlo::users_of(entry)) {}

  void run() {
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry_.instructions.size()); ++id) {
      hlo::Instruction instruction = entry_[id];
      if (instruction.opcode == hlo::Opcode::convert && is_narrow(instruction.operands[0])) {
        renumbered_.push_back(renumbered_[std::size_t(instruction.operands[0])]);
        continue;
      }
      for (hlo::InstructionId& operand : instruction.operands) operand = renumbered_[std::size_t(operand)];
      if (const std::optional<hlo::ElementType> type = narrow_type_of(id)) {
        instruction.operands[0] = converted(entry_[id].operands[0], *type);
        instruction.shape.element_type = *type;
      }
      renumbered_.push_back(append(std::move(instruction)));
    }
    entry_.instructions = std::move(written_);
    entry_.root = renumbered_[std::size_t(entry_.root)];
    for (hlo::InstructionId& parameter : entry_.parameters) parameter = renumbered_[std::size_t(parameter)];
  }

 private:
  std::optional<hlo::ElementType> narrow_type_of(hlo::InstructionId id) const {
    const hlo::Instruction& instruction = entry_[id];
    if (instruction.opcode != hlo::Opcode::gather) return std::nullopt;
    if (entry_[instruction.operands[0]].opcode != hlo::Opcode::parameter) return std::nullopt;
    return narrow_type(entry_, users_[std::size_t(id)], id);
  }
  bool is_narrow(hlo::InstructionId id) const { return narrow_type_of(id).has_value(); }

  hlo::InstructionId append(hlo::Instruction instruction) {
    written_.push_back(std::move(instruction));
    return hlo::InstructionId(written_.size()) - 1;
  }

  /// The conversion of a table: one for each type.
  hlo::InstructionId converted(hlo::InstructionId table, hlo::ElementType type) {
    const auto [at, is_new] = conversions_.try_emplace({table, type}, -1);
    if (is_new) {
      hlo::Instruction conversion;
      conversion.opcode = hlo::Opcode::convert;
      conversion.shape = hlo::make_shape(type, entry_[table].shape.dimensions);
      conversion.operands = {renumbered_[std::size_t(table)]};
      conversion.op_name = entry_[table].op_name;
      conversion.name = entry_[table].name + ".narrow";
      at->second = append(std::move(conversion));
    }
    return at->second;
  }

  hlo::Computation& entry_;
  const std::vector<std::vector<hlo::InstructionId>> users_;
  std::vector<hlo::Instruction> written_;
  std::vector<hlo::InstructionId> renumbered_;
  std::map<std::pair<hlo::InstructionId, hlo::ElementType>, hlo::InstructionId> conversions_;
};

}  // namespace

hlo::Module narrow_lookups(hlo::Module module) {
  Rewriting(module.computations[std::size_t(module.entry)]).run();
  return module;
}

}  // namespace podsim::hlo::spmd::propagate
