// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/check/error_bound.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "sw/ir/eval/rearrangement.h"
#include "sw/ir/literal.h"

namespace podsim::sw::codegen::check {
namespace {

/// The instruction that computes a bound; std::nullopt if the value is exact for all inputs.
using Bound = std::optional<ir::InstructionId>;

ir::Shape in_f64(const ir::Shape& shape) { return ir::make_shape(ir::ElementType::f64, shape.dimensions); }

ir::Computation combiner(ir::Opcode opcode) {
  ir::Computation computation{fmt::format("bound_{}", ir::to_string(opcode)), {}, 2, {0, 1}};
  for (int i = 0; i < 3; ++i) {
    ir::Instruction instruction;
    instruction.opcode = i < 2 ? ir::Opcode::parameter : opcode;
    instruction.name = fmt::format("bound.{}", i);
    instruction.shape = ir::make_shape(ir::ElementType::f64, {});
    instruction.index = i < 2 ? i : 0;
    if (i == 2) instruction.operands = {0, 1};
    computation.instructions.push_back(std::move(instruction));
  }
  return computation;
}

/// Writes the reference's instructions in order, each followed by the instructions of its bound.
class BoundWriter {
 public:
  BoundWriter(const ir::Module& reference, double rounding_steps)
      : reference_(reference), source_(reference.entry_computation()), steps_(rounding_steps) {
    result_.name = reference.name + "_with_error_bounds";
    for (int i = 0; i < int(reference.computations.size()); ++i) {
      if (i != reference.entry) result_.computations.push_back(reference.computations[i]);
    }
    if (reference.entry != int(reference.computations.size()) - 1)
      throw std::logic_error("the entry computation is not the last one");
    add_ = ir::ComputationId(result_.computations.size());
    result_.computations.push_back(combiner(ir::Opcode::add));
    max_ = ir::ComputationId(result_.computations.size());
    result_.computations.push_back(combiner(ir::Opcode::maximum));
    entry_.name = source_.name;
  }

  ir::Module write() && {
    for (ir::InstructionId id = 0; id < int(source_.instructions.size()); ++id) copy(id);
    for (ir::InstructionId parameter : source_.parameters) entry_.parameters.push_back(value_[parameter]);
    finish();
    result_.entry = ir::ComputationId(result_.computations.size());
    result_.computations.push_back(std::move(entry_));
    return std::move(result_);
  }

 private:
  void copy(ir::InstructionId id) {
    ir::Instruction instruction = source_[id];
    for (ir::InstructionId& operand : instruction.operands) operand = value_[operand];
    entry_.instructions.push_back(instruction);
    value_.push_back(ir::InstructionId(entry_.instructions.size()) - 1);
    bound_.push_back(is_bounded(source_[id]) ? finite_only(value_[id], bound(id)) : Bound());
  }

  static bool is_bounded(const ir::Instruction& instruction) { return !instruction.shape.is_tuple(); }

  /// Writes the bound of the instruction that was just written.
  Bound bound(ir::InstructionId id) {
    const ir::Instruction& instruction = source_[id];
    if (steps_ == 0 || instruction.opcode == ir::Opcode::parameter || instruction.opcode == ir::Opcode::constant ||
        instruction.opcode == ir::Opcode::iota) {
      return {};
    }
    if (ir::eval::is_rearrangement(instruction.opcode)) return rearranged(instruction);
    switch (instruction.opcode) {
      case ir::Opcode::negate:
      case ir::Opcode::abs:
      case ir::Opcode::copy:
        return bound_[instruction.operands[0]];
      case ir::Opcode::exponential:
      case ir::Opcode::log:
      case ir::Opcode::sqrt:
      case ir::Opcode::rsqrt:
      case ir::Opcode::tanh:
        return plus(moved(instruction), rounding(magnitude(value_[id])));
      case ir::Opcode::sign:
      case ir::Opcode::convert:
        return moved(instruction);
      case ir::Opcode::maximum:
      case ir::Opcode::minimum:
      case ir::Opcode::logical_and:
      case ir::Opcode::logical_or:
        return larger(operand_bound(instruction, 0), operand_bound(instruction, 1));
      case ir::Opcode::add:
      case ir::Opcode::subtract:
        return sum(instruction);
      case ir::Opcode::multiply:
        return product(instruction, ir::Opcode::multiply);
      case ir::Opcode::dot:
      case ir::Opcode::convolution:
        return product(instruction, instruction.opcode);
      case ir::Opcode::divide:
        return quotient(instruction, value_[id]);
      case ir::Opcode::compare:
        return either_way(instruction);
      case ir::Opcode::select:
        return selected(instruction);
      case ir::Opcode::reduce:
      case ir::Opcode::reduce_window:
        return reduced(instruction);
      default:
        break;
    }
    throw std::logic_error(fmt::format("no error bound for {}", ir::to_string(instruction.opcode)));
  }

  Bound rearranged(const ir::Instruction& instruction) {
    bool exact = true;
    for (ir::InstructionId operand : instruction.operands) exact &= !bound_[operand].has_value();
    if (exact) return {};
    std::vector<ir::InstructionId> operands;
    for (ir::InstructionId operand : instruction.operands) operands.push_back(or_zero(bound_[operand], operand));
    return like(instruction, instruction.opcode, std::move(operands));
  }

  Bound sum(const ir::Instruction& instruction) {
    const ir::InstructionId magnitudes = elementwise(
        ir::Opcode::add, {magnitude(operand_value(instruction, 0)), magnitude(operand_value(instruction, 1))});
    return plus(plus(operand_bound(instruction, 0), operand_bound(instruction, 1)), rounding(magnitudes));
  }

  /// Writes the bound of a product, or of a sum of products.
  Bound product(const ir::Instruction& instruction, ir::Opcode opcode) {
    const ir::InstructionId a = magnitude(operand_value(instruction, 0));
    const ir::InstructionId b = magnitude(operand_value(instruction, 1));
    const Bound bound_a = operand_bound(instruction, 0), bound_b = operand_bound(instruction, 1);
    Bound total = rounding(like(instruction, opcode, {a, b}));
    if (bound_a) {
      const ir::InstructionId largest_b = bound_b ? elementwise(ir::Opcode::add, {b, *bound_b}) : b;
      total = plus(total, like(instruction, opcode, {*bound_a, largest_b}));
    }
    if (bound_b) total = plus(total, like(instruction, opcode, {a, *bound_b}));
    return total;
  }

  Bound quotient(const ir::Instruction& instruction, ir::InstructionId value) {
    const ir::InstructionId result = magnitude(value);
    const ir::InstructionId b = magnitude(operand_value(instruction, 1));
    const Bound bound_a = operand_bound(instruction, 0), bound_b = operand_bound(instruction, 1);
    Bound moved = bound_a;
    ir::InstructionId smallest_b = b;
    if (bound_b) {
      moved = plus(moved, elementwise(ir::Opcode::multiply, {result, *bound_b}));
      smallest_b = elementwise(ir::Opcode::maximum, {elementwise(ir::Opcode::subtract, {b, *bound_b}), constant(0, b)});
    }
    if (moved) moved = elementwise(ir::Opcode::divide, {*moved, smallest_b});
    return plus(moved, rounding(result));
  }

  /// Writes the larger of f(x + e) - f(x) and f(x) - f(x - e), for a monotone f of one operand.
  Bound moved(const ir::Instruction& instruction) {
    const Bound bound = operand_bound(instruction, 0);
    if (!bound) return {};
    const ir::InstructionId x = wide(operand_value(instruction, 0));
    ir::InstructionId below = elementwise(ir::Opcode::subtract, {x, *bound});
    const ir::Opcode opcode = instruction.opcode;
    if (opcode == ir::Opcode::log || opcode == ir::Opcode::sqrt || opcode == ir::Opcode::rsqrt)
      below = elementwise(ir::Opcode::maximum, {below, constant(0, below)});
    const ir::InstructionId above = applied(instruction, elementwise(ir::Opcode::add, {x, *bound}));
    const ir::InstructionId at = applied(instruction, x);
    return larger(distance(above, at), distance(at, applied(instruction, below)));
  }

  ir::InstructionId applied(const ir::Instruction& instruction, ir::InstructionId x) {
    if (instruction.opcode == ir::Opcode::convert) {
      return wide(append(ir::Opcode::convert,
                         ir::make_shape(instruction.shape.element_type, instruction.shape.dimensions), {x}));
    }
    return elementwise(instruction.opcode, {x});
  }

  ir::InstructionId distance(ir::InstructionId a, ir::InstructionId b) {
    return elementwise(ir::Opcode::abs, {elementwise(ir::Opcode::subtract, {a, b})});
  }

  /// Writes the bound of a compare: 1 where it may have either result.
  Bound either_way(const ir::Instruction& instruction) {
    const Bound reach = plus(operand_bound(instruction, 0), operand_bound(instruction, 1));
    if (!reach) return {};
    const ir::InstructionId apart = distance(wide(operand_value(instruction, 0)), wide(operand_value(instruction, 1)));
    return choice(less_or_equal(apart, *reach), constant(1, apart), constant(0, apart));
  }

  Bound selected(const ir::Instruction& instruction) {
    const ir::InstructionId predicate = operand_value(instruction, 0);
    const Bound a = operand_bound(instruction, 1), b = operand_bound(instruction, 2);
    const Bound uncertain = operand_bound(instruction, 0);
    if (!a && !b && !uncertain) return {};
    const ir::InstructionId x = instruction.operands[1], y = instruction.operands[2];
    const ir::InstructionId taken = choice(predicate, or_zero(a, x), or_zero(b, y));
    if (!uncertain) return taken;
    const ir::InstructionId apart = distance(wide(value_[x]), wide(value_[y]));
    const Bound either = plus(apart, larger(a, b));
    return choice(less_or_equal(*uncertain, constant(0, *uncertain)), taken, *either);
  }

  Bound reduced(const ir::Instruction& instruction) {
    const ir::Opcode combine = called_opcode(instruction);
    const Bound x = operand_bound(instruction, 0), initial = operand_bound(instruction, 1);
    if (combine == ir::Opcode::maximum || combine == ir::Opcode::minimum) {
      if (!x && !initial) return {};
      return over_window(instruction, max_, or_zero(x, instruction.operands[0]),
                         or_zero(initial, instruction.operands[1]));
    }
    if (combine != ir::Opcode::add) throw std::logic_error("no error bound for this reduction");
    const ir::InstructionId magnitudes = over_window(instruction, add_, magnitude(operand_value(instruction, 0)),
                                                     magnitude(operand_value(instruction, 1)));
    if (!x && !initial) return rounding(magnitudes);
    return plus(rounding(magnitudes), over_window(instruction, add_, or_zero(x, instruction.operands[0]),
                                                  or_zero(initial, instruction.operands[1])));
  }

  ir::Opcode called_opcode(const ir::Instruction& instruction) const {
    const ir::Computation& called = reference_.computations[instruction.called[0]];
    return called[called.root].opcode;
  }

  ir::InstructionId over_window(const ir::Instruction& instruction, ir::ComputationId combine, ir::InstructionId x,
                                ir::InstructionId initial) {
    ir::Instruction written = instruction;
    written.called = {combine};
    return like(written, instruction.opcode, {x, initial});
  }

  /// steps * (2^-24 x + 2^-149)
  ir::InstructionId rounding(ir::InstructionId magnitudes) {
    const ir::InstructionId scaled =
        elementwise(ir::Opcode::multiply, {magnitudes, constant(steps_ * std::ldexp(1, -24), magnitudes)});
    return elementwise(ir::Opcode::add, {scaled, constant(steps_ * std::ldexp(1, -149), magnitudes)});
  }

  Bound finite_only(ir::InstructionId value, Bound bound) {
    if (!bound) return {};
    const ir::InstructionId size = elementwise(ir::Opcode::abs, {wide(value)});
    const ir::InstructionId infinite = constant(std::numeric_limits<double>::infinity(), size);
    const ir::InstructionId finite = compare(ir::ComparisonDirection::lt, size, infinite);
    return choice(finite, *bound, constant(0, *bound));
  }

  Bound plus(Bound a, Bound b) { return combined(ir::Opcode::add, a, b); }
  Bound larger(Bound a, Bound b) { return combined(ir::Opcode::maximum, a, b); }
  Bound combined(ir::Opcode opcode, Bound a, Bound b) {
    if (!a || !b) return a ? a : b;
    return elementwise(opcode, {*a, *b});
  }

  Bound operand_bound(const ir::Instruction& instruction, std::size_t i) const {
    return bound_[instruction.operands[i]];
  }
  ir::InstructionId operand_value(const ir::Instruction& instruction, std::size_t i) const {
    return value_[instruction.operands[i]];
  }
  ir::InstructionId or_zero(Bound bound, ir::InstructionId source) {
    return bound ? *bound : constant(0, value_[source]);
  }

  ir::InstructionId wide(ir::InstructionId x) {
    if (entry_[x].shape.element_type == ir::ElementType::f64) return x;
    return append(ir::Opcode::convert, in_f64(entry_[x].shape), {x});
  }
  ir::InstructionId magnitude(ir::InstructionId x) { return elementwise(ir::Opcode::abs, {wide(x)}); }

  ir::InstructionId choice(ir::InstructionId predicate, ir::InstructionId yes, ir::InstructionId no) {
    return append(ir::Opcode::select, in_f64(entry_[yes].shape), {predicate, yes, no});
  }
  ir::InstructionId compare(ir::ComparisonDirection direction, ir::InstructionId a, ir::InstructionId b) {
    const ir::InstructionId id =
        append(ir::Opcode::compare, ir::make_shape(ir::ElementType::pred, entry_[a].shape.dimensions), {a, b});
    entry_[id].comparison = direction;
    return id;
  }
  ir::InstructionId less_or_equal(ir::InstructionId a, ir::InstructionId b) {
    return compare(ir::ComparisonDirection::le, a, b);
  }

  ir::InstructionId constant(double number, ir::InstructionId shape_of) {
    const ir::Shape shape = in_f64(entry_[shape_of].shape);
    const ir::Shape scalar = ir::make_shape(ir::ElementType::f64, {});
    const ir::InstructionId id = append(ir::Opcode::constant, scalar, {});
    entry_[id].literal = std::make_shared<const ir::Literal>(ir::Literal{scalar, {number}, {}});
    return shape.dimensions.empty() ? id : append(ir::Opcode::broadcast, shape, {id});
  }

  ir::InstructionId elementwise(ir::Opcode opcode, std::vector<ir::InstructionId> operands) {
    const ir::Shape shape = in_f64(entry_[operands[0]].shape);
    return append(opcode, shape, std::move(operands));
  }

  /// Writes an instruction in f64 with the attributes of another.
  ir::InstructionId like(const ir::Instruction& instruction, ir::Opcode opcode,
                         std::vector<ir::InstructionId> operands) {
    ir::Instruction written = instruction;
    written.opcode = opcode;
    written.shape = in_f64(instruction.shape);
    return append(std::move(written), std::move(operands));
  }

  ir::InstructionId append(ir::Opcode opcode, ir::Shape shape, std::vector<ir::InstructionId> operands) {
    ir::Instruction instruction;
    instruction.opcode = opcode;
    instruction.shape = std::move(shape);
    return append(std::move(instruction), std::move(operands));
  }
  ir::InstructionId append(ir::Instruction instruction, std::vector<ir::InstructionId> operands) {
    const ir::InstructionId id = ir::InstructionId(entry_.instructions.size());
    instruction.name = fmt::format("bound.{}", id);
    instruction.operands = std::move(operands);
    entry_.instructions.push_back(std::move(instruction));
    return id;
  }

  void finish() {
    const ir::Instruction& root = source_[source_.root];
    std::vector<ir::InstructionId> results;
    if (root.shape.is_tuple()) {
      results = root.operands;
    } else {
      results = {source_.root};
    }
    std::vector<ir::InstructionId> elements;
    std::vector<ir::Shape> shapes;
    for (ir::InstructionId result : results) elements.push_back(value_[result]);
    for (ir::InstructionId result : results) elements.push_back(or_zero(bound_[result], result));
    for (ir::InstructionId element : elements) shapes.push_back(entry_[element].shape);
    entry_.root = append(ir::Opcode::tuple, ir::make_tuple_shape(std::move(shapes)), std::move(elements));
  }

  const ir::Module& reference_;
  const ir::Computation& source_;
  double steps_;
  ir::Module result_;
  ir::Computation entry_;
  ir::ComputationId add_ = -1, max_ = -1;
  std::vector<ir::InstructionId> value_;  ///< by id in the reference
  std::vector<Bound> bound_;
};

}  // namespace

ir::Module with_error_bounds(const ir::Module& reference, double rounding_steps) {
  return BoundWriter(reference, rounding_steps).write();
}

}  // namespace podsim::sw::codegen::check
