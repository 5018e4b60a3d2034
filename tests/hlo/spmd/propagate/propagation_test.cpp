// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/propagation.h"

#include <gtest/gtest.h>

#include <string>

#include "base/diagnostic.h"
#include "tests/hlo/spmd/annotated_text.h"

namespace podsim::hlo::spmd::propagate {
namespace {

using testing::Axes;
using testing::Propagated;
using testing::propagated;

TEST(Propagation, GoesForwardAndBackwardThroughElementwiseOps) {
  const testing::Propagated p = testing::propagated(R"(
    a = f32[8,6] parameter(0)  b = f32[8,6] parameter(1)  c = f32[8,6] parameter(2)
    s = f32[8,6] add(a, b)  t = f32[8,6] tanh(s)  ROOT r = f32[8,6] multiply(t, c))",
                                                    "x=2,y=3", {{"t", {"x", "y"}}});
  for (const char* name : {"a", "b", "c", "s", "t", "r"}) EXPECT_EQ(p(name), "[x, y]") << name;
}

TEST(Propagation, CutsOfDifferentDimensionsMerge) {
  const testing::Propagated p = testing::propagated(R"(
    a = f32[8,6] parameter(0)  b = f32[8,6] parameter(1)  ROOT s = f32[8,6] add(a, b))",
                                                    "x=2,y=3", {{"a", {"x"}}, {"b", {"", "y"}}});
  EXPECT_EQ(p("s"), "[x, y]");
  EXPECT_EQ(p("a"), "[x, -]");
  EXPECT_EQ(p("b"), "[-, y]");
}

TEST(Propagation, MinorSubAxesAreAppendedWhereThePrefixIsTheSame) {
  const testing::Propagated p = testing::propagated(R"(
    a = f32[8,6] parameter(0)  b = f32[8,6] parameter(1)  ROOT s = f32[8,6] add(a, b)  t = f32[8,6] tanh(b))",
                                                    "x=2,y=2,z=2", {{"a", {"x+y"}}, {"s", {"x+y", "z"}}});
  EXPECT_EQ(p("b"), "[x+y, z]");
  EXPECT_EQ(p("t"), "[x+y, z]");
}

TEST(Propagation, ASubAxisCutsOneDimensionOfAValueOnly) {
  const testing::Propagated p = testing::propagated(R"(
    a = f32[8,6] parameter(0)  b = f32[8,6] parameter(1)  s = f32[8,6] add(a, b)  ROOT t = f32[8,6] tanh(s))",
                                                    "x=2", {{"a", {"x"}}, {"b", {"", "x"}}});
  EXPECT_EQ(p("s"), "[x, -]");
  EXPECT_EQ(p("t"), "[x, -]");
}

TEST(Propagation, AnnotatedValuesStayEvenWhole) {
  const testing::Propagated p = testing::propagated(R"(
    a = f32[8] parameter(0)  w = f32[8] tanh(a)  ROOT r = f32[8] negate(w))",
                                                    "x=2", {{"a", {"x"}}, {"w", {}}});
  EXPECT_EQ(p("a"), "[x]");
  EXPECT_EQ(p("w"), "replicated");
  EXPECT_EQ(p("r"), "replicated");
}

TEST(Propagation, TransposesAndReshapesKeepWhatFallsOnBorders) {
  const testing::Propagated p = testing::propagated(R"(
    a = f32[8,6,4] parameter(0)  t = f32[4,8,6] transpose(a), dimensions={2,0,1}
    merged = f32[4,48] reshape(t)  split = f32[4,8,6] reshape(merged)  other = f32[4,6,8] reshape(merged)
    ROOT r = (f32[4,8,6], f32[4,6,8]) tuple(split, other))",
                                                    "x=2,y=2,z=2", {{"a", {"x+y", "", "z"}}});
  EXPECT_EQ(p("t"), "[z, x+y, -]");
  EXPECT_EQ(p("merged"), "[z, x+y]");
  EXPECT_EQ(p("split"), "[z, x+y, -]");
  // x splits the six rows into shards of three, which y does not divide.
  EXPECT_EQ(p("other"), "[z, x, -]");
  EXPECT_EQ(p("r"), "[z, x+y, -] [z, x, -]");
}

TEST(Propagation, NoMoreShardsThanElementsUnlessAnnotated) {
  const testing::Propagated p = testing::propagated(R"(
    a = f32[3,8] parameter(0)  z = f32[] constant(0)
    s = f32[3,1] slice(a), slice={[0:3], [0:1]}  ROOT r = f32[3,1] tanh(s))",
                                                    "x=4,y=2", {{"a", {"x", "y"}}});
  EXPECT_EQ(p("a"), "[x, y]");
  // 3 elements over the first half of x, of 2, are uneven but not empty.
  EXPECT_EQ(p("r"), "[x[0:1], -]");
}

// What the backward pass of a scanned layer reads is sharded as it was stored, not as the gradient of a weight.
TEST(Propagation, WhatIsStoredForEveryTripKeepsTheShardingOfTheTrip) {
  const testing::Propagated p = testing::propagated(R"(
    x = f32[8,4] parameter(0)  g = f32[8,6] parameter(1)  i = s32[] parameter(2)
    zero = f32[] constant(0)  zeros = f32[3,8,4] broadcast(zero), dimensions={}  o = s32[] constant(0)
    trip = f32[1,8,4] broadcast(x), dimensions={1,2}
    stored = f32[3,8,4] dynamic-update-slice(zeros, trip, i, o, o)
    read = f32[1,8,4] dynamic-slice(stored, i, o, o), dynamic_slice_sizes={1,8,4}
    y = f32[8,4] reshape(read)
    ROOT w = f32[4,6] dot(y, g), lhs_contracting_dims={0}, rhs_contracting_dims={0})",
                                                    "a=4", {{"x", {"a"}}, {"w", {"a"}}});
  EXPECT_EQ(p("trip"), "[-, a, -]");
  EXPECT_EQ(p("stored"), "[-, a, -]");
  EXPECT_EQ(p("y"), "[a, -]");
}

// GSPMD, section 4: weights over both axes, activations over the batch and the model dimension.
TEST(Propagation, FeedForwardLayerOfATransformerCutInTwoDimensions) {
  const std::string lines = R"(
    act = f32[16,32,64] parameter(0)  w_in = f32[64,128] parameter(1)  w_out = f32[128,64] parameter(2)
    hidden = f32[16,32,128] dot(act, w_in), lhs_contracting_dims={2}, rhs_contracting_dims={0}
    zero = f32[] constant(0)  zeros = f32[16,32,128] broadcast(zero), dimensions={}
    relu = f32[16,32,128] maximum(hidden, zeros)
    out = f32[16,32,64] dot(relu, w_out), lhs_contracting_dims={2}, rhs_contracting_dims={0}
    ROOT sum = f32[16,32,64] add(act, out))";
  const testing::Propagated p =
      testing::propagated(lines, "x=4,y=2", {{"act", {"x", "", "y"}}, {"w_in", {"x", "y"}}, {"w_out", {"y", "x"}}});
  EXPECT_EQ(p("hidden"), "[x, -, y]");
  EXPECT_EQ(p("zeros"), "[x, -, y]");
  EXPECT_EQ(p("relu"), "[x, -, y]");
  EXPECT_EQ(p("out"), "[x, -, y]");
  EXPECT_EQ(p("sum"), "[x, -, y]");
  // Megatron's sharding: the batch over x, the hidden dimension over y; weights without annotations follow.
  const testing::Propagated m = testing::propagated(lines, "x=4,y=2", {{"act", {"x"}}, {"hidden", {"x", "", "y"}}});
  EXPECT_EQ(m("w_in"), "[-, y]");
  EXPECT_EQ(m("relu"), "[x, -, y]");
  EXPECT_EQ(m("w_out"), "[y, -]");
  EXPECT_EQ(m("out"), "[x, -, -]");
}

// Weights that are stored in shards and gathered for use (ZeRO, fully sharded data parallelism) do not turn
// activations.
TEST(Propagation, ShardedWeightsLeaveTheBatchAlone) {
  const testing::Propagated p = testing::propagated(R"(
    tokens = f32[64,16] parameter(0)  w = f32[16,32] parameter(1)  bias = f32[32] parameter(2)
    y = f32[64,32] dot(tokens, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    wide = f32[64,32] broadcast(bias), dimensions={1}  ROOT z = f32[64,32] add(y, wide))",
                                                    "x=8", {{"tokens", {"x"}}, {"w", {"", "x"}}, {"bias", {"x"}}});
  EXPECT_EQ(p("y"), "[x, -]");
  EXPECT_EQ(p("wide"), "[x, -]");
  EXPECT_EQ(p("z"), "[x, -]");
}

TEST(Propagation, ContractedDimensionsAgreeBesideEachOther) {
  const testing::Propagated p = testing::propagated(R"(
    a = f32[8,16] parameter(0)  w = f32[16,4] parameter(1)
    ROOT y = f32[8,4] dot(a, w), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
                                                    "x=2", {{"a", {"", "x"}}});
  EXPECT_EQ(p("w"), "[x, -]");
  EXPECT_EQ(p("y"), "replicated");
}

// The gradient of a weight is sharded like the weight, since the new weight takes over its memory.
TEST(Propagation, GradientsOfWeightsFollowThroughTheOptimizer) {
  hlo::Module module = hlo::testing::graph_of_entry(R"(
    act = f32[16,64] parameter(0)  dy = f32[16,128] parameter(1)  w = f32[64,128] parameter(2)
    dw = f32[64,128] dot(act, dy), lhs_contracting_dims={0}, rhs_contracting_dims={0}
    rate = f32[] constant(0.1)  rates = f32[64,128] broadcast(rate), dimensions={}
    step = f32[64,128] multiply(dw, rates)  next = f32[64,128] subtract(w, step)
    loss = f32[] constant(0)  ROOT r = (f32[], f32[64,128]) tuple(loss, next))");
  module.donations = {{1, 2, 0}};
  const testing::Propagated p(module, mesh::Mesh::parse("x=4,y=2"),
                              {{"act", {"x", "y"}}, {"dy", {"x", "y"}}, {"w", {"y", "x"}}});
  EXPECT_EQ(p("dw"), "[y, x]");
  EXPECT_EQ(p("next"), "[y, x]");
  EXPECT_EQ(p("r"), "replicated [y, x]");
  // Only the donation determines the sharding of the new value.
  hlo::Module fed = hlo::testing::graph_of_entry(R"(
    w = f32[64] parameter(0)  i = s32[] parameter(1)  key = u64[2] parameter(2)
    next = f32[64] custom-call(i), custom_call_target="draw"  ROOT r = (f32[64]) tuple(next))");
  fed.donations = {{0, 0, 0}};
  EXPECT_EQ(testing::Propagated(fed, mesh::Mesh::parse("x=4"), {{"w", {"x"}}})("next"), "[x]");
}

const std::string loop = R"(
body { s = (s32[], f32[16,64], f32[3,64,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0  act = f32[16,64] get-tuple-element(s), index=1
  ws = f32[3,64,64] get-tuple-element(s), index=2  zero = s32[] constant(0)  one = s32[] constant(1)
  slice = f32[1,64,64] dynamic-slice(ws, i, zero, zero), dynamic_slice_sizes={1,64,64}
  w = f32[64,64] reshape(slice)
  y = f32[16,64] dot(act, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  next = s32[] add(i, one)
  ROOT r = (s32[], f32[16,64], f32[3,64,64]) tuple(next, y, ws) }
condition { s = (s32[], f32[16,64], f32[3,64,64]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)  ROOT r = pred[] compare(i, n), direction=LT }
)";
const std::string around_loop = R"(
    act = f32[16,64] parameter(0)  ws = f32[3,64,64] parameter(1)  zero = s32[] constant(0)
    state = (s32[], f32[16,64], f32[3,64,64]) tuple(zero, act, ws)
    last = (s32[], f32[16,64], f32[3,64,64]) while(state), condition=condition, body=body
    ROOT y = f32[16,64] get-tuple-element(last), index=1)";

TEST(Propagation, LoopsAgreeWithTheirBodies) {
  const testing::Propagated p =
      testing::propagated(around_loop, "x=4,y=2", {{"act", {"x"}}, {"ws", {"", "y", ""}}}, loop);
  // The body's contraction splits the state along with the weights; the argument keeps its annotation.
  EXPECT_EQ(p("act"), "[x, -]");
  EXPECT_EQ(p("last"), "replicated [x, y] [-, y, -]");
  EXPECT_EQ(p("body/s"), "replicated [x, y] [-, y, -]");
  EXPECT_EQ(p("condition/s"), "replicated [x, y] [-, y, -]");
  EXPECT_EQ(p("body/w"), "[y, -]");
  EXPECT_EQ(p("body/y"), "[x, y]");
  EXPECT_EQ(p("body/r"), "replicated [x, y] [-, y, -]");
  EXPECT_EQ(p("y"), "[x, y]");
  // From inside the body to the argument.
  const testing::Propagated q = testing::propagated(around_loop, "x=4,y=2", {{"body/y", {"x", "y"}}}, loop);
  EXPECT_EQ(q("act"), "[x, y]");
  EXPECT_EQ(q("ws"), "[-, -, y]");
  EXPECT_EQ(q("y"), "[x, y]");
}

TEST(Propagation, BranchesAndCallsAgreeWithTheirCallers) {
  const std::string branches = R"(
one { a = f32[8,8] parameter(0)  ROOT r = f32[8,8] tanh(a) }
two { b = f32[8,8] parameter(0)  ROOT t = f32[8,8] transpose(b), dimensions={1,0} }
called { c = f32[8,8] parameter(0)  d = f32[8,8] parameter(1)  ROOT r = f32[8,8] add(c, d) }
)";
  const testing::Propagated p = testing::propagated(R"(
    i = s32[] parameter(0)  a = f32[8,8] parameter(1)  b = f32[8,8] parameter(2)
    s = f32[8,8] conditional(i, a, b), branch_computations={one, two}
    ROOT t = f32[8,8] call(s, a), to_apply=called)",
                                                    "x=2", {{"a", {"x"}}}, branches);
  EXPECT_EQ(p("one/a"), "[x, -]");
  EXPECT_EQ(p("s"), "[x, -]");
  EXPECT_EQ(p("two/t"), "[x, -]");
  EXPECT_EQ(p("two/b"), "[-, x]");
  EXPECT_EQ(p("b"), "[-, x]");
  EXPECT_EQ(p("called/r"), "[x, -]");
  EXPECT_EQ(p("t"), "[x, -]");
}

TEST(Propagation, CallsOfOneComputationKeepAnnotationsThatDiffer) {
  const testing::Propagated p = testing::propagated(R"(
    i = s32[] parameter(0)  a = f32[8,8] parameter(1)
    s = f32[8,8] conditional(i, a, a), branch_computations={one, two}
    t = f32[8,8] call(a), to_apply=one
    ROOT r = (f32[8,8], f32[8,8]) tuple(s, t))",
                                                    "x=2", {{"s", {"x"}}, {"t", {"", "x"}}}, R"(
one { a = f32[8,8] parameter(0)  ROOT r = f32[8,8] tanh(a) }
two { b = f32[8,8] parameter(0)  ROOT r = f32[8,8] negate(b) }
)");
  EXPECT_EQ(p("s"), "[x, -]");
  EXPECT_EQ(p("two/r"), "[x, -]");
  EXPECT_EQ(p("t"), "[-, x]");
}

TEST(Propagation, WhatIsComputedFromManualValuesIsManualUpToASumOfAll) {
  const std::string lines = R"(
    token = token[] after-all()  fed = (f32[4,8], token[]) infeed(token)
    x = f32[4,8] get-tuple-element(fed), index=0
    w = f32[8,6] parameter(0)  half = bf16[8,6] convert(w)
    y = f32[4,6] dot(x, half), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    dw = f32[8,6] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}
    some = f32[8,6] all-reduce(dw), replica_groups={{0,1},{2,3}}, to_apply=add_f32
    sum = f32[8,6] all-reduce(dw), replica_groups={}, to_apply=add_f32
    next = f32[8,6] subtract(w, sum)
    ROOT r = (f32[8,6], f32[8,6]) tuple(next, some))";
  hlo::Module module = hlo::testing::graph_of_entry(lines, hlo::testing::scalar_functions);
  module.replicas = 4;
  const mesh::Mesh mesh = mesh::Mesh::parse("x=4");
  const testing::Propagated p(module, mesh, {{"x", {"manual"}}, {"w", {"x"}}});
  EXPECT_EQ(p("half"), "[x, -]");
  EXPECT_EQ(p("y"), "manual");
  EXPECT_EQ(p("dw"), "manual");
  EXPECT_EQ(p("some"), "manual");
  EXPECT_EQ(p("sum"), "[x, -]");
  EXPECT_EQ(p("next"), "[x, -]");
  EXPECT_EQ(p("r"), "[x, -] manual");
}

TEST(Propagation, ShardMapsAreManualInside) {
  const testing::Propagated p =
      testing::propagated(R"(
    a = f32[8,4] parameter(0)  b = f32[8,4] tanh(a)
    pinned = f32[8,4] custom-call(b), custom_call_target="Sharding"
    local = f32[4,4] custom-call(pinned), custom_call_target="SPMDFullToShardShape"
    id = u32[] partition-id()  f = f32[] convert(id)  wide = f32[4,4] broadcast(f), dimensions={}
    c = f32[4,4] add(local, wide)
    whole = f32[8,4] custom-call(c), custom_call_target="SPMDShardToFullShape"
    ROOT r = f32[8,4] negate(whole))",
                          "x=2", {{"pinned", {"x"}}, {"local", {"manual"}}, {"whole", {"x"}}});
  EXPECT_EQ(p("a"), "[x, -]");
  EXPECT_EQ(p("b"), "[x, -]");
  for (const char* name : {"local", "id", "f", "wide", "c"}) EXPECT_EQ(p(name), "manual") << name;
  EXPECT_EQ(p("whole"), "[x, -]");
  EXPECT_EQ(p("r"), "[x, -]");
}

TEST(Propagation, ManualLoopStateIsManualForAllItsTrips) {
  const testing::Propagated p = testing::propagated(around_loop, "x=4", {{"body/w", {"manual"}}}, loop);
  EXPECT_EQ(p("last"), "replicated manual replicated");
  EXPECT_EQ(p("y"), "manual");
  EXPECT_EQ(p("body/act"), "manual");
  EXPECT_EQ(p("act"), "replicated");
}

TEST(Propagation, LookupsAndUpdatesOfTables) {
  const testing::Propagated p =
      testing::propagated(R"(
    table = f32[100,16] parameter(0)  ids = s32[8,4,1] parameter(1)
    rows = f32[8,4,16] gather(table, ids), offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0},
      index_vector_dim=2, slice_sizes={1,16}
    g = f32[8,4,16] tanh(rows)  zero = f32[] constant(0)  zeros = f32[100,16] broadcast(zero), dimensions={}
    ROOT dt = f32[100,16] scatter(zeros, ids, g), update_window_dims={2}, inserted_window_dims={0},
      scatter_dims_to_operand_dims={0}, index_vector_dim=2, to_apply=add_f32)",
                          "x=4,y=2", {{"table", {"x", "y"}}, {"ids", {"x"}}, {"dt", {"x", "y"}}});
  EXPECT_EQ(p("rows"), "[x, -, y]");
  EXPECT_EQ(p("g"), "[x, -, y]");
  EXPECT_EQ(p("zeros"), "[x, y]");
}

// A table that is larger than the rows looked up does not determine their sharding: the axis that both have goes to the
// batch.
TEST(Propagation, WhatIsLookedUpIsLaidOutAsItsIndices) {
  const testing::Propagated p = testing::propagated(R"(
    table = f32[1000,16] parameter(0)  ids = s32[8,1] parameter(1)
    ROOT rows = f32[8,16] gather(table, ids), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
      index_vector_dim=1, slice_sizes={1,16})",
                                                    "x=4", {{"table", {"", "x"}}, {"ids", {"x"}}});
  EXPECT_EQ(p("rows"), "[x, -]");
}

TEST(Propagation, WindowsComeLast) {
  const testing::Propagated p = testing::propagated(R"(
    image = f32[8,32,32,4] parameter(0)  k = f32[3,3,4,16] parameter(1)
    y = f32[8,32,32,16] convolution(image, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
    g = f32[8,32,32,16] parameter(2)
    dk = f32[3,3,4,16] convolution(image, g), window={size=32x32 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf
    ROOT r = (f32[8,32,32,16], f32[3,3,4,16]) tuple(y, dk))",
                                                    "x=2,y=4", {{"image", {"x", "y"}}});
  EXPECT_EQ(p("y"), "[x, y, -, -]");
  EXPECT_EQ(p("k"), "replicated");
  EXPECT_EQ(p("g"), "[x, y, -, -]");
  EXPECT_EQ(p("dk"), "replicated");
}

TEST(Propagation, ValuesThatShareABroadcastScalarHaveNothingToDoWithEachOther) {
  const testing::Propagated p = testing::propagated(R"(
    a = f32[8] parameter(0)  b = f32[8] parameter(1)  rate = f32[] parameter(2)
    rates = f32[8] broadcast(rate), dimensions={}
    s = f32[8] multiply(a, rates)  t = f32[8] multiply(b, rates)  ROOT r = (f32[8], f32[8]) tuple(s, t))",
                                                    "x=2", {{"a", {"x"}}});
  EXPECT_EQ(p("s"), "[x]");
  EXPECT_EQ(p("rates"), "[x]");
  EXPECT_EQ(p("t"), "replicated");
  EXPECT_EQ(p("b"), "replicated");
}

// Weights in shards along the axis of the batch: they are gathered, since the batch comes along with the tokens.
TEST(Propagation, TokensBringTheBatchToWhatIsLookedUp) {
  const testing::Propagated p = testing::propagated(R"(
    tokens = s32[8,4] parameter(0)  table = f32[16,8] parameter(1)  w = f32[8,8] parameter(2)
    places = s32[8,4,16] broadcast(tokens), dimensions={0,1}  rows = s32[8,4,16] iota(), iota_dimension=2
    hits = pred[8,4,16] compare(places, rows), direction=EQ  one_hot = f32[8,4,16] convert(hits)
    looked_up = f32[8,4,8] dot(one_hot, table), lhs_contracting_dims={2}, rhs_contracting_dims={0}
    y = f32[8,4,8] dot(looked_up, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
    ROOT residual = f32[8,4,8] add(y, looked_up))",
                                                    "x=2", {{"tokens", {"x"}}, {"w", {"", "x"}}});
  for (const char* name : {"places", "one_hot", "looked_up", "y", "residual"}) EXPECT_EQ(p(name), "[x, -, -]") << name;
  EXPECT_EQ(p("table"), "replicated");
}

TEST(Propagation, UnknownCallsPassNothingOn) {
  const testing::Propagated p = testing::propagated(R"(
    a = f32[8] parameter(0)  b = f32[8] custom-call(a), custom_call_target="what"  ROOT c = f32[8] negate(b))",
                                                    "x=2", {{"a", {"x"}}});
  EXPECT_EQ(p("c"), "replicated");
}

TEST(Propagation, AnnotationsThatDoNotFitNameTheirValue) {
  hlo::Module module = hlo::testing::graph_of_entry("ROOT weights = f32[8] parameter(0)");
  hlo::Sharding sharding;
  sharding.kind = hlo::Sharding::Kind::tiled;
  sharding.tiles = sharding.iota = {3};
  module.computations[0][0].sharding = std::make_shared<const hlo::Sharding>(sharding);
  try {
    propagate(module, mesh::Mesh::parse("x=4"));
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'weights'"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("x=4"), std::string::npos) << error.what();
  }
}

TEST(Propagation, WhyAnAnnotationDoesNotFitIsSaid) {
  const auto problem = [](const std::string& sharding) -> std::string {
    const hlo::Module module =
        hlo::testing::graph_of_entry("ROOT w = f32[8,8] parameter(0), sharding={" + sharding + "}");
    try {
      propagate(module, mesh::Mesh::parse("x=2,y=2"));
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem("devices=[2,2]0,2,1,3"), "");
  EXPECT_NE(problem("devices=[2,1,2]<=[4] last_tile_dims={manual}").find("manual along a part"), std::string::npos);
  EXPECT_NE(problem("devices=[2,2]0,1,3,2").find("in an order that no axes"), std::string::npos);
  EXPECT_NE(problem("devices=[2,4]<=[8]").find("on 8 devices, the mesh x=2,y=2 has 4"), std::string::npos);
}

}  // namespace
}  // namespace podsim::hlo::spmd::propagate
