// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/formulas/log_add_exp.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

namespace podsim::hlo::transform::formulas {

namespace {

constexpr InstructionId zero_value = -1;
using Pair = std::pair<InstructionId, InstructionId>;

class DistanceSearch {
 public:
  DistanceSearch(const build::GraphBuilder& b, InstructionId loss) : b_(b), users_(std::size_t(loss) + 1) {
    for (InstructionId id = 0; id <= loss; ++id) {
      for (const InstructionId operand : b[id].operands) users_[std::size_t(operand)].push_back(id);
      if (b[id].opcode == Opcode::maximum) maxima_.insert(pair_of(b[id].operands[0], b[id].operands[1]));
    }
  }

  bool is_smooth(InstructionId id) const {
    const Instruction& distance = b_[id];
    return distance.opcode == Opcode::abs && is_floating_point(distance.shape.element_type) &&
           maxima_.contains(pair_of_difference(distance.operands[0])) &&
           all_users(id, Opcode::negate,
                     [this](auto user) { return all_users(user, Opcode::exponential, [](auto) { return true; }); });
  }

 private:
  /// The value without conversions and copies.
  InstructionId source(InstructionId id) const {
    while (b_[id].opcode == Opcode::convert || b_[id].opcode == Opcode::copy) id = b_[id].operands[0];
    return id;
  }

  InstructionId key(InstructionId id) const {
    const Instruction* value = &b_[source(id)];
    while (value->opcode == Opcode::broadcast) value = &b_[source(value->operands[0])];
    const bool is_zero = value->opcode == Opcode::constant && value->literal && value->literal->values.size() == 1 &&
                         value->literal->values[0] == 0;
    return is_zero ? zero_value : source(id);
  }

  /// The distances of x and -x from 0 are equal.
  Pair with_sign_dropped(Pair pair) const {
    if (pair.first == zero_value && pair.second != zero_value && b_[pair.second].opcode == Opcode::negate) {
      pair.second = source(b_[pair.second].operands[0]);
    }
    return pair;
  }

  /// Two values in either order.
  Pair pair_of(InstructionId x, InstructionId y) const { return with_sign_dropped(std::minmax({key(x), key(y)})); }

  Pair pair_of_difference(InstructionId id) const {
    const Instruction& difference = b_[source(id)];
    if (difference.opcode == Opcode::subtract) return pair_of(difference.operands[0], difference.operands[1]);
    return with_sign_dropped({zero_value, source(id)});
  }

  template <class Holds>
  bool all_users(InstructionId id, Opcode opcode, Holds holds) const {
    const std::vector<InstructionId>& users = users_[std::size_t(id)];
    return !users.empty() && std::ranges::all_of(users, [&](InstructionId user) {
      if (b_[user].opcode == Opcode::convert || b_[user].opcode == Opcode::copy) return all_users(user, opcode, holds);
      return b_[user].opcode == opcode && holds(user);
    });
  }

  const build::GraphBuilder& b_;
  std::vector<std::vector<InstructionId>> users_;
  std::set<Pair> maxima_;
};

}  // namespace

std::vector<InstructionId> smooth_distances(const build::GraphBuilder& builder, InstructionId loss) {
  std::vector<InstructionId> found;
  const DistanceSearch search(builder, loss);
  for (InstructionId id = 0; id <= loss; ++id) {
    if (search.is_smooth(id)) found.push_back(id);
  }
  return found;
}

}  // namespace podsim::hlo::transform::formulas
