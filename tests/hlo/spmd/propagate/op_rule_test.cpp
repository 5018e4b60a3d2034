// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/op_rule.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <string>

#include "tests/hlo/convolutions.h"
#include "tests/hlo/hlo_text.h"
#include "tests/hlo/spmd/cut_op.h"

namespace podsim::hlo::spmd::propagate {
namespace {

using hlo::testing::graph_of_entry;
using hlo::testing::scalar_functions;
using testing::OpUnderTest;
using Kind = Factor::Kind;

const std::string computations = hlo::testing::scalar_functions + R"(
min_f32 { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] minimum(y, x) }
mul_f32 { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] multiply(x, y) }
sub_f32 { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] subtract(x, y) }
ge_f32 { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = pred[] compare(x, y), direction=GE }
or_pred { x = pred[] parameter(0)  y = pred[] parameter(1)  ROOT r = pred[] or(x, y) }
and_pred { x = pred[] parameter(0)  y = pred[] parameter(1)  ROOT r = pred[] and(x, y) }
neg_f32 { x = f32[] parameter(0)  ROOT r = f32[] negate(x) }
larger { a = f32[] parameter(0)  i = s32[] parameter(1)  b = f32[] parameter(2)  j = s32[] parameter(3)
  p = pred[] compare(a, b), direction=GT  x = f32[] select(p, a, b)  y = s32[] select(p, i, j)
  ROOT r = (f32[], s32[]) tuple(x, y) }
first_less { a = f32[] parameter(0)  b = f32[] parameter(1)  c = f32[] parameter(2)  d = f32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=LT }
)";

hlo::Module op_module(const std::string& lines) { return hlo::testing::graph_of_entry(lines, computations); }

/// "p*" parallel, "r*" reduction, "s*" shifted, "x*" special, "w*" whole, numbered by first appearance; arrays of
/// operands, then "->" and the results: "[p0,r0] [r0,p1] -> [p0,p1]".
std::string text_of(const OpRule& rule) {
  std::map<Kind, int> counts;
  std::map<int, std::string> names;
  const auto name = [&](int factor) {
    const Kind kind = rule.factors[std::size_t(factor)].kind;
    if (!names.contains(factor)) names[factor] = "prsxw"[int(kind)] + std::to_string(counts[kind]++);
    return names[factor];
  };
  std::string text;
  const auto append = [&](const std::vector<OpRule::Array>& arrays) {
    for (const OpRule::Array& array : arrays) {
      text += text.empty() ? "[" : " [";
      for (std::size_t d = 0; d < array.size(); ++d) {
        text += d > 0 ? "," : "";
        for (std::size_t i = 0; i < array[d].size(); ++i) text += (i > 0 ? "." : "") + name(array[d][i]);
        if (array[d].empty()) text += "1";
      }
      text += "]";
    }
  };
  append(rule.operands);
  text += text.empty() ? "->" : " ->";
  append(rule.results);
  return text;
}

/// An op, and the rule that follows from its definition.
struct Example {
  std::string lines, rule;
};

const Example examples[] = {
    {"x = f32[3,4] parameter(0)  y = f32[3,4] parameter(1)  ROOT r = f32[3,4] add(x, y)", "[p0,p1] [p0,p1] -> [p0,p1]"},
    {"c = pred[] parameter(0)  x = f32[3] parameter(1)  y = f32[3] parameter(2)  ROOT r = f32[3] select(c, x, y)",
     "[] [p0] [p0] -> [p0]"},
    {"a = f32[] parameter(0)  x = f32[3] parameter(1)  b = f32[3] parameter(2)  ROOT r = f32[3] clamp(a, x, b)",
     "[] [p0] [p0] -> [p0]"},
    {"x = f32[3,4] parameter(0)  ROOT r = f32[3,4] map(x), dimensions={0,1}, to_apply=neg_f32", "[p0,p1] -> [p0,p1]"},
    {"x = f32[3] parameter(0)  ROOT r = f32[2,3,4] broadcast(x), dimensions={1}", "[p0] -> [p1,p0,p2]"},
    {"x = f32[2,3,4] parameter(0)  ROOT r = f32[4,2,3] transpose(x), dimensions={2,0,1}", "[p0,p1,p2] -> [p2,p0,p1]"},
    {"ROOT r = f32[2,3] iota(), iota_dimension=1", "->[p0,x0]"},
    {"ROOT r = f32[2,3] constant({{1,2,3},{4,5,6}})", "->[x0,x1]"},
    // Reshapes: borders in common, sizes of one, and none in common.
    {"x = f32[6] parameter(0)  ROOT r = f32[2,3] reshape(x)", "[p0.p1] -> [p0,p1]"},
    {"x = f32[4,1,3] parameter(0)  ROOT r = f32[1,12] reshape(x)", "[p0,1,p1] -> [1,p0.p1]"},
    {"x = f32[4,6] parameter(0)  ROOT r = f32[8,3] reshape(x)", "[p0,p1.p2] -> [p0.p1,p2]"},
    {"x = f32[4,6] parameter(0)  ROOT r = f32[6,4] reshape(x)", "[p0.w0,w1] -> [p0.w2,w3]"},
    {"x = f32[5,4,3,7] parameter(0)  ROOT r = f32[5,3,4,7] reshape(x)", "[p0,w0,w1,p1] -> [p0,w2,w3,p1]"},
    {"x = f32[5,3,4,2] parameter(0)  ROOT r = f32[5,2,12] reshape(x)", "[p0,w0,w1,w2] -> [p0,w3,w4]"},
    {"x = f32[1,1] parameter(0)  ROOT r = f32[] reshape(x)", "[1,1] -> []"},
    {"x = f32[3,4] parameter(0)  ROOT r = f32[12] bitcast(x)", "[p0,p1] -> [p0.p1]"},
    {"x = f32[3,4]{0,1} parameter(0)  ROOT r = f32[12]{0} bitcast(x)", "[w0,w1] -> [w2]"},
    {"x = f32[3,4] parameter(0)  ROOT r = u16[3,4,2] bitcast-convert(x)", "[p0,p1] -> [p0,p1,w0]"},
    // Products.
    {"x = f32[5,3,4] parameter(0)  y = f32[4,5,2] parameter(1)  ROOT r = f32[5,3,2] dot(x, y), lhs_batch_dims={0}, "
     "lhs_contracting_dims={2}, rhs_batch_dims={1}, rhs_contracting_dims={0}",
     "[p0,p1,r0] [r0,p0,p2] -> [p0,p1,p2]"},
    {"x = f32[2,6,6,3] parameter(0)  k = f32[3,3,3,4] parameter(1)  ROOT r = f32[2,6,6,4] convolution(x, k), "
     "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
     "[p0,s0,s1,r0] [w0,w1,r0,p1] -> [p0,s0,s1,p1]"},
    {"x = f32[2,6,6,3] parameter(0)  k = f32[1,1,3,4] parameter(1)  ROOT r = f32[2,6,6,4] convolution(x, k), "
     "window={size=1x1}, dim_labels=b01f_01io->b01f",
     "[p0,p1,p2,r0] [1,1,r0,p3] -> [p0,p1,p2,p3]"},
    // The gradient of that one's kernel, and of the one before: windows as large as the image.
    {"x = f32[2,6,6,3] parameter(0)  g = f32[2,6,6,4] parameter(1)  ROOT r = f32[1,1,3,4] convolution(x, g), "
     "window={size=6x6}, dim_labels=f01b_i01o->01bf",
     "[r0,r1,r2,p0] [r0,r1,r2,p1] -> [1,1,p0,p1]"},
    {"x = f32[2,6,6,3] parameter(0)  g = f32[2,6,6,4] parameter(1)  ROOT r = f32[3,3,3,4] convolution(x, g), "
     "window={size=6x6 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf",
     "[r0,s0,s1,p0] [r0,s0,s1,p1] -> [w0,w1,p0,p1]"},
    // Depthwise, in two groups, and the gradient of grouped kernels.
    {"x = f32[2,6,6] parameter(0)  k = f32[3,1,6] parameter(1)  ROOT r = f32[2,6,6] convolution(x, k), "
     "window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f, feature_group_count=6",
     "[p0,s0,p1] [w0,1,p1] -> [p0,s0,p1]"},
    {"x = f32[2,6,6] parameter(0)  k = f32[3,3,4] parameter(1)  ROOT r = f32[2,6,4] convolution(x, k), "
     "window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f, feature_group_count=2",
     "[p0,s0,p1.r0] [w0,r0,p1.p2] -> [p0,s0,p1.p2]"},
    {"x = f32[6,6,2] parameter(0)  k = f32[6,2,4] parameter(1)  ROOT r = f32[3,1,4] convolution(x, k), "
     "window={size=6}, dim_labels=b0f_0io->b0f, batch_group_count=2",
     "[p0.p1,r0,r1] [r0,r1,p0.p2] -> [p1,1,p0.p2]"},
    // Reductions and windows.
    {"x = f32[3,4] parameter(0)  z = f32[] parameter(1)  ROOT r = f32[3] reduce(x, z), dimensions={1}, "
     "to_apply=add_f32",
     "[p0,r0] [] -> [p0]"},
    {"x = f32[3,4] parameter(0)  z = f32[] parameter(1)  ROOT r = f32[4] reduce(x, z), dimensions={0}, "
     "to_apply=min_f32",
     "[r0,p0] [] -> [p0]"},
    {"x = f32[3,4] parameter(0)  z = f32[] parameter(1)  ROOT r = f32[3] reduce(x, z), dimensions={1}, "
     "to_apply=sub_f32",
     "[p0,w0] [] -> [p0]"},
    {"x = pred[3,4] parameter(0)  z = pred[] parameter(1)  ROOT r = pred[3] reduce(x, z), dimensions={1}, "
     "to_apply=or_pred",
     "[p0,r0] [] -> [p0]"},
    {"x = f32[3,4] parameter(0)  i = s32[3,4] parameter(1)  z = f32[] parameter(2)  k = s32[] parameter(3)  "
     "ROOT r = (f32[3], s32[3]) reduce(x, i, z, k), dimensions={1}, to_apply=larger",
     "[p0,w0] [p0,w1] [] [] -> [p0] [p0]"},
    {"x = f32[2,6,3] parameter(0)  z = f32[] parameter(1)  ROOT r = f32[2,3,3] reduce-window(x, z), "
     "window={size=1x2x1 stride=1x2x1}, to_apply=max_f32",
     "[p0,s0,p1] [] -> [p0,s0,p1]"},
    {"x = f32[2,6,3] parameter(0)  z = f32[] parameter(1)  ROOT r = f32[2,1,3] reduce-window(x, z), "
     "window={size=1x6x1}, to_apply=add_f32",
     "[p0,r0,p1] [] -> [p0,1,p1]"},
    {"x = f32[2,6] parameter(0)  z = f32[] parameter(1)  ROOT r = f32[2,6] reduce-window(x, z), "
     "window={size=1x6 pad=0_0x5_0}, to_apply=add_f32",
     "[p0,w0] [] -> [p0,w1]"},
    {"x = f32[2,6] parameter(0)  s = f32[2,3] parameter(1)  z = f32[] parameter(2)  ROOT r = f32[2,6] "
     "select-and-scatter(x, s, z), window={size=1x2 stride=1x2}, select=ge_f32, scatter=add_f32",
     "[p0,s0] [p0,s0] [] -> [p0,s0]"},
    // Positions given by constants.
    {"x = f32[3,4] parameter(0)  z = f32[] parameter(1)  ROOT r = f32[3,6] pad(x, z), padding=0_0x1_1",
     "[p0,s0] [] -> [p0,s0]"},
    {"x = f32[3,4] parameter(0)  ROOT r = f32[3,2] slice(x), slice={[0:3], [1:3]}", "[p0,s0] -> [p0,s0]"},
    {"x = f32[3,4] parameter(0)  y = f32[3,2] parameter(1)  ROOT r = f32[3,6] concatenate(x, y), dimensions={1}",
     "[p0,s0] [p0,s0] -> [p0,s0]"},
    {"x = f32[3,4] parameter(0)  ROOT r = f32[3,4] reverse(x), dimensions={1}", "[p0,s0] -> [p0,s0]"},
    // Positions given by indices.
    {"x = f32[5,4] parameter(0)  i = s32[2,3] parameter(1)  ROOT r = f32[2,3,4] gather(x, i), offset_dims={2}, "
     "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, slice_sizes={1,4}",
     "[x0,p0] [p1,p2] -> [p1,p2,p0]"},
    {"x = f32[5,4,6] parameter(0)  i = s32[2,2] parameter(1)  ROOT r = f32[2,4,3] gather(x, i), offset_dims={1,2}, "
     "collapsed_slice_dims={0}, start_index_map={0,2}, index_vector_dim=1, slice_sizes={1,4,3}",
     "[x0,p0,x1] [p1,w0] -> [p1,p0,w1]"},
    {"x = f32[5,4] parameter(0)  i = s32[3,5,1] parameter(1)  ROOT r = f32[3,5] gather(x, i), offset_dims={}, "
     "collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={1}, "
     "index_vector_dim=2, slice_sizes={1,1}",
     "[p0,x0] [p1,p0,1] -> [p1,p0]"},
    {"x = f32[5,4] parameter(0)  i = s32[3,1] parameter(1)  u = f32[3,4] parameter(2)  ROOT r = f32[5,4] "
     "scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=add_f32",
     "[x0,p0] [r0,1] [r0,p0] -> [x0,p0]"},
    {"x = f32[5,4] parameter(0)  i = s32[3,1] parameter(1)  u = f32[3,4] parameter(2)  ROOT r = f32[5,4] "
     "scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=second_f32",
     "[x0,p0] [w0,1] [w1,p0] -> [x0,p0]"},
    {"x = f32[5,4] parameter(0)  i = s32[5,3,1] parameter(1)  u = f32[5,3] parameter(2)  ROOT r = f32[5,4] "
     "scatter(x, i, u), update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
     "input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=max_f32",
     "[p0,x0] [p0,r0,1] [p0,r0] -> [p0,x0]"},
    {"x = f32[5,4] parameter(0)  i = s32[] parameter(1)  j = s32[] parameter(2)  ROOT r = f32[2,4] "
     "dynamic-slice(x, i, j), dynamic_slice_sizes={2,4}",
     "[x0,p0] [] [] -> [w0,p0]"},
    {"x = f32[5,4] parameter(0)  u = f32[2,4] parameter(1)  i = s32[] parameter(2)  j = s32[] parameter(3)  "
     "ROOT r = f32[5,4] dynamic-update-slice(x, u, i, j)",
     "[x0,p0] [w0,p0] [] [] -> [x0,p0]"},
    // The rest.
    {"x = f32[3,4] parameter(0)  ROOT r = f32[3,4] sort(x), dimensions={1}, to_apply=less_f32", "[p0,w0] -> [p0,w1]"},
    {"x = f32[3,4] parameter(0)  y = f32[3,4] parameter(1)  ROOT r = (f32[3,4], f32[3,4]) sort(x, y), dimensions={0}, "
     "to_apply=first_less",
     "[w0,p0] [w1,p0] -> [w2,p0] [w3,p0]"},
    {"x = f32[3,4] parameter(0)  ROOT r = (f32[3,2], s32[3,2]) topk(x), k=2, largest=true",
     "[p0,w0] -> [p0,w1] [p0,w2]"},
    {"a = f32[3,2,2] parameter(0)  b = f32[3,2,5] parameter(1)  ROOT r = f32[3,2,5] triangular-solve(a, b), "
     "left_side=true, lower=true, transpose_a=NO_TRANSPOSE",
     "[p0,w0,w1] [p0,w2,p1] -> [p0,w3,p1]"},
    {"x = f32[4,6,3] parameter(0)  s = f32[3] parameter(1)  o = f32[3] parameter(2)  ROOT r = (f32[4,6,3], f32[3], "
     "f32[3]) batch-norm-training(x, s, o), epsilon=0.1, feature_index=2",
     "[x0,x1,p0] [p0] [p0] -> [x0,x1,p0] [p0] [p0]"},
    {"x = f32[4,6,3] parameter(0)  s = f32[3] parameter(1)  o = f32[3] parameter(2)  m = f32[3] parameter(3)  v = "
     "f32[3] parameter(4)  ROOT r = f32[4,6,3] batch-norm-inference(x, s, o, m, v), epsilon=0.1, feature_index=2",
     "[p0,p1,p2] [p2] [p2] [p2] [p2] -> [p0,p1,p2]"},
    {"x = f32[3] parameter(0)  y = f32[2] parameter(1)  ROOT r = (f32[3], f32[2]) tuple(x, y)",
     "[p0] [p1] -> [p0] [p1]"},
    {"x = (f32[3], (f32[2], f32[4])) parameter(0)  ROOT r = (f32[2], f32[4]) get-tuple-element(x), index=1",
     "[w0] [p0] [p1] -> [p0] [p1]"},
    {"x = f32[3] parameter(0)  ROOT r = f32[3] custom-call(x), custom_call_target=\"Sharding\"", "[p0] -> [p0]"},
    {"x = f32[3] parameter(0)  ROOT r = f32[3] custom-call(x), custom_call_target=\"something\"", "[w0] -> [w1]"},
};

TEST(OpRule, IsTheOneThatFollowsFromTheDefinitionOfEachOp) {
  for (const Example& example : examples) {
    const hlo::Module module = op_module(example.lines);
    const hlo::Computation& entry = module.entry_computation();
    std::string text = text_of(op_rule(module, entry, entry.root));
    if (text.starts_with("-> ")) text.erase(2, 1);
    EXPECT_EQ(text, example.rule) << example.lines;
  }
}

TEST(OpRule, SlicesOfOperandsGiveSlicesOfResultsOrPartsOfASum) {
  int evaluated = 0;
  for (const Example& example : examples) {
    // Ops that do not only compute arrays from arrays.
    const auto has = [&](const char* text) { return example.lines.find(text) != std::string::npos; };
    if (has("something") || has("bitcast") || has("(f32[3], (")) continue;
    testing::OpUnderTest(op_module(example.lines)).check_all(7);
    ++evaluated;
  }
  EXPECT_GT(evaluated, 50);
}

TEST(OpRule, OfAnyReshape) {
  EXPECT_TRUE(rc::check([] {
    // Both sides are the same prime factors, joined at random; some of size 1.
    std::vector<std::int64_t> primes;
    for (int i = 0, count = *rc::gen::inRange(0, 6); i < count; ++i) primes.push_back(*rc::gen::element(2, 2, 3, 5));
    const auto joined = [&] {
      std::vector<std::int64_t> order = primes, sizes;
      for (std::size_t i = order.size(); i > 1; --i) {
        if (*rc::gen::inRange(0, 3) == 0) std::swap(order[i - 1], order[std::size_t(*rc::gen::inRange(0, int(i)))]);
      }
      for (const std::int64_t prime : order) {
        if (sizes.empty() || *rc::gen::arbitrary<bool>()) sizes.push_back(1);
        sizes.back() *= prime;
      }
      if (*rc::gen::inRange(0, 3) == 0) sizes.insert(sizes.begin() + *rc::gen::inRange(0, int(sizes.size()) + 1), 1);
      return sizes;
    };
    build::GraphBuilder builder("reshape");
    const hlo::InstructionId x = builder.parameter(hlo::make_shape(hlo::ElementType::f32, joined()), "x");
    const hlo::InstructionId y = builder.reshape(x, joined());
    if (y == x) return;
    const hlo::Module module = std::move(builder).build(y);
    const testing::OpUnderTest op(module);
    testing::expect_sizes(op.rule(), op.rule().operands[0], module.entry_computation()[0].shape);
    testing::expect_sizes(op.rule(), op.rule().results[0], op.op().shape);
    op.check_all(3);
    RC_ASSERT(!::testing::Test::HasFailure());
  }));
}

TEST(OpRule, OfAnyConvolution) {
  EXPECT_TRUE(rc::check([] {
    const hlo::testing::RandomConvolution random = *hlo::testing::random_convolution();
    build::GraphBuilder builder("convolution");
    const hlo::InstructionId x = builder.parameter(hlo::make_shape(hlo::ElementType::f32, random.input), "x");
    const hlo::InstructionId k = builder.parameter(hlo::make_shape(hlo::ElementType::f32, random.kernel), "k");
    const hlo::InstructionId y = random.write(builder, x, k);
    const testing::OpUnderTest op(std::move(builder).build(y));
    op.check_all(5);
    RC_ASSERT(!::testing::Test::HasFailure());
  }));
}

}  // namespace
}  // namespace podsim::hlo::spmd::propagate
