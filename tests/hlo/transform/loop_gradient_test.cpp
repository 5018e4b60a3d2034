// SPDX-License-Identifier: Apache-2.0
// Loops that are too long to write out.
#include "hlo/transform/gradient/loop_gradient.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/hlo/element_types.h"
#include "tests/hlo/hlo_text.h"
#include "tests/hlo/transform/checked_program.h"
#include "tests/hlo/transform/finite_differences.h"

namespace podsim::hlo::transform {
namespace {

using testing::f64;
using testing::Ids;

/// The state (pass, value, scale, rows, results) of passes: value' = sin(value) scale + rows[pass], results[pass] =
/// value scale; rows and scale stay.
InstructionId looped(build::GraphBuilder& b, const Ids& x, std::int64_t passes) {
  const Shape rows = make_shape(f64, {passes, 2});
  const InstructionId state = b.tuple({b.constant(ElementType::s32, 0), x[0], x[1], x[2], b.full(rows, 0)});
  build::GraphBuilder condition("condition"), body("body");
  const InstructionId asked = condition.parameter(b.shape(state), "state");
  const InstructionId more =
      condition.compare(condition.get_tuple_element(asked, 0), condition.constant(ElementType::s32, double(passes)),
                        ComparisonDirection::lt);
  const InstructionId given = body.parameter(b.shape(state), "state");
  Ids now;
  for (int i = 0; i < 5; ++i) now.push_back(body.get_tuple_element(given, i));
  const InstructionId zero = body.constant(ElementType::s32, 0), one = body.constant(ElementType::s32, 1);
  const InstructionId row = body.reshape(body.dynamic_slice(now[3], {now[0], zero}, {1, 2}), {2});
  const InstructionId scaled = body.multiply(body.unary(Opcode::sine, now[1]), now[2]);
  const InstructionId result = body.reshape(body.multiply(now[1], now[2]), {1, 2});
  const InstructionId results = body.dynamic_update_slice(now[4], result, {now[0], zero});
  const InstructionId next = body.tuple({body.add(now[0], one), body.add(scaled, row), now[2], now[3], results});
  const ComputationId asks = b.computation(std::move(condition), more);
  const InstructionId loop = b.while_loop(state, asks, b.computation(std::move(body), next), passes);
  return b.concatenate({b.reshape(b.get_tuple_element(loop, 1), {1, 2}), b.get_tuple_element(loop, 4)}, 0);
}

// 7 passes are 2 segments of 3 and one pass before; the others have no such pass, or no segment.
TEST(LoopGradient, OfAnyNumberOfPassesAgreesWithDifferences) {
  for (const std::int64_t passes : {1, 2, 3, 4, 7, 9, 12}) {
    SCOPED_TRACE(passes);
    testing::expect_gradients_match(
        [&](build::GraphBuilder& b, const Ids& x) { return looped(b, x, passes); },
        {testing::random_literal(make_shape(f64, {2}), 1), testing::random_literal(make_shape(f64, {2}), 2),
         testing::random_literal(make_shape(f64, {passes, 2}), 3)});
  }
}

// A loop of 100 passes keeps states in stacks of 10, and neither the rows nor the results.
TEST(LoopGradient, KeepsTheRootOfItsPassesAndNothingThatStays) {
  build::GraphBuilder b("test");
  const Ids x{b.parameter(make_shape(f64, {2}), "x"), b.parameter(make_shape(f64, {2}), "w"),
              b.parameter(make_shape(f64, {100, 2}), "rows")};
  const InstructionId loss = b.reduce_add(looped(b, x, 100), {0, 1});
  const InstructionId root = b.tuple(gradients(b, loss, x));
  const Module module = std::move(b).build(root);
  int stacks = 0;
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) {
      if (instruction.opcode != Opcode::dynamic_update_slice) continue;
      const std::vector<std::int64_t>& sizes = instruction.shape.dimensions;
      const bool is_of_forward = sizes == std::vector<std::int64_t>{100, 2};
      stacks += is_of_forward ? 0 : 1;
      EXPECT_TRUE(is_of_forward || sizes[0] == 10) << to_string(instruction.shape);
    }
  }
  EXPECT_GT(stacks, 0);
}

// x' = a x, 200,000 times: the gradients are a^n and n a^(n-1) x.
TEST(LoopGradient, OfALoopThatIsTooLongToWriteOut) {
  const std::string computations = R"(
more { s = (s32[], f64[], f64[]) parameter(0)  i = s32[] get-tuple-element(s), index=0  n = s32[] constant(200000)
  ROOT r = pred[] compare(i, n), direction=LT }
pass { s = (s32[], f64[], f64[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  x = f64[] get-tuple-element(s), index=1  a = f64[] get-tuple-element(s), index=2  one = s32[] constant(1)
  j = s32[] add(i, one)  y = f64[] multiply(x, a)  ROOT r = (s32[], f64[], f64[]) tuple(j, y, a) }
)";
  const Module forward = flattened(testing::graph_of_entry(
      "x = f64[] parameter(0)\n a = f64[] parameter(1)\n i = s32[] constant(0)\n s = (s32[], f64[], f64[]) tuple(i, x, "
      "a)\n w = (s32[], f64[], f64[]) while(s), condition=more, body=pass\n ROOT r = f64[] get-tuple-element(w), "
      "index=1",
      computations));
  build::GraphBuilder b("test");
  const InstructionId loss = b.append_entry(forward);
  const InstructionId root = b.tuple(gradients(b, loss, b.parameters()));
  const Module module = std::move(b).build(root);
  const double a = 1 - 1e-5, n = 200000;
  const Literal found =
      eval::evaluate(module, std::vector{testing::make_literal(f64, {}, {3}), testing::make_literal(f64, {}, {a})});
  EXPECT_NEAR(found.elements[0].values[0] / std::pow(a, n), 1, 1e-9);
  EXPECT_NEAR(found.elements[1].values[0] / (n * std::pow(a, n - 1) * 3), 1, 1e-9);
}

}  // namespace
}  // namespace podsim::hlo::transform
