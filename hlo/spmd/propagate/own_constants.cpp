// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/own_constants.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace podsim::hlo::spmd::propagate {
namespace {

/// Writes one computation anew.
class Splitting {
 public:
  explicit Splitting(hlo::Computation& computation)
      : computation_(computation), users_(hlo::users_of(computation)), is_read_(users_.size(), false) {}

  void run() {
    const auto size = hlo::InstructionId(users_.size());
    bool any = false;
    for (hlo::InstructionId id = 0; id < size && !any; ++id) any = is_shared(id);
    if (!any) return;
    for (hlo::InstructionId id = 0; id < size; ++id) {
      hlo::Instruction instruction = computation_[id];
      for (hlo::InstructionId& operand : instruction.operands) operand = read(operand, id);
      renumbered_.push_back(append(std::move(instruction)));
    }
    computation_.instructions = std::move(written_);
    computation_.root = renumbered_[std::size_t(computation_.root)];
    for (hlo::InstructionId& parameter : computation_.parameters) parameter = renumbered_[std::size_t(parameter)];
  }

 private:
  bool is_shared(hlo::InstructionId id) const {
    const hlo::Instruction& value = computation_[id];
    if (value.sharding || value.shape.rank() == 0 || id == computation_.root) return false;
    const bool is_known =
        value.opcode == hlo::Opcode::iota ||
        (value.opcode == hlo::Opcode::broadcast && computation_[value.operands[0]].opcode == hlo::Opcode::constant &&
         computation_[value.operands[0]].shape.rank() == 0);
    if (!is_known) return false;
    const std::vector<hlo::InstructionId>& users = users_[std::size_t(id)];
    return std::ranges::any_of(users, [&](hlo::InstructionId user) { return user != users.front(); });
  }

  /// The new number of a value for one of its readers: that of the value for the first, of a copy for another.
  hlo::InstructionId read(hlo::InstructionId id, hlo::InstructionId reader) {
    if (!is_shared(id)) return renumbered_[std::size_t(id)];
    if (!is_read_[std::size_t(id)]) {
      is_read_[std::size_t(id)] = true;
      return renumbered_[std::size_t(id)];
    }
    hlo::Instruction copy = written_[std::size_t(renumbered_[std::size_t(id)])];
    copy.name += "." + std::to_string(reader);
    return append(std::move(copy));
  }

  hlo::InstructionId append(hlo::Instruction instruction) {
    written_.push_back(std::move(instruction));
    return hlo::InstructionId(written_.size()) - 1;
  }

  hlo::Computation& computation_;
  const std::vector<std::vector<hlo::InstructionId>> users_;
  std::vector<bool> is_read_;
  std::vector<hlo::Instruction> written_;
  std::vector<hlo::InstructionId> renumbered_;
};

}  // namespace

hlo::Module give_own_constants(hlo::Module module) {
  for (hlo::Computation& computation : module.computations) Splitting(computation).run();
  return module;
}

}  // namespace podsim::hlo::spmd::propagate
