// SPDX-License-Identifier: Apache-2.0
// send and recv in the evaluator, and sums of complex numbers over devices.
#include <gtest/gtest.h>

#include <stdexcept>

#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"
#include "tests/hlo/text/graph_of.h"

namespace podsim::hlo::eval {
namespace {

using testing::make_literal;
using Values = std::vector<double>;

std::vector<std::vector<Literal>> of_devices(int count) {
  std::vector<std::vector<Literal>> arguments;
  for (int device = 0; device < count; ++device) {
    arguments.push_back({make_literal(ElementType::f32, {2}, {10.0 * device + 1, 10.0 * device + 2})});
  }
  return arguments;
}

std::string exchange(const std::string& partitions, const std::string& pairs) {
  const std::string attributes =
      ", channel_id=7" +
      (pairs.empty() ? "" : ", frontend_attributes={_xla_send_recv_source_target_pairs=" + pairs + "}");
  return "HloModule m, num_partitions=" + partitions +
         "\nENTRY main {\n  x = f32[2] parameter(0)\n  t = token[] after-all()\n"
         "  r = (f32[2], u32[], token[]) recv(t)" +
         attributes + "\n  s = (f32[2], u32[], token[]) send(x, t)" + attributes +
         "\n  d = (f32[2], token[]) recv-done(r), channel_id=7\n  e = token[] send-done(s), channel_id=7\n"
         "  y = f32[2] get-tuple-element(d), index=0\n  ROOT z = f32[2] add(x, y)\n}\n";
}

// A shift by one device to the right; the first one gets nothing, which is 0.
TEST(SendRecv, PairsSayWhoGetsWhat) {
  for (const char* pairs : {"\"{{0,1},{1,2}}\"", "{{0,1},{1,2}}"}) {
    const Module module = text::testing::graph_of(exchange("3", pairs));
    const std::vector<Literal> results = evaluate_partitions(module, of_devices(3));
    EXPECT_EQ(results[0].values, (Values{1, 2}));
    EXPECT_EQ(results[1].values, (Values{11 + 1, 12 + 2}));
    EXPECT_EQ(results[2].values, (Values{21 + 11, 22 + 12}));
  }
}

TEST(SendRecv, OneDeviceSendsToItself) {
  const Module module = text::testing::graph_of(exchange("1", ""));
  EXPECT_EQ(evaluate(module, of_devices(1)[0]).values, (Values{2, 4}));
}

TEST(SendRecv, WithoutPairsSeveralSendersAreAnError) {
  const Module module = text::testing::graph_of(exchange("2", ""));
  EXPECT_THROW(evaluate_partitions(module, of_devices(2)), std::logic_error);
}

// Device 0 takes the branch that sends, device 1 the one that receives.
std::string branches(bool receiver_first) {
  const std::string sender =
      "first {\n  x = f32[2] parameter(0)\n  t = token[] after-all()\n  s = (f32[2], u32[], token[]) send(x, t), "
      "channel_id=1\n  e = token[] send-done(s), channel_id=1\n  ROOT y = f32[2] negate(x)\n}\n";
  const std::string receiver =
      "second {\n  x = f32[2] parameter(0)\n  t = token[] after-all()\n  r = (f32[2], u32[], token[]) recv(t), "
      "channel_id=1\n  d = (f32[2], token[]) recv-done(r), channel_id=1\n  ROOT y = f32[2] get-tuple-element(d), "
      "index=0\n}\n";
  return "HloModule m, num_partitions=2\n" + sender + receiver +
         "ENTRY main {\n  x = f32[2] parameter(0)\n  p = u32[] partition-id()\n  i = s32[] convert(p)\n" +
         (receiver_first ? "  one = s32[] constant(1)\n  k = s32[] subtract(one, i)\n" : "  k = s32[] copy(i)\n") +
         "  ROOT y = f32[2] conditional(k, x, x), branch_computations={" +
         (receiver_first ? "second, first" : "first, second") + "}\n}\n";
}

TEST(SendRecv, BranchesOfTwoDevicesAreTheTwoEnds) {
  const std::vector<Literal> results = evaluate_partitions(text::testing::graph_of(branches(false)), of_devices(2));
  EXPECT_EQ(results[0].values, (Values{-1, -2}));
  EXPECT_EQ(results[1].values, (Values{1, 2}));
}

// Branches are evaluated in their order, so that one cannot wait for a later one.
TEST(SendRecv, WhatWasNotSentIsNamed) {
  try {
    evaluate_partitions(text::testing::graph_of(branches(true)), of_devices(2));
    FAIL();
  } catch (const std::logic_error& error) {
    EXPECT_NE(std::string(error.what()).find("nothing was sent to device 1"), std::string::npos) << error.what();
  }
}

TEST(SendRecv, AnEndAloneIsTheHosts) {
  const Module module = text::testing::graph_of(
      "HloModule m\nENTRY main {\n  x = f32[2] parameter(0)\n  t = token[] after-all()\n"
      "  s = (f32[2], u32[], token[]) send(x, t), channel_id=1, is_host_transfer=true\n"
      "  e = token[] send-done(s), channel_id=1, is_host_transfer=true\n"
      "  r = (f32[2], u32[], token[]) recv(e), channel_id=2, is_host_transfer=true\n"
      "  d = (f32[2], token[]) recv-done(r), channel_id=2, is_host_transfer=true\n"
      "  ROOT y = f32[2] get-tuple-element(d), index=0\n}\n");
  Values sent;
  EvaluationHost host;
  host.outfeed = [&](int, const Literal& value) { sent = value.values; };
  host.infeed = [&](int, const Instruction& instruction) {
    Literal literal = make_zeros(instruction.shape);
    for (std::size_t i = 0; i < 2; ++i) literal.elements[0].values[i] = 100 * sent[i];
    return literal;
  };
  EXPECT_EQ(evaluate(module, of_devices(1)[0], host).values, (Values{100, 200}));
  EXPECT_EQ(sent, (Values{1, 2}));
  EXPECT_THROW(evaluate(module, of_devices(1)[0]), std::logic_error);  // the host has nothing to feed in
}

TEST(SendRecv, PairsAreWrittenAndRead) {
  const Module module = text::testing::graph_of(exchange("3", "\"{{0,1},{1,2}}\""));
  const Module again = text::testing::graph_of(to_string(module));
  EXPECT_EQ(evaluate_partitions(again, of_devices(3))[2].values, (Values{21 + 11, 22 + 12}));
}

// (1 + 2i) + (4 + 6i) + (7 + 10i), and each part of a sum over devices in c64 is rounded as f32 is.
TEST(ComplexCollectives, AnAllReduceAddsUpThePartsOfComplexNumbers) {
  for (const char* type : {"c64", "c128"}) {
    const std::string t(type);
    const Module module = text::testing::graph_of(
        "HloModule m, replica_count=3\nsum {\n  a = " + t + "[] parameter(0)\n  b = " + t +
        "[] parameter(1)\n  ROOT c = " + t + "[] add(a, b)\n}\nENTRY main {\n  x = " + t +
        "[2] parameter(0)\n  ROOT y = " + t + "[2] all-reduce(x), replica_groups={}, to_apply=sum\n}\n");
    std::vector<std::vector<Literal>> arguments;
    for (int device = 0; device < 3; ++device) {
      Literal x = make_zeros(module.entry_computation()[module.entry_computation().parameters[0]].shape);
      x.values = {1.0 + 3 * device, 2.0 + 4 * device, device == 0 ? 1.0 : 0x1p-24, -1};
      arguments.push_back({std::move(x)});
    }
    for (const Literal& result : evaluate_partitions(module, arguments)) {
      EXPECT_EQ(result.values, (Values{12, 18, 1 + 0x1p-23, -3})) << type;
    }
  }
}

// (1 + 2i) (3 - i) = 5 + 5i, and i times i is -1.
TEST(ComplexCollectives, AnAllReduceMultipliesComplexNumbers) {
  const Module module = text::testing::graph_of(
      "HloModule m, replica_count=2\nproduct {\n  a = c64[] parameter(0)\n  b = c64[] parameter(1)\n"
      "  ROOT c = c64[] multiply(a, b)\n}\nENTRY main {\n  x = c64[2] parameter(0)\n"
      "  ROOT y = c64[2] all-reduce(x), replica_groups={}, to_apply=product\n}\n");
  Literal x = make_zeros(make_shape(ElementType::c64, {2})), y = x;
  x.values = {1, 2, 0, 1};
  y.values = {3, -1, 0, 1};
  for (const Literal& result : evaluate_partitions(module, {{x}, {y}})) EXPECT_EQ(result.values, (Values{5, 5, -1, 0}));
}

}  // namespace
}  // namespace podsim::hlo::eval
