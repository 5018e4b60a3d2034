// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/partition/einsum_loop.h"

#include <functional>
#include <utility>
#include <vector>

#include "sw/spmd/reshard/by_position.h"

namespace podsim::sw::spmd::partition {

namespace {

/// The type in which a sum over steps accumulates: at least f32 for floating point.
ir::ElementType sum_type(ir::ElementType type) {
  const bool is_narrow = ir::is_floating_point(type) && ir::byte_width(type) < ir::byte_width(ir::ElementType::f32);
  return is_narrow ? ir::ElementType::f32 : type;
}

/// A step while it is written. `program` is that of the loop's body, or the program around it for a step outside of the
/// loop.
struct Step {
  reshard::LocalProgram& program;
  ir::InstructionId number;               ///< s32 scalar, counted from 0
  std::vector<ir::InstructionId> values;  ///< carried from step to step
};

class EinsumLoop {
 public:
  EinsumLoop(reshard::LocalProgram& program, const ir::Instruction& dot, const EinsumRing& ring)
      : program_(program), dot_(dot), ring_(ring), parts_(program.mesh().size(ring.sub_axes)) {}

  std::int64_t parts() const { return parts_; }
  std::int64_t part() const { return (ring_.size + parts_ - 1) / parts_; }

  /// First element of the shard that belongs to the position `step.number + ahead` above this one, around the ring.
  ir::InstructionId begin_of(Step& step, std::int64_t ahead) const {
    ir::build::GraphBuilder& b = step.program.builder();
    ir::InstructionId position = b.add(step.program.position(ring_.sub_axes), step.number);
    if (ahead != 0) position = b.add(position, step.program.s32(ahead));
    position = b.binary(ir::Opcode::remainder, position, step.program.s32(parts_));
    return b.multiply(position, step.program.s32(part()));
  }

  /// Starts sending each partition's value one position down the ring.
  ir::InstructionId start(Step& step, ir::InstructionId value) const {
    std::vector<std::int64_t> sources;
    for (std::int64_t i = 0; i < parts_; ++i) sources.push_back((i + 1) % parts_);
    return reshard::start_permute(step.program, value, ring_.sub_axes, sources);
  }

  /// Keeps a product from being fused with its user, which would make the product wait for the user's other operand.
  static ir::InstructionId apart(Step& step, ir::InstructionId product) {
    ir::Instruction barrier;
    barrier.opcode = ir::Opcode::opt_barrier;
    barrier.operands = {product};
    return step.program.builder().add(std::move(barrier));
  }

  ir::InstructionId multiply(Step& step, std::array<ir::InstructionId, 2> operands, ir::ElementType type) const {
    ir::Instruction dot = dot_;
    dot.operands = {operands[0], operands[1]};
    dot.shape = ir::make_shape(type, {});
    return step.program.builder().add(std::move(dot));
  }

  /// An operand with the whole factor, padded with zeros to the length of all shards.
  ir::InstructionId padded(ir::InstructionId operand, int dimension) const {
    if (dimension < 0) return operand;
    const ir::InstructionId zero = program_.builder().constant(program_.builder().type(operand), 0);
    return reshard::pad_ends(program_, operand, dimension, 0, parts_ * part() - ring_.size, zero);
  }
  /// The shard of such an operand that starts at `begin`.
  ir::InstructionId part_of(Step& step, ir::InstructionId operand, int dimension, ir::InstructionId begin) const {
    return dimension < 0 ? operand : reshard::slice_from(step.program, operand, dimension, begin, part());
  }

  /// Writes a loop of `count` steps, each written by `write`, and returns the values after the last one. `values` are
  /// those before the first.
  std::vector<ir::InstructionId> repeat(std::int64_t count, std::vector<ir::InstructionId> values,
                                        const std::function<std::vector<ir::InstructionId>(Step&)>& write) const {
    ir::build::GraphBuilder& outer = program_.builder();
    values.push_back(program_.s32(0));
    const ir::InstructionId state = outer.tuple(values);
    const ir::Shape shape = outer.shape(state);
    const auto last = std::int64_t(values.size()) - 1;

    ir::build::GraphBuilder test("windowed_einsum_condition"), body("windowed_einsum_body");
    const ir::InstructionId goes_on = write_condition(test, shape, count);
    const ir::InstructionId result = write_body(body, shape, write);
    const ir::ComputationId condition = outer.computation(std::move(test), goes_on);
    const ir::ComputationId repeated = outer.computation(std::move(body), result);
    const ir::InstructionId loop = outer.while_loop(state, condition, repeated, count);
    std::vector<ir::InstructionId> results;
    for (std::int64_t k = 0; k < last; ++k) results.push_back(outer.get_tuple_element(loop, k));
    return results;
  }

 private:
  /// Writes the loop's condition: the step number, which is the last element of the state, is below `count`.
  ir::InstructionId write_condition(ir::build::GraphBuilder& test, const ir::Shape& state, std::int64_t count) const {
    const ir::build::GraphBuilder::Scope scope(test, program_.builder().scope(), program_.builder().source());
    const ir::InstructionId number =
        test.get_tuple_element(test.parameter(state, "state"), std::int64_t(state.tuple_shapes.size()) - 1);
    const ir::InstructionId limit = test.constant(ir::ElementType::s32, double(count));
    return test.compare(number, limit, ir::ComparisonDirection::lt);
  }

  ir::InstructionId write_body(ir::build::GraphBuilder& body, const ir::Shape& state,
                               const std::function<std::vector<ir::InstructionId>(Step&)>& write) const {
    const ir::build::GraphBuilder::Scope scope(body, program_.builder().scope(), program_.builder().source());
    reshard::LocalProgram inner(body, program_.mesh());
    const ir::InstructionId parameter = body.parameter(state, "state");
    const auto last = std::int64_t(state.tuple_shapes.size()) - 1;
    Step step{inner, body.get_tuple_element(parameter, last), {}};
    for (std::int64_t k = 0; k < last; ++k) step.values.push_back(body.get_tuple_element(parameter, k));
    // Written before the step so that it can be fused with the step's scalars.
    const ir::InstructionId next_number = body.add(step.number, inner.s32(1));
    std::vector<ir::InstructionId> next = write(step);
    next.push_back(next_number);
    return body.tuple(std::move(next));
  }

  reshard::LocalProgram& program_;
  ir::Instruction dot_;
  const EinsumRing& ring_;
  std::int64_t parts_;
};

}  // namespace

ir::InstructionId gather_while_multiplying(reshard::LocalProgram& program, const ir::Instruction& dot,
                                           const EinsumRing& ring, int sharded,
                                           std::array<ir::InstructionId, 2> operands, const ir::Shape& result) {
  const EinsumLoop loop(program, dot, ring);
  ir::build::GraphBuilder& b = program.builder();
  const auto own = std::size_t(sharded), other = std::size_t(1 - sharded);
  const int from = ring.operand_dimensions[other], to = ring.result_dimension;
  ir::Shape kept = ir::make_shape(to < 0 ? sum_type(result.element_type) : result.element_type, result.dimensions);
  if (to >= 0) kept.dimensions[std::size_t(to)] = loop.parts() * loop.part();

  // A step's values are the current shard, the other operand and the result so far. Returns the new result.
  const auto multiply = [&](Step& step) {
    const ir::InstructionId begin = loop.begin_of(step, 0);
    std::array<ir::InstructionId, 2> factors{};
    factors[own] = step.values[0];
    factors[other] = loop.part_of(step, step.values[1], from, begin);
    const ir::InstructionId product = loop.multiply(step, factors, kept.element_type);
    if (to >= 0) return reshard::update_from(step.program, step.values[2], product, to, begin);
    return step.program.builder().add(step.values[2], product);
  };
  const std::vector<ir::InstructionId> first{operands[own], loop.padded(operands[other], from), b.full(kept, 0)};
  Step last{program, program.s32(loop.parts() - 1), loop.repeat(loop.parts() - 1, first, [&](Step& step) {
              const ir::InstructionId sent = loop.start(step, step.values[0]);
              const ir::InstructionId sum = multiply(step);
              return std::vector{reshard::finish_permute(step.program, sent), step.values[1], sum};
            })};
  const ir::InstructionId all = b.convert(multiply(last), result.element_type);
  return to < 0 ? all : reshard::slice_of(program, all, to, 0, ring.size);
}

ir::InstructionId scatter_while_multiplying(reshard::LocalProgram& program, const ir::Instruction& dot,
                                            const EinsumRing& ring, std::array<ir::InstructionId, 2> operands) {
  const EinsumLoop loop(program, dot, ring);
  // The current sum is the shard of the position that it reaches after the last step.
  const auto multiply = [&](Step& step, std::int64_t ahead) {
    const ir::InstructionId begin = loop.begin_of(step, ahead);
    std::array<ir::InstructionId, 2> factors{};
    for (const std::size_t k : {0, 1}) {
      factors[k] = loop.part_of(step, step.values[k], ring.operand_dimensions[k], begin);
    }
    return loop.multiply(step, factors, dot.shape.element_type);
  };
  const std::vector<ir::InstructionId> whole{loop.padded(operands[0], ring.operand_dimensions[0]),
                                             loop.padded(operands[1], ring.operand_dimensions[1])};
  Step first{program, program.s32(0), whole};
  return loop.repeat(loop.parts() - 1, {whole[0], whole[1], multiply(first, 1)}, [&](Step& step) {
    const ir::InstructionId sent = loop.start(step, step.values[2]);
    const ir::InstructionId product = EinsumLoop::apart(step, multiply(step, 2));
    const ir::InstructionId sum = step.program.builder().add(reshard::finish_permute(step.program, sent), product);
    return std::vector{step.values[0], step.values[1], sum};
  })[2];
}

}  // namespace podsim::sw::spmd::partition
