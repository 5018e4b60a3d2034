// SPDX-License-Identifier: Apache-2.0
// Part of hlo/transform/gradient/indexed_gradient.h.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hlo/transform/formulas/index_bounds.h"
#include "hlo/transform/gradient/indexed_gradient.h"

namespace podsim::hlo::transform::gradient {

namespace {

enum class Scattering { adds, sets, multiplies, takes_largest, takes_smallest };

/// One operand of a scatter with its updates and the gradient of its result.
struct Scattered {
  std::size_t operand = 0, updates = 0;  ///< numbers of the scatter's operands
  InstructionId y = -1, g = -1;
};

/// What the combiner does to operand k of `count`: element k of its result is one operation on parameters k and
/// count + k, or the latter alone.
std::optional<Scattering> scattering_of(const Computation& combiner, std::size_t k, std::size_t count) {
  const Instruction* result = &combiner[combiner.root];
  InstructionId id = combiner.root;
  if (result->opcode == Opcode::tuple) {
    id = result->operands[k];
    result = &combiner[id];
  }
  const InstructionId own = combiner.parameters[k], update = combiner.parameters[count + k];
  if (id == update) return Scattering::sets;
  std::vector<InstructionId> operands = result->operands;
  std::ranges::sort(operands);
  std::vector<InstructionId> both{own, update};
  std::ranges::sort(both);
  if (operands != both) return std::nullopt;
  if (result->opcode == Opcode::add) return Scattering::adds;
  if (result->opcode == Opcode::multiply) return Scattering::multiplies;
  if (result->opcode == Opcode::maximum) return Scattering::takes_largest;
  if (result->opcode == Opcode::minimum) return Scattering::takes_smallest;
  return std::nullopt;
}

/// The scatter's positions, for other arrays of the same dimensions.
class Positions {
 public:
  explicit Positions(Backward& s) : s_(s), count_(s.forward.operands.size() / 2) {}

  InstructionId indices() const { return s_.x(count_); }

  /// By element of the updates, the element of `x` that it is for; 0 for updates that are dropped.
  InstructionId gathered_if_inside(InstructionId x) const {
    const GatherDimensions& roles = s_.forward.gather;
    const std::vector<std::int64_t> largest =
        formulas::largest_indices(roles, s_.b.shape(x).dimensions, slice_sizes(x));
    const InstructionId found = gathered(x);
    if (formulas::are_inside(s_.b, indices(), roles, largest)) return found;
    const InstructionId inside =
        formulas::updates_inside(s_.b, indices(), roles, largest, s_.b.shape(found).dimensions);
    return s_.b.select(inside, found, s_.b.full_like(found, 0));
  }

  /// By element of the updates, the element of `x` that it is for.
  InstructionId gathered(InstructionId x) const { return s_.b.gather(x, indices(), s_.forward.gather, slice_sizes(x)); }

  std::vector<std::int64_t> slice_sizes(InstructionId x) const {
    const GatherDimensions& roles = s_.forward.gather;
    const std::vector<std::int64_t>& updates = s_.b.shape(s_.x(count_ + 1)).dimensions;
    std::vector<std::int64_t> sizes;
    std::size_t window = 0;
    for (int i = 0; i < s_.b.shape(x).rank(); ++i) {
      const bool is_dropped =
          std::ranges::count(roles.collapsed, i) > 0 || std::ranges::count(roles.operand_batching, i) > 0;
      sizes.push_back(is_dropped ? 1 : updates[std::size_t(roles.offset[window++])]);
    }
    return sizes;
  }

  InstructionId scattered(InstructionId to, InstructionId updates, Opcode combiner) const {
    return s_.b.scatter(to, indices(), updates, s_.forward.gather, s_.b.combiner(combiner, s_.b.type(to)));
  }

  /// By element of the updates, whether it is the one that a scatter that sets leaves, which is inside the operand and
  /// the last for its position.
  InstructionId is_left(InstructionId operand, InstructionId updates) const {
    build::GraphBuilder& b = s_.b;
    const Shape numbers = make_shape(ElementType::s32, b.shape(updates).dimensions);
    const InstructionId line = b.iota(make_shape(ElementType::s32, {numbers.element_count()}), 0);
    const InstructionId number = b.reshape(line, numbers.dimensions);
    const InstructionId none = b.full(make_shape(ElementType::s32, b.shape(operand).dimensions), -1);
    build::GraphBuilder second("second_s32");
    second.parameter(make_shape(ElementType::s32, {}), "x");
    const InstructionId update = second.parameter(make_shape(ElementType::s32, {}), "y");
    const ComputationId set = b.computation(std::move(second), update);
    const InstructionId left = b.scatter(none, indices(), number, s_.forward.gather, set);
    return b.compare(gathered(left), number, ComparisonDirection::eq);
  }

 private:
  Backward& s_;
  std::size_t count_;
};

InstructionId where(build::GraphBuilder& b, InstructionId predicate, InstructionId x) {
  return b.select(predicate, x, b.full_like(x, 0));
}

InstructionId equal(build::GraphBuilder& b, InstructionId x, double number) {
  return b.compare(x, b.full_like(x, number), ComparisonDirection::eq);
}

void of_sum(Backward& s, const Positions& at, const Scattered& part) {
  s.give(part.operand, part.g);
  if (s.wants(part.updates)) s.give(part.updates, at.gathered_if_inside(part.g));
}

void of_setting(Backward& s, const Positions& at, const Scattered& part) {
  if (s.wants(part.operand)) {
    const InstructionId update = s.x(part.updates), written = s.b.full(s.b.shape(update), 0);
    Instruction erase = s.forward;
    erase.name.clear();
    erase.op_name.clear();
    erase.sharding.reset();
    build::GraphBuilder second(fmt::format("second_{}", to_string(s.b.type(part.g))));
    second.parameter(make_shape(s.b.type(part.g), {}), "x");
    const InstructionId root = second.parameter(make_shape(s.b.type(part.g), {}), "y");
    erase.called = {s.b.computation(std::move(second), root)};
    erase.operands = {part.g, at.indices(), s.b.convert(written, s.b.type(part.g))};
    s.give(part.operand, s.b.add(std::move(erase)));
  }
  if (s.wants(part.updates)) {
    const InstructionId is_left = at.is_left(s.x(part.operand), s.x(part.updates));
    s.give(part.updates, where(s.b, is_left, at.gathered(part.g)));
  }
}

/// A factor of 0 has the product of the others, so products are made of the other factors alone, and zeros counted.
void of_product(Backward& s, const Positions& at, const Scattered& part) {
  build::GraphBuilder& b = s.b;
  const InstructionId x = s.x(part.operand), factors = s.x(part.updates);
  const InstructionId is_zero = equal(b, factors, 0);
  const InstructionId others = b.select(is_zero, b.full_like(factors, 1), factors);
  const InstructionId product = at.scattered(b.full_like(x, 1), others, Opcode::multiply);
  const InstructionId zeros = at.scattered(b.full_like(x, 0), b.convert(is_zero, b.type(x)), Opcode::add);
  const InstructionId has_none = equal(b, zeros, 0);
  if (s.wants(part.operand)) s.give(part.operand, b.multiply(part.g, where(b, has_none, product)));
  if (!s.wants(part.updates)) return;
  const InstructionId whole = b.multiply(b.multiply(part.g, x), product);
  const InstructionId of_others = b.divide(at.gathered_if_inside(where(b, has_none, whole)), others);
  const InstructionId of_zero = at.gathered_if_inside(where(b, equal(b, zeros, 1), whole));
  s.give(part.updates, b.select(is_zero, of_zero, of_others));
}

/// Divided among the operand's element and the updates that are equal to the result.
void of_extreme(Backward& s, const Positions& at, const Scattered& part) {
  build::GraphBuilder& b = s.b;
  const InstructionId x = s.x(part.operand), updates = s.x(part.updates);
  const ElementType type = b.type(x);
  const InstructionId stays = b.compare(x, part.y, ComparisonDirection::eq);
  const InstructionId wins = b.compare(updates, at.gathered(part.y), ComparisonDirection::eq);
  const InstructionId winners = at.scattered(b.full_like(x, 0), b.convert(wins, b.type(updates)), Opcode::add);
  const InstructionId sharers = b.add(winners, b.convert(stays, type));
  const InstructionId share = b.divide(part.g, b.maximum(sharers, b.full_like(sharers, 1)));
  if (s.wants(part.operand)) s.give(part.operand, where(b, stays, share));
  if (s.wants(part.updates)) s.give(part.updates, where(b, wins, at.gathered_if_inside(share)));
}

}  // namespace

namespace of {

void scatter(Backward& s) {
  const std::size_t count = s.forward.operands.size() / 2;
  const Computation combiner = s.b.called_computations()[std::size_t(s.forward.called[0])];
  const Positions at(s);
  for (std::size_t k = 0; k < count; ++k) {
    if (s.slopes[k] < 0) continue;
    const std::optional<Scattering> scattering = scattering_of(combiner, k, count);
    if (!scattering) s.refuse("its combiner neither adds nor sets, multiplies or takes an extreme");
    const Scattered part{k, count + 1 + k, count == 1 ? s.y : s.b.get_tuple_element(s.y, std::int64_t(k)), s.slopes[k]};
    switch (*scattering) {
      case Scattering::adds:
        of_sum(s, at, part);
        break;
      case Scattering::sets:
        of_setting(s, at, part);
        break;
      case Scattering::multiplies:
        of_product(s, at, part);
        break;
      case Scattering::takes_largest:
      case Scattering::takes_smallest:
        of_extreme(s, at, part);
        break;
    }
  }
}

}  // namespace of

}  // namespace podsim::hlo::transform::gradient
