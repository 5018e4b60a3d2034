// SPDX-License-Identifier: Apache-2.0
#include "validation/kernels/error_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "hlo/eval/rearrangement.h"
#include "hlo/literal.h"

namespace podsim::validation::kernels {
namespace {

/// The instruction that computes a bound; std::nullopt if the value is exact for all inputs.
using Bound = std::optional<hlo::InstructionId>;

hlo::Shape in_f64(const hlo::Shape& shape) { return hlo::make_shape(hlo::ElementType::f64, shape.dimensions); }

hlo::Computation combiner(hlo::Opcode opcode) {
  hlo::Computation computation{fmt::format("bound_{}", hlo::to_string(opcode)), {}, 2, {0, 1}};
  for (int i = 0; i < 3; ++i) {
    hlo::Instruction instruction;
    instruction.opcode = i < 2 ? hlo::Opcode::parameter : opcode;
    instruction.name = fmt::format("bound.{}", i);
    instruction.shape = hlo::make_shape(hlo::ElementType::f64, {});
    instruction.index = i < 2 ? i : 0;
    if (i == 2) instruction.operands = {0, 1};
    computation.instructions.push_back(std::move(instruction));
  }
  return computation;
}

/// Writes the reference's instructions in order, each followed by the instructions of its bound.
class BoundWriter {
 public:
  BoundWriter(const hlo::Module& reference, double rounding_steps)
      : reference_(reference), source_(reference.entry_computation()), steps_(rounding_steps) {
    result_.name = reference.name + "_with_error_bounds";
    for (int i = 0; i < int(reference.computations.size()); ++i) {
      if (i != reference.entry) result_.computations.push_back(reference.computations[i]);
    }
    if (reference.entry != int(reference.computations.size()) - 1)
      throw std::logic_error("the entry computation is not the last one");
    add_ = hlo::ComputationId(result_.computations.size());
    result_.computations.push_back(combiner(hlo::Opcode::add));
    max_ = hlo::ComputationId(result_.computations.size());
    result_.computations.push_back(combiner(hlo::Opcode::maximum));
    entry_.name = source_.name;
  }

  hlo::Module write() && {
    for (hlo::InstructionId id = 0; id < int(source_.instructions.size()); ++id) copy(id);
    for (hlo::InstructionId parameter : source_.parameters) entry_.parameters.push_back(value_[parameter]);
    finish();
    result_.entry = hlo::ComputationId(result_.computations.size());
    result_.computations.push_back(std::move(entry_));
    return std::move(result_);
  }

 private:
  void copy(hlo::InstructionId id) {
    hlo::Instruction instruction = source_[id];
    for (hlo::InstructionId& operand : instruction.operands) operand = value_[operand];
    entry_.instructions.push_back(instruction);
    value_.push_back(hlo::InstructionId(entry_.instructions.size()) - 1);
    bound_.push_back(is_bounded(source_[id]) ? finite_only(value_[id], bound(id)) : Bound());
  }

  static bool is_bounded(const hlo::Instruction& instruction) { return !instruction.shape.is_tuple(); }

  /// Writes the bound of the instruction that was just written.
  Bound bound(hlo::InstructionId id) {
    const hlo::Instruction& instruction = source_[id];
    if (steps_ == 0 || instruction.opcode == hlo::Opcode::parameter || instruction.opcode == hlo::Opcode::constant ||
        instruction.opcode == hlo::Opcode::iota) {
      return {};
    }
    // Integers of exact operands have no roundings.
    if (!hlo::is_floating_point(instruction.shape.element_type) && is_exact(instruction)) return {};
    if (hlo::eval::is_rearrangement(instruction.opcode)) return rearranged(instruction);
    switch (instruction.opcode) {
      case hlo::Opcode::negate:
      case hlo::Opcode::abs:
      case hlo::Opcode::copy:
      case hlo::Opcode::logical_not:
        return bound_[instruction.operands[0]];
      case hlo::Opcode::exponential:
      case hlo::Opcode::log:
      case hlo::Opcode::sqrt:
      case hlo::Opcode::rsqrt:
      case hlo::Opcode::tanh:
      case hlo::Opcode::exponential_minus_one:
      case hlo::Opcode::log_plus_one:
      case hlo::Opcode::logistic:
        return plus(moved(instruction), rounding(magnitude(value_[id])));
      case hlo::Opcode::sign:
      case hlo::Opcode::convert:
        return moved(instruction);
      case hlo::Opcode::reduce_precision:
        return rounded_at_any_scale(instruction);
      case hlo::Opcode::maximum:
      case hlo::Opcode::minimum:
      case hlo::Opcode::logical_and:
      case hlo::Opcode::logical_or:
      case hlo::Opcode::logical_xor:
        if (hlo::is_integer(instruction.shape.element_type)) return anything(value_[id]);
        return larger(operand_bound(instruction, 0), operand_bound(instruction, 1));
      case hlo::Opcode::add:
      case hlo::Opcode::subtract:
        return sum(instruction);
      case hlo::Opcode::multiply:
        return product(instruction, hlo::Opcode::multiply);
      case hlo::Opcode::dot:
      case hlo::Opcode::convolution:
        return product(instruction, instruction.opcode);
      case hlo::Opcode::divide:
        return quotient(instruction, value_[id]);
      case hlo::Opcode::power:
        return power(instruction, value_[id]);
      case hlo::Opcode::clamp:
        return larger(larger(operand_bound(instruction, 0), operand_bound(instruction, 1)),
                      operand_bound(instruction, 2));
      case hlo::Opcode::compare:
        return either_way(instruction);
      case hlo::Opcode::is_finite:
        return may_overflow(instruction);
      case hlo::Opcode::bitcast_convert:
        return is_exact(instruction) ? Bound() : anything(value_[id]);
      case hlo::Opcode::select:
        return selected(instruction);
      case hlo::Opcode::gather:
        return gathered(instruction);
      case hlo::Opcode::reduce:
      case hlo::Opcode::reduce_window:
        return reduced(instruction);
      default:
        break;
    }
    throw NoBound(fmt::format("no error bound for {}", hlo::to_string(instruction.opcode)));
  }

  bool is_exact(const hlo::Instruction& instruction) const {
    return std::ranges::none_of(instruction.operands, [&](hlo::InstructionId id) { return bound_[id].has_value(); });
  }

  Bound rearranged(const hlo::Instruction& instruction) {
    bool exact = true;
    for (hlo::InstructionId operand : instruction.operands) exact &= !bound_[operand].has_value();
    if (exact) return {};
    std::vector<hlo::InstructionId> operands;
    for (hlo::InstructionId operand : instruction.operands) operands.push_back(or_zero(bound_[operand], operand));
    return like(instruction, instruction.opcode, std::move(operands));
  }

  Bound sum(const hlo::Instruction& instruction) {
    const hlo::InstructionId magnitudes = elementwise(
        hlo::Opcode::add, {magnitude(operand_value(instruction, 0)), magnitude(operand_value(instruction, 1))});
    return plus(plus(operand_bound(instruction, 0), operand_bound(instruction, 1)), rounding(magnitudes));
  }

  /// Writes the bound of a product, or of a sum of products.
  Bound product(const hlo::Instruction& instruction, hlo::Opcode opcode) {
    const hlo::InstructionId a = magnitude(operand_value(instruction, 0));
    const hlo::InstructionId b = magnitude(operand_value(instruction, 1));
    const Bound bound_a = operand_bound(instruction, 0), bound_b = operand_bound(instruction, 1);
    Bound total = rounding(like(instruction, opcode, {a, b}));
    if (bound_a) {
      const hlo::InstructionId largest_b = bound_b ? elementwise(hlo::Opcode::add, {b, *bound_b}) : b;
      total = plus(total, like(instruction, opcode, {*bound_a, largest_b}));
    }
    if (bound_b) total = plus(total, like(instruction, opcode, {a, *bound_b}));
    return total;
  }

  Bound quotient(const hlo::Instruction& instruction, hlo::InstructionId value) {
    const hlo::InstructionId result = magnitude(value);
    const hlo::InstructionId b = magnitude(operand_value(instruction, 1));
    const Bound bound_a = operand_bound(instruction, 0), bound_b = operand_bound(instruction, 1);
    Bound moved = bound_a;
    hlo::InstructionId smallest_b = b;
    if (bound_b) {
      moved = plus(moved, elementwise(hlo::Opcode::multiply, {result, *bound_b}));
      smallest_b =
          elementwise(hlo::Opcode::maximum, {elementwise(hlo::Opcode::subtract, {b, *bound_b}), constant(0, b)});
    }
    if (moved) moved = elementwise(hlo::Opcode::divide, {*moved, smallest_b});
    // 1 / b is off by 2^-149 where it is denormal, and infinite for the smallest b.
    const hlo::InstructionId a = magnitude(operand_value(instruction, 0));
    const Bound denormal = elementwise(hlo::Opcode::multiply, {a, constant(steps_ * std::ldexp(1, -149), a)});
    return choice(less_or_equal(smallest_b, constant(std::ldexp(1, -128), b)), anything(value),
                  *plus(plus(moved, rounding(result)), denormal));
  }

  /// Writes the bound of exp(y log x): the exponent is off by u |y log x|, and twice what moves it to first order.
  Bound power(const hlo::Instruction& instruction, hlo::InstructionId value) {
    const Bound bound_x = operand_bound(instruction, 0), bound_y = operand_bound(instruction, 1);
    const hlo::InstructionId x = magnitude(operand_value(instruction, 0));
    const hlo::InstructionId y = magnitude(operand_value(instruction, 1));
    const hlo::InstructionId logarithm = magnitude(elementwise(hlo::Opcode::log, {x}));
    const hlo::InstructionId exponent = elementwise(hlo::Opcode::multiply, {y, logarithm});
    const hlo::InstructionId size = magnitude(value), twice = constant(2, size);
    const hlo::InstructionId factor = elementwise(hlo::Opcode::add, {exponent, constant(1, exponent)});
    Bound total = rounding(elementwise(hlo::Opcode::multiply, {size, factor}));
    const auto add = [&](hlo::InstructionId slope, hlo::InstructionId bound) {
      const hlo::InstructionId moved = elementwise(hlo::Opcode::multiply, {slope, bound});
      total =
          plus(total, elementwise(hlo::Opcode::multiply, {elementwise(hlo::Opcode::multiply, {size, twice}), moved}));
    };
    if (bound_x) add(elementwise(hlo::Opcode::divide, {y, x}), *bound_x);
    if (bound_y) add(logarithm, *bound_y);
    return total;
  }

  /// Writes the larger of f(x + e) - f(x) and f(x) - f(x - e), for a monotone f of one operand.
  Bound moved(const hlo::Instruction& instruction) {
    const Bound bound = operand_bound(instruction, 0);
    if (!bound) return {};
    const hlo::InstructionId x = wide(operand_value(instruction, 0));
    hlo::InstructionId below = elementwise(hlo::Opcode::subtract, {x, *bound});
    const hlo::Opcode opcode = instruction.opcode;
    if (opcode == hlo::Opcode::log || opcode == hlo::Opcode::sqrt || opcode == hlo::Opcode::rsqrt)
      below = elementwise(hlo::Opcode::maximum, {below, constant(0, below)});
    if (opcode == hlo::Opcode::log_plus_one) below = elementwise(hlo::Opcode::maximum, {below, constant(-1, below)});
    const hlo::InstructionId above = applied(instruction, elementwise(hlo::Opcode::add, {x, *bound}));
    const hlo::InstructionId at = applied(instruction, x);
    return larger(distance(above, at), distance(at, applied(instruction, below)));
  }

  hlo::InstructionId applied(const hlo::Instruction& instruction, hlo::InstructionId x) {
    if (instruction.opcode == hlo::Opcode::convert) {
      return wide(append(hlo::Opcode::convert,
                         hlo::make_shape(instruction.shape.element_type, instruction.shape.dimensions), {x}));
    }
    return elementwise(instruction.opcode, {x});
  }

  hlo::InstructionId distance(hlo::InstructionId a, hlo::InstructionId b) {
    return elementwise(hlo::Opcode::abs, {elementwise(hlo::Opcode::subtract, {a, b})});
  }

  /// Writes the bound of a compare: 1 where it may have either result.
  Bound either_way(const hlo::Instruction& instruction) {
    const Bound reach = plus(operand_bound(instruction, 0), operand_bound(instruction, 1));
    if (!reach) return {};
    const hlo::InstructionId apart = distance(wide(operand_value(instruction, 0)), wide(operand_value(instruction, 1)));
    return choice(less_or_equal(apart, *reach), constant(1, apart), constant(0, apart));
  }

  /// Writes the bound of is_finite: 1 where the error reaches the largest number of f32.
  Bound may_overflow(const hlo::Instruction& instruction) {
    const Bound bound = operand_bound(instruction, 0);
    if (!bound) return {};
    const hlo::InstructionId size = magnitude(operand_value(instruction, 0));
    const hlo::InstructionId apart = distance(size, constant(double(std::numeric_limits<float>::max()), size));
    return choice(less_or_equal(apart, *bound), constant(1, apart), constant(0, apart));
  }

  hlo::InstructionId anything(hlo::InstructionId value) {
    return constant(std::numeric_limits<double>::infinity(), value);
  }

  Bound selected(const hlo::Instruction& instruction) {
    const hlo::InstructionId predicate = operand_value(instruction, 0);
    const Bound a = operand_bound(instruction, 1), b = operand_bound(instruction, 2);
    const Bound uncertain = operand_bound(instruction, 0);
    if (!a && !b && !uncertain) return {};
    const hlo::InstructionId x = instruction.operands[1], y = instruction.operands[2];
    const hlo::InstructionId taken = choice(predicate, or_zero(a, x), or_zero(b, y));
    if (!uncertain) return taken;
    const hlo::InstructionId apart = distance(wide(value_[x]), wide(value_[y]));
    const Bound either = plus(apart, larger(a, b));
    return choice(less_or_equal(*uncertain, constant(0, *uncertain)), taken, *either);
  }

  /// With half a unit in the last place h = 2^-(m + 1) of m bits of mantissa, x and the kernel's x' are each rounded by
  /// up to h times their magnitude, or half of the least denormal.
  Bound rounded_at_any_scale(const hlo::Instruction& instruction) {
    const double half_unit = std::ldexp(1, -instruction.mantissa_bits - 1);
    const double denormal = std::ldexp(1, 1 - (1 << (instruction.exponent_bits - 1)) + 1 - instruction.mantissa_bits);
    const hlo::InstructionId x = magnitude(operand_value(instruction, 0));
    const hlo::InstructionId scaled = elementwise(hlo::Opcode::multiply, {x, constant(2 * half_unit, x)});
    const hlo::InstructionId own = elementwise(hlo::Opcode::add, {scaled, constant(denormal, x)});
    const Bound bound = operand_bound(instruction, 0);
    if (!bound) return own;
    return plus(own, elementwise(hlo::Opcode::multiply, {*bound, constant(1 + half_unit, x)}));
  }

  Bound gathered(const hlo::Instruction& instruction) {
    const Bound x = operand_bound(instruction, 0);
    if (operand_bound(instruction, 1)) throw std::logic_error("no error bound for indices with an error");
    return x ? Bound(like(instruction, hlo::Opcode::gather, {*x, operand_value(instruction, 1)})) : x;
  }

  Bound reduced(const hlo::Instruction& instruction) {
    const hlo::Opcode combine = called_opcode(instruction);
    const Bound x = operand_bound(instruction, 0), initial = operand_bound(instruction, 1);
    if (combine == hlo::Opcode::maximum || combine == hlo::Opcode::minimum) {
      if (!x && !initial) return {};
      return over_window(instruction, max_, or_zero(x, instruction.operands[0]),
                         or_zero(initial, instruction.operands[1]));
    }
    if (combine != hlo::Opcode::add) throw NoBound("no error bound for this reduction");
    const hlo::InstructionId magnitudes = over_window(instruction, add_, magnitude(operand_value(instruction, 0)),
                                                      magnitude(operand_value(instruction, 1)));
    if (!x && !initial) return rounding(magnitudes);
    return plus(rounding(magnitudes), over_window(instruction, add_, or_zero(x, instruction.operands[0]),
                                                  or_zero(initial, instruction.operands[1])));
  }

  hlo::Opcode called_opcode(const hlo::Instruction& instruction) const {
    const hlo::Computation& called = reference_.computations[instruction.called[0]];
    return called[called.root].opcode;
  }

  hlo::InstructionId over_window(const hlo::Instruction& instruction, hlo::ComputationId combine, hlo::InstructionId x,
                                 hlo::InstructionId initial) {
    hlo::Instruction written = instruction;
    written.called = {combine};
    return like(written, instruction.opcode, {x, initial});
  }

  /// steps * (2^-24 x + 2^-149)
  hlo::InstructionId rounding(hlo::InstructionId magnitudes) {
    const hlo::InstructionId scaled =
        elementwise(hlo::Opcode::multiply, {magnitudes, constant(steps_ * std::ldexp(1, -24), magnitudes)});
    return elementwise(hlo::Opcode::add, {scaled, constant(steps_ * std::ldexp(1, -149), magnitudes)});
  }

  Bound finite_only(hlo::InstructionId value, Bound bound) {
    if (!bound) return {};
    const hlo::InstructionId size = elementwise(hlo::Opcode::abs, {wide(value)});
    const hlo::InstructionId infinite = constant(std::numeric_limits<double>::infinity(), size);
    const hlo::InstructionId finite = compare(hlo::ComparisonDirection::lt, size, infinite);
    // A bound that is not a number, as where either of a number and NaN may be selected, bounds nothing.
    const hlo::InstructionId known = choice(less_or_equal(*bound, infinite), *bound, infinite);
    return choice(finite, known, constant(0, known));
  }

  Bound plus(Bound a, Bound b) { return combined(hlo::Opcode::add, a, b); }
  Bound larger(Bound a, Bound b) { return combined(hlo::Opcode::maximum, a, b); }
  Bound combined(hlo::Opcode opcode, Bound a, Bound b) {
    if (!a || !b) return a ? a : b;
    return elementwise(opcode, {*a, *b});
  }

  Bound operand_bound(const hlo::Instruction& instruction, std::size_t i) const {
    return bound_[instruction.operands[i]];
  }
  hlo::InstructionId operand_value(const hlo::Instruction& instruction, std::size_t i) const {
    return value_[instruction.operands[i]];
  }
  hlo::InstructionId or_zero(Bound bound, hlo::InstructionId source) {
    return bound ? *bound : constant(0, value_[source]);
  }

  hlo::InstructionId wide(hlo::InstructionId x) {
    if (entry_[x].shape.element_type == hlo::ElementType::f64) return x;
    return append(hlo::Opcode::convert, in_f64(entry_[x].shape), {x});
  }
  hlo::InstructionId magnitude(hlo::InstructionId x) { return elementwise(hlo::Opcode::abs, {wide(x)}); }

  hlo::InstructionId choice(hlo::InstructionId predicate, hlo::InstructionId yes, hlo::InstructionId no) {
    return append(hlo::Opcode::select, in_f64(entry_[yes].shape), {predicate, yes, no});
  }
  hlo::InstructionId compare(hlo::ComparisonDirection direction, hlo::InstructionId a, hlo::InstructionId b) {
    const hlo::InstructionId id =
        append(hlo::Opcode::compare, hlo::make_shape(hlo::ElementType::pred, entry_[a].shape.dimensions), {a, b});
    entry_[id].comparison = direction;
    return id;
  }
  hlo::InstructionId less_or_equal(hlo::InstructionId a, hlo::InstructionId b) {
    return compare(hlo::ComparisonDirection::le, a, b);
  }

  hlo::InstructionId constant(double number, hlo::InstructionId shape_of) {
    const hlo::Shape shape = in_f64(entry_[shape_of].shape);
    const hlo::Shape scalar = hlo::make_shape(hlo::ElementType::f64, {});
    const hlo::InstructionId id = append(hlo::Opcode::constant, scalar, {});
    entry_[id].literal = std::make_shared<const hlo::Literal>(hlo::Literal{scalar, {number}, {}});
    return shape.dimensions.empty() ? id : append(hlo::Opcode::broadcast, shape, {id});
  }

  hlo::InstructionId elementwise(hlo::Opcode opcode, std::vector<hlo::InstructionId> operands) {
    const hlo::Shape shape = in_f64(entry_[operands[0]].shape);
    return append(opcode, shape, std::move(operands));
  }

  /// Writes an instruction in f64 with the attributes of another.
  hlo::InstructionId like(const hlo::Instruction& instruction, hlo::Opcode opcode,
                          std::vector<hlo::InstructionId> operands) {
    hlo::Instruction written = instruction;
    written.opcode = opcode;
    written.shape = in_f64(instruction.shape);
    return append(std::move(written), std::move(operands));
  }

  hlo::InstructionId append(hlo::Opcode opcode, hlo::Shape shape, std::vector<hlo::InstructionId> operands) {
    hlo::Instruction instruction;
    instruction.opcode = opcode;
    instruction.shape = std::move(shape);
    return append(std::move(instruction), std::move(operands));
  }
  hlo::InstructionId append(hlo::Instruction instruction, std::vector<hlo::InstructionId> operands) {
    const hlo::InstructionId id = hlo::InstructionId(entry_.instructions.size());
    instruction.name = fmt::format("bound.{}", id);
    instruction.operands = std::move(operands);
    entry_.instructions.push_back(std::move(instruction));
    return id;
  }

  void finish() {
    const hlo::Instruction& root = source_[source_.root];
    std::vector<hlo::InstructionId> results;
    if (root.shape.is_tuple()) {
      results = root.operands;
    } else {
      results = {source_.root};
    }
    std::vector<hlo::InstructionId> elements;
    std::vector<hlo::Shape> shapes;
    for (hlo::InstructionId result : results) elements.push_back(value_[result]);
    for (hlo::InstructionId result : results) elements.push_back(or_zero(bound_[result], result));
    for (hlo::InstructionId element : elements) shapes.push_back(entry_[element].shape);
    entry_.root = append(hlo::Opcode::tuple, hlo::make_tuple_shape(std::move(shapes)), std::move(elements));
  }

  const hlo::Module& reference_;
  const hlo::Computation& source_;
  double steps_;
  hlo::Module result_;
  hlo::Computation entry_;
  hlo::ComputationId add_ = -1, max_ = -1;
  std::vector<hlo::InstructionId> value_;  ///< by id in the reference
  std::vector<Bound> bound_;
};

}  // namespace

hlo::Module with_error_bounds(const hlo::Module& reference, double rounding_steps) {
  return BoundWriter(reference, rounding_steps).write();
}

}  // namespace podsim::validation::kernels
