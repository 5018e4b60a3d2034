// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/repeated_ops.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sw/compiler/fuse/rebuild.h"

namespace podsim::sw::compiler {
namespace {

bool only_renames(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::get_tuple_element || opcode == hlo::Opcode::bitcast || opcode == hlo::Opcode::reshape ||
         opcode == hlo::Opcode::transpose;
}

/// Writes the entry anew with the repeated ops at their positions.
class Repeater {
 public:
  Repeater(hlo::Module module, const Liveness& liveness, std::span<const RepeatedOp> ops)
      : module_(std::move(module)), liveness_(liveness) {
    for (const RepeatedOp& op : ops) arrays_before_[op.before].push_back(op.array);
  }

  hlo::Module run() && {
    hlo::Computation& entry = module_.computations[std::size_t(module_.entry)];
    entry_ = std::move(entry);
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry_.instructions.size()); ++id) {
      if (const auto found = arrays_before_.find(id); found != arrays_before_.end()) {
        for (const int array : found->second) repeat(array);
      }
      hlo::Instruction instruction = entry_[id];
      for (hlo::InstructionId& operand : instruction.operands) operand = name_for(id, operand);
      renumbered_.push_back(append(std::move(instruction)));
    }
    hlo::Computation result;
    result.name = entry_.name;
    result.instructions = std::move(instructions_);
    result.root = renumbered_[std::size_t(entry_.root)];
    for (const hlo::InstructionId parameter : entry_.parameters) {
      result.parameters.push_back(renumbered_[std::size_t(parameter)]);
    }
    entry = fuse::sorted_topologically(std::move(result));  // without names that nothing reads
    return std::move(module_);
  }

 private:
  hlo::InstructionId append(hlo::Instruction instruction) {
    instructions_.push_back(std::move(instruction));
    return hlo::InstructionId(instructions_.size()) - 1;
  }

  int array_of(hlo::InstructionId id) const { return liveness_.array_of[std::size_t(id)]; }

  void repeat(int array) {
    const hlo::InstructionId origin = liveness_.arrays[std::size_t(array)].origin;
    hlo::Instruction again = entry_[origin];
    again.name += ".remat";
    again.op_name = std::string(repeated_scope) + again.op_name;
    for (hlo::InstructionId& operand : again.operands) operand = renumbered_[std::size_t(operand)];
    repeated_[array] = append(std::move(again));
  }

  /// The value that an instruction reads under an old name.
  hlo::InstructionId name_for(hlo::InstructionId reader, hlo::InstructionId name) {
    const bool is_name_itself = only_renames(entry_[reader].opcode) && array_of(reader) == array_of(name);
    const auto found = repeated_.find(array_of(name));
    if (found == repeated_.end() || is_name_itself) return renumbered_[std::size_t(name)];
    return renamed(name, found->second, liveness_.arrays[std::size_t(found->first)].origin);
  }

  /// The name under which readers of `name` read the array `again`, which is computed again.
  hlo::InstructionId renamed(hlo::InstructionId name, hlo::InstructionId again, hlo::InstructionId origin) {
    const hlo::Instruction& old = entry_[name];
    if (name == origin) return again;
    if (const auto known = new_names_.find(name); known != new_names_.end()) return known->second;
    hlo::Instruction copy = old;
    copy.name += ".remat";
    copy.operands[0] = renamed(old.operands[0], again, origin);
    return new_names_[name] = append(std::move(copy));
  }

  hlo::Module module_;
  const Liveness& liveness_;
  std::map<hlo::InstructionId, std::vector<int>> arrays_before_;
  hlo::Computation entry_;
  std::vector<hlo::Instruction> instructions_;
  std::vector<hlo::InstructionId> renumbered_;
  std::map<int, hlo::InstructionId> repeated_;                  ///< by array: its op in the new entry
  std::map<hlo::InstructionId, hlo::InstructionId> new_names_;  ///< by old name
};

}  // namespace

hlo::Module with_repeated_ops(hlo::Module module, const Liveness& liveness, std::span<const RepeatedOp> ops) {
  return Repeater(std::move(module), liveness, ops).run();
}

bool is_name_of(const hlo::Computation& entry, const Liveness& liveness, hlo::InstructionId name,
                hlo::InstructionId origin) {
  const int array = liveness.array_of[std::size_t(name)];
  while (name != origin && only_renames(entry[name].opcode)) {
    name = entry[name].operands[0];
    if (name != origin && liveness.array_of[std::size_t(name)] != array) return false;
  }
  return name == origin;
}

}  // namespace podsim::sw::compiler
