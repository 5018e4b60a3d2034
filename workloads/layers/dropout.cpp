// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/dropout.h"

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace podsim::workloads::layers {

using hlo::ComparisonDirection;
using hlo::ElementType;
using hlo::InstructionId;
using hlo::build::GraphBuilder;
using Sizes = std::vector<std::int64_t>;

namespace {

constexpr std::int64_t word_bits = 32;

InstructionId uniform(GraphBuilder& b, const hlo::Shape& shape, double end) {
  hlo::Instruction draw;
  draw.opcode = hlo::Opcode::rng;
  draw.shape = shape;
  draw.operands = {b.constant(shape.element_type, 0), b.constant(shape.element_type, end)};
  draw.target = "rng_uniform";
  return b.add(std::move(draw));
}

InstructionId kept(GraphBuilder& b, InstructionId x, InstructionId mask, double rate) {
  return b.select(mask, b.multiply(x, b.full_like(x, 1 / (1 - rate))), b.full_like(x, 0));
}

/// The bits of a mask with dimensions `sizes`, the last in words of `bits`.
InstructionId packed_mask(GraphBuilder& b, const Sizes& sizes, std::int64_t bits, double rate) {
  Sizes drawn_sizes{bits};
  drawn_sizes.insert(drawn_sizes.end(), sizes.begin(), sizes.end());
  drawn_sizes.back() /= bits;
  const double numbers = std::exp2(32);
  const InstructionId drawn = uniform(b, hlo::make_shape(ElementType::u32, drawn_sizes), numbers - 1);
  const InstructionId keep =
      b.compare(drawn, b.full_like(drawn, std::floor((1 - rate) * numbers)), ComparisonDirection::lt);
  const InstructionId bit = b.convert(keep, ElementType::u32);
  const InstructionId place = b.iota(hlo::make_shape(ElementType::u32, drawn_sizes), 0);
  return b.reduce_add(b.binary(hlo::Opcode::shift_left, bit, place), {0});
}

/// The mask with dimensions `sizes`, as pred, of the bits of `words`.
InstructionId unpacked_mask(GraphBuilder& b, InstructionId words, const Sizes& sizes, std::int64_t bits) {
  Sizes word_sizes = b.shape(words).dimensions, places(word_sizes.size());
  const std::int64_t row = std::int64_t(sizes.size()) - 1;
  std::iota(places.begin(), places.end(), 0);
  word_sizes.insert(word_sizes.begin() + row + 1, bits);
  const InstructionId wide = b.broadcast(words, word_sizes, places);
  const InstructionId place = b.iota(b.shape(wide), row + 1);
  const InstructionId bit =
      b.logical_and(b.binary(hlo::Opcode::shift_right_logical, wide, place), b.full_like(wide, 1));
  return b.reshape(b.compare(bit, b.full_like(wide, 0), ComparisonDirection::ne), sizes);
}

}  // namespace

InstructionId dropped(GraphBuilder& b, InstructionId x, double rate) {
  if (rate == 0) return x;
  const GraphBuilder::Scope scope(b, "dropout");
  const InstructionId drawn = uniform(b, hlo::make_shape(ElementType::f32, b.shape(x).dimensions), 1);
  return kept(b, x, b.compare(drawn, b.full_like(drawn, 1 - rate), ComparisonDirection::lt), rate);
}

InstructionId dropped_by_bits(GraphBuilder& b, InstructionId x, double rate) {
  if (rate == 0) return x;
  const GraphBuilder::Scope scope(b, "dropout");
  const Sizes sizes = b.shape(x).dimensions;
  const std::int64_t bits = std::gcd(word_bits, sizes.back());
  return kept(b, x, unpacked_mask(b, packed_mask(b, sizes, bits, rate), sizes, bits), rate);
}

}  // namespace podsim::workloads::layers
