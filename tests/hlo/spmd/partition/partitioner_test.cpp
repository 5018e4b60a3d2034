// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/partition/partitioner.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/diagnostic.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/element_types.h"
#include "tests/hlo/literals.h"
#include "tests/hlo/spmd/ring_bytes.h"
#include "tests/hlo/spmd/sharded_program.h"

namespace podsim::hlo::spmd::partition {
namespace {

using testing::moves_of;
using testing::ring_bytes;
using testing::ShardedProgram;

using hlo::testing::bf16;

/// The last dimension of lhs with the first of rhs.
hlo::InstructionId product(build::GraphBuilder& b, hlo::InstructionId lhs, hlo::InstructionId rhs) {
  return b.dot(lhs, rhs, {{}, {}, {b.shape(lhs).rank() - 1}, {0}});
}

const hlo::Instruction& only(const hlo::Module& module, hlo::Opcode opcode) {
  const hlo::Instruction* found = nullptr;
  for (const hlo::Instruction& instruction : module.entry_computation().instructions) {
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
  build::GraphBuilder& b = p.builder;
  const hlo::InstructionId in = p.annotate(b.parameter(hlo::make_shape(bf16, {64, 128, 1024}), "in"), {"x", "", "y"});
  const hlo::InstructionId up = p.annotate(b.parameter(hlo::make_shape(bf16, {1024, 4096}), "up"), {"x", "y"});
  const hlo::InstructionId down = p.annotate(b.parameter(hlo::make_shape(bf16, {4096, 1024}), "down"), {"y", "x"});
  const hlo::InstructionId hidden = p.annotate(product(b, in, up), {"x", "", "y"});
  const hlo::InstructionId out = p.annotate(product(b, hidden, down), {"x", "", "y"});
  const hlo::Module local = std::move(p).partitioned(out);
  EXPECT_EQ(testing::moves_of(local), "all-gather all-gather all-gather reduce-scatter") << hlo::to_string(local);
  // Activations along y, weights along x, partial sums along y.
  const double activations = 2.0 * 64 / 4 * 128 * 1024, weights = 2.0 * 1024 * 4096 / 8;
  EXPECT_DOUBLE_EQ(testing::ring_bytes(local), 2 * activations * 7 / 8 + 2 * weights * 3 / 4);
}

TEST(Partitioner, SumOfPartialSumsIsReducedOnce) {
  testing::ShardedProgram p(mesh::Mesh({{"y", 8}}));
  build::GraphBuilder& b = p.builder;
  const hlo::InstructionId x = p.annotate(b.parameter(hlo::make_shape(bf16, {256, 512}), "x"), {"", "y"});
  const hlo::InstructionId v = p.annotate(b.parameter(hlo::make_shape(bf16, {512, 128}), "v"), {"y"});
  const hlo::InstructionId w = p.annotate(b.parameter(hlo::make_shape(bf16, {512, 128}), "w"), {"y"});
  const hlo::InstructionId half = b.full(hlo::make_shape(bf16, {256, 128}), 0.5);
  const hlo::InstructionId sum = b.add(product(b, x, v), b.multiply(product(b, x, w), half));
  const hlo::Module local = std::move(p).partitioned(b.tanh(sum));
  EXPECT_EQ(testing::moves_of(local), "all-reduce") << hlo::to_string(local);
}

// The gradient of an embedding that is the logits' matrix too, with a whole network between its two parts.
TEST(Partitioner, GradientsOfATiedTensorAreReducedOnceHoweverFarApart) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
  build::GraphBuilder& b = p.builder;
  const hlo::InstructionId x = p.annotate(b.parameter(hlo::make_shape(bf16, {64, 32}), "x"), {"x"});
  const hlo::InstructionId y = p.annotate(b.parameter(hlo::make_shape(bf16, {64, 16}), "y"), {"x"});
  const hlo::DotDimensions over_batch{{}, {}, {0}, {0}};
  const hlo::InstructionId of_logits = b.dot(x, y, over_batch);
  hlo::InstructionId z = y;
  for (int i = 0; i < 2 * reshard::LocalProgram::held_instructions; ++i) z = p.annotate(b.tanh(z), {"x"});
  const hlo::InstructionId gradient = b.add(b.transpose(of_logits, {1, 0}), b.dot(z, x, over_batch));
  const hlo::Module local = std::move(p).partitioned(b.tanh(gradient));
  EXPECT_EQ(testing::moves_of(local), "all-reduce") << hlo::to_string(local);
}

// Gradients of the parts of an accumulated batch, in bf16, summed in f32 and kept apart by barriers.
TEST(Partitioner, GradientsOfAnAccumulatedBatchAreReducedOnceAfterTheLastPart) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
  build::GraphBuilder& b = p.builder;
  hlo::InstructionId sum = -1;
  for (int part = 0; part < 3; ++part) {
    const std::string name = std::to_string(part);
    const hlo::InstructionId x = p.annotate(b.parameter(hlo::make_shape(bf16, {64, 32}), "x" + name), {"x"});
    const hlo::InstructionId y = p.annotate(b.parameter(hlo::make_shape(bf16, {64, 16}), "y" + name), {"x"});
    const hlo::InstructionId gradient = b.convert(b.dot(x, y, {{}, {}, {0}, {0}}), hlo::ElementType::f32);
    if (part == 0) {
      sum = gradient;
      continue;
    }
    hlo::Instruction barrier;
    barrier.opcode = hlo::Opcode::opt_barrier;
    barrier.operands = {b.add(sum, gradient)};
    sum = b.add(std::move(barrier));
  }
  const hlo::Module local = std::move(p).partitioned(b.tanh(sum));
  EXPECT_EQ(testing::moves_of(local), "all-reduce") << hlo::to_string(local);
  EXPECT_EQ(only(local, hlo::Opcode::all_reduce).shape.element_type, hlo::ElementType::f32);
}

// A weight's gradient in shards along the axis of the batch and another one, over which no operand is split: products
// are split along the other one and summed along that of the batch, and the operands do not move.
TEST(Partitioner, AGradientWantedAlongMoreThanTheBatchIsCutByTheRestAndSummed) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}, {"y", 8}}));
  build::GraphBuilder& b = p.builder;
  const hlo::InstructionId in = p.annotate(b.parameter(hlo::make_shape(bf16, {4096, 512}), "in"), {"x"});
  const hlo::InstructionId out = p.annotate(b.parameter(hlo::make_shape(bf16, {4096, 2048}), "out"), {"x"});
  const hlo::InstructionId gradient = p.annotate(b.dot(out, in, {{}, {}, {0}, {0}}), {"x+y"});
  const hlo::Module local = std::move(p).partitioned(gradient);
  EXPECT_EQ(testing::moves_of(local), "dynamic-slice reduce-scatter collective-permute") << hlo::to_string(local);
  EXPECT_EQ(only(local, hlo::Opcode::dot).shape.dimensions, (std::vector<std::int64_t>{2048 / 8, 512}));
  // The sum of an eighth of the gradient, a quarter of which remains and moves.
  const double eighth = 2.0 * 2048 / 8 * 512;
  EXPECT_DOUBLE_EQ(testing::ring_bytes(local), eighth * 3 / 4 + eighth / 4);
}

TEST(Partitioner, SumBesideAWholeValueIsMadeAtOnce) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
  build::GraphBuilder& b = p.builder;
  const hlo::InstructionId x = p.annotate(b.parameter(hlo::make_shape(bf16, {64, 32}), "x"), {"x"});
  const hlo::InstructionId momentum = b.parameter(hlo::make_shape(bf16, {32, 32}), "momentum");
  const hlo::InstructionId sum = b.dot(x, x, {{}, {}, {0}, {0}});
  hlo::InstructionId y = momentum;
  for (int i = 0; i < 3; ++i) y = b.tanh(y);
  const hlo::Module local = std::move(p).partitioned(b.add(y, sum));
  const hlo::Computation& entry = local.entry_computation();
  EXPECT_EQ(entry[entry[entry.root].operands[1]].opcode, hlo::Opcode::all_reduce);
}

TEST(Partitioner, PartialSumsOfSeveralUsersAreReducedAtOnce) {
  testing::ShardedProgram p(mesh::Mesh({{"y", 8}}));
  build::GraphBuilder& b = p.builder;
  const hlo::InstructionId x = p.annotate(b.parameter(hlo::make_shape(bf16, {256, 512}), "x"), {"", "y"});
  const hlo::InstructionId v = p.annotate(b.parameter(hlo::make_shape(bf16, {512, 128}), "v"), {"y"});
  const hlo::InstructionId sum = product(b, x, v);
  const hlo::InstructionId root = b.tuple({b.add(sum, sum), b.tanh(sum)});
  const hlo::Module local = std::move(p).partitioned(root);
  EXPECT_EQ(testing::moves_of(local), "all-reduce") << hlo::to_string(local);
}

TEST(Partitioner, GathersWeightsAgainForUsesThatAreFarApart) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
  build::GraphBuilder& b = p.builder;
  const hlo::Shape activations = hlo::make_shape(bf16, {4096, 64});
  hlo::InstructionId x = p.annotate(b.parameter(activations, "in"), {"x"});
  const hlo::InstructionId w = p.annotate(b.parameter(hlo::make_shape(bf16, {64, 64}), "w"), {"x"});
  for (int use = 0; use < 3; ++use) {
    x = p.annotate(product(b, x, w), {"x"});
    const int between = use == 0 ? 2 : reshard::LocalProgram::held_instructions;
    for (int i = 0; i < between; ++i) x = p.annotate(b.tanh(x), {"x"});
  }
  const hlo::Module local = std::move(p).partitioned(x);
  EXPECT_EQ(testing::moves_of(local), "all-gather all-gather") << hlo::to_string(local);
}

TEST(Partitioner, SaysWhatParametersAndResultsAreShardsOf) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
  build::GraphBuilder& b = p.builder;
  const hlo::Shape shape = hlo::make_shape(bf16, {10, 64});
  const hlo::InstructionId x = p.annotate(b.parameter(shape, "x"), {"x"});
  const hlo::InstructionId y = p.annotate(b.parameter(shape, "y"), {"", "x"});
  const hlo::InstructionId root = b.tuple({p.annotate(b.negate(x), {"x"}), p.annotate(b.abs(y), {"x"})});
  p.set(root, {mesh::parse_axes(p.mesh, {"x"}, 2), mesh::parse_axes(p.mesh, {"", "x"}, 2)});
  const hlo::Module local = std::move(p).partitioned(root);
  EXPECT_EQ(local.partitions, 4);
  const hlo::Computation& entry = local.entry_computation();
  EXPECT_EQ(hlo::to_string(entry[entry.parameters[0]].shape), "bf16[3,64]");
  EXPECT_EQ(hlo::to_string(*entry[entry.parameters[0]].sharding), "{devices=[4,1]<=[4]}");
  EXPECT_EQ(hlo::to_string(*entry[entry.root].sharding), "{{devices=[4,1]<=[4]}, {devices=[1,4]<=[4]}}");
  EXPECT_EQ(hlo::to_string(entry[entry.root].shape), "(bf16[3,64], bf16[10,16])");
}

TEST(Partitioner, KeepsDonationsOfShardsThatFitOnEachOther) {
  build::GraphBuilder b("donating");
  const hlo::Shape shape = hlo::make_shape(bf16, {8, 8});
  const hlo::InstructionId x = b.parameter(shape, "x"), y = b.parameter(shape, "y");
  hlo::Module module = std::move(b).build(b.tuple({b.negate(x), b.negate(y)}));
  module.donations = {{0, 0, 0}, {1, 1, 0}};
  const mesh::Mesh mesh({{"x", 4}});
  const mesh::AxisSharding split = mesh::parse_axes(mesh, {"x"}, 2), whole = mesh::replicated(2);
  propagate::ModuleShardings shardings;
  shardings.values = {{{split}, {split}, {split}, {split}, {split, whole}}};
  EXPECT_EQ(partition(module, mesh, shardings).donations, (std::vector<hlo::Donation>{{0, 0, 0}}));
}

TEST(Partitioner, KeepsTheNamesOfLayers) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
  build::GraphBuilder& b = p.builder;
  const hlo::InstructionId x = p.annotate(b.parameter(hlo::make_shape(bf16, {8, 64}), "x"), {"", "x"});
  const build::GraphBuilder::Scope scope(b, "layer3/loss");
  const hlo::Module local = std::move(p).partitioned(b.reduce_add(x, {1}));
  EXPECT_EQ(only(local, hlo::Opcode::reduce).op_name, "layer3/loss");
  EXPECT_EQ(only(local, hlo::Opcode::all_reduce).op_name, "layer3/loss");
}

TEST(Partitioner, AnnotationsOfTheProgramAreBroughtAbout) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
  build::GraphBuilder& b = p.builder;
  const hlo::Shape shape = hlo::make_shape(bf16, {8, 64});
  const hlo::InstructionId x = p.annotate(b.parameter(shape, "x"), {"x"});
  hlo::Instruction annotation;
  annotation.opcode = hlo::Opcode::custom_call;
  annotation.operands = {x};
  annotation.shape = shape;
  annotation.target = "Sharding";
  const hlo::InstructionId said = p.annotate(b.add(std::move(annotation)), {"", "x"});
  const hlo::Module local = std::move(p).partitioned(p.annotate(b.negate(said), {"", "x"}));
  EXPECT_EQ(testing::moves_of(local), "all-to-all");
}

// As in shard_map: whole values, their shards as manual values, and back.
TEST(Partitioner, HandsShardsOutAsValuesOfTheirOwnAndTakesThemBack) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
  build::GraphBuilder& b = p.builder;
  const hlo::Shape whole = hlo::make_shape(hlo::ElementType::f32, {8, 3}),
                   shard = hlo::make_shape(hlo::ElementType::f32, {2, 3});
  const auto call = [&](const char* target, hlo::InstructionId operand, const hlo::Shape& shape) {
    hlo::Instruction instruction;
    instruction.opcode = hlo::Opcode::custom_call;
    instruction.operands = {operand};
    instruction.shape = shape;
    instruction.target = target;
    return b.add(std::move(instruction));
  };
  const hlo::InstructionId x = b.parameter(whole, "x");
  const hlo::InstructionId cut_x = p.annotate(call("Sharding", x, whole), {"x"});
  const hlo::InstructionId own = p.set(call("SPMDFullToShardShape", cut_x, shard), {mesh::manual(2)});
  // Every partition subtracts the sum of its rows from each of them.
  const hlo::InstructionId sums = p.set(b.reduce_add(own, {0}), {mesh::manual(1)});
  const hlo::InstructionId less =
      p.set(b.subtract(own, p.set(b.broadcast(sums, {2, 3}, {1}), {mesh::manual(2)})), {mesh::manual(2)});
  const hlo::InstructionId said = p.set(call("Sharding", less, shard), {mesh::manual(2)});
  const hlo::InstructionId back = p.annotate(call("SPMDShardToFullShape", said, whole), {"x"});
  const hlo::Module local = std::move(p).partitioned(back);
  EXPECT_EQ(testing::moves_of(local), "dynamic-slice");
  const hlo::Literal value = hlo::testing::random_literal(whole, 1);
  const std::vector<hlo::Literal> results =
      eval::evaluate_partitions(local, std::vector<std::vector<hlo::Literal>>(4, {value}));
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
  hlo::InstructionId root = -1;

  explicit PerCoreStep(bool cuts_update) {
    build::GraphBuilder& b = program.builder;
    const hlo::Shape shape = hlo::make_shape(hlo::ElementType::f32, {8, 6});
    const mesh::AxisSharding own = mesh::manual(2);
    const hlo::InstructionId w = b.parameter(shape, "w");
    const hlo::InstructionId fed = program.set(b.infeed(shape), {own});
    const hlo::InstructionId gradient = program.set(b.multiply(fed, w), {own});
    const hlo::InstructionId sum = b.all_reduce(gradient);
    const hlo::InstructionId updated = b.subtract(w, sum);
    if (cuts_update) {
      for (const hlo::InstructionId id : {w, sum, updated}) program.annotate(id, {"x"});
    }
    root = updated;
  }
};

TEST(Partitioner, WeightUpdateIsShardedByReduceScatterAndAllGather) {
  // The sum of the cores' gradients is needed in shards, and the whole weight for each core's product.
  PerCoreStep step(true);
  const hlo::Module local = std::move(step.program).partitioned(step.root);
  EXPECT_EQ(testing::moves_of(local), "all-gather reduce-scatter") << hlo::to_string(local);
}

TEST(Partitioner, PerCoreProgramStaysWhatItIs) {
  for (const bool cuts_update : {false, true}) {
    PerCoreStep step(cuts_update);
    const hlo::Module local = std::move(step.program).partitioned(step.root);
    EXPECT_EQ(testing::moves_of(local), cuts_update ? "all-gather reduce-scatter" : "all-reduce");
    const hlo::Literal weight = hlo::testing::random_literal(hlo::make_shape(hlo::ElementType::f32, {8, 6}), 1);
    eval::EvaluationHost host;
    host.infeed = [](int device, const hlo::Instruction& infeed) {
      return hlo::testing::fed(infeed,
                               hlo::testing::random_literal(infeed.shape.tuple_shapes[0], unsigned(100 + device)));
    };
    hlo::Module whole = step.program.whole;
    whole.replicas = 4;
    const std::vector<hlo::Literal> expected =
        eval::evaluate_partitions(whole, std::vector<std::vector<hlo::Literal>>(4, {weight}), host);
    const mesh::AxisSharding sharding =
        cuts_update ? mesh::parse_axes(step.program.mesh, {"x"}, 2) : mesh::replicated(2);
    std::vector<std::vector<hlo::Literal>> arguments;
    for (const hlo::Literal& shard : split_into_shards(step.program.mesh, weight, {sharding}))
      arguments.push_back({shard});
    const std::vector<hlo::Literal> results = eval::evaluate_partitions(local, arguments, host);
    hlo::testing::expect_near(join(step.program.mesh, weight.shape, results, {sharding}), expected[0], 1e-6);
  }
}

TEST(Partitioner, ReplicasOfAProgramStayReplicasOfItsPartitions) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 2}}));
  build::GraphBuilder& b = p.builder;
  const hlo::Shape shape = hlo::make_shape(hlo::ElementType::f32, {4});
  const hlo::InstructionId sum = p.annotate(b.all_reduce(p.annotate(b.parameter(shape, "x"), {"x"})), {"x"});
  hlo::Module whole = std::move(b).build(sum);
  whole.replicas = 3;
  propagate::ModuleShardings shardings;
  const mesh::ValueSharding cut_sharding{mesh::parse_axes(p.mesh, {"x"}, 1)};
  for (const hlo::Computation& computation : whole.computations) {
    shardings.values.emplace_back(computation.instructions.size(), cut_sharding);
  }
  const hlo::Module local = partition(whole, p.mesh, shardings);
  EXPECT_EQ(local.replicas, 3);
  // Device r * 2 + p has the p-th half of replica r's array.
  std::vector<std::vector<hlo::Literal>> arguments;
  hlo::Literal total = hlo::make_zeros(shape);
  for (unsigned replica = 0; replica < 3; ++replica) {
    hlo::Literal value = hlo::testing::random_literal(shape, replica);
    for (double& number : value.values) number = std::round(8 * number);
    for (std::size_t i = 0; i < 4; ++i) total.values[i] += value.values[i];
    for (const hlo::Literal& shard : split_into_shards(p.mesh, value, cut_sharding)) arguments.push_back({shard});
  }
  const std::vector<hlo::Literal> results = eval::evaluate_partitions(local, arguments);
  const std::vector<hlo::Literal> expected = split_into_shards(p.mesh, total, cut_sharding);
  for (std::size_t device = 0; device < 6; ++device) {
    EXPECT_TRUE(hlo::same_values(results[device], expected[device % 2])) << device;
  }
}

TEST(Partitioner, EveryPartitionIsFedAndFeedsItsShard) {
  testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
  build::GraphBuilder& b = p.builder;
  const hlo::InstructionId fed = p.annotate(b.infeed(hlo::make_shape(hlo::ElementType::f32, {8, 2})), {"x"});
  p.set(b[fed].operands[0], {mesh::parse_axes(p.mesh, {"x", "-"}, 2), mesh::replicated(0)});
  const hlo::InstructionId out = p.annotate(b.negate(fed), {"x"});
  b.outfeed(out);
  const hlo::Module local = std::move(p).partitioned(out);
  EXPECT_EQ(hlo::to_string(only(local, hlo::Opcode::infeed).shape), "(f32[2,2], token[])");
  eval::EvaluationHost host;
  host.infeed = [](int device, const hlo::Instruction& infeed) {
    return hlo::testing::fed(infeed, hlo::testing::random_literal(infeed.shape.tuple_shapes[0], unsigned(device)));
  };
  std::vector<hlo::Literal> seen(4);
  host.outfeed = [&](int device, const hlo::Literal& value) { seen[std::size_t(device)] = value; };
  const std::vector<hlo::Literal> results =
      eval::evaluate_partitions(local, std::vector<std::vector<hlo::Literal>>(4), host);
  for (std::size_t device = 0; device < 4; ++device) {
    EXPECT_EQ(results[device].values[3],
              -hlo::testing::random_literal(results[device].shape, unsigned(device)).values[3]);
    EXPECT_TRUE(hlo::same_values(seen[device], results[device]));
  }
}

std::string error_of(testing::ShardedProgram&& p, hlo::InstructionId root) {
  try {
    std::move(p).partitioned(root);
  } catch (const base::InputError& error) {
    return error.diagnostics().front().message;
  }
  return "";
}

TEST(Partitioner, NamesWhatCannotBePartitioned) {
  const hlo::Shape shape = hlo::make_shape(hlo::ElementType::f32, {8});
  {
    testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
    const hlo::InstructionId fed = p.set(p.builder.infeed(shape), {mesh::manual(1)});
    const hlo::InstructionId root = p.annotate(p.builder.negate(fed), {"x"});
    EXPECT_EQ(error_of(std::move(p), root), "negate.3 cannot be partitioned: every partition has a value of its own");
  }
  {
    testing::ShardedProgram p(mesh::Mesh({{"x", 4}}));
    hlo::Instruction strange;
    strange.opcode = hlo::Opcode::unknown;
    strange.target = "quantum-leap";
    strange.name = "leap";
    strange.op_name = "layer1";
    strange.shape = shape;
    strange.operands = {p.annotate(p.builder.parameter(shape, "x"), {"x"})};
    const hlo::InstructionId root = p.builder.add(std::move(strange));
    EXPECT_EQ(error_of(std::move(p), root),
              "leap (layer1) cannot be partitioned: nothing is known of 'quantum-leap', and its operands are cut");
  }
}

}  // namespace
}  // namespace podsim::hlo::spmd::partition
