// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hlo/build/graph_builder.h"
#include "hlo/spmd/partition/partitioner.h"
#include "hlo/transform/gradient.h"
#include "tests/hlo/element_types.h"

namespace podsim::hlo::transform {
namespace {

using testing::bf16;

void annotate(build::GraphBuilder& b, const spmd::mesh::Mesh& mesh, InstructionId id,
              const std::vector<std::string>& axes) {
  b.annotate(id, spmd::mesh::to_hlo(mesh, spmd::mesh::parse_axes(mesh, axes, b.shape(id).rank())));
}

/// A step of gradient descent on feed-forward layers with two-dimensional sharding: activations [x, y], weights [x, y]
/// and [y, x].
Module training_step(const spmd::mesh::Mesh& mesh, int layers) {
  const std::int64_t batch = 16384, model = 8192, hidden = 32768;
  build::GraphBuilder b("training");
  const DotDimensions last_and_first{{}, {}, {1}, {0}};
  const InstructionId in = b.parameter(make_shape(bf16, {batch, model}), "in");
  annotate(b, mesh, in, {"x", "y"});
  InstructionId x = in;
  std::vector<InstructionId> weights;
  for (int layer = 0; layer < layers; ++layer) {
    const build::GraphBuilder::Scope scope(b, "layer" + std::to_string(layer));
    const std::string name = std::to_string(layer);
    weights.push_back(b.parameter(make_shape(bf16, {model, hidden}), "up" + name));
    annotate(b, mesh, weights.back(), {"x", "y"});
    const InstructionId wide = b.dot(x, weights.back(), last_and_first);
    weights.push_back(b.parameter(make_shape(bf16, {hidden, model}), "down" + name));
    annotate(b, mesh, weights.back(), {"y", "x"});
    x = b.add(x, b.dot(b.maximum(wide, b.full_like(wide, 0)), weights.back(), last_and_first));
    annotate(b, mesh, x, {"x", "y"});
  }
  const InstructionId loss = b.reduce_add(b.multiply(x, x), {0, 1});
  std::vector<InstructionId> updated;
  const std::vector<InstructionId> slopes = gradients(b, loss, weights);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    updated.push_back(b.subtract(weights[i], b.multiply(slopes[i], b.full_like(slopes[i], 0.125))));
  }
  return std::move(b).build(b.tuple(updated));
}

Module partitioned(const spmd::mesh::Mesh& mesh, int layers) {
  const Module module = training_step(mesh, layers);
  return spmd::partition::partition(module, mesh, spmd::propagate::propagate(module, mesh));
}

std::size_t instructions(const Module& module) {
  std::size_t count = 0;
  for (const Computation& computation : module.computations) count += computation.instructions.size();
  return count;
}

TEST(PartitionedProgram, IsAsLongForThousandsOfPartitionsAsForAFew) {
  const Module few = partitioned(spmd::mesh::Mesh({{"x", 4}, {"y", 4}}), 3);
  const Module many = partitioned(spmd::mesh::Mesh({{"x", 64}, {"y", 128}}), 3);
  EXPECT_EQ(few.partitions, 16);
  EXPECT_EQ(many.partitions, 8192);
  EXPECT_NEAR(double(instructions(many)), double(instructions(few)), 0.1 * double(instructions(few)));
  const auto bytes = [](const Module& module) { return double(hlo::to_string(module).size()); };
  EXPECT_NEAR(bytes(many), bytes(few), 0.1 * bytes(few));
}

TEST(PartitionedProgram, GrowsWithTheLayersAlone) {
  const spmd::mesh::Mesh mesh({{"x", 32}, {"y", 64}});
  const auto count = [&](int layers) { return double(instructions(partitioned(mesh, layers))); };
  const double one_more = count(9) - count(8);
  EXPECT_DOUBLE_EQ(count(64), count(8) + 56 * one_more);
}

}  // namespace
}  // namespace podsim::hlo::transform
