// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/partition/einsum_loop.h"

#include <functional>
#include <utility>
#include <vector>

#include "hlo/spmd/reshard/by_position.h"

namespace podsim::hlo::spmd::partition {

namespace {

/// The type in which a sum over steps accumulates: at least f32 for floating point.
hlo::ElementType sum_type(hlo::ElementType type) {
  const bool is_narrow = hlo::is_floating_point(type) && hlo::byte_width(type) < hlo::byte_width(hlo::ElementType::f32);
  return is_narrow ? hlo::ElementType::f32 : type;
}

/// A step while it is written. `program` is that of the loop's body, or the program around it for a step outside of the
/// loop.
struct Step {
  reshard::LocalProgram& program;
  hlo::InstructionId number;               ///< s32 scalar, counted from 0
  std::vector<hlo::InstructionId> values;  ///< carried from step to step
};

class EinsumLoop {
 public:
  EinsumLoop(reshard::LocalProgram& program, const hlo::Instruction& dot, const EinsumRing& ring)
      : program_(program), dot_(dot), ring_(ring), parts_(program.mesh().size(ring.sub_axes)) {}

  std::int64_t parts() const { return parts_; }
  std::int64_t part() const { return (ring_.size + parts_ - 1) / parts_; }

  /// First element of the shard that belongs to the position `step.number + ahead` above this one, around the ring.
  hlo::InstructionId begin_of(Step& step, std::int64_t ahead) const {
    build::GraphBuilder& b = step.program.builder();
    hlo::InstructionId position = b.add(step.program.position(ring_.sub_axes), step.number);
    if (ahead != 0) position = b.add(position, step.program.s32(ahead));
    position = b.binary(hlo::Opcode::remainder, position, step.program.s32(parts_));
    return b.multiply(position, step.program.s32(part()));
  }

  /// Starts sending each partition's value one position down the ring.
  hlo::InstructionId start(Step& step, hlo::InstructionId value) const {
    std::vector<std::int64_t> sources;
    for (std::int64_t i = 0; i < parts_; ++i) sources.push_back((i + 1) % parts_);
    return reshard::start_permute(step.program, value, ring_.sub_axes, sources);
  }

  /// Keeps a product from being fused with its user, which would make the product wait for the user's other operand.
  static hlo::InstructionId apart(Step& step, hlo::InstructionId product) {
    hlo::Instruction barrier;
    barrier.opcode = hlo::Opcode::opt_barrier;
    barrier.operands = {product};
    return step.program.builder().add(std::move(barrier));
  }

  hlo::InstructionId multiply(Step& step, std::array<hlo::InstructionId, 2> operands, hlo::ElementType type) const {
    hlo::Instruction dot = dot_;
    dot.operands = {operands[0], operands[1]};
    dot.shape = hlo::make_shape(type, {});
    return step.program.builder().add(std::move(dot));
  }

  /// An operand with the whole factor, padded with zeros to the length of all shards.
  hlo::InstructionId padded(hlo::InstructionId operand, int dimension) const {
    if (dimension < 0) return operand;
    const hlo::InstructionId zero = program_.builder().constant(program_.builder().type(operand), 0);
    return reshard::pad_ends(program_, operand, dimension, 0, parts_ * part() - ring_.size, zero);
  }
  /// The shard of such an operand that starts at `begin`.
  hlo::InstructionId part_of(Step& step, hlo::InstructionId operand, int dimension, hlo::InstructionId begin) const {
    return dimension < 0 ? operand : reshard::slice_from(step.program, operand, dimension, begin, part());
  }

  /// Writes a loop of `count` steps, each written by `write`, and returns the values after the last one. `values` are
  /// those before the first.
  std::vector<hlo::InstructionId> repeat(std::int64_t count, std::vector<hlo::InstructionId> values,
                                         const std::function<std::vector<hlo::InstructionId>(Step&)>& write) const {
    build::GraphBuilder& outer = program_.builder();
    values.push_back(program_.s32(0));
    const hlo::InstructionId state = outer.tuple(values);
    const hlo::Shape shape = outer.shape(state);
    const auto last = std::int64_t(values.size()) - 1;

    build::GraphBuilder test("windowed_einsum_condition"), body("windowed_einsum_body");
    const hlo::InstructionId goes_on = write_condition(test, shape, count);
    const hlo::InstructionId result = write_body(body, shape, write);
    const hlo::ComputationId condition = outer.computation(std::move(test), goes_on);
    const hlo::ComputationId repeated = outer.computation(std::move(body), result);
    const hlo::InstructionId loop = outer.while_loop(state, condition, repeated, count);
    std::vector<hlo::InstructionId> results;
    for (std::int64_t k = 0; k < last; ++k) results.push_back(outer.get_tuple_element(loop, k));
    return results;
  }

 private:
  /// Writes the loop's condition: the step number, which is the last element of the state, is below `count`.
  hlo::InstructionId write_condition(build::GraphBuilder& test, const hlo::Shape& state, std::int64_t count) const {
    const build::GraphBuilder::Scope scope(test, program_.builder().scope(), program_.builder().source());
    const hlo::InstructionId number =
        test.get_tuple_element(test.parameter(state, "state"), std::int64_t(state.tuple_shapes.size()) - 1);
    const hlo::InstructionId limit = test.constant(hlo::ElementType::s32, double(count));
    return test.compare(number, limit, hlo::ComparisonDirection::lt);
  }

  hlo::InstructionId write_body(build::GraphBuilder& body, const hlo::Shape& state,
                                const std::function<std::vector<hlo::InstructionId>(Step&)>& write) const {
    const build::GraphBuilder::Scope scope(body, program_.builder().scope(), program_.builder().source());
    reshard::LocalProgram inner(body, program_.mesh());
    const hlo::InstructionId parameter = body.parameter(state, "state");
    const auto last = std::int64_t(state.tuple_shapes.size()) - 1;
    Step step{inner, body.get_tuple_element(parameter, last), {}};
    for (std::int64_t k = 0; k < last; ++k) step.values.push_back(body.get_tuple_element(parameter, k));
    // Written before the step so that it can be fused with the step's scalars.
    const hlo::InstructionId next_number = body.add(step.number, inner.s32(1));
    std::vector<hlo::InstructionId> next = write(step);
    next.push_back(next_number);
    return body.tuple(std::move(next));
  }

  reshard::LocalProgram& program_;
  hlo::Instruction dot_;
  const EinsumRing& ring_;
  std::int64_t parts_;
};

}  // namespace

hlo::InstructionId gather_while_multiplying(reshard::LocalProgram& program, const hlo::Instruction& dot,
                                            const EinsumRing& ring, int sharded,
                                            std::array<hlo::InstructionId, 2> operands, const hlo::Shape& result) {
  const EinsumLoop loop(program, dot, ring);
  build::GraphBuilder& b = program.builder();
  const auto own = std::size_t(sharded), other = std::size_t(1 - sharded);
  const int from = ring.operand_dimensions[other], to = ring.result_dimension;
  hlo::Shape kept = hlo::make_shape(to < 0 ? sum_type(result.element_type) : result.element_type, result.dimensions);
  if (to >= 0) kept.dimensions[std::size_t(to)] = loop.parts() * loop.part();

  // A step's values are the current shard, the other operand and the result so far. Returns the new result.
  const auto multiply = [&](Step& step) {
    const hlo::InstructionId begin = loop.begin_of(step, 0);
    std::array<hlo::InstructionId, 2> factors{};
    factors[own] = step.values[0];
    factors[other] = loop.part_of(step, step.values[1], from, begin);
    const hlo::InstructionId product = loop.multiply(step, factors, kept.element_type);
    if (to >= 0) return reshard::update_from(step.program, step.values[2], product, to, begin);
    return step.program.builder().add(step.values[2], product);
  };
  const std::vector<hlo::InstructionId> first{operands[own], loop.padded(operands[other], from), b.full(kept, 0)};
  Step last{program, program.s32(loop.parts() - 1), loop.repeat(loop.parts() - 1, first, [&](Step& step) {
              const hlo::InstructionId sent = loop.start(step, step.values[0]);
              const hlo::InstructionId sum = multiply(step);
              return std::vector{reshard::finish_permute(step.program, sent), step.values[1], sum};
            })};
  const hlo::InstructionId all = b.convert(multiply(last), result.element_type);
  return to < 0 ? all : reshard::slice_of(program, all, to, 0, ring.size);
}

hlo::InstructionId scatter_while_multiplying(reshard::LocalProgram& program, const hlo::Instruction& dot,
                                             const EinsumRing& ring, std::array<hlo::InstructionId, 2> operands) {
  const EinsumLoop loop(program, dot, ring);
  // The current sum is the shard of the position that it reaches after the last step.
  const auto multiply = [&](Step& step, std::int64_t ahead) {
    const hlo::InstructionId begin = loop.begin_of(step, ahead);
    std::array<hlo::InstructionId, 2> factors{};
    for (const std::size_t k : {0, 1}) {
      factors[k] = loop.part_of(step, step.values[k], ring.operand_dimensions[k], begin);
    }
    return loop.multiply(step, factors, dot.shape.element_type);
  };
  const std::vector<hlo::InstructionId> whole{loop.padded(operands[0], ring.operand_dimensions[0]),
                                              loop.padded(operands[1], ring.operand_dimensions[1])};
  Step first{program, program.s32(0), whole};
  return loop.repeat(loop.parts() - 1, {whole[0], whole[1], multiply(first, 1)}, [&](Step& step) {
    const hlo::InstructionId sent = loop.start(step, step.values[2]);
    const hlo::InstructionId product = EinsumLoop::apart(step, multiply(step, 2));
    const hlo::InstructionId sum = step.program.builder().add(reshard::finish_permute(step.program, sent), product);
    return std::vector{step.values[0], step.values[1], sum};
  })[2];
}

}  // namespace podsim::hlo::spmd::partition
