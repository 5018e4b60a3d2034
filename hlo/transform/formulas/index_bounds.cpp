// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/formulas/index_bounds.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "hlo/eval/evaluator.h"

namespace podsim::hlo::transform::formulas {

namespace {

using Sizes = std::vector<std::int64_t>;

constexpr std::int64_t most_elements = 1 << 20;  ///< of constants that are looked through

bool rearranges(Opcode opcode) {
  return opcode == Opcode::broadcast || opcode == Opcode::reshape || opcode == Opcode::convert ||
         opcode == Opcode::copy || opcode == Opcode::concatenate || opcode == Opcode::iota || opcode == Opcode::slice ||
         opcode == Opcode::transpose;
}

/// Appends a value made of constants alone to another graph.
std::optional<InstructionId> constant_copy(const build::GraphBuilder& b, InstructionId id, build::GraphBuilder& to) {
  const Instruction& value = b[id];
  if (value.shape.is_tuple() || value.shape.element_count() > most_elements) return std::nullopt;
  if (value.opcode == Opcode::constant && value.literal) return to.constant(*value.literal);
  if (!rearranges(value.opcode)) return std::nullopt;
  Instruction copy = value;
  copy.sharding.reset();
  for (InstructionId& operand : copy.operands) {
    const std::optional<InstructionId> copied = constant_copy(b, operand, to);
    if (!copied) return std::nullopt;
    operand = *copied;
  }
  return to.add(std::move(copy));
}

std::optional<Literal> constant_value(const build::GraphBuilder& b, InstructionId id) {
  build::GraphBuilder small("constants");
  const std::optional<InstructionId> root = constant_copy(b, id, small);
  if (!root) return std::nullopt;
  return eval::evaluate(std::move(small).build(*root), {});
}

std::int64_t number_at(const Literal& literal, std::size_t i) {
  return literal.integers.empty() ? std::int64_t(literal.values[i]) : literal.integers[i];
}

/// The component of the index vector that an element is. A scalar is every component.
class Components {
 public:
  Components(const Shape& shape, int along) : shape_(shape), along_(std::size_t(along)) {
    for (std::size_t i = along_ + 1; i < shape.dimensions.size(); ++i) step_ *= shape.dimensions[i];
  }
  std::int64_t least_of(const Sizes& limits, std::size_t element) const {
    if (along_ >= shape_.dimensions.size()) return *std::ranges::min_element(limits);
    return limits[std::size_t(std::int64_t(element) / step_ % shape_.dimensions[along_])];
  }

 private:
  const Shape& shape_;
  std::size_t along_;
  std::int64_t step_ = 1;
};

bool all_between(const Literal& literal, int along, const Sizes& largest, bool checks_low, bool checks_high) {
  const Components components(literal.shape, along);
  const std::size_t count = std::max(literal.values.size(), literal.integers.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t number = number_at(literal, i);
    if (checks_low && number < 0) return false;
    if (checks_high && number > components.least_of(largest, i)) return false;
  }
  return true;
}

bool is_inside(const build::GraphBuilder& b, InstructionId id, int along, const Sizes& largest) {
  const Instruction& value = b[id];
  switch (value.opcode) {
    case Opcode::clamp: {
      const std::optional<Literal> low = constant_value(b, value.operands[0]);
      const std::optional<Literal> high = constant_value(b, value.operands[2]);
      return low && high && all_between(*low, along, largest, true, false) &&
             all_between(*high, along, largest, false, true);
    }
    case Opcode::select:
      return is_inside(b, value.operands[1], along, largest) && is_inside(b, value.operands[2], along, largest);
    case Opcode::concatenate: {
      if (value.dimensions[0] != along) break;
      std::size_t first = 0;
      for (const InstructionId operand : value.operands) {
        const auto count = std::size_t(b.shape(operand).dimensions[std::size_t(along)]);
        const Sizes part(largest.begin() + std::ptrdiff_t(first), largest.begin() + std::ptrdiff_t(first + count));
        if (!is_inside(b, operand, along, part)) return false;
        first += count;
      }
      return true;
    }
    case Opcode::copy:
    case Opcode::convert:
      if (is_integer(b.type(value.operands[0]))) return is_inside(b, value.operands[0], along, largest);
      break;
    case Opcode::reshape:
    case Opcode::broadcast:
      // With one component, it does not matter which dimension it extends along.
      if (largest.size() == 1) return is_inside(b, value.operands[0], b.shape(value.operands[0]).rank(), largest);
      break;
    default:
      break;
  }
  const std::optional<Literal> known = constant_value(b, id);
  return known && all_between(*known, along, largest, true, true);
}

/// The largest indices as an array like the indices, as far as their type goes.
InstructionId limits_like(build::GraphBuilder& b, InstructionId indices, int along, const Sizes& largest) {
  const Shape shape = b.shape(indices);
  const int bits = element_types()[std::size_t(shape.element_type)].bits;
  const int digits = is_signed_integer(shape.element_type) ? bits - 1 : bits;
  const std::int64_t top = digits > 62 ? std::int64_t(1) << 62 : (std::int64_t(1) << digits) - 1;
  if (largest.size() == 1) return b.full(shape, double(std::min(largest[0], top)));
  std::vector<InstructionId> parts;
  for (const std::int64_t limit : largest) {
    parts.push_back(b.full(make_shape(shape.element_type, {1}), double(std::min(limit, top))));
  }
  return b.broadcast(b.concatenate(std::move(parts), 0), shape.dimensions, {along});
}

}  // namespace

std::vector<std::int64_t> largest_indices(const GatherDimensions& roles, const Sizes& array, const Sizes& slice) {
  Sizes largest;
  for (const int dimension : roles.index_map) {
    largest.push_back(array[std::size_t(dimension)] - slice[std::size_t(dimension)]);
  }
  return largest;
}

bool are_inside(const build::GraphBuilder& builder, InstructionId indices, const GatherDimensions& roles,
                const Sizes& largest) {
  return largest.empty() || is_inside(builder, indices, roles.index_vector, largest);
}

InstructionId moved_inside(build::GraphBuilder& builder, InstructionId indices, const GatherDimensions& roles,
                           const Sizes& largest) {
  Instruction clamp;
  clamp.opcode = Opcode::clamp;
  const InstructionId zeros = builder.full_like(indices, 0);
  clamp.operands = {zeros, indices, limits_like(builder, indices, roles.index_vector, largest)};
  return builder.add(std::move(clamp));
}

InstructionId updates_inside(build::GraphBuilder& builder, InstructionId indices, const GatherDimensions& roles,
                             const Sizes& largest, Sizes updates) {
  const InstructionId limits = limits_like(builder, indices, roles.index_vector, largest);
  const InstructionId is_low = builder.compare(indices, builder.full_like(indices, 0), ComparisonDirection::lt);
  const InstructionId is_high = builder.compare(indices, limits, ComparisonDirection::gt);
  InstructionId outside = builder.logical_or(is_low, is_high);
  if (roles.index_vector < builder.shape(indices).rank()) {
    const ElementType pred = ElementType::pred;
    outside = builder.reduce(outside, builder.constant(pred, 0), {roles.index_vector},
                             builder.combiner(Opcode::logical_or, pred));
  }
  Sizes batch;
  for (std::size_t i = 0; i < updates.size(); ++i) {
    if (std::ranges::count(roles.offset, int(i)) == 0) batch.push_back(std::int64_t(i));
  }
  const InstructionId spread = builder.broadcast(outside, std::move(updates), std::move(batch));
  return builder.unary(Opcode::logical_not, spread);
}

}  // namespace podsim::hlo::transform::formulas
