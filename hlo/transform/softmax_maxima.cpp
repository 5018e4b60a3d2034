// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/softmax_maxima.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/host/interrupt.h"

namespace podsim::hlo::transform {

namespace {

/// How a value depends on the maximum m.
struct Dependence {
  enum class Kind { none, additive, factor, flag, other };  // v; v + power m; v exp(power m); is-finite(m); unknown
  Kind kind = Kind::none;
  int power = 0;
  /// By dimension of m: the dimension of the value along which m's positions lie; any if m has size 1 there.
  std::vector<int> places = {};

  bool depends() const { return kind != Kind::none; }
};

constexpr int any_place = -1;
using Kind = Dependence::Kind;

/// The instructions between a value and the loss that read it, by value.
using Users = std::vector<std::vector<InstructionId>>;

/// Follows one maximum from the instruction after it to the loss.
class Follower {
 public:
  Follower(const build::GraphBuilder& b, const Users& users, InstructionId maximum) : b_(b), users_(users) {
    Dependence& first = found_[maximum];
    first = {Kind::additive, 1};
    const Shape& shape = b.shape(maximum);
    for (int d = 0; d < shape.rank(); ++d)
      first.places.push_back(shape.dimensions[std::size_t(d)] == 1 ? any_place : d);
  }

  /// True if the loss does not depend on it.
  bool vanishes(InstructionId maximum, InstructionId loss) {
    std::set<InstructionId> next(users_[std::size_t(maximum)].begin(), users_[std::size_t(maximum)].end());
    while (!next.empty()) {  // in order, so that operands are found before their users
      base::host::end_if_interrupted();
      const InstructionId id = *next.begin();
      next.erase(next.begin());
      Dependence found = of(b_[id]);
      if (found.kind == Kind::other || (id == loss && found.depends())) return false;
      if (!found.depends()) continue;
      found_[id] = std::move(found);
      next.insert(users_[std::size_t(id)].begin(), users_[std::size_t(id)].end());
    }
    return maximum != loss;
  }

 private:
  const Dependence& operand(const Instruction& instruction, std::size_t k) const {
    static const Dependence none;
    const auto found = found_.find(instruction.operands[k]);
    return found == found_.end() ? none : found->second;
  }

  Dependence of(const Instruction& instruction) const {
    switch (instruction.opcode) {
      case Opcode::add:
      case Opcode::subtract:
        return sum(operand(instruction, 0), operand(instruction, 1), instruction.opcode == Opcode::add ? 1 : -1);
      case Opcode::multiply:
        return product(operand(instruction, 0), operand(instruction, 1), 1);
      case Opcode::divide:
        return product(operand(instruction, 0), operand(instruction, 1), -1);
      case Opcode::negate:
        return negated(operand(instruction, 0));
      case Opcode::exponential:
        return changed(operand(instruction, 0), Kind::additive, Kind::factor);
      case Opcode::log:
        return changed(operand(instruction, 0), Kind::factor, Kind::additive);
      case Opcode::is_finite:
        return changed(operand(instruction, 0), Kind::additive, Kind::flag);
      case Opcode::maximum:
        return above_lowest(instruction);
      case Opcode::select:
        return guarded(instruction);
      case Opcode::convert:
      case Opcode::copy:
        return operand(instruction, 0).kind == Kind::flag ? unknown() : operand(instruction, 0);
      case Opcode::broadcast:
        return placed(operand(instruction, 0), [&](int d) { return int(instruction.dimensions[std::size_t(d)]); });
      case Opcode::transpose:
        return placed(operand(instruction, 0), [&](int d) {
          return int(std::ranges::find(instruction.dimensions, d) - instruction.dimensions.begin());
        });
      case Opcode::reshape:
        return reshaped(instruction);
      case Opcode::reduce:
        return reduced(instruction);
      default:
        return unknown();
    }
  }

  static Dependence unknown() { return {Kind::other}; }

  static Dependence with_power(Dependence value, int power) {
    value.power = power;
    return power == 0 ? Dependence{} : value;
  }

  static bool at_the_same_places(const Dependence& a, const Dependence& b) { return a.places == b.places; }

  static Dependence sum(const Dependence& a, const Dependence& b, int sign) {
    const auto fits = [](const Dependence& x) { return x.kind == Kind::none || x.kind == Kind::additive; };
    if (!fits(a) || !fits(b)) return unknown();
    if (!b.depends()) return a;
    if (!a.depends()) return with_power(b, sign * b.power);
    return at_the_same_places(a, b) ? with_power(a, a.power + sign * b.power) : unknown();
  }

  static Dependence product(const Dependence& a, const Dependence& b, int sign) {
    const auto fits = [](const Dependence& x) { return x.kind == Kind::none || x.kind == Kind::factor; };
    if (!fits(a) || !fits(b)) return unknown();
    if (!b.depends()) return a;
    if (!a.depends()) return with_power(b, sign * b.power);
    return at_the_same_places(a, b) ? with_power(a, a.power + sign * b.power) : unknown();
  }

  static Dependence negated(const Dependence& x) {
    if (x.kind == Kind::factor) return x;
    return x.kind == Kind::additive ? with_power(x, -x.power) : unknown();
  }

  static Dependence changed(Dependence x, Kind from, Kind to) {
    if (x.kind != from) return unknown();
    x.kind = to;
    return x;
  }

  /// The number that all elements of a value are, if it is a constant.
  std::optional<double> number(InstructionId id) const {
    const Instruction* value = &b_[id];
    while (value->opcode == Opcode::broadcast || value->opcode == Opcode::reshape) value = &b_[value->operands[0]];
    const bool is_scalar = value->opcode == Opcode::constant && value->literal && value->literal->values.size() == 1;
    return is_scalar ? std::optional(value->literal->values[0]) : std::nullopt;
  }

  /// max(m, -inf)
  Dependence above_lowest(const Instruction& instruction) const {
    for (const std::size_t k : {0U, 1U}) {
      if (operand(instruction, k).kind != Kind::additive) continue;
      const std::optional<double> least = number(instruction.operands[1 - k]);
      if (least && std::isinf(*least) && *least < 0) return operand(instruction, k);
    }
    return unknown();
  }

  /// select(is-finite(m), m, 0)
  Dependence guarded(const Instruction& instruction) const {
    const Dependence &flag = operand(instruction, 0), &value = operand(instruction, 1);
    const bool zero = number(instruction.operands[2]) == 0.0;
    return flag.kind == Kind::flag && value.kind == Kind::additive && at_the_same_places(flag, value) && zero
               ? value
               : unknown();
  }

  template <class Place>
  static Dependence placed(Dependence x, Place place) {
    for (int& dimension : x.places) {
      if (dimension != any_place) dimension = place(dimension);
    }
    return x;
  }

  /// A reshape that adds or drops dimensions of size 1.
  Dependence reshaped(const Instruction& instruction) const {
    const auto long_dimensions = [](const Shape& shape) {
      std::vector<int> dimensions;
      for (int d = 0; d < shape.rank(); ++d) {
        if (shape.dimensions[std::size_t(d)] != 1) dimensions.push_back(d);
      }
      return dimensions;
    };
    const Shape& from = b_.shape(instruction.operands[0]);
    const std::vector<int> before = long_dimensions(from), after = long_dimensions(instruction.shape);
    const bool same = std::ranges::equal(before, after, [&](int i, int k) {
      return from.dimensions[std::size_t(i)] == instruction.shape.dimensions[std::size_t(k)];
    });
    if (!same) return unknown();
    return placed(operand(instruction, 0),
                  [&](int d) { return after[std::size_t(std::ranges::find(before, d) - before.begin())]; });
  }

  Dependence reduced(const Instruction& instruction) const {
    const Computation& combiner = b_.called_computations()[std::size_t(instruction.called[0])];
    const bool adds = combiner.instructions.size() == 3 && combiner[combiner.root].opcode == Opcode::add;
    const Dependence& x = operand(instruction, 0);
    // A sum of v + k m has as many m as terms; that of v exp(k m) has the same factor.
    if (!adds || x.kind != Kind::factor || operand(instruction, 1).depends()) return unknown();
    const auto gone = [&](int d) {
      return std::ranges::find(instruction.dimensions, d) != instruction.dimensions.end();
    };
    if (std::ranges::any_of(x.places, [&](int d) { return d != any_place && gone(d); })) return unknown();
    return placed(x, [&](int d) {
      return d - int(std::ranges::count_if(instruction.dimensions, [d](std::int64_t other) { return other < d; }));
    });
  }

  const build::GraphBuilder& b_;
  const Users& users_;
  std::map<InstructionId, Dependence> found_;  ///< of those that depend on the maximum
};

bool is_maximum(const build::GraphBuilder& b, const Instruction& instruction) {
  if (instruction.opcode != Opcode::reduce || instruction.operands.size() != 2) return false;
  const Computation& combiner = b.called_computations()[std::size_t(instruction.called[0])];
  return combiner.instructions.size() == 3 && combiner[combiner.root].opcode == Opcode::maximum;
}

}  // namespace

std::vector<InstructionId> softmax_maxima(const build::GraphBuilder& builder, InstructionId loss) {
  std::vector<bool> counts(std::size_t(builder.size()), false);  // whether the loss depends on it
  Users users(std::size_t(builder.size()));
  counts[std::size_t(loss)] = true;
  for (InstructionId id = loss; id >= 0; --id) {
    if (!counts[std::size_t(id)]) continue;
    for (const InstructionId operand : builder[id].operands) {
      counts[std::size_t(operand)] = true;
      users[std::size_t(operand)].push_back(id);
    }
  }
  std::vector<InstructionId> held;
  for (InstructionId id = 0; id < loss; ++id) {
    if (!counts[std::size_t(id)] || !is_maximum(builder, builder[id])) continue;
    if (Follower(builder, users, id).vanishes(id, loss)) held.push_back(id);
  }
  return held;
}

}  // namespace podsim::hlo::transform
