// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/narrowed_moves.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "sw/compiler/fuse/rebuild.h"

namespace podsim::sw::compiler::fuse {
namespace {

/// Moves conversions in one computation. Instructions are appended, and sorted at the end.
class Narrowing {
 public:
  explicit Narrowing(ir::Computation& computation) : computation_(computation), users_(ir::users_of(computation)) {}

  void run() {
    const ir::InstructionId count = ir::InstructionId(computation_.instructions.size());
    // Slices come second: the conversions of other slices of the array must have come to them.
    for (const bool pass_slices : {false, true}) {
      for (ir::InstructionId id = 0; id < ir::InstructionId(computation_.instructions.size()); ++id) {
        for (ir::InstructionId at = id; narrows(at) && passes(computation_[at].operands.front(), pass_slices);) {
          at = pass(at);
        }
      }
    }
    if (ir::InstructionId(computation_.instructions.size()) > count) {
      computation_ = in_order_of_need(std::move(computation_));
    }
  }

 private:
  const std::vector<ir::InstructionId>& users(ir::InstructionId id) const { return users_[std::size_t(id)]; }

  bool narrows(ir::InstructionId id) const {
    const ir::Instruction& convert = computation_[id];
    return convert.opcode == ir::Opcode::convert &&
           ir::byte_width(convert.shape.element_type) <
               ir::byte_width(computation_[convert.operands.front()].shape.element_type);
  }

  /// True for a move that only a conversion reads, before which it may be done.
  bool passes(ir::InstructionId move, bool pass_slices) const {
    if (users(move).size() != 1 || move == computation_.root) return false;
    switch (computation_[move].opcode) {
      case ir::Opcode::reshape:
      case ir::Opcode::transpose:
        return true;
      case ir::Opcode::slice:
        return pass_slices && is_narrowed_everywhere(computation_[move].operands.front());
      default:
        return false;
    }
  }

  /// True if nothing reads the wide elements of an array but slices that are narrowed.
  bool is_narrowed_everywhere(ir::InstructionId array) const {
    return array != computation_.root && std::ranges::all_of(users(array), [&](ir::InstructionId user) {
             return narrows(user) ||
                    (computation_[user].opcode == ir::Opcode::slice && user != computation_.root &&
                     std::ranges::all_of(users(user), [&](ir::InstructionId u) { return narrows(u); }));
           });
  }

  /// Lets a conversion become the move before it, of narrow elements. Returns the conversion of what is moved.
  ir::InstructionId pass(ir::InstructionId convert) {
    const ir::InstructionId move = computation_[convert].operands.front();
    const ir::InstructionId source = computation_[move].operands.front();
    const ir::ElementType type = computation_[convert].shape.element_type;
    const auto [found, is_new] = narrowed_.try_emplace({source, type}, computation_.instructions.size());
    const ir::InstructionId narrow = found->second;
    if (is_new) {
      ir::Instruction instruction = computation_[convert];
      instruction.name = computation_[source].name + ".narrowed." + std::to_string(narrow);
      instruction.shape = computation_[source].shape;
      instruction.shape.element_type = type;
      instruction.operands = {source};
      instruction.sharding = nullptr;
      computation_.instructions.push_back(std::move(instruction));
      users_.emplace_back();
      users_[std::size_t(source)].push_back(narrow);
    }
    ir::Instruction moved = computation_[move];
    moved.shape = computation_[convert].shape;
    moved.name = computation_[convert].name;
    moved.operands = {narrow};
    computation_.instructions[std::size_t(convert)] = std::move(moved);
    computation_.instructions[std::size_t(move)].name += ".wide";  // nothing reads it any more
    users_[std::size_t(narrow)].push_back(convert);
    std::erase(users_[std::size_t(source)], move);
    return narrow;
  }

  ir::Computation& computation_;
  std::vector<std::vector<ir::InstructionId>> users_;
  std::map<std::pair<ir::InstructionId, ir::ElementType>, ir::InstructionId> narrowed_;  ///< by source and type
};

}  // namespace

void narrow_before_moves(ir::Computation& computation) { Narrowing(computation).run(); }

}  // namespace podsim::sw::compiler::fuse
