// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/einsum_loop.h"

#include <functional>
#include <utility>
#include <vector>

#include "sw/spmd/by_position.h"

namespace podsim::sw {

namespace {

/// The type in which a sum over steps is kept.
ElementType sum_type(ElementType type) {
  const bool is_narrow = is_floating_point(type) && byte_width(type) < byte_width(ElementType::f32);
  return is_narrow ? ElementType::f32 : type;
}

/// What a step of the loop is written with: the program of the loop's body, or, of the last step, the one around it.
struct Step {
  LocalProgram& program;
  InstructionId number;               ///< s32 scalar, from 0 on
  std::vector<InstructionId> values;  ///< what goes from step to step
};

class EinsumLoop {
 public:
  EinsumLoop(LocalProgram& program, const Instruction& dot, const EinsumRing& ring)
      : program_(program), dot_(dot), ring_(ring), parts_(program.mesh().size(ring.sub_axes)) {}

  std::int64_t parts() const { return parts_; }
  std::int64_t part() const { return (ring_.size + parts_ - 1) / parts_; }

  /// Where the part of the position that is step + ahead further up begins.
  InstructionId begin_of(Step& step, std::int64_t ahead) const {
    GraphBuilder& b = step.program.builder();
    InstructionId position = b.add(step.program.position(ring_.sub_axes), step.number);
    if (ahead != 0) position = b.add(position, step.program.s32(ahead));
    position = b.binary(Opcode::remainder, position, step.program.s32(parts_));
    return b.multiply(position, step.program.s32(part()));
  }

  /// Everybody's value on its way one position down.
  InstructionId start(Step& step, InstructionId value) const {
    std::vector<std::int64_t> sources;
    for (std::int64_t i = 0; i < parts_; ++i) sources.push_back((i + 1) % parts_);
    return start_permute(step.program, value, ring_.sub_axes, sources);
  }

  /// Keeps a product from becoming one op with what is done to it, which would wait for what that needs.
  static InstructionId apart(Step& step, InstructionId product) {
    Instruction barrier;
    barrier.opcode = Opcode::opt_barrier;
    barrier.operands = {product};
    return step.program.builder().add(std::move(barrier));
  }

  InstructionId multiply(Step& step, std::array<InstructionId, 2> operands, ElementType type) const {
    Instruction dot = dot_;
    dot.operands = {operands[0], operands[1]};
    dot.shape = make_shape(type, {});
    return step.program.builder().add(std::move(dot));
  }

  /// An operand that has all of the factor, as long as all parts are.
  InstructionId padded(InstructionId operand, int dimension) const {
    if (dimension < 0) return operand;
    const InstructionId zero = program_.builder().constant(program_.builder().type(operand), 0);
    return pad_ends(program_, operand, dimension, 0, parts_ * part() - ring_.size, zero);
  }
  /// Its part from `begin` on.
  InstructionId part_of(Step& step, InstructionId operand, int dimension, InstructionId begin) const {
    return dimension < 0 ? operand : slice_from(step.program, operand, dimension, begin, part());
  }

  /// The values after `count` steps of `write`, of those before: a loop.
  std::vector<InstructionId> repeat(std::int64_t count, std::vector<InstructionId> values,
                                    const std::function<std::vector<InstructionId>(Step&)>& write) const {
    GraphBuilder& outer = program_.builder();
    values.push_back(program_.s32(0));
    const InstructionId state = outer.tuple(values);
    const Shape shape = outer.shape(state);
    const auto last = std::int64_t(values.size()) - 1;

    GraphBuilder test("windowed_einsum_condition"), body("windowed_einsum_body");
    const InstructionId goes_on = write_condition(test, shape, count);
    const InstructionId result = write_body(body, shape, write);
    const ComputationId condition = outer.computation(std::move(test), goes_on);
    const ComputationId repeated = outer.computation(std::move(body), result);
    const InstructionId loop = outer.while_loop(state, condition, repeated, count);
    std::vector<InstructionId> results;
    for (std::int64_t k = 0; k < last; ++k) results.push_back(outer.get_tuple_element(loop, k));
    return results;
  }

 private:
  /// Whether the last element of the state, the number of the step, is below `count`.
  InstructionId write_condition(GraphBuilder& test, const Shape& state, std::int64_t count) const {
    const GraphBuilder::Scope scope(test, program_.builder().scope());
    const InstructionId number =
        test.get_tuple_element(test.parameter(state, "state"), std::int64_t(state.tuple_shapes.size()) - 1);
    const InstructionId limit = test.constant(ElementType::s32, double(count));
    return test.compare(number, limit, ComparisonDirection::lt);
  }

  InstructionId write_body(GraphBuilder& body, const Shape& state,
                           const std::function<std::vector<InstructionId>(Step&)>& write) const {
    const GraphBuilder::Scope scope(body, program_.builder().scope());
    LocalProgram inner(body, program_.mesh());
    const InstructionId parameter = body.parameter(state, "state");
    const auto last = std::int64_t(state.tuple_shapes.size()) - 1;
    Step step{inner, body.get_tuple_element(parameter, last), {}};
    for (std::int64_t k = 0; k < last; ++k) step.values.push_back(body.get_tuple_element(parameter, k));
    // Before the step, whose scalars may become one op with it.
    const InstructionId next_number = body.add(step.number, inner.s32(1));
    std::vector<InstructionId> next = write(step);
    next.push_back(next_number);
    return body.tuple(std::move(next));
  }

  LocalProgram& program_;
  Instruction dot_;
  const EinsumRing& ring_;
  std::int64_t parts_;
};

}  // namespace

InstructionId gather_while_multiplying(LocalProgram& program, const Instruction& dot, const EinsumRing& ring, int cut,
                                       std::array<InstructionId, 2> operands, const Shape& result) {
  const EinsumLoop loop(program, dot, ring);
  GraphBuilder& b = program.builder();
  const auto own = std::size_t(cut), other = std::size_t(1 - cut);
  const int from = ring.operand_dimensions[other], to = ring.result_dimension;
  Shape kept = make_shape(to < 0 ? sum_type(result.element_type) : result.element_type, result.dimensions);
  if (to >= 0) kept.dimensions[std::size_t(to)] = loop.parts() * loop.part();

  // Of a step's values, the part at hand, the other operand and the result so far, the new result.
  const auto multiply = [&](Step& step) {
    const InstructionId begin = loop.begin_of(step, 0);
    std::array<InstructionId, 2> factors{};
    factors[own] = step.values[0];
    factors[other] = loop.part_of(step, step.values[1], from, begin);
    const InstructionId product = loop.multiply(step, factors, kept.element_type);
    if (to >= 0) return update_from(step.program, step.values[2], product, to, begin);
    return step.program.builder().add(step.values[2], product);
  };
  const std::vector<InstructionId> first{operands[own], loop.padded(operands[other], from), b.full(kept, 0)};
  Step last{program, program.s32(loop.parts() - 1), loop.repeat(loop.parts() - 1, first, [&](Step& step) {
              const InstructionId sent = loop.start(step, step.values[0]);
              const InstructionId sum = multiply(step);
              return std::vector{finish_permute(step.program, sent), step.values[1], sum};
            })};
  const InstructionId all = b.convert(multiply(last), result.element_type);
  return to < 0 ? all : slice_of(program, all, to, 0, ring.size);
}

InstructionId scatter_while_multiplying(LocalProgram& program, const Instruction& dot, const EinsumRing& ring,
                                        std::array<InstructionId, 2> operands) {
  const EinsumLoop loop(program, dot, ring);
  // The sum at hand is that of the position which it will have come to at the end.
  const auto multiply = [&](Step& step, std::int64_t ahead) {
    const InstructionId begin = loop.begin_of(step, ahead);
    std::array<InstructionId, 2> factors{};
    for (const std::size_t k : {0, 1}) {
      factors[k] = loop.part_of(step, step.values[k], ring.operand_dimensions[k], begin);
    }
    return loop.multiply(step, factors, dot.shape.element_type);
  };
  const std::vector<InstructionId> whole{loop.padded(operands[0], ring.operand_dimensions[0]),
                                         loop.padded(operands[1], ring.operand_dimensions[1])};
  Step first{program, program.s32(0), whole};
  return loop.repeat(loop.parts() - 1, {whole[0], whole[1], multiply(first, 1)}, [&](Step& step) {
    const InstructionId sent = loop.start(step, step.values[2]);
    const InstructionId product = EinsumLoop::apart(step, multiply(step, 2));
    const InstructionId sum = step.program.builder().add(finish_permute(step.program, sent), product);
    return std::vector{step.values[0], step.values[1], sum};
  })[2];
}

}  // namespace podsim::sw
