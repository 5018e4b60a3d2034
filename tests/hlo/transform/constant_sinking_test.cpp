// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/constant_sinking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/hlo_text.h"

namespace podsim::hlo::transform {
namespace {

// The outer loop adds rows 2, 0 and 1 of v, twice in the inner loop; element 3 of its state changes and stays.
const char* const loops = R"(HloModule m
inner_goes_on { s = (s32[], f32[3], s32[3]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  two = s32[] constant(2)  ROOT r = pred[] compare(i, two), direction=LT }
inner { s = (s32[], f32[3], s32[3]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  v = f32[3] get-tuple-element(s), index=1  rows = s32[3] get-tuple-element(s), index=2
  one = s32[] constant(1)  j = s32[] add(i, one)
  taken = f32[3] gather(v, rows), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}
  w = f32[3] add(v, taken)
  ROOT r = (s32[], f32[3], s32[3]) tuple(j, w, rows) }
outer_goes_on { s = (s32[], f32[3], s32[3], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  most = s32[] get-tuple-element(s), index=3  ROOT r = pred[] compare(i, most), direction=LT }
outer { s = (s32[], f32[3], s32[3], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  v = f32[3] get-tuple-element(s), index=1  rows = s32[3] get-tuple-element(s), index=2
  most = s32[] get-tuple-element(s), index=3  one = s32[] constant(1)  zero = s32[] constant(0)
  j = s32[] add(i, one)  less = s32[] subtract(most, zero)
  state = (s32[], f32[3], s32[3]) tuple(zero, v, rows)
  done = (s32[], f32[3], s32[3]) while(state), condition=inner_goes_on, body=inner
  w = f32[3] get-tuple-element(done), index=1
  ROOT r = (s32[], f32[3], s32[3], s32[]) tuple(j, w, rows, less) }
ENTRY main {
  v = f32[3] parameter(0)
  rows = s32[3] constant({2, 0, 1})
  zero = s32[] constant(0)
  three = s32[] constant(3)
  state = (s32[], f32[3], s32[3], s32[]) tuple(zero, v, rows, three)
  ROOT done = (s32[], f32[3], s32[3], s32[]) while(state), condition=outer_goes_on, body=outer
}
)";

const Computation& named(const Module& module, const std::string& name) {
  return *std::ranges::find(module.computations, name, &Computation::name);
}

const Instruction& instruction(const Computation& computation, const std::string& name) {
  return *std::ranges::find(computation.instructions, name, &Instruction::name);
}

TEST(ConstantSinking, ReachesLoopsInLoops) {
  Module module = testing::graph_of(loops);
  sink_constants_into_loops(module);
  build::verify(module);
  const Computation& inner = named(module, "inner");
  EXPECT_EQ(inner[instruction(inner, "taken").operands[1]].opcode, Opcode::constant);
  // What the state passes on is still its element.
  EXPECT_EQ(inner[inner[inner.root].operands[2]].opcode, Opcode::get_tuple_element);
}

TEST(ConstantSinking, LeavesWhatTheBodyComputes) {
  Module module = testing::graph_of(loops);
  sink_constants_into_loops(module);
  const Computation &condition = named(module, "outer_goes_on"), &outer = named(module, "outer");
  EXPECT_EQ(condition[instruction(condition, "r").operands[1]].opcode, Opcode::get_tuple_element);
  EXPECT_EQ(outer[instruction(outer, "less").operands[0]].opcode, Opcode::get_tuple_element);
}

// Three times two rounds of v += v[2, 0, 1], by hand: (1, 2, 4) -> (5, 3, 6) -> (11, 8, 9) -> ...
TEST(ConstantSinking, ChangesNoValue) {
  std::vector<double> v{1, 2, 4};
  for (int i = 0; i < 6; ++i) v = {v[0] + v[2], v[1] + v[0], v[2] + v[1]};
  Module module = testing::graph_of(loops);
  sink_constants_into_loops(module);
  const Literal start{make_shape(ElementType::f32, {3}), {1, 2, 4}, {}};
  const Literal result = eval::evaluate(module, std::vector{start});
  EXPECT_EQ(result.elements[1].values, v);
  EXPECT_EQ(result.elements[2].values, (std::vector<double>{2, 0, 1}));
}

}  // namespace
}  // namespace podsim::hlo::transform
