// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient/reduction_gradient.h"

#include <optional>
#include <utility>

#include "hlo/transform/formulas/array_function.h"
#include "hlo/transform/gradient/combined.h"
#include "hlo/transform/gradient/movement_gradient.h"

namespace podsim::hlo::transform::gradient {

namespace {

/// The gradient of an extreme over dimensions: divided among the elements that are equal to it; to the initial value if
/// there is none.
void extreme_over_dimensions(Backward& s) {
  build::GraphBuilder& b = s.b;
  const InstructionId x = s.x(0);
  const std::vector<std::int64_t> sizes = b.shape(x).dimensions;
  const std::vector<std::int64_t> kept = other_dimensions(int(sizes.size()), s.forward.dimensions);
  const InstructionId is_extreme = b.compare(x, b.broadcast(s.y, sizes, kept), ComparisonDirection::eq);
  const InstructionId count = summed(b, b.convert(is_extreme, b.type(x)), s.forward.dimensions);
  if (s.wants(0)) {
    const InstructionId share = b.broadcast(b.divide(s.g(), count), sizes, kept);
    s.give(0, b.select(is_extreme, share, b.full_like(x, 0)));
  }
  if (s.wants(1)) {
    const InstructionId is_none = b.compare(count, b.full_like(count, 0), ComparisonDirection::eq);
    s.give(1, total(b, b.select(is_none, s.g(), b.full_like(s.g(), 0))));
  }
}

}  // namespace

namespace of {

void reduce(Backward& s) {
  const Opcode combiner = s.forward.operands.size() == 2 ? s.combiner() : Opcode::unknown;
  if (combiner == Opcode::maximum || combiner == Opcode::minimum) return extreme_over_dimensions(s);
  if (combiner != Opcode::add) return s.through(reduced_by_pairs(s.b, s.forward, combiner_on_arrays(s)));
  if (s.wants(0)) {
    const std::vector<std::int64_t> sizes = s.b.shape(s.x(0)).dimensions;
    s.give(0, s.b.broadcast(s.g(), sizes, other_dimensions(int(sizes.size()), s.forward.dimensions)));
  }
  if (s.wants(1)) s.give(1, total(s.b, s.g()));
}

void map(Backward& s) {
  const auto leaves = formulas::on_arrays(s.b, s.b.called_computations(), s.forward.called[0], s.forward.operands);
  if (!leaves) s.refuse("its function has other than elementwise operations");
  s.through(*leaves);
}

}  // namespace of

}  // namespace podsim::hlo::transform::gradient
