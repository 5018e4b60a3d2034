// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/dot_strength.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"
#include "tests/hlo/text/graph_of.h"

namespace podsim::sw::compiler::fuse {
namespace {

std::ptrdiff_t dots_in(const hlo::Module& module) {
  std::ptrdiff_t dots = 0;
  for (const hlo::Computation& computation : module.computations) {
    dots += std::ranges::count(computation.instructions, hlo::Opcode::dot, &hlo::Instruction::opcode);
  }
  return dots;
}

/// The module after the pass, whose values must be those before it: of small whole numbers, which every order sums
/// alike, without zeros, whose product with a negative number has a sign that a sum has not.
hlo::Module replaced(const hlo::Module& before) {
  hlo::Module after = before;
  replace_weak_dots(after);
  hlo::build::verify(after);
  std::vector<hlo::Literal> arguments;
  const hlo::Computation& entry = before.entry_computation();
  std::mt19937 random(1);
  for (const hlo::InstructionId parameter : entry.parameters) {
    hlo::Literal& argument = arguments.emplace_back(hlo::make_zeros(entry[parameter].shape));
    for (double& value : argument.values)
      value = random() % 2 == 0 ? double(random() % 3) + 1 : -double(random() % 3) - 1;
  }
  EXPECT_TRUE(hlo::same_values(hlo::eval::evaluate(before, arguments), hlo::eval::evaluate(after, arguments)));
  return after;
}

std::ptrdiff_t dots_left(const std::string& body) {
  return dots_in(replaced(hlo::text::testing::graph_of("HloModule m\nENTRY main {\n" + body + "}\n")));
}

TEST(DotStrength, NothingContractedIsAMultiplication) {
  EXPECT_EQ(dots_left("  x = bf16[2,3,4,5] parameter(0)\n  h = bf16[3] parameter(1)\n"
                      "  ROOT d = bf16[3,2,4,5] dot(x, h), lhs_batch_dims={1}, rhs_batch_dims={0}, "
                      "lhs_contracting_dims={}, rhs_contracting_dims={}\n"),
            0);
  EXPECT_EQ(dots_left("  x = f32[4] parameter(0)\n  y = f32[6,2] parameter(1)\n"
                      "  ROOT d = f32[4,6,2] dot(x, y), lhs_contracting_dims={}, rhs_contracting_dims={}\n"),
            0);
}

TEST(DotStrength, AVectorIsMultipliedAndSummed) {
  EXPECT_EQ(dots_left("  x = f32[5,7] parameter(0)\n  v = f32[7] parameter(1)\n"
                      "  ROOT d = f32[5] dot(x, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"),
            0);
  EXPECT_EQ(dots_left("  v = s32[5] parameter(0)\n  w = s32[5] parameter(1)\n"
                      "  ROOT d = s32[] dot(v, w), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"),
            0);
  EXPECT_EQ(dots_left("  v = bf16[7] parameter(0)\n  x = bf16[3,7,2] parameter(1)\n"
                      "  ROOT d = f32[3,2] dot(v, x), lhs_contracting_dims={0}, rhs_contracting_dims={1}\n"),
            0);
}

TEST(DotStrength, SmallProductsOfABatchAreMultipliedAndSummed) {
  EXPECT_EQ(dots_left("  x = f32[6,3,4] parameter(0)\n  y = f32[5,6,4] parameter(1)\n"
                      "  ROOT d = f32[6,3,5] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={1}, "
                      "lhs_contracting_dims={2}, rhs_contracting_dims={2}\n"),
            0);
  EXPECT_EQ(dots_left("  x = f32[2,16,16] parameter(0)\n  y = f32[2,16,17] parameter(1)\n"
                      "  ROOT d = f32[2,16,17] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                      "lhs_contracting_dims={2}, rhs_contracting_dims={1}\n"),
            1)
      << "more than 16^3 products";
}

TEST(DotStrength, MatrixProductsAndOtherAlgorithmsStay) {
  EXPECT_EQ(dots_left("  x = f32[5,7] parameter(0)\n  y = f32[7,2] parameter(1)\n"
                      "  ROOT d = f32[5,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"),
            1);
  EXPECT_EQ(dots_left("  x = f32[5,7] parameter(0)\n  v = f32[7] parameter(1)\n"
                      "  ROOT d = f32[5] dot(x, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
                      "algorithm=dot_bf16_bf16_f32_x3\n"),
            1);
}

TEST(DotStrength, DotsInLoopsAreReplacedAndSumsAreSharedByName) {
  const hlo::Module after = replaced(hlo::text::testing::graph_of(R"(HloModule m
add_f32 {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] multiply(a, b)
}
body {
  s = (s32[], f32[4], f32[4,4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f32[4] get-tuple-element(s), index=1
  m = f32[4,4] get-tuple-element(s), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  w = f32[4] dot(m, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (s32[], f32[4], f32[4,4]) tuple(j, w, m)
}
condition {
  s = (s32[], f32[4], f32[4,4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(2)
  ROOT less = pred[] compare(i, n), direction=LT
}
ENTRY main {
  z = s32[] constant(0)
  v = f32[4] parameter(0)
  m = f32[4,4] parameter(1)
  t = (s32[], f32[4], f32[4,4]) tuple(z, v, m)
  l = (s32[], f32[4], f32[4,4]) while(t), condition=condition, body=body
  u = f32[4] get-tuple-element(l), index=1
  zero = f32[] constant(1)
  p = f32[] reduce(u, zero), dimensions={0}, to_apply=add_f32
  d = f32[] dot(u, v), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  ROOT r = (f32[], f32[]) tuple(p, d)
}
)"));
  EXPECT_EQ(dots_in(after), 0);
}

/// Any roles of the dimensions, of which none may be a side's own.
RC_GTEST_PROP(DotStrength, KeepsTheValuesOfEveryDotOfSmallNumbers, ()) {
  const int batch = *rc::gen::inRange(0, 3), contracting = *rc::gen::inRange(0, 3);
  const int own[2] = {*rc::gen::inRange(0, 3), *rc::gen::inRange(0, 3)};
  std::vector<std::int64_t> shared;
  for (int i = 0; i < batch + contracting; ++i) shared.push_back(*rc::gen::inRange(1, 4));
  hlo::build::GraphBuilder b("dot");
  hlo::DotDimensions roles;
  std::vector<hlo::InstructionId> operands;
  for (int side = 0; side < 2; ++side) {
    const int rank = batch + contracting + own[side];
    std::vector<int> order;
    for (int i = 0; i < rank; ++i) order.push_back(i);
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    std::ranges::shuffle(order, random);
    std::vector<std::int64_t> sizes(std::size_t(rank), 2);
    for (int i = 0; i < batch + contracting; ++i) sizes[std::size_t(order[std::size_t(i)])] = shared[std::size_t(i)];
    (side == 0 ? roles.lhs_batch : roles.rhs_batch).assign(order.begin(), order.begin() + batch);
    (side == 0 ? roles.lhs_contracting : roles.rhs_contracting)
        .assign(order.begin() + batch, order.begin() + batch + contracting);
    operands.push_back(b.parameter(hlo::make_shape(hlo::ElementType::f32, sizes), side == 0 ? "x" : "y"));
  }
  const hlo::InstructionId dot = b.dot(operands[0], operands[1], roles);
  const hlo::Module after = replaced(std::move(b).build(dot));
  RC_ASSERT(dots_in(after) == (contracting > 0 && own[0] > 0 && own[1] > 0 && batch == 0 ? 1 : 0));
  RC_ASSERT(!::testing::Test::HasFailure());
}

}  // namespace
}  // namespace podsim::sw::compiler::fuse
