// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/own_constants.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace podsim::hlo::spmd::propagate {
namespace {

/// Writes one computation anew.
class Splitting {
 public:
  explicit Splitting(hlo::Computation& computation) : computation_(computation), users_(hlo::users_of(computation)) {
    for (const hlo::Instruction& instruction : computation.instructions) names_.insert(instruction.name);
  }

  void run() {
    const auto size = hlo::InstructionId(users_.size());
    bool any = false;
    for (hlo::InstructionId id = 0; id < size && !any; ++id) any = is_shared(id);
    if (!any) return;
    for (hlo::InstructionId id = 0; id < size; ++id) {
      hlo::Instruction instruction = computation_[id];
      copies_.clear();
      for (hlo::InstructionId& operand : instruction.operands) operand = read(operand);
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

  /// The new number of an operand of the instruction that is written: the value for its first reader, a copy for
  /// another, one however often that reads it.
  hlo::InstructionId read(hlo::InstructionId id) {
    if (!is_shared(id)) return renumbered_[std::size_t(id)];
    const auto [copy, is_new] = copies_.try_emplace(id, renumbered_[std::size_t(id)]);
    if (is_new && !read_.insert(id).second) {
      hlo::Instruction own = written_[std::size_t(copy->second)];
      own.name = free_name(own.name);
      copy->second = append(std::move(own));
    }
    return copy->second;
  }

  std::string free_name(const std::string& name) {
    for (int number = 2;; ++number) {
      std::string free = name + "." + std::to_string(number);
      if (names_.insert(free).second) return free;
    }
  }

  hlo::InstructionId append(hlo::Instruction instruction) {
    written_.push_back(std::move(instruction));
    return hlo::InstructionId(written_.size()) - 1;
  }

  hlo::Computation& computation_;
  const std::vector<std::vector<hlo::InstructionId>> users_;
  std::set<hlo::InstructionId> read_;  ///< shared values that have a reader
  std::set<std::string> names_;
  std::map<hlo::InstructionId, hlo::InstructionId> copies_;  ///< operands of the instruction that is written
  std::vector<hlo::Instruction> written_;
  std::vector<hlo::InstructionId> renumbered_;
};

}  // namespace

hlo::Module give_own_constants(hlo::Module module) {
  for (hlo::Computation& computation : module.computations) Splitting(computation).run();
  return module;
}

}  // namespace podsim::hlo::spmd::propagate
