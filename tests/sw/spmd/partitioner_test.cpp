// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/partitioner.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/diagnostic.h"
#include "sw/graph/evaluator.h"
#include "tests/sw/graph/literals.h"
#include "tests/sw/spmd/ring_bytes.h"
#include "tests/sw/spmd/sharded_program.h"

namespace podsim::sw {
namespace {

using testing::moves_of;
using testing::ring_bytes;
using testing::ShardedProgram;

constexpr ElementType bf16 = ElementType::bf16;

/// The last dimension of lhs with the first of rhs.
InstructionId product(GraphBuilder& b, InstructionId lhs, InstructionId rhs) {
  return b.dot(lhs, rhs, {{}, {}, {b.shape(lhs).rank() - 1}, {0}});
}

const Instruction& only(const Module& module, Opcode opcode) {
  const Instruction* found = nullptr;
  for (const Instruction& instruction : module.entry_computation().instructions) {
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
  ShardedProgram p(Mesh({{"x", 4}, {"y", 8}}));
  GraphBuilder& b = p.builder;
  const InstructionId in = p.cut(b.parameter(make_shape(bf16, {64, 128, 1024}), "in"), {"x", "", "y"});
  const InstructionId up = p.cut(b.parameter(make_shape(bf16, {1024, 4096}), "up"), {"x", "y"});
  const InstructionId down = p.cut(b.parameter(make_shape(bf16, {4096, 1024}), "down"), {"y", "x"});
  const InstructionId hidden = p.cut(product(b, in, up), {"x", "", "y"});
  const InstructionId out = p.cut(product(b, hidden, down), {"x", "", "y"});
  const Module local = std::move(p).partitioned(out);
  EXPECT_EQ(moves_of(local), "all-gather all-gather all-gather reduce-scatter") << to_string(local);
  // Activations along y, weights along x, partial sums along y.
  const double activations = 2.0 * 64 / 4 * 128 * 1024, weights = 2.0 * 1024 * 4096 / 8;
  EXPECT_DOUBLE_EQ(ring_bytes(local), 2 * activations * 7 / 8 + 2 * weights * 3 / 4);
}

TEST(Partitioner, SumOfPartialSumsIsReducedOnce) {
  ShardedProgram p(Mesh({{"y", 8}}));
  GraphBuilder& b = p.builder;
  const InstructionId x = p.cut(b.parameter(make_shape(bf16, {256, 512}), "x"), {"", "y"});
  const InstructionId v = p.cut(b.parameter(make_shape(bf16, {512, 128}), "v"), {"y"});
  const InstructionId w = p.cut(b.parameter(make_shape(bf16, {512, 128}), "w"), {"y"});
  const InstructionId half = b.full(make_shape(bf16, {256, 128}), 0.5);
  const InstructionId sum = b.add(product(b, x, v), b.multiply(product(b, x, w), half));
  const Module local = std::move(p).partitioned(b.tanh(sum));
  EXPECT_EQ(moves_of(local), "all-reduce") << to_string(local);
}

// The gradient of an embedding that is the logits' matrix too, with a whole network between its two parts.
TEST(Partitioner, GradientsOfATiedTensorAreReducedOnceHoweverFarApart) {
  ShardedProgram p(Mesh({{"x", 4}}));
  GraphBuilder& b = p.builder;
  const InstructionId x = p.cut(b.parameter(make_shape(bf16, {64, 32}), "x"), {"x"});
  const InstructionId y = p.cut(b.parameter(make_shape(bf16, {64, 16}), "y"), {"x"});
  const DotDimensions over_batch{{}, {}, {0}, {0}};
  const InstructionId of_logits = b.dot(x, y, over_batch);
  InstructionId z = y;
  for (int i = 0; i < 2 * LocalProgram::held_instructions; ++i) z = p.cut(b.tanh(z), {"x"});
  const InstructionId gradient = b.add(b.transpose(of_logits, {1, 0}), b.dot(z, x, over_batch));
  const Module local = std::move(p).partitioned(b.tanh(gradient));
  EXPECT_EQ(moves_of(local), "all-reduce") << to_string(local);
}

// A weight's gradient in shards along the axis of the batch and another one, which cuts none of its operands: products
// are cut along the other one and summed along that of the batch, the operands stay where they are.
TEST(Partitioner, AGradientWantedAlongMoreThanTheBatchIsCutByTheRestAndSummed) {
  ShardedProgram p(Mesh({{"x", 4}, {"y", 8}}));
  GraphBuilder& b = p.builder;
  const InstructionId in = p.cut(b.parameter(make_shape(bf16, {4096, 512}), "in"), {"x"});
  const InstructionId out = p.cut(b.parameter(make_shape(bf16, {4096, 2048}), "out"), {"x"});
  const InstructionId gradient = p.cut(b.dot(out, in, {{}, {}, {0}, {0}}), {"x+y"});
  const Module local = std::move(p).partitioned(gradient);
  EXPECT_EQ(moves_of(local), "dynamic-slice reduce-scatter collective-permute") << to_string(local);
  EXPECT_EQ(only(local, Opcode::dot).shape.dimensions, (std::vector<std::int64_t>{2048 / 8, 512}));
  // The sum of an eighth of the gradient, of which a quarter is left and changes its place.
  const double eighth = 2.0 * 2048 / 8 * 512;
  EXPECT_DOUBLE_EQ(ring_bytes(local), eighth * 3 / 4 + eighth / 4);
}

TEST(Partitioner, SumBesideAWholeValueIsMadeAtOnce) {
  ShardedProgram p(Mesh({{"x", 4}}));
  GraphBuilder& b = p.builder;
  const InstructionId x = p.cut(b.parameter(make_shape(bf16, {64, 32}), "x"), {"x"});
  const InstructionId momentum = b.parameter(make_shape(bf16, {32, 32}), "momentum");
  const InstructionId sum = b.dot(x, x, {{}, {}, {0}, {0}});
  InstructionId y = momentum;
  for (int i = 0; i < 3; ++i) y = b.tanh(y);
  const Module local = std::move(p).partitioned(b.add(y, sum));
  const Computation& entry = local.entry_computation();
  EXPECT_EQ(entry[entry[entry.root].operands[1]].opcode, Opcode::all_reduce);
}

TEST(Partitioner, PartialSumsOfSeveralUsersAreReducedAtOnce) {
  ShardedProgram p(Mesh({{"y", 8}}));
  GraphBuilder& b = p.builder;
  const InstructionId x = p.cut(b.parameter(make_shape(bf16, {256, 512}), "x"), {"", "y"});
  const InstructionId v = p.cut(b.parameter(make_shape(bf16, {512, 128}), "v"), {"y"});
  const InstructionId sum = product(b, x, v);
  const InstructionId root = b.tuple({b.add(sum, sum), b.tanh(sum)});
  const Module local = std::move(p).partitioned(root);
  EXPECT_EQ(moves_of(local), "all-reduce") << to_string(local);
}

TEST(Partitioner, GathersWeightsAgainForUsesThatAreFarApart) {
  ShardedProgram p(Mesh({{"x", 4}}));
  GraphBuilder& b = p.builder;
  const Shape activations = make_shape(bf16, {4096, 64});
  InstructionId x = p.cut(b.parameter(activations, "in"), {"x"});
  const InstructionId w = p.cut(b.parameter(make_shape(bf16, {64, 64}), "w"), {"x"});
  for (int use = 0; use < 3; ++use) {
    x = p.cut(product(b, x, w), {"x"});
    const int between = use == 0 ? 2 : LocalProgram::held_instructions;
    for (int i = 0; i < between; ++i) x = p.cut(b.tanh(x), {"x"});
  }
  const Module local = std::move(p).partitioned(x);
  EXPECT_EQ(moves_of(local), "all-gather all-gather") << to_string(local);
}

TEST(Partitioner, SaysWhatParametersAndResultsAreShardsOf) {
  ShardedProgram p(Mesh({{"x", 4}}));
  GraphBuilder& b = p.builder;
  const Shape shape = make_shape(bf16, {10, 64});
  const InstructionId x = p.cut(b.parameter(shape, "x"), {"x"});
  const InstructionId y = p.cut(b.parameter(shape, "y"), {"", "x"});
  const InstructionId root = b.tuple({p.cut(b.negate(x), {"x"}), p.cut(b.abs(y), {"x"})});
  p.set(root, {parse_axes(p.mesh, {"x"}, 2), parse_axes(p.mesh, {"", "x"}, 2)});
  const Module local = std::move(p).partitioned(root);
  EXPECT_EQ(local.partitions, 4);
  const Computation& entry = local.entry_computation();
  EXPECT_EQ(to_string(entry[entry.parameters[0]].shape), "bf16[3,64]");
  EXPECT_EQ(to_string(*entry[entry.parameters[0]].sharding), "{devices=[4,1]<=[4]}");
  EXPECT_EQ(to_string(*entry[entry.root].sharding), "{{devices=[4,1]<=[4]}, {devices=[1,4]<=[4]}}");
  EXPECT_EQ(to_string(entry[entry.root].shape), "(bf16[3,64], bf16[10,16])");
}

TEST(Partitioner, KeepsDonationsOfShardsThatFitOnEachOther) {
  GraphBuilder b("donating");
  const Shape shape = make_shape(bf16, {8, 8});
  const InstructionId x = b.parameter(shape, "x"), y = b.parameter(shape, "y");
  Module module = std::move(b).build(b.tuple({b.negate(x), b.negate(y)}));
  module.donations = {{0, 0, 0}, {1, 1, 0}};
  const Mesh mesh({{"x", 4}});
  const AxisSharding cut = parse_axes(mesh, {"x"}, 2), whole = replicated(2);
  ModuleShardings shardings;
  shardings.values = {{{cut}, {cut}, {cut}, {cut}, {cut, whole}}};
  EXPECT_EQ(partition(module, mesh, shardings).donations, (std::vector<Donation>{{0, 0, 0}}));
}

TEST(Partitioner, KeepsTheNamesOfLayers) {
  ShardedProgram p(Mesh({{"x", 4}}));
  GraphBuilder& b = p.builder;
  const InstructionId x = p.cut(b.parameter(make_shape(bf16, {8, 64}), "x"), {"", "x"});
  const GraphBuilder::Scope scope(b, "layer3/loss");
  const Module local = std::move(p).partitioned(b.reduce_add(x, {1}));
  EXPECT_EQ(only(local, Opcode::reduce).op_name, "layer3/loss");
  EXPECT_EQ(only(local, Opcode::all_reduce).op_name, "layer3/loss");
}

TEST(Partitioner, AnnotationsOfTheProgramAreBroughtAbout) {
  ShardedProgram p(Mesh({{"x", 4}}));
  GraphBuilder& b = p.builder;
  const Shape shape = make_shape(bf16, {8, 64});
  const InstructionId x = p.cut(b.parameter(shape, "x"), {"x"});
  Instruction annotation;
  annotation.opcode = Opcode::custom_call;
  annotation.operands = {x};
  annotation.shape = shape;
  annotation.target = "Sharding";
  const InstructionId said = p.cut(b.add(std::move(annotation)), {"", "x"});
  const Module local = std::move(p).partitioned(p.cut(b.negate(said), {"", "x"}));
  EXPECT_EQ(moves_of(local), "all-to-all");
}

// As shard_map has it: whole values, shards of them as every partition's own, and back.
TEST(Partitioner, HandsShardsOutAsValuesOfTheirOwnAndTakesThemBack) {
  ShardedProgram p(Mesh({{"x", 4}}));
  GraphBuilder& b = p.builder;
  const Shape whole = make_shape(ElementType::f32, {8, 3}), shard = make_shape(ElementType::f32, {2, 3});
  const auto call = [&](const char* target, InstructionId operand, const Shape& shape) {
    Instruction instruction;
    instruction.opcode = Opcode::custom_call;
    instruction.operands = {operand};
    instruction.shape = shape;
    instruction.target = target;
    return b.add(std::move(instruction));
  };
  const InstructionId x = b.parameter(whole, "x");
  const InstructionId cut_x = p.cut(call("Sharding", x, whole), {"x"});
  const InstructionId own = p.set(call("SPMDFullToShardShape", cut_x, shard), {manual(2)});
  // Every partition takes the sum of its own rows off each of them.
  const InstructionId sums = p.set(b.reduce_add(own, {0}), {manual(1)});
  const InstructionId less = p.set(b.subtract(own, p.set(b.broadcast(sums, {2, 3}, {1}), {manual(2)})), {manual(2)});
  const InstructionId said = p.set(call("Sharding", less, shard), {manual(2)});
  const InstructionId back = p.cut(call("SPMDShardToFullShape", said, whole), {"x"});
  const Module local = std::move(p).partitioned(back);
  EXPECT_EQ(moves_of(local), "dynamic-slice");
  const Literal value = testing::random_literal(whole, 1);
  const std::vector<Literal> results = evaluate_partitions(local, std::vector<std::vector<Literal>>(4, {value}));
  for (std::size_t device = 0; device < 4; ++device) {
    for (std::size_t column = 0; column < 3; ++column) {
      // A row less the sum of both is the other one, negated.
      const std::size_t row = 2 * device;
      EXPECT_NEAR(results[device].values[column], -value.values[(row + 1) * 3 + column], 1e-6);
      EXPECT_NEAR(results[device].values[3 + column], -value.values[row * 3 + column], 1e-6);
    }
  }
}

// What a step of one core does with its part of a batch: the sum of all cores' gradients, the update, the new weight.
struct PerCoreStep {
  ShardedProgram program{Mesh({{"x", 4}})};
  InstructionId root = -1;

  explicit PerCoreStep(bool cuts_update) {
    GraphBuilder& b = program.builder;
    const Shape shape = make_shape(ElementType::f32, {8, 6});
    const AxisSharding own = manual(2);
    const InstructionId w = b.parameter(shape, "w");
    const InstructionId fed = program.set(b.infeed(shape), {own});
    const InstructionId gradient = program.set(b.multiply(fed, w), {own});
    const InstructionId sum = b.all_reduce(gradient);
    const InstructionId updated = b.subtract(w, sum);
    if (cuts_update) {
      for (const InstructionId id : {w, sum, updated}) program.cut(id, {"x"});
    }
    root = updated;
  }
};

TEST(Partitioner, WeightUpdateIsShardedByReduceScatterAndAllGather) {
  // The sum of every core's own gradient is wanted in shards, the weight whole for the core's own product.
  PerCoreStep step(true);
  const Module local = std::move(step.program).partitioned(step.root);
  EXPECT_EQ(moves_of(local), "all-gather reduce-scatter") << to_string(local);
}

TEST(Partitioner, PerCoreProgramStaysWhatItIs) {
  for (const bool cuts_update : {false, true}) {
    PerCoreStep step(cuts_update);
    const Module local = std::move(step.program).partitioned(step.root);
    EXPECT_EQ(moves_of(local), cuts_update ? "all-gather reduce-scatter" : "all-reduce");
    const Literal weight = testing::random_literal(make_shape(ElementType::f32, {8, 6}), 1);
    EvaluationHost host;
    host.infeed = [](int device, const Instruction& infeed) {
      return testing::random_literal(infeed.shape, unsigned(100 + device));
    };
    Module whole = step.program.whole;
    whole.replicas = 4;
    const std::vector<Literal> expected =
        evaluate_partitions(whole, std::vector<std::vector<Literal>>(4, {weight}), host);
    const AxisSharding sharding = cuts_update ? parse_axes(step.program.mesh, {"x"}, 2) : replicated(2);
    std::vector<std::vector<Literal>> arguments;
    for (const Literal& shard : cut(step.program.mesh, weight, {sharding})) arguments.push_back({shard});
    const std::vector<Literal> results = evaluate_partitions(local, arguments, host);
    testing::expect_near(join(step.program.mesh, weight.shape, results, {sharding}), expected[0], 1e-6);
  }
}

TEST(Partitioner, ReplicasOfAProgramStayReplicasOfItsPartitions) {
  ShardedProgram p(Mesh({{"x", 2}}));
  GraphBuilder& b = p.builder;
  const Shape shape = make_shape(ElementType::f32, {4});
  const InstructionId sum = p.cut(b.all_reduce(p.cut(b.parameter(shape, "x"), {"x"})), {"x"});
  Module whole = std::move(b).build(sum);
  whole.replicas = 3;
  ModuleShardings shardings;
  const ValueSharding cut_sharding{parse_axes(p.mesh, {"x"}, 1)};
  for (const Computation& computation : whole.computations) {
    shardings.values.emplace_back(computation.instructions.size(), cut_sharding);
  }
  const Module local = partition(whole, p.mesh, shardings);
  EXPECT_EQ(local.replicas, 3);
  // Device r * 2 + p has the p-th half of replica r's array.
  std::vector<std::vector<Literal>> arguments;
  Literal total = make_zeros(shape);
  for (unsigned replica = 0; replica < 3; ++replica) {
    Literal value = testing::random_literal(shape, replica);
    for (double& number : value.values) number = std::round(8 * number);
    for (std::size_t i = 0; i < 4; ++i) total.values[i] += value.values[i];
    for (const Literal& shard : cut(p.mesh, value, cut_sharding)) arguments.push_back({shard});
  }
  const std::vector<Literal> results = evaluate_partitions(local, arguments);
  const std::vector<Literal> expected = cut(p.mesh, total, cut_sharding);
  for (std::size_t device = 0; device < 6; ++device) {
    EXPECT_TRUE(same_values(results[device], expected[device % 2])) << device;
  }
}

TEST(Partitioner, EveryPartitionIsFedAndFeedsItsShard) {
  ShardedProgram p(Mesh({{"x", 4}}));
  GraphBuilder& b = p.builder;
  const InstructionId fed = p.cut(b.infeed(make_shape(ElementType::f32, {8, 2})), {"x"});
  const InstructionId out = p.cut(b.negate(fed), {"x"});
  b.outfeed(out);
  const Module local = std::move(p).partitioned(out);
  EXPECT_EQ(to_string(only(local, Opcode::infeed).shape), "f32[2,2]");
  EvaluationHost host;
  host.infeed = [](int device, const Instruction& infeed) {
    return testing::random_literal(infeed.shape, unsigned(device));
  };
  std::vector<Literal> seen(4);
  host.outfeed = [&](int device, const Literal& value) { seen[std::size_t(device)] = value; };
  const std::vector<Literal> results = evaluate_partitions(local, std::vector<std::vector<Literal>>(4), host);
  for (std::size_t device = 0; device < 4; ++device) {
    EXPECT_EQ(results[device].values[3], -testing::random_literal(results[device].shape, unsigned(device)).values[3]);
    EXPECT_TRUE(same_values(seen[device], results[device]));
  }
}

std::string error_of(ShardedProgram&& p, InstructionId root) {
  try {
    std::move(p).partitioned(root);
  } catch (const base::InputError& error) {
    return error.diagnostics().front().message;
  }
  return "";
}

TEST(Partitioner, NamesWhatCannotBePartitioned) {
  const Shape shape = make_shape(ElementType::f32, {8});
  {
    ShardedProgram p(Mesh({{"x", 4}}));
    const InstructionId fed = p.set(p.builder.infeed(shape), {manual(1)});
    const InstructionId root = p.cut(p.builder.negate(fed), {"x"});
    EXPECT_EQ(error_of(std::move(p), root), "negate.1 cannot be partitioned: every partition has a value of its own");
  }
  {
    ShardedProgram p(Mesh({{"x", 4}}));
    Instruction strange;
    strange.opcode = Opcode::unknown;
    strange.target = "quantum-leap";
    strange.name = "leap";
    strange.op_name = "layer1";
    strange.shape = shape;
    strange.operands = {p.cut(p.builder.parameter(shape, "x"), {"x"})};
    const InstructionId root = p.builder.add(std::move(strange));
    EXPECT_EQ(error_of(std::move(p), root),
              "leap (layer1) cannot be partitioned: nothing is known of 'quantum-leap', and its operands are cut");
  }
}

}  // namespace
}  // namespace podsim::sw
