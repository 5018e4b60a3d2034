// SPDX-License-Identifier: Apache-2.0
// Shapes of results by the closed forms of XLA's operation semantics, and instructions that break a rule.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "hlo/graph.h"
#include "hlo/opcode.h"
#include "hlo/rules/shape_inference.h"
#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"
#include "hlo/text/shape_check.h"

namespace podsim::hlo::rules {
namespace {

const std::string computations = R"(HloModule m
add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(x, y) }
both { x = f32[] parameter(0)  i = s32[] parameter(1)  y = f32[] parameter(2)  j = s32[] parameter(3)
  a = f32[] add(x, y)  k = s32[] add(i, j)  ROOT r = (f32[], s32[]) tuple(a, k) }
three { x = f32[] parameter(0)  y = f32[] parameter(1)  z = f32[] parameter(2)  ROOT r = f32[] add(x, y) }
mixed { x = s32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] negate(y) }
whole { x = s32[] parameter(0)  y = s32[] parameter(1)  ROOT r = s32[] add(x, y) }
less { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = pred[] compare(x, y), direction=LT }
less_of_two { x = f32[] parameter(0)  y = f32[] parameter(1)  i = s32[] parameter(2)  j = s32[] parameter(3)
  ROOT r = pred[] compare(x, y), direction=LT }
one { x = f32[] parameter(0)  ROOT r = f32[] negate(x) }
row { x = f32[] parameter(0)  ROOT r = f32[2] broadcast(x), dimensions={} }
half { x = f32[8] parameter(0)  ROOT r = f32[4] slice(x), slice={[0:4]} }
same { x = f32[8] parameter(0)  ROOT r = f32[8] negate(x) }
go { x = f32[8] parameter(0)  ROOT r = pred[] constant(false) }
count { x = f32[8] parameter(0)  ROOT r = s32[] constant(1) }
ENTRY main {
  p = f32[8] parameter(0)
  q = f32[4,6] parameter(1)
  s = f32[] parameter(2)
  i = s32[] parameter(3)
  n = s32[4] parameter(4)
  m = f32[4,4] parameter(5)
  b = f32[2,3,3] parameter(6)
  c = c64[8] parameter(7)
  k = pred[8] parameter(8)
  g = f32[2,7,9,4] parameter(9)
  w = f32[3,2,4,6] parameter(10)
  t = (f32[8], f32[8]) parameter(11)
  e = f32[2,3,5] parameter(12)
  v = s32[5,2] parameter(13)
  d = f64[8] parameter(14)
  u = u8[4,4] parameter(15)
  z = pred[] parameter(16)
  h = bf16[8] parameter(17)
  f = f32[5,6] parameter(18)
  l = s32[8] parameter(19)
  o = s32[2] parameter(20)
  y = f32[6] parameter(21)
  a = f32[3,3,5] parameter(22)
  j = c64[2,2,2] parameter(23)
  ROOT r = )";

/// What is found in a line; "" if nothing is.
std::string fault_of(const std::string& line) {
  const text::ReadResult read = text::read("test", computations + line + "\n}\n");
  if (!read.ok()) return "not read: " + read.diagnostics.front().message;
  const auto found = text::check_shapes(read.modules[0], text::graph::to_graph(read.modules[0]));
  return found.empty() ? "" : found.front().message;
}

struct Line {
  std::string text, fault = "";
};

void expect_all(const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    const std::string fault = fault_of(line.text);
    if (line.fault.empty()) {
      EXPECT_EQ(fault, "") << line.text;
    } else {
      EXPECT_NE(fault.find(line.fault), std::string::npos) << line.text << "\n" << fault;
    }
  }
}

TEST(Shapes, OfElementwiseOperations) {
  expect_all({{"f32[8] add(p, p)"},
              {"f32[8] add(p, h)"},  // types of floats may differ, as in mixed precision
              {"f32[8] add(p, q)", "operand 'q' is [4,6]"},
              {"f32[8] add(p, l)", "differ"},
              {"f32[8] add(p, t)", "an operand is no array"},
              {"(f32[8], f32[8]) negate(p)", "its result is no array"},
              {"f32[8] negate(t)", "an operand is no array"},
              {"f32[4] negate(p)", "operand 'p' is [8]"},
              {"pred[8] compare(p, p), direction=LT"},
              {"f32[8] compare(p, p), direction=LT", "its operands give pred[8]"},
              {"pred[8] is-finite(p)"},
              {"s32[8] convert(p)"},
              {"f32[8] real(c)"},
              {"f32[8] imag(c)"},
              {"f32[8] abs(c)"},
              {"c64[8] abs(c)", "its operands give f32[8]"},
              {"f32[8] abs(p)"},
              {"c64[8] complex(p, p)"},
              {"c128[8] complex(d, d)"},
              {"c64[8] complex(h, h)", "complex takes f32 or f64"},
              {"c64[8] complex(p, q)", "operand 'q' is [4,6]"},
              {"f32[8] select(k, p, p)"},
              {"f32[8] select(z, p, p)"},
              {"f32[8] select(p, p, p)", "something other than pred"},
              {"f32[4,6] select(k, q, q)", "predicate has another shape"},
              {"f32[8] select(k, p, q)", "differ"},
              {"f32[8] clamp(s, p, s)"},
              {"f32[8] clamp(p, p, p)"},
              {"f32[8] clamp(q, p, s)", "differ"},
              {"f32[8] clamp(s, p, q)", "differ"},
              {"f32[8] clamp(i, p, s)", "differ"},
              {"f32[8] reduce-precision(p), exponent_bits=5, mantissa_bits=0"},
              {"f32[8] reduce-precision(p), exponent_bits=0, mantissa_bits=3", "at least one bit"},
              {"s32[8] reduce-precision(l), exponent_bits=5, mantissa_bits=3", "of real numbers"}});
}

TEST(Shapes, OfArraysThatMove) {
  expect_all({{"f32[4] iota(), iota_dimension=0"},
              {"f32[4] iota(), iota_dimension=1", "iota dimension out of range"},
              {"f32[4,8] broadcast(p), dimensions={1}"},
              {"f32[4,8] broadcast(p), dimensions={0}", "broadcast changes a dimension"},
              {"f32[4,8] broadcast(p), dimensions={2}", "broadcast dimensions out of range"},
              {"f32[4,8] broadcast(p), dimensions={}", "another number of dimensions"},
              {"s32[4,8] broadcast(p), dimensions={1}", "changes the element type"},
              {"f32[3,8] reshape(q)"},
              {"f32[5,5] reshape(q)", "changes the number of elements"},
              {"s32[24] reshape(q)", "changes the element type"},
              {"f32[24] reshape(t)", "needs an array"},
              {"s32[8] bitcast-convert(p)"},
              {"f32[4] bitcast-convert(u)"},
              {"u8[8,4] bitcast-convert(p)"},
              {"f64[4] bitcast-convert(p)", "does not make up an element"},
              {"u8[8,2] bitcast-convert(p)", "its operands give u8[8,4]"},
              {"f32[6,4] transpose(q), dimensions={1,0}"},
              {"f32[4,6] transpose(q), dimensions={1,0}", "its operands give f32[6,4]"},
              {"f32[4,6] transpose(q), dimensions={0,0}", "not a permutation"},
              {"f32[4] transpose(q), dimensions={0}", "not a permutation"},
              {"f32[4,6] reverse(q), dimensions={1}"},
              {"f32[4,6] reverse(q), dimensions={2}", "bad reverse dimensions"},
              {"f32[4,6] reverse(q), dimensions={0,0}", "bad reverse dimensions"},
              {"f32[17] pad(p, s), padding=1_1_1"},
              {"f32[5] pad(p, s), padding=-1_-2"},
              {"f32[16] pad(p, s), padding=1_1_1", "its operands give f32[17]"},
              {"f32[8] pad(p, p), padding=0_0", "differ"},
              {"f32[8] pad(p, s), padding=0_0x0_0", "another number of dimensions"},
              {"f32[8] pad(p, s), padding=0_0_-1", "negative interior"},
              {"f32[8] pad(p, s), padding=1099511627776_0", "more padding than there is memory"},
              {"f32[0] pad(p, s), padding=-9_0", "removes more than there is"},
              {"f32[3] slice(p), slice={[1:7:2]}"},
              {"f32[3] slice(p), slice={[1:6:2]}"},
              {"f32[2] slice(p), slice={[1:6:2]}", "its operands give f32[3]"},
              {"f32[8] slice(p), slice={[1:9]}", "slice out of range"},
              {"f32[0] slice(p), slice={[8:8]}"},
              {"f32[1] slice(p), slice={[7:6]}", "ends where it starts or later"},
              {"f32[4] slice(q), slice={[0:4]}", "another number of dimensions"},
              {"f32[2,3] dynamic-slice(q, i, i), dynamic_slice_sizes={2,3}"},
              {"f32[2,3] dynamic-slice(q, o), dynamic_slice_sizes={2,3}"},
              {"f32[2,3] dynamic-slice(q, n), dynamic_slice_sizes={2,3}", "a start for every dimension"},
              {"f32[2,3] dynamic-slice(q, i), dynamic_slice_sizes={2,3}", "a start for every dimension"},
              {"f32[2,3] dynamic-slice(q, i, s), dynamic_slice_sizes={2,3}", "starts are integers"},
              {"f32[2,3] dynamic-slice(q, i, n), dynamic_slice_sizes={2,3}", "needs a scalar"},
              {"f32[2,7] dynamic-slice(q, i, i), dynamic_slice_sizes={2,7}", "larger than the operand"},
              {"f32[2] dynamic-slice(q, i, i), dynamic_slice_sizes={2}", "another number of dimensions"},
              {"f32[4,6] dynamic-update-slice(q, m, i, i)"},
              {"f32[4,4] dynamic-update-slice(m, q, i, i)", "update is larger"},
              {"f32[4,6] dynamic-update-slice(q, p, i, i)", "another type or rank"},
              {"f32[4,6] dynamic-update-slice(q, u, i, i)", "another type or rank"},
              {"f32[4,6] dynamic-update-slice(q, m, i)", "a start for every dimension"},
              {"f32[4,10] concatenate(q, m), dimensions={1}"},
              {"f32[8,6] concatenate(q, m), dimensions={0}", "differ"},
              {"f32[16] concatenate(p, p), dimensions={1}", "out of range"},
              {"f32[12] concatenate(p, q), dimensions={0}", "different ranks or types"},
              {"f32[16] concatenate(p, l), dimensions={0}", "different ranks or types"},
              {"f32[8] concatenate(t, p), dimensions={0}", "needs an array"}});
}

TEST(Shapes, OfContractionsAndWindows) {
  const std::string conv = "convolution(g, w), dim_labels=b01f_01io->b01f, window=";
  const std::string wrong = "convolution(g, w), dim_labels=";
  expect_all({
      {"f32[2,5,8,6] " + conv + "{size=3x2}"},
      {"f32[2,7,9,6] " + conv + "{size=3x2 pad=1_1x0_1}"},
      {"f32[2,3,4,6] " + conv + "{size=3x2 stride=2x2}"},
      {"f32[2,3,8,6] " + conv + "{size=3x2 rhs_dilate=2x1}"},
      {"f32[2,11,8,6] " + conv + "{size=3x2 lhs_dilate=2x1}"},
      {"f32[2,5,8,6] " + conv + "{size=2x2}", "window and kernel sizes differ"},
      {"f32[2,5,8,6] " + conv + "{size=3}", "window"},
      {"f32[2,5,8,6] " + conv + "{size=3x2 stride=0x1}", "a stride is at least 1"},
      {"f32[2,5,8,6] " + conv + "{size=3x2 rhs_dilate=0x1}", "a dilation is at least 1"},
      {"f32[2,5,8,6] " + conv + "{size=3x2 lhs_dilate=0x1}", "a dilation is at least 1"},
      {"f32[2,5,8,6] " + conv + "{size=3x2 pad=0_4294967296x0_0}", "beyond memory"},
      {"f32[2,5,8,6] " + conv + "{size=3x2 pad=-4294967296_0x0_0}", "beyond memory"},
      {"f32[2,5,8,6] " + conv + "{size=3x2 stride=2147483648x1}", "beyond memory"},
      {"f32[2,5,8,6] " + conv + "{size=3x2 lhs_dilate=2097152x1}", "base dilation above"},
      {"f32[2,5,8,4] " + wrong + "b01f_01oi->b01f, window={size=3x2}", "features differ"},
      {"f32[2,5,8,6] " + conv + "{size=3x2}, feature_group_count=2", "features differ"},
      {"f32[1,5,8,6] " + conv + "{size=3x2}, batch_group_count=2"},
      {"f32[1,5,8,6] " + conv + "{size=3x2}, batch_group_count=4", "groups of unequal sizes"},
      {"f32[2,5,8,6] " + conv + "{size=3x2}, feature_group_count=0", "at least 1"},
      {"f32[4,4] dot(q, q), lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
      {"f32[6,6] dot(q, q), lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
      {"f32[2,3,5] dot(b, e), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={1}"},
      {"f32[4,6] dot(q, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "contracting sizes differ"},
      {"f32[2] dot(q, q), lhs_contracting_dims={1}, rhs_contracting_dims={}", "different numbers"},
      {"f32[2] dot(q, q), lhs_contracting_dims={2}, rhs_contracting_dims={1}", "bad dot dimension numbers"},
      {"f32[2] dot(q, q), lhs_contracting_dims={1}, rhs_contracting_dims={2}", "bad dot dimension numbers"},
      {"f32[2] dot(q, b), lhs_batch_dims={0}, rhs_batch_dims={0}", "batch sizes differ"},
      {"f32[2] dot(t, q), lhs_contracting_dims={0}, rhs_contracting_dims={0}", "needs an array"},
      {"f32[6] reduce(q, s), dimensions={0}, to_apply=add"},
      {"f32[] reduce(q, s), dimensions={0,1}, to_apply=add"},
      {"f32[6] reduce(q, s), dimensions={2}, to_apply=add", "bad reduce dimensions"},
      {"f32[6] reduce(q, p), dimensions={0}, to_apply=add", "differ"},
      {"f32[6] reduce(q, s), dimensions={0}, to_apply=three", "another number of parameters"},
      {"f32[6] reduce(q, s), dimensions={0}, to_apply=mixed", "differ"},
      {"f32[6] reduce(q, s), dimensions={0}, to_apply=whole", "differ"},
      {"f32[6] reduce(q, s), dimensions={0}, to_apply=less", "differ"},
      {"f32[6] reduce(q, s, s), dimensions={0}, to_apply=add", "an initial value for every array"},
      {"(f32[], s32[]) reduce(p, l, s, i), dimensions={0}, to_apply=both"},
      {"(f32[6], s32[6]) reduce(q, l, s, i), dimensions={0}, to_apply=both", "different dimensions"},
      {"(f32[], s32[]) reduce(p, l, i, s), dimensions={0}, to_apply=both", "differ"},
      {"f32[3,3] reduce-window(q, s), window={size=2x2 stride=1x2}, to_apply=add"},
      {"f32[3] reduce-window(q, s), window={size=2}, to_apply=add", "another rank"},
      {"f32[4,6] select-and-scatter(q, e, s), window={size=2x2 stride=2x2}, select=less, scatter=add", "differ"},
      {"f32[8] select-and-scatter(p, p, s), window={size=1}, select=less, scatter=add"},
      {"f32[8] select-and-scatter(p, p, p), window={size=1}, select=less, scatter=add", "differ"},
      {"f32[8] select-and-scatter(p, p, s), window={size=1}, select=add, scatter=add", "differ"},
      {"f32[8] select-and-scatter(p, p, s), window={size=1}, select=less, scatter=less", "differ"},
      {"f32[8] select-and-scatter(p, p, s), window={size=1 rhs_dilate=2}, select=less, scatter=add", "no dilation"},
  });
}

TEST(Shapes, OfGathersSortsAndMaps) {
  const std::string rows = "gather(q, n), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, ";
  const std::string cells = "gather(q, v), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, ";
  const std::string into =
      ", update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
      "index_vector_dim=1, to_apply=add";
  expect_all({
      {"f32[4,6] " + rows + "index_vector_dim=1, slice_sizes={1,6}"},
      {"f32[4,3] " + rows + "index_vector_dim=1, slice_sizes={1,3}"},
      {"f32[4,7] " + rows + "index_vector_dim=1, slice_sizes={1,7}", "larger than the operand"},
      {"f32[4,6] " + rows + "index_vector_dim=1, slice_sizes={2,6}", "has size 1 in a slice"},
      {"f32[4,6] " + rows + "index_vector_dim=1, slice_sizes={1}", "another number of dimensions"},
      {"f32[4,6] " + rows + "index_vector_dim=2, slice_sizes={1,6}", "index_vector_dim out of range"},
      {"f32[4,6] " + rows + "index_vector_dim=0, slice_sizes={1,6}", "differ in length"},
      {"f32[5] " + cells + "index_vector_dim=1, slice_sizes={1,1}"},
      {"f32[5] gather(q, q), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=1, "
       "slice_sizes={1,1}",
       "indices are integers"},
      {"f32[5] gather(q, v), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,0}, index_vector_dim=1, "
       "slice_sizes={1,1}",
       "bad index map"},
      {"f32[5] gather(q, v), offset_dims={}, collapsed_slice_dims={0,0}, start_index_map={0,1}, index_vector_dim=1, "
       "slice_sizes={1,1}",
       "bad collapsed"},
      {"f32[5,1] gather(q, v), offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0,1}, index_vector_dim=1, "
       "slice_sizes={1,1}",
       "bad offset"},
      {"f32[4,6] scatter(q, n, m)" + into},
      {"f32[4,6] scatter(q, n, q)" + into},
      {"f32[4,6] scatter(q, n, f)" + into, "dimensions are not the indices'"},
      {"f32[4,4] scatter(m, n, q)" + into, "do not fit into the operand"},
      {"f32[4,6] scatter(q, n, u)" + into, "another type"},
      {"f32[4,6] scatter(q, n)" + into, "takes at least 3 operands"},
      {"f32[4,6] scatter(q, m, m)" + into, "indices are integers"},
      {"f32[8] sort(p), dimensions={0}, to_apply=less"},
      {"(f32[8], s32[8]) sort(p, l), dimensions={0}, to_apply=less_of_two"},
      {"(f32[8], s32[4]) sort(p, n), dimensions={0}, to_apply=less_of_two", "different dimensions"},
      {"f32[8] sort(p), dimensions={1}, to_apply=less", "along one dimension"},
      {"f32[8] sort(p), dimensions={0}, to_apply=add", "differ"},
      {"f32[8] sort(p), dimensions={0}, to_apply=less_of_two", "another number of parameters"},
      {"(f32[4,2], s32[4,2]) topk(q), k=2, largest=true"},
      {"(f32[4,7], s32[4,7]) topk(q), k=7, largest=true", "larger than the last dimension"},
      {"(f32[], s32[]) topk(s), k=0, largest=true", "larger than the last dimension"},
      {"f32[8] map(p), dimensions={0}, to_apply=one"},
      {"f32[8] map(p, p), dimensions={0}, to_apply=add"},
      {"f32[8] map(p), dimensions={0}, to_apply=add", "another number of parameters"},
      {"f32[8] map(p), dimensions={0}, to_apply=row", "needs a scalar"},
  });
}

TEST(Shapes, OfLinearAlgebraAndTransforms) {
  const std::string solve = "triangular-solve(b, ";
  const std::string left = "), left_side=true, lower=true", right = "), left_side=false, lower=true";
  expect_all({
      {"f32[2,3,3] cholesky(b), lower=true"},
      {"f32[4,6] cholesky(q), lower=true", "square matrices"},
      {"f32[8] cholesky(p), lower=true", "square matrices"},
      {"f32[2,3,5] " + solve + "e" + left},
      {"f32[2,3,5] " + solve + "e" + right, "sides do not fit"},
      {"f32[3,3,5] " + solve + "a" + left, "batch sizes differ"},
      {"f32[4,6] " + solve + "q" + left, "differ in rank or type"},
      {"f32[4,6] triangular-solve(m, q" + left},
      {"f32[4,6] triangular-solve(m, q" + right, "sides do not fit"},
      {"c64[8] fft(c), fft_type=FFT, fft_length={8}"},
      {"c64[2,2,2] fft(j), fft_type=FFT, fft_length={2,2,2}"},
      {"c64[8] fft(c), fft_type=FFT, fft_length={4}", "not the operand's"},
      {"c64[8] fft(p), fft_type=FFT, fft_length={8}", "wrong type"},
      {"c64[5] fft(p), fft_type=RFFT, fft_length={8}"},
      {"c64[4] fft(p), fft_type=RFFT, fft_length={8}", "its operands give c64[5]"},
      {"c64[5] fft(c), fft_type=RFFT, fft_length={8}", "wrong type"},
      {"c128[5] fft(d), fft_type=RFFT, fft_length={8}"},
      {"f32[14] fft(c), fft_type=IRFFT, fft_length={14}"},
      {"f32[15] fft(c), fft_type=IRFFT, fft_length={15}"},
      {"f32[16] fft(c), fft_type=IRFFT, fft_length={16}", "not the operand's"},
      {"c64[8] fft(c), fft_type=FFT, fft_length={8,8}", "one to three dimensions"},
  });
}

TEST(Shapes, OfBatchNorms) {
  const std::string last = ", epsilon=0.1, feature_index=1", beyond = ", epsilon=0.1, feature_index=2";
  const std::string first = ", epsilon=0.1, feature_index=0";
  expect_all({{"(f32[4,6], f32[6], f32[6]) batch-norm-training(q, y, y)" + last},
              {"(f32[4,6], f32[6], f32[6]) batch-norm-training(q, y, p)" + last, "differ"},
              {"(f32[4,6], f32[6], f32[6]) batch-norm-training(q, y, y)" + first, "differ"},
              {"(f32[4,6], f32[6], f32[6]) batch-norm-training(q, y, y)" + beyond, "out of range"},
              {"f32[4,6] batch-norm-inference(q, y, y, y, y)" + last},
              {"f32[4,6] batch-norm-inference(q, y, y, y, p)" + last, "differ"},
              {"(f32[4,6], f32[6], f32[6]) batch-norm-grad(q, y, y, y, q)" + last},
              {"(f32[4,6], f32[6], f32[6]) batch-norm-grad(q, p, y, y, q)" + last, "differ"},
              {"(f32[4,6], f32[6], f32[6]) batch-norm-grad(q, y, y, p, q)" + last, "differ"},
              {"(f32[4,6], f32[6], f32[6]) batch-norm-grad(q, y, y, y, m)" + last, "differ"},
              {"s32[8] batch-norm-inference(l, l, l, l, l), epsilon=0.1, feature_index=0", "real numbers"}});
}

TEST(Shapes, OfControlFlowAndTuples) {
  expect_all({
      {"f32[8] get-tuple-element(t), index=1"},
      {"f32[8] get-tuple-element(t), index=2", "'t' has 2 elements"},
      {"f32[8] get-tuple-element(p), index=0", "'p' is not a tuple"},
      {"f32[4] call(p), to_apply=half"},
      {"f32[4] call(p, p), to_apply=half", "of 1 parameters with 2 operands"},
      {"f32[4] call(q), to_apply=half", "differ"},
      {"f32[8] while(p), condition=go, body=same"},
      {"f32[8] while(p), condition=count, body=same", "differ"},
      {"f32[8] while(p), condition=go, body=half", "differ"},
      {"f32[4,6] while(q), condition=go, body=same", "differ"},
      {"f32[8] conditional(z, p, p), true_computation=same, false_computation=same"},
      {"f32[8] conditional(i, p, p, p), branch_computations={same, same, same}"},
      {"f32[8] conditional(z, q, p), true_computation=same, false_computation=same", "differ"},
      {"f32[8] conditional(z, p, p), true_computation=same, false_computation=half", "differ"},
      {"f32[8] conditional(s, p, p), branch_computations={same, same}", "a pred or an integer"},
      {"f32[8] conditional(n, p, p), branch_computations={same, same}", "needs a scalar"},
      {"s32[] get-dimension-size(q), dimensions={1}"},
      {"s32[] get-dimension-size(q), dimensions={2}", "no such dimension"},
      {"f32[8] set-dimension-size(p, i), dimensions={0}"},
      {"f32[8] set-dimension-size(p, n), dimensions={0}", "needs a scalar"},
      {"f32[8] set-dimension-size(p, i), dimensions={1}", "no such dimension"},
      {"u32[] partition-id()"},
      {"s32[] partition-id()", "its operands give u32[]"},
  });
}

TEST(Shapes, OfCollectives) {
  const std::string in_fours = ", replica_groups={{0,1,2,3}}, dimensions={0}";
  expect_all({
      {"f32[8] all-reduce(p), replica_groups={}, to_apply=add"},
      {"(f32[8], f32[4,6]) all-reduce(p, q), replica_groups={}, to_apply=add"},
      {"f32[8] all-reduce(p), replica_groups={}, to_apply=three", "does not take two parameters"},
      {"f32[8] all-reduce(p), replica_groups={}, to_apply=less", "differ"},
      {"f32[8] all-reduce(t), replica_groups={}, to_apply=add", "needs an array"},
      {"f32[32] all-gather(p)" + in_fours},
      {"f32[30] all-gather(p)" + in_fours, "changes another dimension"},
      {"s32[32] all-gather(p)" + in_fours, "changes the type or the rank"},
      {"f32[16,6] all-gather(q)" + in_fours},
      {"f32[4,24] all-gather(q)" + in_fours, "changes another dimension"},
      {"f32[2] reduce-scatter(p)" + in_fours + ", to_apply=add"},
      {"f32[32] reduce-scatter(p)" + in_fours + ", to_apply=add", "changes another dimension"},
      {"f32[8] all-to-all(p)" + in_fours},
      {"(f32[8], f32[8]) all-to-all(p, p), replica_groups={{0,1}}"},
      {"(f32[8], f32[4,6]) all-to-all(p, q), replica_groups={{0,1}}", "differ"},
      {"f32[8] all-to-all(p), replica_groups={{0,1}}, dimensions={1}", "along one dimension"},
      {"f32[8] collective-permute(p), source_target_pairs={{0,1},{1,0}}"},
      {"f32[8] collective-permute(p), source_target_pairs={{0,1},{0,2}}", "a source twice"},
      {"f32[8] collective-permute(p), source_target_pairs={{0,1},{2,1}}", "a target twice"},
  });
}

/// The root of a line with its operands' shapes.
struct Inference {
  explicit Inference(const std::string& line) {
    const text::ReadResult read = text::read("test", computations + line + "\n}\n");
    module = text::graph::to_graph(read.modules.at(0));
    const Computation& entry = module.entry_computation();
    instruction = entry[entry.root];
    for (const InstructionId operand : instruction.operands) operands.push_back(entry[operand].shape);
  }

  bool is_refused(const std::vector<Shape>& shapes) const {
    std::vector<const Shape*> places;
    for (const Shape& shape : shapes) places.push_back(&shape);
    try {
      infer_shape(instruction, places, module.computations);
      return false;
    } catch (const std::logic_error&) {
      return true;
    }
  }

  Module module;
  Instruction instruction;
  std::vector<Shape> operands;
};

// Programs that write graphs do not go through the reader, which counts the operands of texts.
TEST(Shapes, AreRefusedForTuplesAndForOtherNumbersOfOperands) {
  for (const char* line :
       {"f32[8] add(p, p)",
        "f32[8] negate(p)",
        "pred[8] compare(p, p), direction=LT",
        "f32[8] select(k, p, p)",
        "f32[8] clamp(p, p, p)",
        "c64[8] complex(p, p)",
        "f32[4,8] broadcast(p), dimensions={1}",
        "f32[3,8] reshape(q)",
        "s32[8] bitcast-convert(p)",
        "f32[6,4] transpose(q), dimensions={1,0}",
        "f32[4,6] reverse(q), dimensions={1}",
        "f32[17] pad(p, s), padding=1_1_1",
        "f32[3] slice(p), slice={[1:7:2]}",
        "f32[4,4] dot(q, q), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
        "f32[2,5,8,6] convolution(g, w), dim_labels=b01f_01io->b01f, window={size=3x2}",
        "f32[8] select-and-scatter(p, p, s), window={size=1}, select=less, scatter=add",
        "f32[6] reduce(q, s), dimensions={0}, to_apply=add",
        "f32[3,3] reduce-window(q, s), window={size=2x2 stride=1x2}, to_apply=add",
        "f32[4,6] gather(q, n), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
        "slice_sizes={1,6}",
        "f32[8] sort(p), dimensions={0}, to_apply=less",
        "(f32[4,2], s32[4,2]) topk(q), k=2, largest=true",
        "f32[8] map(p), dimensions={0}, to_apply=one",
        "f32[2,3,3] cholesky(b), lower=true",
        "f32[4,6] triangular-solve(m, q), left_side=true, lower=true",
        "c64[8] fft(c), fft_type=FFT, fft_length={8}",
        "f32[4] call(p), to_apply=half",
        "f32[8] while(p), condition=go, body=same",
        "s32[] get-dimension-size(q), dimensions={1}",
        "f32[8] set-dimension-size(p, i), dimensions={0}",
        "f32[32] all-gather(p), replica_groups={{0,1,2,3}}, dimensions={0}",
        "f32[8] all-reduce(p), replica_groups={}, to_apply=add",
        "f32[16] concatenate(p, p), dimensions={0}"}) {
    const Inference inference(line);
    ASSERT_FALSE(inference.is_refused(inference.operands)) << line;
    for (std::size_t i = 0; i < inference.operands.size(); ++i) {
      std::vector<Shape> shapes = inference.operands;
      shapes[i] = make_tuple_shape({shapes[i]});
      EXPECT_TRUE(inference.is_refused(shapes)) << line << ": a tuple for operand " << i;
    }
    const OpcodeRow& known = row(inference.instruction.opcode);
    if (known.min_operands != known.max_operands) continue;
    std::vector<Shape> more = inference.operands, fewer = inference.operands;
    more.push_back(make_shape(ElementType::f32, {}));
    fewer.pop_back();
    EXPECT_TRUE(inference.is_refused(more)) << line << ": another operand";
    EXPECT_TRUE(inference.is_refused(fewer)) << line << ": an operand less";
  }
}

// A dot may have more operands, which say how its others are packed, and a dependency may have tuples.
TEST(Shapes, AreRefusedWithoutTheSecondOperand) {
  for (const char* line :
       {"f32[4,4] dot(q, q), lhs_contracting_dims={1}, rhs_contracting_dims={1}", "f32[8] add-dependency(p, t)"}) {
    const Inference inference(line);
    ASSERT_FALSE(inference.is_refused(inference.operands)) << line;
    EXPECT_TRUE(inference.is_refused({inference.operands[0]})) << line;
  }
  const Inference dependency("f32[8] add-dependency(p, t)");
  EXPECT_TRUE(dependency.is_refused({dependency.operands[0], dependency.operands[1], dependency.operands[1]}));
}

TEST(Shapes, AreRefusedForResultsThatAreTuples) {
  for (const char* line : {"s32[8] bitcast-convert(p)", "f32[4] iota(), iota_dimension=0",
                           "f32[4,4] dot(q, q), lhs_contracting_dims={1}, rhs_contracting_dims={1}"}) {
    Inference inference(line);
    ASSERT_FALSE(inference.is_refused(inference.operands)) << line;
    inference.instruction.shape = make_tuple_shape({inference.instruction.shape});
    EXPECT_TRUE(inference.is_refused(inference.operands)) << line;
  }
}

}  // namespace
}  // namespace podsim::hlo::rules
