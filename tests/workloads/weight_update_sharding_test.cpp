// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/propagate/weight_update_sharding.h"
#include "sw/ir/build/verify.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sw/compiler/fuse/horizontal_fusion.h"
#include "sw/compiler/scope_time.h"
#include "sw/compiler/tiles/op_work.h"
#include "sw/driver/compile.h"
#include "sw/ir/eval/evaluator.h"
#include "sw/spmd/partition/partitioner.h"
#include "tests/hw/test_machine.h"
#include "tests/sw/ir/literals.h"
#include "tests/workloads/on_partitions.h"
#include "workloads/models/resnet50.h"
#include "workloads/training_step.h"

namespace podsim::workloads {
namespace {

using sw::ir::ElementType;
using sw::ir::InstructionId;
using sw::ir::Literal;
using sw::ir::Module;
using sw::ir::build::GraphBuilder;
using sw::spmd::mesh::Mesh;
using testing::on_partitions;

/// relu(x a) b against targets: a step of the whole machine in double precision, with x split over all axes of the
/// mesh.
TrainingStep whole_step(const sw::spmd::mesh::Mesh& mesh, OptimizerKind kind, std::int64_t batch = 32,
                        double clip_norm = 0) {
  sw::ir::build::GraphBuilder b("two_layers");
  const InstructionId x = b.parameter(sw::ir::make_shape(sw::ir::ElementType::f64, {batch, 64}), "x");
  const InstructionId target = b.parameter(sw::ir::make_shape(sw::ir::ElementType::f64, {batch, 32}), "target");
  const InstructionId a = b.parameter(sw::ir::make_shape(sw::ir::ElementType::f64, {64, 128}), "a");
  const InstructionId c = b.parameter(sw::ir::make_shape(sw::ir::ElementType::f64, {128, 32}), "c");
  for (InstructionId id : {x, target}) {
    sw::spmd::mesh::AxisSharding sharding = sw::spmd::mesh::replicated(2);
    sharding.dimensions[0] = mesh.all();
    b.annotate(id, sw::spmd::mesh::to_hlo(mesh, sharding));
  }
  const InstructionId hidden = b.dot(x, a, {{}, {}, {1}, {0}});
  const InstructionId y = b.dot(b.maximum(hidden, b.full_like(hidden, 0)), c, {{}, {}, {1}, {0}});
  const InstructionId error = b.subtract(y, target);
  const InstructionId sum = b.reduce_add(b.multiply(error, error), {0, 1});
  const InstructionId loss = b.multiply(sum, b.constant(sw::ir::ElementType::f64, 1.0 / double(32 * batch)));
  Optimizer optimizer;
  optimizer.kind = kind;
  optimizer.clip_norm = clip_norm;
  return global_training_step(std::move(b), {loss, {}}, {{a, "a", true}, {c, "c", true}}, optimizer);
}

std::vector<sw::ir::Literal> arguments_of(const sw::ir::Module& module) {
  std::vector<sw::ir::Literal> arguments;
  for (InstructionId id : module.entry_computation().parameters) {
    const sw::ir::Instruction& parameter = module.entry_computation()[id];
    arguments.push_back(sw::ir::testing::random_literal(parameter.shape, unsigned(arguments.size()), 0.1, 1));
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
    const sw::spmd::mesh::Mesh mesh = sw::spmd::mesh::Mesh::parse(text);
    const TrainingStep step = whole_step(mesh, GetParam());
    const std::vector<sw::ir::Literal> arguments = arguments_of(step.module);
    const std::vector<sw::ir::Literal> expected = sw::ir::eval::evaluate(step.module, arguments).elements;
    const sw::spmd::propagate::ModuleShardings before = sw::spmd::propagate::propagate(step.module, mesh);
    const sw::spmd::propagate::UpdateSharding sharded = sw::spmd::propagate::shard_weight_update(
        step.module, mesh, mesh.all(), step.donations, before.values[std::size_t(step.module.entry)], base::Bytes(0),
        base::Bytes(0));
    if (mesh.partitions() != 6) {
      EXPECT_EQ(sharded.memory.whole, sharded.memory.sharded * mesh.partitions()) << text;
    }
    const std::vector<sw::ir::Literal> actual = testing::on_partitions(sharded.module, mesh, arguments);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      sw::ir::testing::expect_near(actual[i], expected[i], 1e-11, 1e-12);
    }
  }
}

/// Ops of the optimizer that read arrays, in a fused module.
std::int64_t update_ops(const sw::ir::Module& module) {
  const sw::ir::Computation& entry = module.entry_computation();
  return std::ranges::count_if(entry.instructions, [&](const sw::ir::Instruction& i) {
    const bool reads_arrays =
        std::ranges::any_of(i.operands, [&](InstructionId id) { return entry[id].shape.rank() > 0; });
    return sw::compiler::tiles::is_core_op(i) && sw::compiler::is_within(i.op_name, "optimizer") && reads_arrays;
  });
}

// The updates of both tensors together, LARS's and LAMB's around the all-reduce of norms. (Of a smaller batch they
// would be epilogues of the products that make gradients.)
TEST_P(WeightUpdateShardingOf, TrainsTheSameInOneOpOrTwo) {
  const sw::spmd::mesh::Mesh mesh = sw::spmd::mesh::Mesh::parse("r=4");
  const hw::Machine machine = hw::tpu_v3();
  const TrainingStep step = whole_step(mesh, GetParam(), 1024);
  const std::vector<sw::ir::Literal> arguments = arguments_of(step.module);
  const std::vector<sw::ir::Literal> expected = sw::ir::eval::evaluate(step.module, arguments).elements;
  const sw::spmd::propagate::ModuleShardings before = sw::spmd::propagate::propagate(step.module, mesh);
  const sw::spmd::propagate::UpdateSharding sharded = sw::spmd::propagate::shard_weight_update(
      step.module, mesh, mesh.all(), step.donations, before.values[std::size_t(step.module.entry)], base::Bytes(0),
      base::Bytes(0));
  const std::vector<sw::ir::Literal> actual =
      testing::on_partitions(sharded.module, mesh, arguments, [&](sw::ir::Module local) {
        const sw::ir::Module merged =
            sw::compiler::fuse::fuse_horizontally(sw::driver::fused(std::move(local), machine), machine);
        const bool has_norms = GetParam() == OptimizerKind::lars || GetParam() == OptimizerKind::lamb;
        EXPECT_EQ(update_ops(merged), has_norms ? 2 : 1);
        return merged;
      });
  for (std::size_t i = 0; i < expected.size(); ++i) {
    sw::ir::testing::expect_near(actual[i], expected[i], 1e-11, 1e-12);
  }
}

/// Number of elements in the operands of all collectives of a kind.
std::int64_t elements(const sw::ir::Module& module, sw::ir::Opcode opcode) {
  std::int64_t count = 0;
  for (const sw::ir::Instruction& instruction : module.entry_computation().instructions) {
    if (instruction.opcode != opcode) continue;
    for (InstructionId id : instruction.operands) count += module.entry_computation()[id].shape.element_count();
  }
  return count;
}

/// The step with annotations that shard its update, also of small tensors.
sw::ir::Module annotated_step(const TrainingStep& step, const sw::spmd::mesh::Mesh& mesh) {
  const sw::spmd::propagate::ModuleShardings before = sw::spmd::propagate::propagate(step.module, mesh);
  return sw::spmd::propagate::shard_weight_update(step.module, mesh, mesh.all(), step.donations,
                                                  before.values[std::size_t(step.module.entry)], base::Bytes(0),
                                                  base::Bytes(0))
      .module;
}

// Gradients are reduce-scattered, weights gathered, and nothing of their size all-reduced. (Of a batch smaller than the
// weights the activations would go around instead.)
TEST_P(WeightUpdateShardingOf, ScattersGradientsAndGathersWeights) {
  const sw::spmd::mesh::Mesh mesh = sw::spmd::mesh::Mesh::parse("r=8");
  const TrainingStep step = whole_step(mesh, GetParam(), 4096);
  const sw::ir::Module plain =
      sw::spmd::partition::partition(step.module, mesh, sw::spmd::propagate::propagate(step.module, mesh));
  const std::int64_t weights = 64 * 128 + 128 * 32;
  EXPECT_GE(elements(plain, sw::ir::Opcode::all_reduce), weights);
  EXPECT_EQ(elements(plain, sw::ir::Opcode::reduce_scatter), 0);
  const sw::ir::Module annotated = annotated_step(step, mesh);
  const sw::ir::Module sharded =
      sw::spmd::partition::partition(annotated, mesh, sw::spmd::propagate::propagate(annotated, mesh));
  EXPECT_EQ(elements(sharded, sw::ir::Opcode::reduce_scatter), weights);
  EXPECT_EQ(elements(sharded, sw::ir::Opcode::all_gather), weights / 8);
  EXPECT_LE(elements(sharded, sw::ir::Opcode::all_reduce), 16) << "the loss, and norms";
}

// The norm of all gradients is the sum of those of shards, so that clipping needs no whole gradient.
TEST_P(WeightUpdateShardingOf, ClipsShards) {
  const sw::spmd::mesh::Mesh mesh = sw::spmd::mesh::Mesh::parse("r=8");
  constexpr double small_norm = 1e-3;
  const TrainingStep step = whole_step(mesh, GetParam(), 4096, small_norm);
  const std::vector<sw::ir::Literal> arguments = arguments_of(step.module);
  const std::vector<sw::ir::Literal> expected = sw::ir::eval::evaluate(step.module, arguments).elements;
  const std::vector<sw::ir::Literal> unclipped =
      sw::ir::eval::evaluate(whole_step(mesh, GetParam(), 4096).module, arguments).elements;
  EXPECT_NE(expected[0].values, unclipped[0].values);
  const sw::ir::Module annotated = annotated_step(step, mesh);
  const sw::ir::Module sharded =
      sw::spmd::partition::partition(annotated, mesh, sw::spmd::propagate::propagate(annotated, mesh));
  EXPECT_EQ(elements(sharded, sw::ir::Opcode::reduce_scatter), 64 * 128 + 128 * 32);
  EXPECT_LE(elements(sharded, sw::ir::Opcode::all_reduce), 20) << "the loss, and norms";
  const std::vector<sw::ir::Literal> actual = testing::on_partitions(annotated, mesh, arguments);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    sw::ir::testing::expect_near(actual[i], expected[i], 1e-11, 1e-12);
  }
}

/// A step of the small per-core network on every partition, each with a separate batch.
std::vector<sw::ir::Literal> steps(const sw::ir::Module& module,
                                   const std::vector<std::vector<sw::ir::Literal>>& arguments) {
  sw::ir::eval::EvaluationHost host;
  host.infeed = [](int device, const sw::ir::Instruction& infeed) {
    const sw::ir::Shape& data = infeed.shape.tuple_shapes[0];
    sw::ir::Literal fed = sw::ir::make_zeros(data);
    fed.elements[0] = sw::ir::testing::random_literal(data.tuple_shapes[0], 100 + unsigned(device));
    for (std::size_t i = 0; i < fed.elements[1].values.size(); ++i)
      fed.elements[1].values[i] = double((i + device) % 4);
    return sw::ir::testing::fed(infeed, std::move(fed));
  };
  return sw::ir::eval::evaluate_partitions(module, arguments, host);
}

TEST(WeightUpdateSharding, TrainsAPerCoreNetworkTheSame) {
  const int replicas = 4;
  models::ResNetOptions network;
  network.batch = 1;
  network.image_size = 32;
  network.classes = 4;
  network.width = 2;
  network.blocks = {1, 1, 1, 1};
  network.precision = {sw::ir::ElementType::f64, sw::ir::ElementType::f64};
  network.training.replicas = replicas;
  network.training.gradient_type = sw::ir::ElementType::f64;
  const TrainingStep step = models::resnet_training_step(network);
  const std::vector<sw::ir::Literal> arguments = arguments_of(step.module);
  const std::vector<sw::ir::Literal> expected = steps(step.module, std::vector(std::size_t(replicas), arguments));

  const sw::spmd::mesh::Mesh mesh = sw::spmd::mesh::Mesh::parse("r=4");
  sw::ir::Module manual = step.module;
  sw::spmd::propagate::make_infeeds_manual(manual);
  const sw::spmd::propagate::ModuleShardings before = sw::spmd::propagate::propagate(manual, mesh);
  const sw::spmd::propagate::UpdateSharding sharded = sw::spmd::propagate::shard_weight_update(
      manual, mesh, mesh.all(), step.donations, before.values[std::size_t(manual.entry)], base::Bytes(0),
      base::Bytes(0));
  EXPECT_LT(sharded.memory.sharded.value(), sharded.memory.whole.value());
  const sw::spmd::propagate::ModuleShardings after = sw::spmd::propagate::propagate(sharded.module, mesh);
  const sw::ir::Module local = sw::spmd::partition::partition(sharded.module, mesh, after);
  sw::ir::build::verify(local);
  const sw::ir::Computation& entry = sharded.module.entry_computation();
  const std::vector<sw::spmd::mesh::ValueSharding>& of = after.values[std::size_t(sharded.module.entry)];
  std::vector<std::vector<sw::ir::Literal>> shards(replicas);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::vector<sw::ir::Literal> parts =
        sw::spmd::partition::split_into_shards(mesh, arguments[i], of[std::size_t(entry.parameters[i])], 1e6);
    for (std::size_t p = 0; p < parts.size(); ++p) shards[p].push_back(parts[p]);
  }
  const std::vector<sw::ir::Literal> results = steps(local, shards);
  for (const sw::ir::Donation& donation : step.donations) {
    const InstructionId output = entry[entry.root].operands[std::size_t(donation.output)];
    std::vector<sw::ir::Literal> parts;
    for (const sw::ir::Literal& result : results) parts.push_back(result.elements[std::size_t(donation.output)]);
    const sw::ir::Literal whole = sw::spmd::partition::join(mesh, entry[output].shape, parts, of[std::size_t(output)]);
    sw::ir::testing::expect_near(whole, expected[0].elements[std::size_t(donation.output)], 1e-9, 1e-10);
  }
  EXPECT_GT(elements(local, sw::ir::Opcode::reduce_scatter), 0);
}

}  // namespace
}  // namespace podsim::workloads
