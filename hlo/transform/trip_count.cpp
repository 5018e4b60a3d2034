// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/trip_count.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "hlo/literal.h"

namespace podsim::hlo::transform {
namespace {

constexpr int longest_expression = 256;  // limit on instructions visited for one answer

/// A whole number: a constant, or element `element` of the loop's tuple plus a constant.
struct Affine {
  int element = -1;
  std::int64_t constant = 0;
};

std::optional<std::int64_t> scalar_value(const Instruction& constant) {
  if (!constant.literal || constant.shape.element_count() != 1 || !is_integer(constant.shape.element_type)) return {};
  const Literal& literal = *constant.literal;
  if (!literal.integers.empty()) return literal.integers[0];
  if (literal.values.empty()) return {};
  return std::int64_t(literal.values[0]);
}

/// Expresses instructions of the loop in terms of the loop's tuple. `arguments_` are the values of the computation's
/// parameters; it is empty if the only parameter is the tuple itself.
class Resolver {
 public:
  Resolver(const Module& module, const Computation& computation) : module_(module), computation_(computation) {}

  std::optional<Affine> resolve(InstructionId id) {
    if (--budget_ < 0) return {};
    const Instruction& instruction = computation_[id];
    if (instruction.phase != AsyncPhase::none) return {};
    const auto operand = [&](std::size_t i) { return resolve(instruction.operands[i]); };
    switch (instruction.opcode) {
      case Opcode::constant:
        if (const auto value = scalar_value(instruction)) return Affine{-1, *value};
        return {};
      case Opcode::parameter:
        if (std::size_t(instruction.index) < arguments_.size()) return arguments_[std::size_t(instruction.index)];
        return {};
      case Opcode::get_tuple_element:
        if (!arguments_.empty() || computation_[instruction.operands[0]].opcode != Opcode::parameter) return {};
        return Affine{int(instruction.index), 0};
      case Opcode::copy:
      case Opcode::convert:
      case Opcode::bitcast:
      case Opcode::reshape:
        return operand(0);
      case Opcode::add:
        return sum(operand(0), operand(1), 1);
      case Opcode::subtract:
        return sum(operand(0), operand(1), -1);
      case Opcode::fusion:
      case Opcode::call:
        return resolve_call(instruction);
      default:
        return {};
    }
  }

  /// If `id` compares two such values, sets them and the direction and returns true.
  bool resolve_comparison(InstructionId id, Affine& left, Affine& right, ComparisonDirection& direction) {
    const Instruction& instruction = computation_[id];
    if (instruction.opcode == Opcode::fusion || instruction.opcode == Opcode::call) {
      std::optional<Resolver> body = into(instruction);
      return body && body->resolve_comparison(body->computation_.root, left, right, direction);
    }
    if (instruction.opcode != Opcode::compare || instruction.phase != AsyncPhase::none) return false;
    const auto x = resolve(instruction.operands[0]), y = resolve(instruction.operands[1]);
    if (!x || !y) return false;
    left = *x;
    right = *y;
    direction = instruction.comparison;
    return true;
  }

 private:
  static std::optional<Affine> sum(std::optional<Affine> x, std::optional<Affine> y, int sign) {
    if (!x || !y || (y->element >= 0 && (x->element >= 0 || sign < 0))) return {};
    Affine result{std::max(x->element, y->element), 0};
    const std::int64_t term = y->constant;
    const bool overflow = sign > 0 ? __builtin_add_overflow(x->constant, term, &result.constant)
                                   : __builtin_sub_overflow(x->constant, term, &result.constant);
    if (overflow) return {};
    return result;
  }

  std::optional<Affine> resolve_call(const Instruction& instruction) {
    std::optional<Resolver> body = into(instruction);
    if (!body) return {};
    const std::optional<Affine> value = body->resolve(body->computation_.root);
    budget_ = body->budget_;
    return value;
  }

  /// The called computation with its arguments; arguments that have no such value are unknown.
  std::optional<Resolver> into(const Instruction& instruction) {
    if (instruction.called.size() != 1 || instruction.operands.empty()) return {};
    Resolver body(module_, module_.computations[std::size_t(instruction.called[0])]);
    for (const InstructionId id : instruction.operands) body.arguments_.push_back(resolve(id));
    body.budget_ = budget_;
    return body;
  }

  const Module& module_;
  const Computation& computation_;
  std::vector<std::optional<Affine>> arguments_;
  int budget_ = longest_expression;
};

/// The constant with which element `index` of the loop's operand begins.
std::optional<std::int64_t> initial_value(const Module& module, const Computation& caller, const Instruction& loop,
                                          int index) {
  const Instruction& tuple = caller[loop.operands[0]];
  if (tuple.opcode != Opcode::tuple || index < 0 || index >= int(tuple.operands.size())) return {};
  const auto value = Resolver(module, caller).resolve(tuple.operands[std::size_t(index)]);
  if (!value || value->element >= 0) return {};
  return value->constant;
}

/// The constant that the body adds to element `index`.
std::optional<std::int64_t> step_of(const Module& module, const Computation& body, int index) {
  const Instruction& root = body[body.root];
  if (root.opcode != Opcode::tuple || index < 0 || index >= int(root.operands.size())) return {};
  const auto value = Resolver(module, body).resolve(root.operands[std::size_t(index)]);
  if (!value || value->element != index) return {};
  return value->constant;
}

ComparisonDirection mirrored(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::lt:
      return ComparisonDirection::gt;
    case ComparisonDirection::le:
      return ComparisonDirection::ge;
    case ComparisonDirection::gt:
      return ComparisonDirection::lt;
    case ComparisonDirection::ge:
      return ComparisonDirection::le;
    default:
      return direction;
  }
}

/// Number of values first, first + step, ... before the first one for which `direction limit` does not hold.
std::int64_t count_steps(std::int64_t first, std::int64_t step, ComparisonDirection direction, std::int64_t limit) {
  constexpr std::int64_t most = std::int64_t(1) << 62;
  if (first < -most || first > most || limit < -most || limit > most || step < -most || step > most) return -1;
  switch (direction) {
    case ComparisonDirection::gt:
      return count_steps(-first, -step, ComparisonDirection::lt, -limit);
    case ComparisonDirection::ge:
      return count_steps(-first, -step, ComparisonDirection::le, -limit);
    case ComparisonDirection::le:
      return count_steps(first, step, ComparisonDirection::lt, limit + 1);
    case ComparisonDirection::lt:
      if (first >= limit) return 0;
      return step > 0 ? (limit - first + step - 1) / step : -1;
    case ComparisonDirection::ne:
      if (first == limit) return 0;
      return step != 0 && (limit - first) % step == 0 && (limit - first) / step > 0 ? (limit - first) / step : -1;
    case ComparisonDirection::eq:
      return first != limit ? 0 : step != 0 ? 1 : -1;
  }
  return -1;
}

}  // namespace

std::int64_t find_trip_count(const Module& module, const Computation& caller, const Instruction& loop) {
  const Computation& condition = module.computations[std::size_t(loop.called[0])];
  const Computation& body = module.computations[std::size_t(loop.called[1])];
  Affine left, right;
  ComparisonDirection direction = ComparisonDirection::eq;
  if (!Resolver(module, condition).resolve_comparison(condition.root, left, right, direction)) return -1;
  if (left.element < 0 || (right.element >= 0 && step_of(module, body, left.element) == 0)) {
    std::swap(left, right);
    direction = mirrored(direction);
  }
  if (left.element < 0) return -1;
  const auto first = initial_value(module, caller, loop, left.element);
  const auto step = step_of(module, body, left.element);
  std::int64_t limit = right.constant;
  if (right.element >= 0) {
    const auto held = initial_value(module, caller, loop, right.element);
    if (!held || step_of(module, body, right.element) != 0) return -1;
    limit += *held;
  }
  if (!first || !step) return -1;
  return count_steps(*first + left.constant, *step, direction, limit);
}

}  // namespace podsim::hlo::transform
