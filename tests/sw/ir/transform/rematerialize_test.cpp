// SPDX-License-Identifier: Apache-2.0
#include "sw/ir/transform/rematerialize.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "sw/compiler/memory_account.h"
#include "sw/driver/compile.h"
#include "sw/ir/build/graph_builder.h"
#include "sw/ir/build/verify.h"
#include "sw/ir/eval/evaluator.h"
#include "sw/ir/transform/gradient.h"
#include "tests/hw/test_machine.h"
#include "tests/sw/ir/literals.h"

namespace podsim::sw::ir::transform {
namespace {

struct Network {
  std::int64_t layers = 4, rows = 8, width = 4, hidden = 16;
  ElementType type = ElementType::f32;
};

/// The loss and its gradients of layers x + tanh(x w) v, [rows, width] to [rows, hidden] and back.
Module training(const Network& n) {
  build::GraphBuilder b("residual_network");
  std::vector<InstructionId> kernels;
  for (std::int64_t i = 0; i < n.layers; ++i) {
    kernels.push_back(b.parameter(make_shape(n.type, {n.width, n.hidden}), fmt::format("w{}", i)));
    kernels.push_back(b.parameter(make_shape(n.type, {n.hidden, n.width}), fmt::format("v{}", i)));
  }
  InstructionId x = b.parameter(make_shape(n.type, {n.rows, n.width}), "x");
  for (std::size_t i = 0; i < std::size_t(n.layers); ++i) {
    const build::GraphBuilder::Scope scope(b, fmt::format("layer{}", i));
    const InstructionId wide = b.tanh(b.dot(x, kernels[2 * i], {{}, {}, {1}, {0}}));
    const InstructionId narrow = b.dot(wide, kernels[2 * i + 1], {{}, {}, {1}, {0}});
    x = b.add(x, b.multiply(narrow, b.full_like(narrow, 0.5)));
  }
  const InstructionId loss = [&] {
    const build::GraphBuilder::Scope scope(b, "loss");
    return b.reduce_add(b.multiply(x, x), {0, 1});
  }();
  std::vector<InstructionId> results = gradients(b, loss, kernels);
  results.push_back(loss);
  const InstructionId root = b.tuple(results);
  return std::move(b).build(root);
}

/// Rebuilds a module with a builder, which merges equal instructions.
Module rewritten(const Module& module) {
  build::GraphBuilder b(module.name);
  std::vector<InstructionId> written;
  for (Instruction instruction : module.entry_computation().instructions) {
    for (InstructionId& operand : instruction.operands) operand = written[std::size_t(operand)];
    for (ComputationId& called : instruction.called) called = b.copy_computation(module, called);
    const bool parameter = instruction.opcode == Opcode::parameter;
    written.push_back(parameter ? b.parameter(instruction.shape, instruction.name) : b.add(std::move(instruction)));
  }
  return std::move(b).build(written[std::size_t(module.entry_computation().root)]);
}

std::int64_t count(const Module& module, Opcode opcode) {
  return std::ranges::count(module.entry_computation().instructions, opcode, &Instruction::opcode);
}

std::int64_t peak(const Module& module) {
  return compiler::account_memory(driver::compile(module, hw::tpu_v3()).module).peak.value();
}

TEST(Rematerialise, FindsTheLayerOfAName) {
  EXPECT_EQ(layer_of("encoder/layer3/attention/query"), "encoder/layer3");
  EXPECT_EQ(layer_of("gradients/layer1/block0/conv1"), "layer1/block0");
  EXPECT_EQ(layer_of("head/layers"), "");
  EXPECT_EQ(layer_of("layer12"), "layer12");
  EXPECT_EQ(layer_of(""), "");
}

TEST(Rematerialise, ComputesTheSameBits) {
  const Module module = training({});
  std::vector<Literal> arguments;
  for (InstructionId id : module.entry_computation().parameters) {
    arguments.push_back(testing::random_literal(module.entry_computation()[id].shape, unsigned(arguments.size())));
  }
  const Literal expected = eval::evaluate(module, arguments);
  for (const auto policy : {Rematerialisation::dots, Rematerialisation::layer}) {
    const Module again = rematerialise(module, policy).module;
    build::verify(again);
    const Literal actual = eval::evaluate(again, arguments);
    for (std::size_t i = 0; i < expected.elements.size(); ++i) {
      EXPECT_TRUE(same_values(actual.elements[i], expected.elements[i])) << to_string(policy) << " " << i;
    }
  }
}

// A layer's backward part reads x, tanh(x w) and, for the slope, tanh(x w) again; not the second dot's result.
TEST(Rematerialise, ComputesOnceMoreWhatThePolicyDoesNotKeep) {
  const Network n;
  const Module module = training(n);
  const double dot = 2.0 * double(n.rows * n.width * n.hidden);
  const RematerialisedModule dots = rematerialise(module, Rematerialisation::dots);
  EXPECT_EQ(dots.instructions, n.layers) << "the tanh of every layer";
  EXPECT_EQ(dots.flops, 0) << "which XLA counts apart";
  const RematerialisedModule layer = rematerialise(module, Rematerialisation::layer);
  EXPECT_EQ(layer.instructions, 2 * n.layers);
  EXPECT_EQ(layer.flops, dot * double(n.layers));
  EXPECT_EQ(count(layer.module, Opcode::dot), count(module, Opcode::dot) + n.layers);
  for (const Instruction& instruction : layer.module.entry_computation().instructions) {
    if (instruction.name.ends_with(".remat")) {
      EXPECT_TRUE(instruction.op_name.starts_with("rematerialised/layer")) << instruction.op_name;
    }
  }
}

TEST(Rematerialise, WhatIsComputedOnceMoreSurvivesARewrite) {
  const Module module = rematerialise(training({}), Rematerialisation::layer).module;
  EXPECT_EQ(count(rewritten(module), Opcode::dot), count(module, Opcode::dot));
  EXPECT_EQ(count(rewritten(module), Opcode::tanh), count(module, Opcode::tanh));
}

// Otherwise a later pass could move the recomputation to where its memory is still in use.
TEST(Rematerialise, NothingIsComputedOnceMoreBeforeTheGradientArrives) {
  const Module module = rematerialise(training({}), Rematerialisation::layer).module;
  const Computation& entry = module.entry_computation();
  std::vector<bool> after_gradients;
  for (const Instruction& instruction : entry.instructions) {
    const bool follows =
        std::ranges::any_of(instruction.operands, [&](InstructionId id) { return after_gradients[std::size_t(id)]; });
    after_gradients.push_back(follows || instruction.op_name.starts_with("gradients/"));
    if (instruction.name.ends_with(".remat")) {
      EXPECT_TRUE(follows) << instruction.name;
    }
  }
}

// Without rematerialisation the wide values of all layers are live when the backward part begins; with it, those of one
// layer at a time.
TEST(Rematerialise, NeedsTheMemoryOfOneLayerInsteadOfAll) {
  const Network n{.layers = 8, .rows = 4096, .width = 128, .hidden = 1024, .type = ElementType::bf16};
  const Module module = training(n);
  const std::int64_t wide = n.rows * n.hidden * 2;
  const std::int64_t kept = peak(module), recomputed = peak(rematerialise(module, Rematerialisation::layer).module);
  EXPECT_GE(kept, n.layers * wide);
  EXPECT_LE(recomputed, kept - (n.layers - 3) * wide);
  EXPECT_EQ(peak(rewritten(rematerialise(module, Rematerialisation::layer).module)), recomputed);
}

// The less memory a core has, the more is computed again, until nothing helps.
TEST(Rematerialise, IsAsLittleAsTheMemoryRequires) {
  const Network n{.layers = 8, .rows = 4096, .width = 128, .hidden = 1024, .type = ElementType::bf16};
  const Module module = training(n);
  hw::Machine machine = hw::tpu_v3();
  machine.hbm.reserved_per_core = base::Bytes(0);
  const std::int64_t whole = driver::compile(module, machine).memory.heap.value();
  Rematerialisation last = Rematerialisation::none;
  std::int64_t fits = 0, refused = 0;
  for (std::int64_t share = 100; share > 0; share -= 4) {
    machine.hbm.capacity_per_core = base::Bytes(whole * share / 100);
    try {
      const driver::Step step = driver::compile(module, machine);
      EXPECT_EQ(refused, 0) << share;
      EXPECT_LE(step.memory.heap, machine.hbm.capacity_per_core) << share;
      EXPECT_GE(step.rematerialised.policy, last) << share;
      EXPECT_EQ(step.rematerialised.policy == Rematerialisation::none, step.rematerialised.flops == 0) << share;
      last = step.rematerialised.policy;
      ++fits;
    } catch (const driver::OutOfMemory&) {
      ++refused;
    }
  }
  EXPECT_NE(last, Rematerialisation::none);
  EXPECT_GT(fits, 5);
  EXPECT_GT(refused, 1);
}

}  // namespace
}  // namespace podsim::sw::ir::transform
