// SPDX-License-Identifier: Apache-2.0
// A program for every opcode that has a gradient, compared with central differences.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "hlo/transform/gradient/gradient_rules.h"
#include "tests/hlo/hlo_text.h"
#include "tests/hlo/transform/checked_program.h"

namespace podsim::hlo::transform {
namespace {

using testing::ArgumentRange;

struct Program {
  std::string lines;  ///< of the entry; x and y are f64[4] parameters
  std::string computations = "";
  ArgumentRange range = {0.2, 0.9};
  bool has_slope = true;
  int devices = 1;
};

const std::string called = R"(
add { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] add(a, b) }
larger { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = pred[] compare(a, b), direction=GE }
less { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
square { a = f64[] parameter(0)  t = f64[] constant(3)  s = f64[] multiply(a, a)  ROOT r = f64[] multiply(s, t) }
squares { p = f64[4] parameter(0)  ROOT r = f64[4] multiply(p, p) }
sines { p = f64[4] parameter(0)  ROOT r = f64[4] sine(p) }
more { s = (f64[4], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=1  n = s32[] constant(3)
  ROOT r = pred[] compare(i, n), direction=LT }
step { s = (f64[4], s32[]) parameter(0)  v = f64[4] get-tuple-element(s), index=0
  i = s32[] get-tuple-element(s), index=1  one = s32[] constant(1)  j = s32[] add(i, one)  w = f64[4] sine(v)
  ROOT r = (f64[4], s32[]) tuple(w, j) }
)";

Program unary(const std::string& name, bool has_slope = true) {
  return {.lines = "ROOT r = f64[4] " + name + "(x)", .has_slope = has_slope};
}
Program binary(const std::string& name) { return {.lines = "ROOT r = f64[4] " + name + "(x, y)"}; }
Program on_two(const std::string& lines) { return {.lines = lines, .devices = 2}; }

const std::string features = "a = f64[2,3] parameter(2)\n s = f64[3] parameter(3)\n o = f64[3] parameter(4)\n ";
const std::string matrices =
    "a = f64[3,3] parameter(2)\n t = f64[3,3] transpose(a), dimensions={1,0}\n p = f64[3,3] dot(a, t), "
    "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n i = s32[3,3] iota(), iota_dimension=0\n j = s32[3,3] iota(), "
    "iota_dimension=1\n e = pred[3,3] compare(i, j), direction=EQ\n d = f64[3,3] convert(e)\n m = f64[3,3] add(p, "
    "d)\n ";

const std::map<Opcode, Program>& programs() {
  static const std::map<Opcode, Program> all = [] {
    std::map<Opcode, Program> made;
    for (const Opcode opcode :
         {Opcode::abs,    Opcode::acos,         Opcode::asin,        Opcode::asinh,
          Opcode::atanh,  Opcode::cbrt,         Opcode::copy,        Opcode::cosh,
          Opcode::cosine, Opcode::erf,          Opcode::exponential, Opcode::exponential_minus_one,
          Opcode::log,    Opcode::log_plus_one, Opcode::logistic,    Opcode::negate,
          Opcode::real,   Opcode::rsqrt,        Opcode::sine,        Opcode::sinh,
          Opcode::sqrt,   Opcode::tan,          Opcode::tanh}) {
      made[opcode] = unary(std::string(to_string(opcode)));
    }
    for (const Opcode opcode : {Opcode::ceil, Opcode::floor, Opcode::round_nearest_afz, Opcode::round_nearest_even}) {
      made[opcode] = unary(std::string(to_string(opcode)), false);
    }
    for (const Opcode opcode : {Opcode::add, Opcode::atan2, Opcode::divide, Opcode::maximum, Opcode::minimum,
                                Opcode::multiply, Opcode::power, Opcode::remainder, Opcode::subtract}) {
      made[opcode] = binary(std::string(to_string(opcode)));
    }
    made[Opcode::acosh] = {.lines = "ROOT r = f64[4] acosh(x)", .range = {1.5, 3}};
    made[Opcode::add_dependency] = {.lines = "k = token[] after-all()\n ROOT r = f64[4] add-dependency(x, k)"};
    made[Opcode::all_gather] = on_two(
        "s = f64[8] all-gather(x), channel_id=1, replica_groups={{0,1}}, dimensions={0}, "
        "use_global_device_ids=true\n ROOT r = f64[8] sine(s)");
    made[Opcode::all_reduce] = on_two(
        "s = f64[4] all-reduce(x), channel_id=1, replica_groups={{0,1}}, to_apply=add, "
        "use_global_device_ids=true\n ROOT r = f64[4] sine(s)");
    made[Opcode::all_to_all] = on_two(
        "s = f64[4] all-to-all(x), channel_id=1, replica_groups={{0,1}}, dimensions={0}\n ROOT r = f64[4] "
        "multiply(s, x)");
    made[Opcode::batch_norm_grad] = {
        .lines = features +
                 "m = f64[3] parameter(5)\n dy = f64[2,3] parameter(6)\n ROOT r = (f64[2,3], f64[3], f64[3]) "
                 "batch-norm-grad(a, s, o, m, dy), epsilon=0.01, feature_index=1"};
    made[Opcode::batch_norm_inference] = {.lines =
                                              features +
                                              "m = f64[3] parameter(5)\n v = f64[3] parameter(6)\n ROOT r = f64[2,3] "
                                              "batch-norm-inference(a, s, o, m, v), epsilon=0.01, feature_index=1"};
    made[Opcode::batch_norm_training] = {.lines = features +
                                                  "ROOT r = (f64[2,3], f64[3], f64[3]) "
                                                  "batch-norm-training(a, s, o), epsilon=0.01, "
                                                  "feature_index=1"};
    made[Opcode::broadcast] = {.lines = "ROOT r = f64[4,3] broadcast(x), dimensions={0}"};
    made[Opcode::call] = {.lines = "ROOT r = f64[4] call(x), to_apply=squares"};
    made[Opcode::cholesky] = {.lines = matrices + "ROOT r = f64[3,3] cholesky(m), lower=true"};
    made[Opcode::clamp] = {.lines = "l = f64[] constant(0.3)\n ROOT r = f64[4] clamp(l, x, y)"};
    made[Opcode::collective_permute] = on_two(
        "s = f64[4] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,0}}\n ROOT r = f64[4] "
        "multiply(s, x)");
    made[Opcode::compare] = {.lines = "c = pred[4] compare(x, y), direction=LT\n ROOT r = f64[4] convert(c)",
                             .has_slope = false};
    made[Opcode::complex] = {.lines = "ROOT r = c128[4] complex(x, y)"};
    made[Opcode::concatenate] = {.lines = "ROOT r = f64[8] concatenate(x, y), dimensions={0}"};
    made[Opcode::conditional] = {.lines =
                                     "i = s32[] parameter(2)\n ROOT r = f64[4] conditional(i, x, y), "
                                     "branch_computations={squares, sines}"};
    made[Opcode::convert] = {.lines = "ROOT r = c128[4] convert(x)"};
    made[Opcode::convolution] = {
        .lines =
            "k = f64[3] parameter(2)\n w = f64[3,1,1] reshape(k)\n v = f64[1,4,1] reshape(x)\n ROOT r = "
            "f64[1,4,1] convolution(v, w), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f"};
    made[Opcode::custom_call] = {.lines =
                                     "ROOT r = f64[4] custom-call(x), custom_call_target=\"Sharding\", "
                                     "sharding={replicated}"};
    made[Opcode::domain] = {.lines =
                                "ROOT r = f64[4] domain(x), domain={kind=\"sharding\", entry={maximal device=0}, "
                                "exit={maximal device=0}}"};
    made[Opcode::dot] = {.lines = "ROOT r = f64[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}"};
    made[Opcode::ragged_dot] = {
        .lines =
            "a = f64[4,1] reshape(x)\n b = f64[2,1,2] reshape(y)\n s = s32[2] constant({1,3})\n ROOT r = f64[4,2] "
            "ragged-dot(a, b, s), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
            "rhs_group_dims={0}"};
    made[Opcode::dynamic_slice] = {.lines =
                                       "i = s32[] parameter(2)\n ROOT r = f64[2] dynamic-slice(x, i), "
                                       "dynamic_slice_sizes={2}"};
    made[Opcode::dynamic_update_slice] = {
        .lines =
            "i = s32[] parameter(2)\n u = f64[2] slice(y), slice={[0:2]}\n ROOT r = f64[4] "
            "dynamic-update-slice(x, u, i)"};
    made[Opcode::fft] = {.lines = "ROOT r = c128[3] fft(x), fft_type=RFFT, fft_length={4}"};
    made[Opcode::fusion] = {.lines = "ROOT r = f64[4] fusion(x), kind=kLoop, calls=squares"};
    made[Opcode::gather] = {.lines =
                                "i = s32[3,1] parameter(2)\n ROOT r = f64[3] gather(x, i), offset_dims={}, "
                                "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                                "slice_sizes={1}"};
    made[Opcode::get_tuple_element] = {
        .lines = "t = (f64[4], f64[4]) tuple(x, y)\n ROOT r = f64[4] get-tuple-element(t), index=1"};
    made[Opcode::imag] = {.lines = "z = c128[4] complex(x, y)\n ROOT r = f64[4] imag(z)"};
    made[Opcode::is_finite] = {.lines = "c = pred[4] is-finite(x)\n ROOT r = f64[4] convert(c)", .has_slope = false};
    made[Opcode::map] = {.lines = "ROOT r = f64[4] map(x), dimensions={0}, to_apply=square"};
    made[Opcode::opt_barrier] = {.lines =
                                     "t = (f64[4], f64[4]) tuple(x, y)\n ROOT r = (f64[4], f64[4]) "
                                     "opt-barrier(t)"};
    made[Opcode::pad] = {.lines = "z = f64[] parameter(2)\n ROOT r = f64[9] pad(x, z), padding=1_1_1"};
    made[Opcode::reduce] = {.lines =
                                "z = f64[] parameter(2)\n ROOT r = f64[] reduce(x, z), dimensions={0}, "
                                "to_apply=add"};
    made[Opcode::reduce_scatter] = on_two(
        "s = f64[2] reduce-scatter(x), channel_id=1, replica_groups={{0,1}}, dimensions={0}, to_apply=add, "
        "use_global_device_ids=true\n ROOT r = f64[2] sine(s)");
    made[Opcode::reduce_window] = {.lines =
                                       "z = f64[] parameter(2)\n ROOT r = f64[3] reduce-window(x, z), "
                                       "window={size=2}, to_apply=add"};
    made[Opcode::reduce_precision] = {.lines =
                                          "ROOT r = f64[4] reduce-precision(x), exponent_bits=11, "
                                          "mantissa_bits=52"};
    made[Opcode::reshape] = {.lines = "ROOT r = f64[2,2] reshape(x)"};
    made[Opcode::reverse] = {.lines = "ROOT r = f64[4] reverse(x), dimensions={0}"};
    made[Opcode::scatter] = {.lines =
                                 "i = s32[4,1] parameter(2)\n ROOT r = f64[4] scatter(x, i, y), "
                                 "update_window_dims={}, inserted_window_dims={0}, "
                                 "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add"};
    made[Opcode::select] = {.lines = "c = pred[4] compare(x, y), direction=LT\n ROOT r = f64[4] select(c, x, y)"};
    made[Opcode::select_and_scatter] = {
        .lines =
            "z = f64[] parameter(2)\n u = f64[2] parameter(3)\n ROOT r = f64[4] select-and-scatter(x, u, z), "
            "window={size=2 stride=2}, select=larger, scatter=add"};
    made[Opcode::sign] = {.lines = "z = c128[4] complex(x, y)\n ROOT r = c128[4] sign(z)"};
    made[Opcode::slice] = {.lines = "ROOT r = f64[2] slice(x), slice={[1:4:2]}"};
    made[Opcode::sort] = {.lines = "ROOT r = f64[4] sort(x), dimensions={0}, to_apply=less"};
    made[Opcode::stochastic_convert] = {.lines =
                                            "n = f32[4] convert(x)\n u = u32[4] parameter(2)\n h = bf16[4] "
                                            "stochastic-convert(n, u)\n ROOT r = bf16[4] sine(h)"};
    made[Opcode::topk] = {.lines = "ROOT r = (f64[2], s32[2]) topk(x), k=2, largest=true"};
    made[Opcode::transpose] = {.lines = "v = f64[2,2] reshape(x)\n ROOT r = f64[2,2] transpose(v), dimensions={1,0}"};
    made[Opcode::triangular_solve] = {
        .lines = matrices +
                 "b = f64[3,2] parameter(3)\n ROOT r = f64[3,2] triangular-solve(m, b), left_side=true, "
                 "lower=true, transpose_a=NO_TRANSPOSE"};
    made[Opcode::tuple] = {.lines = "ROOT r = (f64[4], f64[4]) tuple(x, y)"};
    made[Opcode::tuple_select] = {.lines =
                                      "p = pred[] parameter(2)\n t = (f64[4], f64[4]) tuple(x, y)\n u = (f64[4], "
                                      "f64[4]) tuple(y, x)\n ROOT r = (f64[4], f64[4]) tuple-select(p, t, u)"};
    made[Opcode::while_loop] = {.lines =
                                    "i = s32[] constant(0)\n t = (f64[4], s32[]) tuple(x, i)\n w = (f64[4], "
                                    "s32[]) while(t), condition=more, body=step\n ROOT r = f64[4] "
                                    "get-tuple-element(w), index=0"};
    return made;
  }();
  return all;
}

TEST(GradientTable, OfEveryOpcodeThatHasAGradientAgreesWithDifferences) {
  for (std::size_t i = 0; i < std::size_t(Opcode::unknown); ++i) {
    const auto opcode = Opcode(i);
    SCOPED_TRACE(std::string(to_string(opcode)));
    const auto found = programs().find(opcode);
    ASSERT_EQ(found != programs().end(), bool(gradient::gradient_answer(opcode)));
    if (found == programs().end()) continue;
    const Program& program = found->second;
    Module module = testing::graph_of_entry("x = f64[4] parameter(0)\n y = f64[4] parameter(1)\n " + program.lines,
                                            called + program.computations);
    module.partitions = program.devices;
    bool is_used = false;
    for (const Computation& computation : module.computations) {
      for (const Instruction& instruction : computation.instructions) is_used |= instruction.opcode == opcode;
    }
    EXPECT_TRUE(is_used);
    testing::expect_agreement(testing::checked_slopes(module, std::size_t(program.devices), program.range),
                              program.has_slope);
  }
}

TEST(GradientTable, ARefusalSaysWhy) {
  build::GraphBuilder b("test");
  const InstructionId x = b.parameter(make_shape(ElementType::f64, {2}), "x");
  Instruction bits;
  bits.opcode = Opcode::bitcast_convert;
  bits.name = "bits";
  bits.operands = {x};
  bits.shape = make_shape(ElementType::f64, {2});
  const InstructionId loss = b.reduce_add(b.add(bits), {0});
  try {
    gradients(b, loss, std::vector{x});
    FAIL() << "a gradient of bits";
  } catch (const NoGradient& error) {
    EXPECT_STREQ(error.what(), "bits (bitcast-convert) has no gradient: it works on bits");
  }
}

}  // namespace
}  // namespace podsim::hlo::transform
