// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/partition/partitioner.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/diagnostic.h"
#include "sw/ir/eval/evaluator.h"
#include "tests/sw/ir/element_types.h"
#include "tests/sw/ir/literals.h"
#include "tests/sw/spmd/ring_bytes.h"
#include "tests/sw/spmd/sharded_program.h"

namespace podsim::sw::spmd::partition {
namespace {

using testing::moves_of;
using testing::ring_bytes;
using testing::ShardedProgram;

using ir::testing::bf16;

/// The last dimension of lhs with the first of rhs.
ir::InstructionId product(ir::build::GraphBuilder& b, ir::InstructionId lhs, ir::InstructionId rhs) {
  return b.dot(lhs, rhs, {{}, {}, {b.shape(lhs).rank() - 1}, {0}});
}

const ir::Instruction& only(const ir::Module& module, ir::Opcode opcode) {
  const ir::Instruction* found = nullptr;
  for (const ir::Instruction& instruction : module.entry_computation().instructions) {
    if (instruction.opcode != opcode) continue;
    if (found != nullptr) throw std::logic_error("several");
    found = &instruction;
  }
  if (found == nullptr) throw std::logic_error("none");
  return *found;
}

// GSPMD (Xu et al. 2021), section 4.1, table 1, "2D finalized": activations BSM [x, -, y], weights MH [x, y] and HM
// [y, x], hidden BSH [x, -, y].
TEST(Partitioner, TwoDimensionalTransformerGathersWeightsAndScattersActivations) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}, {"y", 8}}));
  ir::build::GraphBuilder& b = p.builder;
  const ir::InstructionId in = p.annotate(b.parameter(ir::make_shape(bf16, {64, 128, 1024}), "in"), {"x", "", "y"});
  const ir::InstructionId up = p.annotate(b.parameter(ir::make_shape(bf16, {1024, 4096}), "up"), {"x", "y"});
  const ir::InstructionId down = p.annotate(b.parameter(ir::make_shape(bf16, {4096, 1024}), "down"), {"y", "x"});
  const ir::InstructionId hidden = p.annotate(product(b, in, up), {"x", "", "y"});
  const ir::InstructionId out = p.annotate(product(b, hidden, down), {"x", "", "y"});
  const ir::Module local = std::move(p).partitioned(out);
  EXPECT_EQ(testing::moves_of(local), "all-gather all-gather all-gather reduce-scatter") << ir::to_string(local);
  // Activations along y, weights along x, partial sums along y.
  const double activations = 2.0 * 64 / 4 * 128 * 1024, weights = 2.0 * 1024 * 4096 / 8;
  EXPECT_DOUBLE_EQ(testing::ring_bytes(local), 2 * activations * 7 / 8 + 2 * weights * 3 / 4);
}

TEST(Partitioner, SumOfPartialSumsIsReducedOnce) {
  testing::ShardedProgram p(mesh::Mesh({{"y", 8}}));
  ir::build::GraphBuilder& b = p.builder;
  const ir::InstructionId x = p.annotate(b.parameter(ir::make_shape(bf16, {256, 512}), "x"), {"", "y"});
  const ir::InstructionId v = p.annotate(b.parameter(ir::make_shape(bf16, {512, 128}), "v"), {"y"});
  const ir::InstructionId w = p.annotate(b.parameter(ir::make_shape(bf16, {512, 128}), "w"), {"y"});
  const ir::InstructionId half = b.full(ir::make_shape(bf16, {256, 128}), 0.5);
  const ir::InstructionId sum = b.add(product(b, x, v), b.multiply(product(b, x, w), half));
  const ir::Module local = std::move(p).partitioned(b.tanh(sum));
  EXPECT_EQ(testing::moves_of(local), "all-reduce") << ir::to_string(local);
}

// The gradient of an embedding that is the logits' matrix too, with a whole network between its two parts.
TEST(Partitioner, GradientsOfATiedTensorAreReducedOnceHoweverFarApart) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
  ir::build::GraphBuilder& b = p.builder;
  const ir::InstructionId x = p.annotate(b.parameter(ir::make_shape(bf16, {64, 32}), "x"), {"x"});
  const ir::InstructionId y = p.annotate(b.parameter(ir::make_shape(bf16, {64, 16}), "y"), {"x"});
  const ir::DotDimensions over_batch{{}, {}, {0}, {0}};
  const ir::InstructionId of_logits = b.dot(x, y, over_batch);
  ir::InstructionId z = y;
  for (int i = 0; i < 2 * reshard::LocalProgram::held_instructions; ++i) z = p.annotate(b.tanh(z), {"x"});
  const ir::InstructionId gradient = b.add(b.transpose(of_logits, {1, 0}), b.dot(z, x, over_batch));
  const ir::Module local = std::move(p).partitioned(b.tanh(gradient));
  EXPECT_EQ(testing::moves_of(local), "all-reduce") << ir::to_string(local);
}

// Gradients of the parts of an accumulated batch, in bf16, summed in f32 and kept apart by barriers.
TEST(Partitioner, GradientsOfAnAccumulatedBatchAreReducedOnceAfterTheLastPart) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
  ir::build::GraphBuilder& b = p.builder;
  ir::InstructionId sum = -1;
  for (int part = 0; part < 3; ++part) {
    const std::string name = std::to_string(part);
    const ir::InstructionId x = p.annotate(b.parameter(ir::make_shape(bf16, {64, 32}), "x" + name), {"x"});
    const ir::InstructionId y = p.annotate(b.parameter(ir::make_shape(bf16, {64, 16}), "y" + name), {"x"});
    const ir::InstructionId gradient = b.convert(b.dot(x, y, {{}, {}, {0}, {0}}), ir::ElementType::f32);
    if (part == 0) {
      sum = gradient;
      continue;
    }
    ir::Instruction barrier;
    barrier.opcode = ir::Opcode::opt_barrier;
    barrier.operands = {b.add(sum, gradient)};
    sum = b.add(std::move(barrier));
  }
  const ir::Module local = std::move(p).partitioned(b.tanh(sum));
  EXPECT_EQ(testing::moves_of(local), "all-reduce") << ir::to_string(local);
  EXPECT_EQ(only(local, ir::Opcode::all_reduce).shape.element_type, ir::ElementType::f32);
}

// A weight's gradient in shards along the axis of the batch and another one, over which no operand is split: products
// are split along the other one and summed along that of the batch, and the operands do not move.
TEST(Partitioner, AGradientWantedAlongMoreThanTheBatchIsCutByTheRestAndSummed) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}, {"y", 8}}));
  ir::build::GraphBuilder& b = p.builder;
  const ir::InstructionId in = p.annotate(b.parameter(ir::make_shape(bf16, {4096, 512}), "in"), {"x"});
  const ir::InstructionId out = p.annotate(b.parameter(ir::make_shape(bf16, {4096, 2048}), "out"), {"x"});
  const ir::InstructionId gradient = p.annotate(b.dot(out, in, {{}, {}, {0}, {0}}), {"x+y"});
  const ir::Module local = std::move(p).partitioned(gradient);
  EXPECT_EQ(testing::moves_of(local), "dynamic-slice reduce-scatter collective-permute") << ir::to_string(local);
  EXPECT_EQ(only(local, ir::Opcode::dot).shape.dimensions, (std::vector<std::int64_t>{2048 / 8, 512}));
  // The sum of an eighth of the gradient, a quarter of which remains and moves.
  const double eighth = 2.0 * 2048 / 8 * 512;
  EXPECT_DOUBLE_EQ(testing::ring_bytes(local), eighth * 3 / 4 + eighth / 4);
}

TEST(Partitioner, SumBesideAWholeValueIsMadeAtOnce) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
  ir::build::GraphBuilder& b = p.builder;
  const ir::InstructionId x = p.annotate(b.parameter(ir::make_shape(bf16, {64, 32}), "x"), {"x"});
  const ir::InstructionId momentum = b.parameter(ir::make_shape(bf16, {32, 32}), "momentum");
  const ir::InstructionId sum = b.dot(x, x, {{}, {}, {0}, {0}});
  ir::InstructionId y = momentum;
  for (int i = 0; i < 3; ++i) y = b.tanh(y);
  const ir::Module local = std::move(p).partitioned(b.add(y, sum));
  const ir::Computation& entry = local.entry_computation();
  EXPECT_EQ(entry[entry[entry.root].operands[1]].opcode, ir::Opcode::all_reduce);
}

TEST(Partitioner, PartialSumsOfSeveralUsersAreReducedAtOnce) {
  testing::ShardedProgram p(mesh::Mesh({{"y", 8}}));
  ir::build::GraphBuilder& b = p.builder;
  const ir::InstructionId x = p.annotate(b.parameter(ir::make_shape(bf16, {256, 512}), "x"), {"", "y"});
  const ir::InstructionId v = p.annotate(b.parameter(ir::make_shape(bf16, {512, 128}), "v"), {"y"});
  const ir::InstructionId sum = product(b, x, v);
  const ir::InstructionId root = b.tuple({b.add(sum, sum), b.tanh(sum)});
  const ir::Module local = std::move(p).partitioned(root);
  EXPECT_EQ(testing::moves_of(local), "all-reduce") << ir::to_string(local);
}

TEST(Partitioner, GathersWeightsAgainForUsesThatAreFarApart) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
  ir::build::GraphBuilder& b = p.builder;
  const ir::Shape activations = ir::make_shape(bf16, {4096, 64});
  ir::InstructionId x = p.annotate(b.parameter(activations, "in"), {"x"});
  const ir::InstructionId w = p.annotate(b.parameter(ir::make_shape(bf16, {64, 64}), "w"), {"x"});
  for (int use = 0; use < 3; ++use) {
    x = p.annotate(product(b, x, w), {"x"});
    const int between = use == 0 ? 2 : reshard::LocalProgram::held_instructions;
    for (int i = 0; i < between; ++i) x = p.annotate(b.tanh(x), {"x"});
  }
  const ir::Module local = std::move(p).partitioned(x);
  EXPECT_EQ(testing::moves_of(local), "all-gather all-gather") << ir::to_string(local);
}

TEST(Partitioner, SaysWhatParametersAndResultsAreShardsOf) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
  ir::build::GraphBuilder& b = p.builder;
  const ir::Shape shape = ir::make_shape(bf16, {10, 64});
  const ir::InstructionId x = p.annotate(b.parameter(shape, "x"), {"x"});
  const ir::InstructionId y = p.annotate(b.parameter(shape, "y"), {"", "x"});
  const ir::InstructionId root = b.tuple({p.annotate(b.negate(x), {"x"}), p.annotate(b.abs(y), {"x"})});
  p.set(root, {mesh::parse_axes(p.mesh, {"x"}, 2), mesh::parse_axes(p.mesh, {"", "x"}, 2)});
  const ir::Module local = std::move(p).partitioned(root);
  EXPECT_EQ(local.partitions, 4);
  const ir::Computation& entry = local.entry_computation();
  EXPECT_EQ(ir::to_string(entry[entry.parameters[0]].shape), "bf16[3,64]");
  EXPECT_EQ(ir::to_string(*entry[entry.parameters[0]].sharding), "{devices=[4,1]<=[4]}");
  EXPECT_EQ(ir::to_string(*entry[entry.root].sharding), "{{devices=[4,1]<=[4]}, {devices=[1,4]<=[4]}}");
  EXPECT_EQ(ir::to_string(entry[entry.root].shape), "(bf16[3,64], bf16[10,16])");
}

TEST(Partitioner, KeepsDonationsOfShardsThatFitOnEachOther) {
  ir::build::GraphBuilder b("donating");
  const ir::Shape shape = ir::make_shape(bf16, {8, 8});
  const ir::InstructionId x = b.parameter(shape, "x"), y = b.parameter(shape, "y");
  ir::Module module = std::move(b).build(b.tuple({b.negate(x), b.negate(y)}));
  module.donations = {{0, 0, 0}, {1, 1, 0}};
  const mesh::Mesh mesh({{"x", 4}});
  const mesh::AxisSharding split = mesh::parse_axes(mesh, {"x"}, 2), whole = mesh::replicated(2);
  propagate::ModuleShardings shardings;
  shardings.values = {{{split}, {split}, {split}, {split}, {split, whole}}};
  EXPECT_EQ(partition(module, mesh, shardings).donations, (std::vector<ir::Donation>{{0, 0, 0}}));
}

TEST(Partitioner, KeepsTheNamesOfLayers) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
  ir::build::GraphBuilder& b = p.builder;
  const ir::InstructionId x = p.annotate(b.parameter(ir::make_shape(bf16, {8, 64}), "x"), {"", "x"});
  const ir::build::GraphBuilder::Scope scope(b, "layer3/loss");
  const ir::Module local = std::move(p).partitioned(b.reduce_add(x, {1}));
  EXPECT_EQ(only(local, ir::Opcode::reduce).op_name, "layer3/loss");
  EXPECT_EQ(only(local, ir::Opcode::all_reduce).op_name, "layer3/loss");
}

TEST(Partitioner, AnnotationsOfTheProgramAreBroughtAbout) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
  ir::build::GraphBuilder& b = p.builder;
  const ir::Shape shape = ir::make_shape(bf16, {8, 64});
  const ir::InstructionId x = p.annotate(b.parameter(shape, "x"), {"x"});
  ir::Instruction annotation;
  annotation.opcode = ir::Opcode::custom_call;
  annotation.operands = {x};
  annotation.shape = shape;
  annotation.target = "Sharding";
  const ir::InstructionId said = p.annotate(b.add(std::move(annotation)), {"", "x"});
  const ir::Module local = std::move(p).partitioned(p.annotate(b.negate(said), {"", "x"}));
  EXPECT_EQ(testing::moves_of(local), "all-to-all");
}

// As in shard_map: whole values, their shards as manual values, and back.
TEST(Partitioner, HandsShardsOutAsValuesOfTheirOwnAndTakesThemBack) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
  ir::build::GraphBuilder& b = p.builder;
  const ir::Shape whole = ir::make_shape(ir::ElementType::f32, {8, 3}),
                  shard = ir::make_shape(ir::ElementType::f32, {2, 3});
  const auto call = [&](const char* target, ir::InstructionId operand, const ir::Shape& shape) {
    ir::Instruction instruction;
    instruction.opcode = ir::Opcode::custom_call;
    instruction.operands = {operand};
    instruction.shape = shape;
    instruction.target = target;
    return b.add(std::move(instruction));
  };
  const ir::InstructionId x = b.parameter(whole, "x");
  const ir::InstructionId cut_x = p.annotate(call("Sharding", x, whole), {"x"});
  const ir::InstructionId own = p.set(call("SPMDFullToShardShape", cut_x, shard), {mesh::manual(2)});
  // Every partition subtracts the sum of its rows from each of them.
  const ir::InstructionId sums = p.set(b.reduce_add(own, {0}), {mesh::manual(1)});
  const ir::InstructionId less =
      p.set(b.subtract(own, p.set(b.broadcast(sums, {2, 3}, {1}), {mesh::manual(2)})), {mesh::manual(2)});
  const ir::InstructionId said = p.set(call("Sharding", less, shard), {mesh::manual(2)});
  const ir::InstructionId back = p.annotate(call("SPMDShardToFullShape", said, whole), {"x"});
  const ir::Module local = std::move(p).partitioned(back);
  EXPECT_EQ(testing::moves_of(local), "dynamic-slice");
  const ir::Literal value = ir::testing::random_literal(whole, 1);
  const std::vector<ir::Literal> results =
      ir::eval::evaluate_partitions(local, std::vector<std::vector<ir::Literal>>(4, {value}));
  for (std::size_t device = 0; device < 4; ++device) {
    for (std::size_t column = 0; column < 3; ++column) {
      // A row less the sum of both is the other one, negated.
      const std::size_t row = 2 * device;
      EXPECT_NEAR(results[device].values[column], -value.values[(row + 1) * 3 + column], 1e-6);
      EXPECT_NEAR(results[device].values[3 + column], -value.values[row * 3 + column], 1e-6);
    }
  }
}

// A step of one core with its part of a batch: the sum of all cores' gradients, the update, the new weight.
struct PerCoreStep {
  testing::ShardedProgram program{mesh::Mesh({{"x", 4}})};
  ir::InstructionId root = -1;

  explicit PerCoreStep(bool cuts_update) {
    ir::build::GraphBuilder& b = program.builder;
    const ir::Shape shape = ir::make_shape(ir::ElementType::f32, {8, 6});
    const mesh::AxisSharding own = mesh::manual(2);
    const ir::InstructionId w = b.parameter(shape, "w");
    const ir::InstructionId fed = program.set(b.infeed(shape), {own});
    const ir::InstructionId gradient = program.set(b.multiply(fed, w), {own});
    const ir::InstructionId sum = b.all_reduce(gradient);
    const ir::InstructionId updated = b.subtract(w, sum);
    if (cuts_update) {
      for (const ir::InstructionId id : {w, sum, updated}) program.annotate(id, {"x"});
    }
    root = updated;
  }
};

TEST(Partitioner, WeightUpdateIsShardedByReduceScatterAndAllGather) {
  // The sum of the cores' gradients is needed in shards, and the whole weight for each core's product.
  PerCoreStep step(true);
  const ir::Module local = std::move(step.program).partitioned(step.root);
  EXPECT_EQ(testing::moves_of(local), "all-gather reduce-scatter") << ir::to_string(local);
}

TEST(Partitioner, PerCoreProgramStaysWhatItIs) {
  for (const bool cuts_update : {false, true}) {
    PerCoreStep step(cuts_update);
    const ir::Module local = std::move(step.program).partitioned(step.root);
    EXPECT_EQ(testing::moves_of(local), cuts_update ? "all-gather reduce-scatter" : "all-reduce");
    const ir::Literal weight = ir::testing::random_literal(ir::make_shape(ir::ElementType::f32, {8, 6}), 1);
    ir::eval::EvaluationHost host;
    host.infeed = [](int device, const ir::Instruction& infeed) {
      return ir::testing::fed(infeed,
                              ir::testing::random_literal(infeed.shape.tuple_shapes[0], unsigned(100 + device)));
    };
    ir::Module whole = step.program.whole;
    whole.replicas = 4;
    const std::vector<ir::Literal> expected =
        ir::eval::evaluate_partitions(whole, std::vector<std::vector<ir::Literal>>(4, {weight}), host);
    const mesh::AxisSharding sharding =
        cuts_update ? mesh::parse_axes(step.program.mesh, {"x"}, 2) : mesh::replicated(2);
    std::vector<std::vector<ir::Literal>> arguments;
    for (const ir::Literal& shard : split_into_shards(step.program.mesh, weight, {sharding}))
      arguments.push_back({shard});
    const std::vector<ir::Literal> results = ir::eval::evaluate_partitions(local, arguments, host);
    ir::testing::expect_near(join(step.program.mesh, weight.shape, results, {sharding}), expected[0], 1e-6);
  }
}

TEST(Partitioner, ReplicasOfAProgramStayReplicasOfItsPartitions) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 2}}));
  ir::build::GraphBuilder& b = p.builder;
  const ir::Shape shape = ir::make_shape(ir::ElementType::f32, {4});
  const ir::InstructionId sum = p.annotate(b.all_reduce(p.annotate(b.parameter(shape, "x"), {"x"})), {"x"});
  ir::Module whole = std::move(b).build(sum);
  whole.replicas = 3;
  propagate::ModuleShardings shardings;
  const mesh::ValueSharding cut_sharding{mesh::parse_axes(p.mesh, {"x"}, 1)};
  for (const ir::Computation& computation : whole.computations) {
    shardings.values.emplace_back(computation.instructions.size(), cut_sharding);
  }
  const ir::Module local = partition(whole, p.mesh, shardings);
  EXPECT_EQ(local.replicas, 3);
  // Device r * 2 + p has the p-th half of replica r's array.
  std::vector<std::vector<ir::Literal>> arguments;
  ir::Literal total = ir::make_zeros(shape);
  for (unsigned replica = 0; replica < 3; ++replica) {
    ir::Literal value = ir::testing::random_literal(shape, replica);
    for (double& number : value.values) number = std::round(8 * number);
    for (std::size_t i = 0; i < 4; ++i) total.values[i] += value.values[i];
    for (const ir::Literal& shard : split_into_shards(p.mesh, value, cut_sharding)) arguments.push_back({shard});
  }
  const std::vector<ir::Literal> results = ir::eval::evaluate_partitions(local, arguments);
  const std::vector<ir::Literal> expected = split_into_shards(p.mesh, total, cut_sharding);
  for (std::size_t device = 0; device < 6; ++device) {
    EXPECT_TRUE(ir::same_values(results[device], expected[device % 2])) << device;
  }
}

TEST(Partitioner, EveryPartitionIsFedAndFeedsItsShard) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
  ir::build::GraphBuilder& b = p.builder;
  const ir::InstructionId fed = p.annotate(b.infeed(ir::make_shape(ir::ElementType::f32, {8, 2})), {"x"});
  p.set(b[fed].operands[0], {mesh::parse_axes(p.mesh, {"x", "-"}, 2), mesh::replicated(0)});
  const ir::InstructionId out = p.annotate(b.negate(fed), {"x"});
  b.outfeed(out);
  const ir::Module local = std::move(p).partitioned(out);
  EXPECT_EQ(ir::to_string(only(local, ir::Opcode::infeed).shape), "(f32[2,2], token[])");
  ir::eval::EvaluationHost host;
  host.infeed = [](int device, const ir::Instruction& infeed) {
    return ir::testing::fed(infeed, ir::testing::random_literal(infeed.shape.tuple_shapes[0], unsigned(device)));
  };
  std::vector<ir::Literal> seen(4);
  host.outfeed = [&](int device, const ir::Literal& value) { seen[std::size_t(device)] = value; };
  const std::vector<ir::Literal> results =
      ir::eval::evaluate_partitions(local, std::vector<std::vector<ir::Literal>>(4), host);
  for (std::size_t device = 0; device < 4; ++device) {
    EXPECT_EQ(results[device].values[3],
              -ir::testing::random_literal(results[device].shape, unsigned(device)).values[3]);
    EXPECT_TRUE(ir::same_values(seen[device], results[device]));
  }
}

std::string error_of(testing::ShardedProgram&& p, ir::InstructionId root) {
  try {
    std::move(p).partitioned(root);
  } catch (const base::InputError& error) {
    return error.diagnostics().front().message;
  }
  return "";
}

TEST(Partitioner, NamesWhatCannotBePartitioned) {
  const ir::Shape shape = ir::make_shape(ir::ElementType::f32, {8});
  {
    testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
    const ir::InstructionId fed = p.set(p.builder.infeed(shape), {mesh::manual(1)});
    const ir::InstructionId root = p.annotate(p.builder.negate(fed), {"x"});
    EXPECT_EQ(error_of(std::move(p), root), "negate.3 cannot be partitioned: every partition has a value of its own");
  }
  {
    testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
    ir::Instruction strange;
    strange.opcode = ir::Opcode::unknown;
    strange.target = "quantum-leap";
    strange.name = "leap";
    strange.op_name = "layer1";
    strange.shape = shape;
    strange.operands = {p.annotate(p.builder.parameter(shape, "x"), {"x"})};
    const ir::InstructionId root = p.builder.add(std::move(strange));
    EXPECT_EQ(error_of(std::move(p), root),
              "leap (layer1) cannot be partitioned: nothing is known of 'quantum-leap', and its operands are cut");
  }
}

}  // namespace
}  // namespace podsim::sw::spmd::partition
