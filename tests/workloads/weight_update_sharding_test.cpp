// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/weight_update_sharding.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sw/compiler/compile.h"
#include "sw/compiler/horizontal_fusion.h"
#include "sw/compiler/op_work.h"
#include "sw/compiler/scope_time.h"
#include "sw/graph/evaluator.h"
#include "sw/spmd/partitioner.h"
#include "tests/hw/test_machine.h"
#include "tests/sw/graph/literals.h"
#include "tests/workloads/on_partitions.h"
#include "workloads/resnet50.h"
#include "workloads/training_step.h"

namespace podsim::workloads {
namespace {

using sw::ElementType;
using sw::GraphBuilder;
using sw::InstructionId;
using sw::Literal;
using sw::Mesh;
using sw::Module;
using testing::on_partitions;

/// relu(x a) b against targets, a step of the whole machine in double precision, x cut along all axes of the mesh.
TrainingStep whole_step(const Mesh& mesh, OptimizerKind kind, std::int64_t batch = 32) {
  GraphBuilder b("two_layers");
  const InstructionId x = b.parameter(sw::make_shape(ElementType::f64, {batch, 64}), "x");
  const InstructionId target = b.parameter(sw::make_shape(ElementType::f64, {batch, 32}), "target");
  const InstructionId a = b.parameter(sw::make_shape(ElementType::f64, {64, 128}), "a");
  const InstructionId c = b.parameter(sw::make_shape(ElementType::f64, {128, 32}), "c");
  for (InstructionId id : {x, target}) {
    sw::AxisSharding sharding = sw::replicated(2);
    sharding.dimensions[0] = mesh.all();
    b.annotate(id, to_hlo(mesh, sharding));
  }
  const InstructionId hidden = b.dot(x, a, {{}, {}, {1}, {0}});
  const InstructionId y = b.dot(b.maximum(hidden, b.full_like(hidden, 0)), c, {{}, {}, {1}, {0}});
  const InstructionId error = b.subtract(y, target);
  const InstructionId sum = b.reduce_add(b.multiply(error, error), {0, 1});
  const InstructionId loss = b.multiply(sum, b.constant(ElementType::f64, 1.0 / double(32 * batch)));
  Optimizer optimizer;
  optimizer.kind = kind;
  return global_training_step(std::move(b), {loss, {}}, {{a, "a", true}, {c, "c", true}}, optimizer);
}

std::vector<Literal> arguments_of(const Module& module) {
  std::vector<Literal> arguments;
  for (InstructionId id : module.entry_computation().parameters) {
    const sw::Instruction& parameter = module.entry_computation()[id];
    arguments.push_back(sw::testing::random_literal(parameter.shape, unsigned(arguments.size()), 0.1, 1));
    if (parameter.name == "step") arguments.back().values = {3};
  }
  return arguments;
}

class WeightUpdateShardingOf : public ::testing::TestWithParam<OptimizerKind> {};

INSTANTIATE_TEST_SUITE_P(Optimizers, WeightUpdateShardingOf,
                         ::testing::Values(OptimizerKind::sgd_momentum, OptimizerKind::lars, OptimizerKind::adam,
                                           OptimizerKind::lamb));

TEST_P(WeightUpdateShardingOf, TrainsTheSame) {
  for (const char* text : {"r=2", "r=4", "r=8", "r=16", "x=2,y=3", "x=4,y=2"}) {
    const Mesh mesh = Mesh::parse(text);
    const TrainingStep step = whole_step(mesh, GetParam());
    const std::vector<Literal> arguments = arguments_of(step.module);
    const std::vector<Literal> expected = sw::evaluate(step.module, arguments).elements;
    const sw::ModuleShardings before = propagate(step.module, mesh);
    const sw::UpdateSharding sharded = shard_weight_update(
        step.module, mesh, mesh.all(), step.donations, before.values[std::size_t(step.module.entry)], base::Bytes(0));
    if (mesh.partitions() != 6) {
      EXPECT_EQ(sharded.memory.whole, sharded.memory.cut * mesh.partitions()) << text;
    }
    const std::vector<Literal> actual = on_partitions(sharded.module, mesh, arguments);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      sw::testing::expect_near(actual[i], expected[i], 1e-11, 1e-12);
    }
  }
}

/// Ops of the optimizer that read arrays, in a fused module.
std::int64_t update_ops(const Module& module) {
  const sw::Computation& entry = module.entry_computation();
  return std::ranges::count_if(entry.instructions, [&](const sw::Instruction& i) {
    const bool reads_arrays =
        std::ranges::any_of(i.operands, [&](InstructionId id) { return entry[id].shape.rank() > 0; });
    return sw::is_core_op(i) && sw::is_within(i.op_name, "optimizer") && reads_arrays;
  });
}

// The updates of both tensors together, LARS's and LAMB's around the all-reduce of norms. (Of a smaller batch they
// would be epilogues of the products that make gradients.)
TEST_P(WeightUpdateShardingOf, TrainsTheSameInOneOpOrTwo) {
  const Mesh mesh = Mesh::parse("r=4");
  const hw::Machine machine = hw::tpu_v3();
  const TrainingStep step = whole_step(mesh, GetParam(), 1024);
  const std::vector<Literal> arguments = arguments_of(step.module);
  const std::vector<Literal> expected = sw::evaluate(step.module, arguments).elements;
  const sw::ModuleShardings before = propagate(step.module, mesh);
  const sw::UpdateSharding sharded = shard_weight_update(step.module, mesh, mesh.all(), step.donations,
                                                         before.values[std::size_t(step.module.entry)], base::Bytes(0));
  const std::vector<Literal> actual = on_partitions(sharded.module, mesh, arguments, [&](Module local) {
    const Module merged = fuse_horizontally(fused(std::move(local), machine), machine);
    const bool has_norms = GetParam() == OptimizerKind::lars || GetParam() == OptimizerKind::lamb;
    EXPECT_EQ(update_ops(merged), has_norms ? 2 : 1);
    return merged;
  });
  for (std::size_t i = 0; i < expected.size(); ++i) {
    sw::testing::expect_near(actual[i], expected[i], 1e-11, 1e-12);
  }
}

/// What the collectives of a kind carry, in elements of the operands.
std::int64_t elements(const Module& module, sw::Opcode opcode) {
  std::int64_t count = 0;
  for (const sw::Instruction& instruction : module.entry_computation().instructions) {
    if (instruction.opcode != opcode) continue;
    for (InstructionId id : instruction.operands) count += module.entry_computation()[id].shape.element_count();
  }
  return count;
}

// Gradients are reduce-scattered, weights gathered, and nothing of their size all-reduced. (Of a batch smaller than the
// weights the activations would go around instead.)
TEST_P(WeightUpdateShardingOf, ScattersGradientsAndGathersWeights) {
  const Mesh mesh = Mesh::parse("r=8");
  const TrainingStep step = whole_step(mesh, GetParam(), 4096);
  const Module plain = partition(step.module, mesh, propagate(step.module, mesh));
  const std::int64_t weights = 64 * 128 + 128 * 32;
  EXPECT_GE(elements(plain, sw::Opcode::all_reduce), weights);
  EXPECT_EQ(elements(plain, sw::Opcode::reduce_scatter), 0);
  const sw::ModuleShardings before = propagate(step.module, mesh);
  const Module annotated = shard_weight_update(step.module, mesh, mesh.all(), step.donations,
                                               before.values[std::size_t(step.module.entry)], base::Bytes(0))
                               .module;
  const Module sharded = partition(annotated, mesh, propagate(annotated, mesh));
  EXPECT_EQ(elements(sharded, sw::Opcode::reduce_scatter), weights);
  EXPECT_EQ(elements(sharded, sw::Opcode::all_gather), weights / 8);
  EXPECT_LE(elements(sharded, sw::Opcode::all_reduce), 16) << "the loss, and norms";
}

/// A step of the small per-core network on every partition, with batches of its own.
std::vector<Literal> steps(const Module& module, const std::vector<std::vector<Literal>>& arguments) {
  sw::EvaluationHost host;
  host.infeed = [](int device, const sw::Instruction& infeed) {
    Literal fed = sw::make_zeros(infeed.shape);
    fed.elements[0] = sw::testing::random_literal(infeed.shape.tuple_shapes[0], 100 + unsigned(device));
    for (std::size_t i = 0; i < fed.elements[1].values.size(); ++i)
      fed.elements[1].values[i] = double((i + device) % 4);
    return fed;
  };
  return evaluate_partitions(module, arguments, host);
}

TEST(WeightUpdateSharding, TrainsAPerCoreNetworkTheSame) {
  const int replicas = 4;
  ResNetOptions network;
  network.batch = 1;
  network.image_size = 32;
  network.classes = 4;
  network.width = 2;
  network.blocks = {1, 1, 1, 1};
  network.precision = {ElementType::f64, ElementType::f64};
  network.training.replicas = replicas;
  network.training.gradient_type = ElementType::f64;
  const TrainingStep step = resnet_training_step(network);
  const std::vector<Literal> arguments = arguments_of(step.module);
  const std::vector<Literal> expected = steps(step.module, std::vector(std::size_t(replicas), arguments));

  const Mesh mesh = Mesh::parse("r=4");
  Module manual = step.module;
  sw::make_infeeds_manual(manual);
  const sw::ModuleShardings before = propagate(manual, mesh);
  const sw::UpdateSharding sharded = shard_weight_update(manual, mesh, mesh.all(), step.donations,
                                                         before.values[std::size_t(manual.entry)], base::Bytes(0));
  EXPECT_LT(sharded.memory.cut.value(), sharded.memory.whole.value());
  const sw::ModuleShardings after = propagate(sharded.module, mesh);
  const Module local = partition(sharded.module, mesh, after);
  sw::verify(local);
  const sw::Computation& entry = sharded.module.entry_computation();
  const std::vector<sw::ValueSharding>& of = after.values[std::size_t(sharded.module.entry)];
  std::vector<std::vector<Literal>> shards(replicas);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::vector<Literal> parts = cut(mesh, arguments[i], of[std::size_t(entry.parameters[i])], 1e6);
    for (std::size_t p = 0; p < parts.size(); ++p) shards[p].push_back(parts[p]);
  }
  const std::vector<Literal> results = steps(local, shards);
  for (const sw::Donation& donation : step.donations) {
    const InstructionId output = entry[entry.root].operands[std::size_t(donation.output)];
    std::vector<Literal> parts;
    for (const Literal& result : results) parts.push_back(result.elements[std::size_t(donation.output)]);
    const Literal whole = join(mesh, entry[output].shape, parts, of[std::size_t(output)]);
    sw::testing::expect_near(whole, expected[0].elements[std::size_t(donation.output)], 1e-9, 1e-10);
  }
  EXPECT_GT(elements(local, sw::Opcode::reduce_scatter), 0);
}

}  // namespace
}  // namespace podsim::workloads
