// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/narrowed_moves.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sw/compiler/fuse/rebuild.h"

namespace podsim::sw::compiler::fuse {
namespace {

/// Moves conversions in one computation. Instructions are appended, and sorted at the end.
class Narrowing {
 public:
  explicit Narrowing(hlo::Computation& computation) : computation_(computation), users_(hlo::users_of(computation)) {}

  void run() {
    const hlo::InstructionId count = hlo::InstructionId(computation_.instructions.size());
    // Slices come second: the conversions of other slices of the array must have come to them.
    for (const bool pass_slices : {false, true}) {
      for (hlo::InstructionId id = 0; id < hlo::InstructionId(computation_.instructions.size()); ++id) {
        for (hlo::InstructionId at = id; narrows(at) && passes(computation_[at].operands.front(), pass_slices);) {
          at = pass(at);
        }
      }
    }
    if (hlo::InstructionId(computation_.instructions.size()) > count) {
      computation_ = in_order_of_need(std::move(computation_));
    }
  }

 private:
  const std::vector<hlo::InstructionId>& users(hlo::InstructionId id) const { return users_[std::size_t(id)]; }

  bool narrows(hlo::InstructionId id) const {
    const hlo::Instruction& convert = computation_[id];
    return convert.opcode == hlo::Opcode::convert &&
           hlo::byte_width(convert.shape.element_type) <
               hlo::byte_width(computation_[convert.operands.front()].shape.element_type);
  }

  /// True for a move that only a conversion reads, before which it may be done.
  bool passes(hlo::InstructionId move, bool pass_slices) const {
    if (users(move).size() != 1 || move == computation_.root) return false;
    switch (computation_[move].opcode) {
      case hlo::Opcode::reshape:
      case hlo::Opcode::transpose:
        return true;
      case hlo::Opcode::slice:
        return pass_slices && is_narrowed_everywhere(computation_[move].operands.front()) &&
               is_read_whole(computation_[move].operands.front());
      default:
        return false;
    }
  }

  /// True if nothing reads the wide elements of an array but slices that are narrowed.
  bool is_narrowed_everywhere(hlo::InstructionId array) const {
    return array != computation_.root && std::ranges::all_of(users(array), [&](hlo::InstructionId user) {
             return narrows(user) ||
                    (computation_[user].opcode == hlo::Opcode::slice && user != computation_.root &&
                     std::ranges::all_of(users(user), [&](hlo::InstructionId u) { return narrows(u); }));
           });
  }

  /// True if its readers together have as many elements as an array. To convert all of it to read some rows would be
  /// more work.
  bool is_read_whole(hlo::InstructionId array) const {
    std::int64_t read = 0;
    for (const hlo::InstructionId user : users(array)) read += computation_[user].shape.element_count();
    return read >= computation_[array].shape.element_count();
  }

  /// Lets a conversion become the move before it, of narrow elements. Returns the conversion of what is moved.
  hlo::InstructionId pass(hlo::InstructionId convert) {
    const hlo::InstructionId move = computation_[convert].operands.front();
    const hlo::InstructionId source = computation_[move].operands.front();
    const hlo::ElementType type = computation_[convert].shape.element_type;
    const auto [found, is_new] = narrowed_.try_emplace({source, type}, computation_.instructions.size());
    const hlo::InstructionId narrow = found->second;
    if (is_new) {
      hlo::Instruction instruction = computation_[convert];
      instruction.name = computation_[source].name + ".narrowed." + std::to_string(narrow);
      instruction.shape = computation_[source].shape;
      instruction.shape.element_type = type;
      instruction.operands = {source};
      instruction.sharding = nullptr;
      computation_.instructions.push_back(std::move(instruction));
      users_.emplace_back();
      users_[std::size_t(source)].push_back(narrow);
    }
    hlo::Instruction moved = computation_[move];
    moved.shape = computation_[convert].shape;
    moved.name = computation_[convert].name;
    moved.operands = {narrow};
    computation_.instructions[std::size_t(convert)] = std::move(moved);
    computation_.instructions[std::size_t(move)].name += ".wide";  // nothing reads it any more
    users_[std::size_t(narrow)].push_back(convert);
    std::erase(users_[std::size_t(source)], move);
    return narrow;
  }

  hlo::Computation& computation_;
  std::vector<std::vector<hlo::InstructionId>> users_;
  std::map<std::pair<hlo::InstructionId, hlo::ElementType>, hlo::InstructionId> narrowed_;  ///< by source and type
};

}  // namespace

void narrow_before_moves(hlo::Computation& computation) { Narrowing(computation).run(); }

}  // namespace podsim::sw::compiler::fuse
