// SPDX-License-Identifier: Apache-2.0
#include "workloads/wide_gradients.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hlo/eval/evaluator.h"
#include "hlo/spmd/mesh/sharding_file.h"
#include "hlo/spmd/partition/partitioner.h"
#include "tests/hlo/literals.h"
#include "workloads/models/transformer.h"

namespace podsim::workloads {
namespace {

using hlo::ElementType;
using hlo::InstructionId;
using hlo::build::GraphBuilder;

/// transpose(dot) + dot, converted to f32, of bf16 factors; or, as the reference, of the same factors in f32.
hlo::Module sum_of_products(bool widened_factors, bool wide) {
  GraphBuilder b("products");
  const hlo::Shape shape = hlo::make_shape(ElementType::bf16, {8, 8});
  const auto factor = [&](const char* name) {
    const InstructionId value = b.parameter(shape, name);
    return widened_factors ? b.convert(value, ElementType::f32) : value;
  };
  const InstructionId x = factor("x"), y = factor("y");
  const InstructionId sum =
      b.add(b.transpose(b.dot(x, y, {{}, {}, {1}, {0}}), {1, 0}), b.dot(y, y, {{}, {}, {1}, {1}}));
  InstructionId gradient = widened_factors ? sum : b.convert(sum, ElementType::f32);
  if (wide) gradient = wide_gradients(b, {gradient}, ElementType::f32).front();
  return std::move(b).build(gradient);
}

// A product of bf16 factors is exact in f32, and sums of eight differ by the order of additions alone.
TEST(WideGradients, AreTheSumsOfProductsInF32) {
  const hlo::Module wide = sum_of_products(false, true), reference = sum_of_products(true, false);
  std::vector<hlo::Literal> arguments;
  for (unsigned seed : {1U, 2U}) {
    arguments.push_back(hlo::testing::random_literal(hlo::make_shape(ElementType::bf16, {8, 8}), seed, -1, 1));
  }
  const hlo::Literal found = hlo::eval::evaluate(wide, arguments);
  hlo::testing::expect_near(found, hlo::eval::evaluate(reference, arguments), 0, 1e-6);
  EXPECT_EQ(found.shape.element_type, ElementType::f32);
  for (const hlo::Instruction& instruction : wide.entry_computation().instructions) {
    EXPECT_EQ(instruction.shape.element_type,
              instruction.opcode == hlo::Opcode::parameter ? ElementType::bf16 : ElementType::f32)
        << instruction.name;
  }
}

TEST(WideGradients, OfTheTypeThatProductsHaveAreLeft) {
  GraphBuilder b("products");
  const InstructionId x = b.parameter(hlo::make_shape(ElementType::f32, {8, 8}), "x");
  const InstructionId product = b.dot(x, x, {{}, {}, {1}, {0}});
  EXPECT_EQ(wide_gradients(b, {product, x}, ElementType::f32), (std::vector<InstructionId>{product, x}));
  EXPECT_EQ(wide_gradients(b, {product}, ElementType::bf16), (std::vector<InstructionId>{product}));
}

/// Element types of the all-reduces of arrays of weights in a step of four partitions with a quarter of the batch each.
std::vector<ElementType> types_of_sums(ElementType gradient_type) {
  models::TransformerOptions options;
  options.batch = 4;
  options.sequence = 8;
  options.vocabulary = 16;
  options.layers = 2;
  options.model = 8;
  options.attention = {2, 4};
  options.feed_forward.hidden = 16;
  options.optimizer.kind = OptimizerKind::adam;
  options.position_embedding = false;
  options.precision.gradient = gradient_type;
  hlo::Module module = models::transformer_training_step(options).module;
  const hlo::spmd::mesh::Mesh mesh = hlo::spmd::mesh::Mesh::parse("x=4");
  hlo::spmd::mesh::annotate(
      module, mesh,
      hlo::spmd::mesh::read_sharding_file("test", "[sharding]\n\"tokens\" = [\"x\"]\n\"targets\" = [\"x\"]\n"));
  const hlo::Module local =
      hlo::spmd::partition::partition(module, mesh, hlo::spmd::propagate::propagate(module, mesh));
  std::vector<ElementType> types;
  for (const hlo::Instruction& instruction : local.entry_computation().instructions) {
    if (instruction.opcode != hlo::Opcode::all_reduce || instruction.shape.rank() < 2) continue;
    types.push_back(instruction.shape.element_type);
  }
  return types;
}

// Two layers have six kernels each, and there is the embedding.
TEST(WideGradients, AreWhatCoresSum) {
  for (const ElementType type : {ElementType::bf16, ElementType::f32}) {
    const std::vector<ElementType> types = types_of_sums(type);
    EXPECT_GE(std::ranges::count(types, type), 13) << to_string(type);
    EXPECT_EQ(std::ranges::count(types, type), std::ptrdiff_t(types.size()));
  }
}

}  // namespace
}  // namespace podsim::workloads
