// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/highest_mask.h"

#include <utility>

namespace podsim::workloads::layers {

using hlo::ComparisonDirection;
using hlo::ElementType;
using hlo::InstructionId;
using hlo::Shape;

namespace {

constexpr std::int64_t magnitude_bits = 31;  ///< of an f32 without its sign; they order numbers that are not negative

InstructionId f32_of_bits(hlo::build::GraphBuilder& b, InstructionId bits) {
  hlo::Instruction cast;
  cast.opcode = hlo::Opcode::bitcast_convert;
  cast.operands = {bits};
  cast.shape = hlo::make_shape(ElementType::f32, b.shape(bits).dimensions);
  return b.add(std::move(cast));
}

InstructionId at_least(hlo::build::GraphBuilder& b, InstructionId scores, InstructionId bits) {
  const InstructionId threshold = b.broadcast(f32_of_bits(b, bits), b.shape(scores).dimensions, {0});
  return b.compare(scores, threshold, ComparisonDirection::ge);
}

/// The state of the loop: the bit to try, the threshold's bits that are known, scores, and counts.
struct Search {
  InstructionId bit, known, scores, counts;

  static Search of(hlo::build::GraphBuilder& b, InstructionId state) {
    return {b.get_tuple_element(state, 0), b.get_tuple_element(state, 1), b.get_tuple_element(state, 2),
            b.get_tuple_element(state, 3)};
  }
};

/// Keeps the bit if enough scores are at least as high.
hlo::ComputationId try_bit(hlo::build::GraphBuilder& b, const Shape& state) {
  hlo::build::GraphBuilder body("try_bit");
  const hlo::build::GraphBuilder::Scope scope(body, b.scope());
  const Search s = Search::of(body, body.parameter(state, "state"));
  const InstructionId higher = body.add(s.known, body.broadcast(s.bit, body.shape(s.known).dimensions));
  const InstructionId found = body.reduce_add(body.convert(at_least(body, s.scores, higher), ElementType::s32), {1});
  const InstructionId known = body.select(body.compare(found, s.counts, ComparisonDirection::ge), higher, s.known);
  const InstructionId next = body.divide(s.bit, body.full_like(s.bit, 2));
  const InstructionId root = body.tuple({next, known, s.scores, s.counts});
  return b.computation(std::move(body), root);
}

hlo::ComputationId bits_are_left(hlo::build::GraphBuilder& b, const Shape& state) {
  hlo::build::GraphBuilder condition("bits_are_left");
  const hlo::build::GraphBuilder::Scope scope(condition, b.scope());
  const InstructionId bit = condition.get_tuple_element(condition.parameter(state, "state"), 0);
  const InstructionId root = condition.compare(bit, condition.full_like(bit, 0), ComparisonDirection::gt);
  return b.computation(std::move(condition), root);
}

}  // namespace

InstructionId highest_mask(hlo::build::GraphBuilder& b, InstructionId scores, InstructionId counts) {
  const InstructionId first = b.constant(ElementType::s32, double(std::int64_t{1} << (magnitude_bits - 1)));
  const InstructionId begin = b.tuple({first, b.full_like(counts, 0), scores, counts});
  const Shape state = b.shape(begin);
  const hlo::ComputationId condition = bits_are_left(b, state), body = try_bit(b, state);
  const InstructionId end = b.while_loop(begin, condition, body, magnitude_bits);
  const InstructionId wanted = b.compare(counts, b.full_like(counts, 0), ComparisonDirection::gt);
  const InstructionId high = at_least(b, scores, b.get_tuple_element(end, 1));
  return b.logical_and(high, b.broadcast(wanted, b.shape(scores).dimensions, {0}));
}

}  // namespace podsim::workloads::layers
