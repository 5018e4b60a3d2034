// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/weight_update_sharding.h"
#include "hlo/build/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "hlo/eval/evaluator.h"
#include "hlo/spmd/partition/partitioner.h"
#include "sw/compiler/fuse/horizontal_fusion.h"
#include "sw/compiler/scope_time.h"
#include "sw/compiler/tiles/core_op.h"
#include "sw/driver/compile.h"
#include "tests/hlo/literals.h"
#include "tests/sw/target_machines.h"
#include "tests/workloads/on_partitions.h"
#include "workloads/models/resnet50.h"
#include "workloads/training_step.h"

namespace podsim::workloads {
namespace {

using hlo::ElementType;
using hlo::InstructionId;
using hlo::Literal;
using hlo::Module;
using hlo::build::GraphBuilder;
using hlo::spmd::mesh::Mesh;
using testing::on_partitions;

/// relu(x a) b against targets: a step of the whole machine in double precision, with x split over all axes of the
/// mesh.
TrainingStep whole_step(const hlo::spmd::mesh::Mesh& mesh, OptimizerKind kind, std::int64_t batch = 32,
                        double clip_norm = 0) {
  hlo::build::GraphBuilder b("two_layers");
  const InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f64, {batch, 64}), "x");
  const InstructionId target = b.parameter(hlo::make_shape(hlo::ElementType::f64, {batch, 32}), "target");
  const InstructionId a = b.parameter(hlo::make_shape(hlo::ElementType::f64, {64, 128}), "a");
  const InstructionId c = b.parameter(hlo::make_shape(hlo::ElementType::f64, {128, 32}), "c");
  for (InstructionId id : {x, target}) {
    hlo::spmd::mesh::AxisSharding sharding = hlo::spmd::mesh::replicated(2);
    sharding.dimensions[0] = mesh.all();
    b.annotate(id, hlo::spmd::mesh::to_hlo(mesh, sharding));
  }
  const InstructionId hidden = b.dot(x, a, {{}, {}, {1}, {0}});
  const InstructionId y = b.dot(b.maximum(hidden, b.full_like(hidden, 0)), c, {{}, {}, {1}, {0}});
  const InstructionId error = b.subtract(y, target);
  const InstructionId sum = b.reduce_add(b.multiply(error, error), {0, 1});
  const InstructionId loss = b.multiply(sum, b.constant(hlo::ElementType::f64, 1.0 / double(32 * batch)));
  Optimizer optimizer;
  optimizer.kind = kind;
  optimizer.clip_norm = clip_norm;
  return global_training_step(std::move(b), {loss, {}}, {{a, "a", true}, {c, "c", true}}, optimizer);
}

std::vector<hlo::Literal> arguments_of(const hlo::Module& module) {
  std::vector<hlo::Literal> arguments;
  for (InstructionId id : module.entry_computation().parameters) {
    const hlo::Instruction& parameter = module.entry_computation()[id];
    arguments.push_back(hlo::testing::random_literal(parameter.shape, unsigned(arguments.size()), 0.1, 1));
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
    const hlo::spmd::mesh::Mesh mesh = hlo::spmd::mesh::Mesh::parse(text);
    const TrainingStep step = whole_step(mesh, GetParam());
    const std::vector<hlo::Literal> arguments = arguments_of(step.module);
    const std::vector<hlo::Literal> expected = hlo::eval::evaluate(step.module, arguments).elements;
    const hlo::spmd::propagate::ModuleShardings before = hlo::spmd::propagate::propagate(step.module, mesh);
    const hlo::spmd::propagate::UpdateSharding sharded = hlo::spmd::propagate::shard_weight_update(
        step.module, mesh, mesh.all(), step.donations, before.values[std::size_t(step.module.entry)], base::Bytes(0),
        base::Bytes(0));
    if (mesh.partitions() != 6) {
      EXPECT_EQ(sharded.memory.whole, sharded.memory.sharded * mesh.partitions()) << text;
    }
    const std::vector<hlo::Literal> actual = testing::on_partitions(sharded.module, mesh, arguments);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      hlo::testing::expect_near(actual[i], expected[i], 1e-11, 1e-12);
    }
  }
}

// Hidden units along y, as with tensor parallelism: cores with the same ones along x share their update.
TEST(WeightUpdateSharding, TrainsTheSameWhereWeightsAreSplitAlready) {
  const hlo::spmd::mesh::Mesh mesh = hlo::spmd::mesh::Mesh::parse("x=4,y=2");
  TrainingStep step = whole_step(mesh, OptimizerKind::adam);
  const std::vector<hlo::Literal> arguments = arguments_of(step.module);
  const std::vector<hlo::Literal> expected = hlo::eval::evaluate(step.module, arguments).elements;
  hlo::Computation& entry = step.module.computations[std::size_t(step.module.entry)];
  const std::vector<std::vector<std::string>> axes = {{"x", ""}, {"x", ""}, {"", "y"}, {"y", ""}};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    entry[entry.parameters[i]].sharding = std::make_shared<const hlo::Sharding>(
        hlo::spmd::mesh::to_hlo(mesh, hlo::spmd::mesh::parse_axes(mesh, axes[i], 2)));
  }
  const hlo::spmd::propagate::ModuleShardings before = hlo::spmd::propagate::propagate(step.module, mesh);
  const hlo::spmd::propagate::UpdateSharding sharded = hlo::spmd::propagate::shard_weight_update(
      step.module, mesh, mesh.all(), step.donations, before.values[std::size_t(step.module.entry)], base::Bytes(0),
      base::Bytes(0));
  EXPECT_LT(sharded.memory.sharded.value(), sharded.memory.whole.value());
  const std::vector<hlo::Literal> actual = testing::on_partitions(sharded.module, mesh, arguments);
  for (std::size_t i = 0; i < expected.size(); ++i) hlo::testing::expect_near(actual[i], expected[i], 1e-11, 1e-12);
}

/// Ops of the optimizer that read arrays, in a fused module.
std::int64_t update_ops(const hlo::Module& module) {
  const hlo::Computation& entry = module.entry_computation();
  return std::ranges::count_if(entry.instructions, [&](const hlo::Instruction& i) {
    const bool reads_arrays =
        std::ranges::any_of(i.operands, [&](InstructionId id) { return entry[id].shape.rank() > 0; });
    return sw::compiler::tiles::is_core_op(i) && sw::compiler::is_within(i.op_name, "optimizer") && reads_arrays;
  });
}

// The updates of both tensors together, LARS's and LAMB's around the all-reduce of norms. (Of a smaller batch they
// would be epilogues of the products that make gradients.)
TEST_P(WeightUpdateShardingOf, TrainsTheSameInOneOpOrTwo) {
  const hlo::spmd::mesh::Mesh mesh = hlo::spmd::mesh::Mesh::parse("r=4");
  const sw::TargetMachine machine = sw::tpu_v3();
  const TrainingStep step = whole_step(mesh, GetParam(), 1024);
  const std::vector<hlo::Literal> arguments = arguments_of(step.module);
  const std::vector<hlo::Literal> expected = hlo::eval::evaluate(step.module, arguments).elements;
  const hlo::spmd::propagate::ModuleShardings before = hlo::spmd::propagate::propagate(step.module, mesh);
  const hlo::spmd::propagate::UpdateSharding sharded = hlo::spmd::propagate::shard_weight_update(
      step.module, mesh, mesh.all(), step.donations, before.values[std::size_t(step.module.entry)], base::Bytes(0),
      base::Bytes(0));
  const std::vector<hlo::Literal> actual =
      testing::on_partitions(sharded.module, mesh, arguments, [&](hlo::Module local) {
        const hlo::Module merged =
            sw::compiler::fuse::fuse_horizontally(sw::driver::fused(std::move(local), machine), machine);
        const bool has_norms = GetParam() == OptimizerKind::lars || GetParam() == OptimizerKind::lamb;
        EXPECT_EQ(update_ops(merged), has_norms ? 2 : 1);
        return merged;
      });
  for (std::size_t i = 0; i < expected.size(); ++i) {
    hlo::testing::expect_near(actual[i], expected[i], 1e-11, 1e-12);
  }
}

/// Number of elements in the operands of all collectives of a kind.
std::int64_t elements(const hlo::Module& module, hlo::Opcode opcode) {
  std::int64_t count = 0;
  for (const hlo::Instruction& instruction : module.entry_computation().instructions) {
    if (instruction.opcode != opcode) continue;
    for (InstructionId id : instruction.operands) count += module.entry_computation()[id].shape.element_count();
  }
  return count;
}

/// The step with annotations that shard its update, also of small tensors.
hlo::Module annotated_step(const TrainingStep& step, const hlo::spmd::mesh::Mesh& mesh) {
  const hlo::spmd::propagate::ModuleShardings before = hlo::spmd::propagate::propagate(step.module, mesh);
  return hlo::spmd::propagate::shard_weight_update(step.module, mesh, mesh.all(), step.donations,
                                                   before.values[std::size_t(step.module.entry)], base::Bytes(0),
                                                   base::Bytes(0))
      .module;
}

// Gradients are reduce-scattered, weights gathered, and nothing of their size all-reduced. (Of a batch smaller than the
// weights the activations would go around instead.)
TEST_P(WeightUpdateShardingOf, ScattersGradientsAndGathersWeights) {
  const hlo::spmd::mesh::Mesh mesh = hlo::spmd::mesh::Mesh::parse("r=8");
  const TrainingStep step = whole_step(mesh, GetParam(), 4096);
  const hlo::Module plain =
      hlo::spmd::partition::partition(step.module, mesh, hlo::spmd::propagate::propagate(step.module, mesh));
  const std::int64_t weights = 64 * 128 + 128 * 32;
  EXPECT_GE(elements(plain, hlo::Opcode::all_reduce), weights);
  EXPECT_EQ(elements(plain, hlo::Opcode::reduce_scatter), 0);
  const hlo::Module annotated = annotated_step(step, mesh);
  const hlo::Module sharded =
      hlo::spmd::partition::partition(annotated, mesh, hlo::spmd::propagate::propagate(annotated, mesh));
  EXPECT_EQ(elements(sharded, hlo::Opcode::reduce_scatter), weights);
  EXPECT_EQ(elements(sharded, hlo::Opcode::all_gather), weights / 8);
  EXPECT_LE(elements(sharded, hlo::Opcode::all_reduce), 16) << "the loss, and norms";
}

// The norm of all gradients is the sum of those of shards, so that clipping needs no whole gradient.
TEST_P(WeightUpdateShardingOf, ClipsShards) {
  const hlo::spmd::mesh::Mesh mesh = hlo::spmd::mesh::Mesh::parse("r=8");
  constexpr double small_norm = 1e-3;
  const TrainingStep step = whole_step(mesh, GetParam(), 4096, small_norm);
  const std::vector<hlo::Literal> arguments = arguments_of(step.module);
  const std::vector<hlo::Literal> expected = hlo::eval::evaluate(step.module, arguments).elements;
  const std::vector<hlo::Literal> unclipped =
      hlo::eval::evaluate(whole_step(mesh, GetParam(), 4096).module, arguments).elements;
  EXPECT_NE(expected[0].values, unclipped[0].values);
  const hlo::Module annotated = annotated_step(step, mesh);
  const hlo::Module sharded =
      hlo::spmd::partition::partition(annotated, mesh, hlo::spmd::propagate::propagate(annotated, mesh));
  EXPECT_EQ(elements(sharded, hlo::Opcode::reduce_scatter), 64 * 128 + 128 * 32);
  EXPECT_LE(elements(sharded, hlo::Opcode::all_reduce), 20) << "the loss, and norms";
  const std::vector<hlo::Literal> actual = testing::on_partitions(annotated, mesh, arguments);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    hlo::testing::expect_near(actual[i], expected[i], 1e-11, 1e-12);
  }
}

/// A step of the small per-core network on every partition, each with a separate batch.
std::vector<hlo::Literal> steps(const hlo::Module& module, const std::vector<std::vector<hlo::Literal>>& arguments) {
  hlo::eval::EvaluationHost host;
  host.infeed = [](int device, const hlo::Instruction& infeed) {
    const hlo::Shape& data = infeed.shape.tuple_shapes[0];
    hlo::Literal fed = hlo::make_zeros(data);
    fed.elements[0] = hlo::testing::random_literal(data.tuple_shapes[0], 100 + unsigned(device));
    for (std::size_t i = 0; i < fed.elements[1].values.size(); ++i)
      fed.elements[1].values[i] = double((i + device) % 4);
    return hlo::testing::fed(infeed, std::move(fed));
  };
  return hlo::eval::evaluate_partitions(module, arguments, host);
}

TEST(WeightUpdateSharding, TrainsAPerCoreNetworkTheSame) {
  const int replicas = 4;
  models::ResNetOptions network;
  network.batch = 1;
  network.image_size = 32;
  network.classes = 4;
  network.width = 2;
  network.blocks = {1, 1, 1, 1};
  network.precision = {hlo::ElementType::f64, hlo::ElementType::f64};
  network.training.replicas = replicas;
  network.training.gradient_type = hlo::ElementType::f64;
  const TrainingStep step = models::resnet_training_step(network);
  const std::vector<hlo::Literal> arguments = arguments_of(step.module);
  const std::vector<hlo::Literal> expected = steps(step.module, std::vector(std::size_t(replicas), arguments));

  const hlo::spmd::mesh::Mesh mesh = hlo::spmd::mesh::Mesh::parse("r=4");
  hlo::Module manual = step.module;
  hlo::spmd::propagate::make_infeeds_manual(manual);
  const hlo::spmd::propagate::ModuleShardings before = hlo::spmd::propagate::propagate(manual, mesh);
  const hlo::spmd::propagate::UpdateSharding sharded = hlo::spmd::propagate::shard_weight_update(
      manual, mesh, mesh.all(), step.donations, before.values[std::size_t(manual.entry)], base::Bytes(0),
      base::Bytes(0));
  EXPECT_LT(sharded.memory.sharded.value(), sharded.memory.whole.value());
  const hlo::spmd::propagate::ModuleShardings after = hlo::spmd::propagate::propagate(sharded.module, mesh);
  const hlo::Module local = hlo::spmd::partition::partition(sharded.module, mesh, after);
  hlo::build::verify(local);
  const hlo::Computation& entry = sharded.module.entry_computation();
  const std::vector<hlo::spmd::mesh::ValueSharding>& of = after.values[std::size_t(sharded.module.entry)];
  std::vector<std::vector<hlo::Literal>> shards(replicas);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::vector<hlo::Literal> parts =
        hlo::spmd::partition::split_into_shards(mesh, arguments[i], of[std::size_t(entry.parameters[i])], 1e6);
    for (std::size_t p = 0; p < parts.size(); ++p) shards[p].push_back(parts[p]);
  }
  const std::vector<hlo::Literal> results = steps(local, shards);
  for (const hlo::Donation& donation : step.donations) {
    const InstructionId output = entry[entry.root].operands[std::size_t(donation.output)];
    std::vector<hlo::Literal> parts;
    for (const hlo::Literal& result : results) parts.push_back(result.elements[std::size_t(donation.output)]);
    const hlo::Literal whole = hlo::spmd::partition::join(mesh, entry[output].shape, parts, of[std::size_t(output)]);
    hlo::testing::expect_near(whole, expected[0].elements[std::size_t(donation.output)], 1e-9, 1e-10);
  }
  EXPECT_GT(elements(local, hlo::Opcode::reduce_scatter), 0);
}

}  // namespace
}  // namespace podsim::workloads
