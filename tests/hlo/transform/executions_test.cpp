// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/executions.h"

#include <gtest/gtest.h>

#include "tests/hlo/hlo_text.h"

namespace podsim::hlo::transform {
namespace {

double executions_of(const Module& module, const std::string& name) {
  const std::vector<double> times = executions(module);
  for (std::size_t c = 0; c < times.size(); ++c) {
    if (module.computations[c].name == name) return times[c];
  }
  return -1;
}

// The inner loop runs 3 times in each of 5 trips, and calls its function twice a trip.
TEST(Executions, LoopsInLoopsMultiply) {
  const Module module = testing::graph_of(R"(HloModule m
twice { p = f32[8] parameter(0)  ROOT r = f32[8] add(p, p) }
sum { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = f32[] add(p, q) }
inner_body {
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[8] get-tuple-element(s), index=1
  one = s32[] constant(1)
  n = s32[] add(i, one)
  a = f32[8] call(x), to_apply=twice
  b = f32[8] call(a), to_apply=twice
  ROOT t = (s32[], f32[8]) tuple(n, b)
}
inner_condition {
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT
}
outer_body {
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[8] get-tuple-element(s), index=1
  z = s32[] constant(0)
  t = (s32[], f32[8]) tuple(z, x)
  w = (s32[], f32[8]) while(t), condition=inner_condition, body=inner_body
  y = f32[8] get-tuple-element(w), index=1
  one = s32[] constant(1)
  n = s32[] add(i, one)
  ROOT r = (s32[], f32[8]) tuple(n, y)
}
outer_condition {
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY main {
  x = f32[8] parameter(0)
  z = s32[] constant(0)
  t = (s32[], f32[8]) tuple(z, x)
  w = (s32[], f32[8]) while(t), condition=outer_condition, body=outer_body
  y = f32[8] get-tuple-element(w), index=1
  f = f32[] constant(0)
  ROOT r = f32[] reduce(y, f), dimensions={0}, to_apply=sum
}
)");
  EXPECT_EQ(executions_of(module, "main"), 1);
  EXPECT_EQ(executions_of(module, "outer_body"), 5);
  EXPECT_EQ(executions_of(module, "inner_body"), 5 * 3);
  EXPECT_EQ(executions_of(module, "twice"), 5 * 3 * 2);
  EXPECT_EQ(executions_of(module, "sum"), 0) << "it does not run one by one";
}

}  // namespace
}  // namespace podsim::hlo::transform
