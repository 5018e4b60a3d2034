// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/error_bound.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "sw/graph/literal.h"
#include "sw/graph/rearrangement.h"

namespace podsim::sw {
namespace {

/// Nothing where the value is exact whatever the inputs.
using Bound = std::optional<InstructionId>;

Shape in_f64(const Shape& shape) { return make_shape(ElementType::f64, shape.dimensions); }

Computation combiner(Opcode opcode) {
  Computation computation{fmt::format("bound_{}", to_string(opcode)), {}, 2, {0, 1}};
  for (int i = 0; i < 3; ++i) {
    Instruction instruction;
    instruction.opcode = i < 2 ? Opcode::parameter : opcode;
    instruction.name = fmt::format("bound.{}", i);
    instruction.shape = make_shape(ElementType::f64, {});
    instruction.index = i < 2 ? i : 0;
    if (i == 2) instruction.operands = {0, 1};
    computation.instructions.push_back(std::move(instruction));
  }
  return computation;
}

/// Writes the reference's instructions one after another, each with the instructions of its bound behind it.
class BoundWriter {
 public:
  BoundWriter(const Module& reference, double rounding_steps)
      : reference_(reference), source_(reference.entry_computation()), steps_(rounding_steps) {
    result_.name = reference.name + "_with_error_bounds";
    for (int i = 0; i < int(reference.computations.size()); ++i) {
      if (i != reference.entry) result_.computations.push_back(reference.computations[i]);
    }
    if (reference.entry != int(reference.computations.size()) - 1)
      throw std::logic_error("the entry computation is not the last one");
    add_ = ComputationId(result_.computations.size());
    result_.computations.push_back(combiner(Opcode::add));
    max_ = ComputationId(result_.computations.size());
    result_.computations.push_back(combiner(Opcode::maximum));
    entry_.name = source_.name;
  }

  Module write() && {
    for (InstructionId id = 0; id < int(source_.instructions.size()); ++id) copy(id);
    for (InstructionId parameter : source_.parameters) entry_.parameters.push_back(value_[parameter]);
    finish();
    result_.entry = ComputationId(result_.computations.size());
    result_.computations.push_back(std::move(entry_));
    return std::move(result_);
  }

 private:
  void copy(InstructionId id) {
    Instruction instruction = source_[id];
    for (InstructionId& operand : instruction.operands) operand = value_[operand];
    entry_.instructions.push_back(instruction);
    value_.push_back(InstructionId(entry_.instructions.size()) - 1);
    bound_.push_back(is_bounded(source_[id]) ? finite_only(value_[id], bound(id)) : Bound());
  }

  static bool is_bounded(const Instruction& instruction) { return !instruction.shape.is_tuple(); }

  /// The bound of an instruction whose value has just been written.
  Bound bound(InstructionId id) {
    const Instruction& instruction = source_[id];
    if (steps_ == 0 || instruction.opcode == Opcode::parameter || instruction.opcode == Opcode::constant ||
        instruction.opcode == Opcode::iota) {
      return {};
    }
    if (is_rearrangement(instruction.opcode)) return rearranged(instruction);
    switch (instruction.opcode) {
      case Opcode::negate:
      case Opcode::abs:
      case Opcode::copy:
        return bound_[instruction.operands[0]];
      case Opcode::exponential:
      case Opcode::log:
      case Opcode::sqrt:
      case Opcode::rsqrt:
      case Opcode::tanh:
        return plus(moved(instruction), rounding(magnitude(value_[id])));
      case Opcode::sign:
      case Opcode::convert:
        return moved(instruction);
      case Opcode::maximum:
      case Opcode::minimum:
      case Opcode::logical_and:
      case Opcode::logical_or:
        return larger(operand_bound(instruction, 0), operand_bound(instruction, 1));
      case Opcode::add:
      case Opcode::subtract:
        return sum(instruction);
      case Opcode::multiply:
        return product(instruction, Opcode::multiply);
      case Opcode::dot:
      case Opcode::convolution:
        return product(instruction, instruction.opcode);
      case Opcode::divide:
        return quotient(instruction, value_[id]);
      case Opcode::compare:
        return either_way(instruction);
      case Opcode::select:
        return selected(instruction);
      case Opcode::reduce:
      case Opcode::reduce_window:
        return reduced(instruction);
      default:
        break;
    }
    throw std::logic_error(fmt::format("no error bound for {}", to_string(instruction.opcode)));
  }

  Bound rearranged(const Instruction& instruction) {
    bool exact = true;
    for (InstructionId operand : instruction.operands) exact &= !bound_[operand].has_value();
    if (exact) return {};
    std::vector<InstructionId> operands;
    for (InstructionId operand : instruction.operands) operands.push_back(or_zero(bound_[operand], operand));
    return like(instruction, instruction.opcode, std::move(operands));
  }

  Bound sum(const Instruction& instruction) {
    const InstructionId magnitudes =
        elementwise(Opcode::add, {magnitude(operand_value(instruction, 0)), magnitude(operand_value(instruction, 1))});
    return plus(plus(operand_bound(instruction, 0), operand_bound(instruction, 1)), rounding(magnitudes));
  }

  /// Of a product, or of many that are added up.
  Bound product(const Instruction& instruction, Opcode opcode) {
    const InstructionId a = magnitude(operand_value(instruction, 0));
    const InstructionId b = magnitude(operand_value(instruction, 1));
    const Bound bound_a = operand_bound(instruction, 0), bound_b = operand_bound(instruction, 1);
    Bound total = rounding(like(instruction, opcode, {a, b}));
    if (bound_a) {
      const InstructionId largest_b = bound_b ? elementwise(Opcode::add, {b, *bound_b}) : b;
      total = plus(total, like(instruction, opcode, {*bound_a, largest_b}));
    }
    if (bound_b) total = plus(total, like(instruction, opcode, {a, *bound_b}));
    return total;
  }

  Bound quotient(const Instruction& instruction, InstructionId value) {
    const InstructionId result = magnitude(value);
    const InstructionId b = magnitude(operand_value(instruction, 1));
    const Bound bound_a = operand_bound(instruction, 0), bound_b = operand_bound(instruction, 1);
    Bound moved = bound_a;
    InstructionId smallest_b = b;
    if (bound_b) {
      moved = plus(moved, elementwise(Opcode::multiply, {result, *bound_b}));
      smallest_b = elementwise(Opcode::maximum, {elementwise(Opcode::subtract, {b, *bound_b}), constant(0, b)});
    }
    if (moved) moved = elementwise(Opcode::divide, {*moved, smallest_b});
    return plus(moved, rounding(result));
  }

  /// The larger of f(x + e) - f(x) and f(x) - f(x - e) for a monotone f of one operand.
  Bound moved(const Instruction& instruction) {
    const Bound bound = operand_bound(instruction, 0);
    if (!bound) return {};
    const InstructionId x = wide(operand_value(instruction, 0));
    InstructionId below = elementwise(Opcode::subtract, {x, *bound});
    const Opcode opcode = instruction.opcode;
    if (opcode == Opcode::log || opcode == Opcode::sqrt || opcode == Opcode::rsqrt)
      below = elementwise(Opcode::maximum, {below, constant(0, below)});
    const InstructionId above = applied(instruction, elementwise(Opcode::add, {x, *bound}));
    const InstructionId at = applied(instruction, x);
    return larger(distance(above, at), distance(at, applied(instruction, below)));
  }

  InstructionId applied(const Instruction& instruction, InstructionId x) {
    if (instruction.opcode == Opcode::convert) {
      return wide(
          append(Opcode::convert, make_shape(instruction.shape.element_type, instruction.shape.dimensions), {x}));
    }
    return elementwise(instruction.opcode, {x});
  }

  InstructionId distance(InstructionId a, InstructionId b) {
    return elementwise(Opcode::abs, {elementwise(Opcode::subtract, {a, b})});
  }

  /// 1 where a compare may go either way, as the bound of a truth value.
  Bound either_way(const Instruction& instruction) {
    const Bound reach = plus(operand_bound(instruction, 0), operand_bound(instruction, 1));
    if (!reach) return {};
    const InstructionId apart = distance(wide(operand_value(instruction, 0)), wide(operand_value(instruction, 1)));
    return choice(less_or_equal(apart, *reach), constant(1, apart), constant(0, apart));
  }

  Bound selected(const Instruction& instruction) {
    const InstructionId predicate = operand_value(instruction, 0);
    const Bound a = operand_bound(instruction, 1), b = operand_bound(instruction, 2);
    const Bound uncertain = operand_bound(instruction, 0);
    if (!a && !b && !uncertain) return {};
    const InstructionId x = instruction.operands[1], y = instruction.operands[2];
    const InstructionId taken = choice(predicate, or_zero(a, x), or_zero(b, y));
    if (!uncertain) return taken;
    const InstructionId apart = distance(wide(value_[x]), wide(value_[y]));
    const Bound either = plus(apart, larger(a, b));
    return choice(less_or_equal(*uncertain, constant(0, *uncertain)), taken, *either);
  }

  Bound reduced(const Instruction& instruction) {
    const Opcode combine = called_opcode(instruction);
    const Bound x = operand_bound(instruction, 0), initial = operand_bound(instruction, 1);
    if (combine == Opcode::maximum || combine == Opcode::minimum) {
      if (!x && !initial) return {};
      return over_window(instruction, max_, or_zero(x, instruction.operands[0]),
                         or_zero(initial, instruction.operands[1]));
    }
    if (combine != Opcode::add) throw std::logic_error("no error bound for this reduction");
    const InstructionId magnitudes = over_window(instruction, add_, magnitude(operand_value(instruction, 0)),
                                                 magnitude(operand_value(instruction, 1)));
    if (!x && !initial) return rounding(magnitudes);
    return plus(rounding(magnitudes), over_window(instruction, add_, or_zero(x, instruction.operands[0]),
                                                  or_zero(initial, instruction.operands[1])));
  }

  Opcode called_opcode(const Instruction& instruction) const {
    const Computation& called = reference_.computations[instruction.called[0]];
    return called[called.root].opcode;
  }

  InstructionId over_window(const Instruction& instruction, ComputationId combine, InstructionId x,
                            InstructionId initial) {
    Instruction written = instruction;
    written.called = {combine};
    return like(written, instruction.opcode, {x, initial});
  }

  /// steps * (2^-24 x + 2^-149)
  InstructionId rounding(InstructionId magnitudes) {
    const InstructionId scaled =
        elementwise(Opcode::multiply, {magnitudes, constant(steps_ * std::ldexp(1, -24), magnitudes)});
    return elementwise(Opcode::add, {scaled, constant(steps_ * std::ldexp(1, -149), magnitudes)});
  }

  Bound finite_only(InstructionId value, Bound bound) {
    if (!bound) return {};
    const InstructionId size = elementwise(Opcode::abs, {wide(value)});
    const InstructionId infinite = constant(std::numeric_limits<double>::infinity(), size);
    const InstructionId finite = compare(ComparisonDirection::lt, size, infinite);
    return choice(finite, *bound, constant(0, *bound));
  }

  Bound plus(Bound a, Bound b) { return combined(Opcode::add, a, b); }
  Bound larger(Bound a, Bound b) { return combined(Opcode::maximum, a, b); }
  Bound combined(Opcode opcode, Bound a, Bound b) {
    if (!a || !b) return a ? a : b;
    return elementwise(opcode, {*a, *b});
  }

  Bound operand_bound(const Instruction& instruction, std::size_t i) const { return bound_[instruction.operands[i]]; }
  InstructionId operand_value(const Instruction& instruction, std::size_t i) const {
    return value_[instruction.operands[i]];
  }
  InstructionId or_zero(Bound bound, InstructionId source) { return bound ? *bound : constant(0, value_[source]); }

  InstructionId wide(InstructionId x) {
    if (entry_[x].shape.element_type == ElementType::f64) return x;
    return append(Opcode::convert, in_f64(entry_[x].shape), {x});
  }
  InstructionId magnitude(InstructionId x) { return elementwise(Opcode::abs, {wide(x)}); }

  InstructionId choice(InstructionId predicate, InstructionId yes, InstructionId no) {
    return append(Opcode::select, in_f64(entry_[yes].shape), {predicate, yes, no});
  }
  InstructionId compare(ComparisonDirection direction, InstructionId a, InstructionId b) {
    const InstructionId id = append(Opcode::compare, make_shape(ElementType::pred, entry_[a].shape.dimensions), {a, b});
    entry_[id].comparison = direction;
    return id;
  }
  InstructionId less_or_equal(InstructionId a, InstructionId b) { return compare(ComparisonDirection::le, a, b); }

  InstructionId constant(double number, InstructionId shape_of) {
    const Shape shape = in_f64(entry_[shape_of].shape);
    const Shape scalar = make_shape(ElementType::f64, {});
    const InstructionId id = append(Opcode::constant, scalar, {});
    entry_[id].literal = std::make_shared<const Literal>(Literal{scalar, {number}, {}});
    return shape.dimensions.empty() ? id : append(Opcode::broadcast, shape, {id});
  }

  InstructionId elementwise(Opcode opcode, std::vector<InstructionId> operands) {
    const Shape shape = in_f64(entry_[operands[0]].shape);
    return append(opcode, shape, std::move(operands));
  }

  /// An instruction with the attributes of another, in f64.
  InstructionId like(const Instruction& instruction, Opcode opcode, std::vector<InstructionId> operands) {
    Instruction written = instruction;
    written.opcode = opcode;
    written.shape = in_f64(instruction.shape);
    return append(std::move(written), std::move(operands));
  }

  InstructionId append(Opcode opcode, Shape shape, std::vector<InstructionId> operands) {
    Instruction instruction;
    instruction.opcode = opcode;
    instruction.shape = std::move(shape);
    return append(std::move(instruction), std::move(operands));
  }
  InstructionId append(Instruction instruction, std::vector<InstructionId> operands) {
    const InstructionId id = InstructionId(entry_.instructions.size());
    instruction.name = fmt::format("bound.{}", id);
    instruction.operands = std::move(operands);
    entry_.instructions.push_back(std::move(instruction));
    return id;
  }

  void finish() {
    const Instruction& root = source_[source_.root];
    std::vector<InstructionId> results;
    if (root.shape.is_tuple()) {
      results = root.operands;
    } else {
      results = {source_.root};
    }
    std::vector<InstructionId> elements;
    std::vector<Shape> shapes;
    for (InstructionId result : results) elements.push_back(value_[result]);
    for (InstructionId result : results) elements.push_back(or_zero(bound_[result], result));
    for (InstructionId element : elements) shapes.push_back(entry_[element].shape);
    entry_.root = append(Opcode::tuple, make_tuple_shape(std::move(shapes)), std::move(elements));
  }

  const Module& reference_;
  const Computation& source_;
  double steps_;
  Module result_;
  Computation entry_;
  ComputationId add_ = -1, max_ = -1;
  std::vector<InstructionId> value_;  ///< by the reference's ids
  std::vector<Bound> bound_;
};

}  // namespace

Module with_error_bounds(const Module& reference, double rounding_steps) {
  return BoundWriter(reference, rounding_steps).write();
}

}  // namespace podsim::sw
