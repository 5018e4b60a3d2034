// SPDX-License-Identifier: Apache-2.0
// Graphs of HLO text compute the same results with and without fusion and layouts.
#include <gtest/gtest.h>

#include "sw/compiler/fuse/fusion.h"
#include "sw/compiler/fuse/layout_assignment.h"
#include "tests/hlo/hlo_text.h"
#include "tests/hlo/literals.h"

namespace podsim::sw::compiler::fuse {
namespace {

/// A layer of attention over embeddings that are looked up, with a softmax and a loss.
const std::string attention = hlo::testing::scalar_functions + R"(
ENTRY main {
  table = f32[10,8] parameter(0)
  tokens = s32[6,1] parameter(1)
  weights = f32[8,8] parameter(2)
  x = f32[6,8] gather(table, tokens), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}
  q = f32[6,8] dot(x, weights), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  scores = f32[6,6] dot(q, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  low = f32[] constant(-inf)
  top = f32[6] reduce(scores, low), dimensions={1}, to_apply=max_f32
  tops = f32[6,6] broadcast(top), dimensions={0}
  shifted = f32[6,6] subtract(scores, tops)
  powers = f32[6,6] exponential(shifted)
  zero = f32[] constant(0)
  sum = f32[6] reduce(powers, zero), dimensions={1}, to_apply=add_f32
  sums = f32[6,6] broadcast(sum), dimensions={0}
  shares = f32[6,6] divide(powers, sums)
  y = f32[6,8] dot(shares, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  gate = f32[6,8] logistic(y)
  gated = f32[6,8] multiply(y, gate)
  lo = f32[] constant(-0.5)
  hi = f32[] constant(0.5)
  clamped = f32[6,8] clamp(lo, gated, hi)
  whole = s32[6,8] convert(clamped)
  back = f32[6,8] convert(whole)
  rest = f32[6,8] subtract(clamped, back)
  loss = f32[] reduce(rest, zero), dimensions={0,1}, to_apply=add_f32
  ROOT r = (f32[], f32[6,8]) tuple(loss, clamped)
}
)";

TEST(TextTransformation, FusingAndLayingOutKeepEveryBit) {
  const hlo::Module module = hlo::testing::graph_of("HloModule m\n" + attention);
  const std::vector<hlo::Literal> arguments{
      hlo::testing::random_literal(hlo::make_shape(hlo::ElementType::f32, {10, 8}), 1),
      hlo::testing::make_literal(hlo::ElementType::s32, {6, 1}, {3, 0, 9, 3, 12, -1}),
      hlo::testing::random_literal(hlo::make_shape(hlo::ElementType::f32, {8, 8}), 2)};
  const hlo::Literal expected = hlo::eval::evaluate(module, arguments);
  hlo::Module laid_out = module;
  assign_layouts(laid_out);
  EXPECT_TRUE(hlo::same_values(hlo::eval::evaluate(laid_out, arguments), expected));
  const hlo::Module fused = fuse(laid_out);
  EXPECT_LT(fused.entry_computation().instructions.size(), module.entry_computation().instructions.size());
  EXPECT_TRUE(hlo::same_values(hlo::eval::evaluate(fused, arguments), expected));
}

}  // namespace
}  // namespace podsim::sw::compiler::fuse
