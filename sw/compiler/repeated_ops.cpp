// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/repeated_ops.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sw/compiler/fuse/rebuild.h"

namespace podsim::sw::compiler {
namespace {

bool only_renames(ir::Opcode opcode) {
  return opcode == ir::Opcode::get_tuple_element || opcode == ir::Opcode::bitcast || opcode == ir::Opcode::reshape ||
         opcode == ir::Opcode::transpose;
}

/// Writes the entry anew with the repeated ops in their places.
class Repeater {
 public:
  Repeater(ir::Module module, const Liveness& liveness, std::span<const RepeatedOp> ops)
      : module_(std::move(module)), liveness_(liveness) {
    for (const RepeatedOp& op : ops) arrays_before_[op.before].push_back(op.array);
  }

  ir::Module run() && {
    ir::Computation& entry = module_.computations[std::size_t(module_.entry)];
    entry_ = std::move(entry);
    for (ir::InstructionId id = 0; id < ir::InstructionId(entry_.instructions.size()); ++id) {
      if (const auto found = arrays_before_.find(id); found != arrays_before_.end()) {
        for (const int array : found->second) repeat(array);
      }
      ir::Instruction instruction = entry_[id];
      for (ir::InstructionId& operand : instruction.operands) operand = name_for(id, operand);
      renumbered_.push_back(append(std::move(instruction)));
    }
    ir::Computation result;
    result.name = entry_.name;
    result.instructions = std::move(instructions_);
    result.root = renumbered_[std::size_t(entry_.root)];
    for (const ir::InstructionId parameter : entry_.parameters) {
      result.parameters.push_back(renumbered_[std::size_t(parameter)]);
    }
    entry = fuse::sorted_topologically(std::move(result));  // without names that nothing reads
    return std::move(module_);
  }

 private:
  ir::InstructionId append(ir::Instruction instruction) {
    instructions_.push_back(std::move(instruction));
    return ir::InstructionId(instructions_.size()) - 1;
  }

  int array_of(ir::InstructionId id) const { return liveness_.array_of[std::size_t(id)]; }

  void repeat(int array) {
    const ir::InstructionId origin = liveness_.arrays[std::size_t(array)].origin;
    ir::Instruction again = entry_[origin];
    again.name += ".remat";
    again.op_name = std::string(repeated_scope) + again.op_name;
    for (ir::InstructionId& operand : again.operands) operand = renumbered_[std::size_t(operand)];
    repeated_[array] = append(std::move(again));
  }

  /// The value that an instruction reads under an old name.
  ir::InstructionId name_for(ir::InstructionId reader, ir::InstructionId name) {
    const bool is_name_itself = only_renames(entry_[reader].opcode) && array_of(reader) == array_of(name);
    const auto found = repeated_.find(array_of(name));
    if (found == repeated_.end() || is_name_itself) return renumbered_[std::size_t(name)];
    return renamed(name, found->second, liveness_.arrays[std::size_t(found->first)].origin);
  }

  /// The name of an array that is made again in the place of its old name.
  ir::InstructionId renamed(ir::InstructionId name, ir::InstructionId again, ir::InstructionId origin) {
    const ir::Instruction& old = entry_[name];
    if (name == origin) return again;
    if (const auto known = new_names_.find(name); known != new_names_.end()) return known->second;
    ir::Instruction copy = old;
    copy.name += ".remat";
    copy.operands[0] = renamed(old.operands[0], again, origin);
    return new_names_[name] = append(std::move(copy));
  }

  ir::Module module_;
  const Liveness& liveness_;
  std::map<ir::InstructionId, std::vector<int>> arrays_before_;
  ir::Computation entry_;
  std::vector<ir::Instruction> instructions_;
  std::vector<ir::InstructionId> renumbered_;
  std::map<int, ir::InstructionId> repeated_;                 ///< by array: its op in the new entry
  std::map<ir::InstructionId, ir::InstructionId> new_names_;  ///< by old name
};

}  // namespace

ir::Module with_repeated_ops(ir::Module module, const Liveness& liveness, std::span<const RepeatedOp> ops) {
  return Repeater(std::move(module), liveness, ops).run();
}

bool is_name_of(const ir::Computation& entry, const Liveness& liveness, ir::InstructionId name,
                ir::InstructionId origin) {
  const int array = liveness.array_of[std::size_t(name)];
  while (name != origin && only_renames(entry[name].opcode)) {
    name = entry[name].operands[0];
    if (name != origin && liveness.array_of[std::size_t(name)] != array) return false;
  }
  return name == origin;
}

}  // namespace podsim::sw::compiler
