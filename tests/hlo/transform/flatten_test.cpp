// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/flatten.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"
#include "hlo/transform/inline_calls.h"
#include "hlo/transform/mixed_precision.h"
#include "tests/hlo/hlo_text.h"
#include "tests/hlo/stablehlo/sample_program.h"

namespace podsim::hlo::transform {
namespace {

using stablehlo::testing::SampleProgram;

Module graph_of_sample(const SampleProgram& program) {
  return text::graph::to_graph(text::read(program.name, program.text).modules.at(0));
}

std::vector<Literal> values_of_sample(const Module& module, const SampleProgram& program) {
  const Computation& entry = module.entry_computation();
  std::vector<Literal> arguments;
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    arguments.push_back(testing::literal_of(entry[entry.parameters[i]].shape, program.arguments.at(i)));
  }
  return arguments;
}

std::int64_t ops_in(const Module& module, Opcode opcode) {
  return std::ranges::count(module.entry_computation().instructions, opcode, &Instruction::opcode);
}

// Every program that has values has the same ones, bit by bit, without its calls and its counted loops.
TEST(Flatten, ComputesTheSameBits) {
  int loops = 0, left = 0, compared = 0;
  for (const char* folder : {"control", "layers", "gradients", "indexed"}) {
    for (const SampleProgram& program : stablehlo::testing::sample_programs(folder)) {
      if (program.results.empty()) continue;
      SCOPED_TRACE(program.name);
      const Module module = graph_of_sample(program);
      const Module flat = flattened(module);
      build::verify(flat);
      EXPECT_EQ(ops_in(flat, Opcode::call), 0);
      loops += int(ops_in(module, Opcode::while_loop));
      left += int(ops_in(flat, Opcode::while_loop));
      const std::vector<Literal> arguments = values_of_sample(module, program);
      EXPECT_TRUE(same_values(eval::evaluate(flat, arguments), eval::evaluate(module, arguments)));
      ++compared;
    }
  }
  EXPECT_GT(compared, 40);
  EXPECT_GT(loops, 5);
  EXPECT_LE(left, 2);  // those whose count depends on data
}

// Programs of JAX call functions of its library, also in bodies of loops.
TEST(InlineCalls, ComputesTheSameBits) {
  int calls = 0;
  for (const char* folder : {"control", "layers", "gradients", "indexed", "types"}) {
    for (const SampleProgram& program : stablehlo::testing::sample_programs(folder)) {
      if (program.results.empty()) continue;
      SCOPED_TRACE(program.name);
      const Module module = graph_of_sample(program);
      const Module inlined = inline_calls(module);
      build::verify(inlined);
      for (const Computation& computation : inlined.computations) {
        EXPECT_EQ(std::ranges::count(computation.instructions, Opcode::call, &Instruction::opcode), 0);
      }
      calls += int(ops_in(module, Opcode::call));
      const std::vector<Literal> arguments = values_of_sample(module, program);
      EXPECT_TRUE(same_values(eval::evaluate(inlined, arguments), eval::evaluate(module, arguments)));
    }
  }
  EXPECT_GT(calls, 20);
}

TEST(Flatten, SlicesOfALoopAreAtKnownPlaces) {
  for (const SampleProgram& program : stablehlo::testing::sample_programs("control")) {
    if (program.name != "control/scan") continue;
    const Module flat = flattened(graph_of_sample(program));
    EXPECT_EQ(ops_in(flat, Opcode::dynamic_slice), 0);
    EXPECT_GT(ops_in(flat, Opcode::slice), 0);
  }
}

/// Nested loops around sine, each with the same trip count.
Module nested_loops(int depth, int passes) {
  const std::string state = "s = (s32[], f32[]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n";
  const std::string loop = "z = s32[] constant(0)\n t = (s32[], f32[]) tuple(z, x)\n w = (s32[], f32[]) while(t), ";
  std::string text = "HloModule m\n";
  for (int d = 0; d < depth; ++d) {
    const std::string number = std::to_string(d), inner = std::to_string(d - 1);
    text += "c" + number + " {\n " + state + "n = s32[] constant(" + std::to_string(passes) +
            ")\n ROOT r = pred[] compare(i, n), direction=LT\n}\nb" + number + " {\n " + state +
            "one = s32[] constant(1)\n j = s32[] add(i, one)\n x = f32[] get-tuple-element(s), index=1\n";
    text += d == 0 ? "y = f32[] sine(x)\n"
                   : loop + "condition=c" + inner + ", body=b" + inner + "\n y = f32[] get-tuple-element(w), index=1\n";
    text += "ROOT r = (s32[], f32[]) tuple(j, y)\n}\n";
  }
  const std::string last = std::to_string(depth - 1);
  return testing::graph_of(text + "ENTRY e {\n x = f32[] parameter(0)\n " + loop + "condition=c" + last + ", body=b" +
                           last + "\n ROOT y = f32[] get-tuple-element(w), index=1\n}\n");
}

TEST(Flatten, ALongLoopIsWrittenOutInLinearTime) {
  const Module flat = flattened(nested_loops(1, 30'000));  // the time limit of a test is the oracle
  EXPECT_EQ(ops_in(flat, Opcode::sine), 30'000);
  EXPECT_EQ(ops_in(flattened(nested_loops(3, 20)), Opcode::sine), 20 * 20 * 20);
}

// 10^9 passes, 3^40 passes.
TEST(Flatten, LoopsOfTooManyPassesStayLoops) {
  for (const auto& [depth, passes] : {std::pair{3, 1000}, {40, 3}, {1, 2'000'000'000}}) {
    const Module flat = flattened(nested_loops(depth, passes));
    EXPECT_LE(flat.entry_computation().instructions.size(), 250'000U);
    EXPECT_GT(ops_in(flat, Opcode::while_loop), 0);
  }
}

/// Types of the operands and results of the instructions with an opcode.
std::vector<ElementType> types_of(const Module& module, Opcode opcode) {
  std::vector<ElementType> types;
  const Computation& entry = module.entry_computation();
  for (const Instruction& instruction : entry.instructions) {
    if (instruction.opcode != opcode) continue;
    types.push_back(instruction.shape.element_type);
    for (const InstructionId operand : instruction.operands) types.push_back(entry[operand].shape.element_type);
  }
  return types;
}

// bf16 has 8 bits of precision; the programs are a few operations deep.
TEST(MixedPrecision, ProductsAreNarrowSumsAreWideAndValuesAreClose) {
  int compared = 0;
  for (const char* name : {"mlp", "attention", "layer_norm", "conv_same", "max_pool", "softmax_loss"}) {
    SCOPED_TRACE(name);
    const std::vector<SampleProgram> programs = stablehlo::testing::sample_programs("layers");
    const auto program = std::ranges::find(programs, std::string("layers/") + name, &SampleProgram::name);
    ASSERT_NE(program, programs.end());
    const Module flat = flattened(graph_of_sample(*program));
    const Module mixed = in_mixed_precision(flat);
    build::verify(mixed);
    for (const Opcode product : {Opcode::dot, Opcode::convolution}) {
      EXPECT_EQ(types_of(mixed, product).size(), types_of(flat, product).size());
      for (const ElementType type : types_of(mixed, product)) EXPECT_EQ(type, ElementType::bf16);
    }
    for (const Opcode wide : {Opcode::reduce, Opcode::exponential, Opcode::log, Opcode::rsqrt}) {
      for (const ElementType type : types_of(mixed, wide)) EXPECT_NE(type, ElementType::bf16);
    }
    const std::vector<Literal> arguments = values_of_sample(flat, *program);
    const Literal exact = eval::evaluate(flat, arguments), rounded = eval::evaluate(mixed, arguments);
    ASSERT_EQ(exact.shape.element_type, rounded.shape.element_type);
    double largest = 1;
    for (const double value : exact.values) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < exact.values.size(); ++i) {
      EXPECT_NEAR(rounded.values[i], exact.values[i], largest / 32);
    }
    ++compared;
  }
  EXPECT_EQ(compared, 6);
}

}  // namespace
}  // namespace podsim::hlo::transform
