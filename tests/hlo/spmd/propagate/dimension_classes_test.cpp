// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/dimension_classes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "tests/hlo/text/graph_of.h"

namespace podsim::hlo::spmd::propagate {
namespace {

using Members = std::set<std::string>;

/// "x[0]": the members of a class.
Members members(const Module& module, const DimensionClass& of) {
  Members names;
  for (const EntryDimension& dimension : of.of) {
    names.insert(module.entry_computation()[dimension.id].name + "[" + std::to_string(dimension.dimension) + "]");
  }
  return names;
}

std::set<Members> classes_of(const Module& module) {
  std::set<Members> all;
  for (const DimensionClass& of : dimension_classes(module)) all.insert(members(module, of));
  return all;
}

// Two layers y = relu(x w) v of the same shape: by hand, the batch goes through both, the width comes back behind each,
// and the hidden units of both are one class, since both layers look alike.
TEST(DimensionClasses, AreTheNamedDimensionsOfAPerceptron) {
  const Module module = text::testing::graph_of(R"(
HloModule m
ENTRY e {
  x = f32[32,8] parameter(0)
  w0 = f32[8,64] parameter(1)
  v0 = f32[64,8] parameter(2)
  w1 = f32[8,64] parameter(3)
  v1 = f32[64,8] parameter(4)
  zero = f32[] constant(0)
  zeros = f32[32,64] broadcast(zero), dimensions={}
  h0 = f32[32,64] dot(x, w0), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  r0 = f32[32,64] maximum(h0, zeros)
  y0 = f32[32,8] dot(r0, v0), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  h1 = f32[32,64] dot(y0, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  r1 = f32[32,64] maximum(h1, zeros)
  ROOT y1 = f32[32,8] dot(r1, v1), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  const std::set<Members> classes = classes_of(module);
  EXPECT_TRUE(classes.contains({"x[0]", "h0[0]", "y0[0]", "h1[0]", "y1[0]"}));
  EXPECT_TRUE(classes.contains({"w0[1]", "h0[1]", "v0[0]", "w1[1]", "h1[1]", "v1[0]"}));
}

// Heads are split off a product by a reshape, and both products of attention have them as a batch.
TEST(DimensionClasses, FollowReshapesAndBatchesOfProducts) {
  const Module module = text::testing::graph_of(R"(
HloModule m
ENTRY e {
  x = f32[4,16,96] parameter(0)
  wq = f32[96,96] parameter(1)
  wk = f32[96,96] parameter(2)
  q2 = f32[4,16,96] dot(x, wq), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  k2 = f32[4,16,96] dot(x, wk), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  q = f32[4,16,12,8] reshape(q2)
  k = f32[4,16,12,8] reshape(k2)
  ROOT scores = f32[4,12,16,16] dot(q, k), lhs_batch_dims={0,2}, rhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_contracting_dims={3}
})");
  const std::set<Members> classes = classes_of(module);
  EXPECT_TRUE(classes.contains({"wq[1]", "wk[1]", "q2[2]", "k2[2]", "scores[1]"}));
  EXPECT_TRUE(classes.contains({"x[1]", "q2[1]", "k2[1]", "scores[2]", "scores[3]"}));
  EXPECT_TRUE(classes.contains({"x[2]", "wq[0]", "wk[0]"}));
}

// Images and their maps: a window joins rows of different sizes, channels go from one kernel to the next.
TEST(DimensionClasses, JoinRowsOfImagesUnderWindows) {
  const Module module = text::testing::graph_of(R"(
HloModule m
ENTRY e {
  x = f32[2,16,16,3] parameter(0)
  k = f32[3,3,3,32] parameter(1)
  k2 = f32[1,1,32,64] parameter(2)
  y = f32[2,8,8,32] convolution(x, k), window={size=3x3 stride=2x2 pad=0_1x0_1}, dim_labels=b01f_01io->b01f
  ROOT z = f32[2,8,8,64] convolution(y, k2), window={size=1x1}, dim_labels=b01f_01io->b01f
})");
  const std::set<Members> classes = classes_of(module);
  EXPECT_TRUE(classes.contains({"x[1]", "y[1]", "z[1]"}));
  EXPECT_TRUE(classes.contains({"k[3]", "y[3]", "k2[2]"}));
  EXPECT_TRUE(classes.contains({"x[0]", "y[0]", "z[0]"}));
}

}  // namespace
}  // namespace podsim::hlo::spmd::propagate
