// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/spmd/partition/partitioner.h"
#include "hlo/transform/gradient.h"
#include "tests/hlo/element_types.h"
#include "tests/hlo/literals.h"
#include "tests/hlo/spmd/one_op.h"

/// Spatial partitioning of a training step: images are split along their rows, forward and backward.
namespace podsim::hlo::transform {
namespace {

using testing::f32;
using testing::window;
constexpr std::int64_t batch = 2;

/// convolution 7x7/2, max pool 3x3/2, convolution 3x3, convolution 1x1/2, and the gradients of its sum of squares.
Module small_network(std::int64_t rows, std::int64_t columns) {
  build::GraphBuilder b("network");
  const InstructionId image = b.parameter(make_shape(f32, {batch, rows, columns, 3}), "image");
  const std::array kernels{b.parameter(make_shape(f32, {7, 7, 3, 4}), "stem"),
                           b.parameter(make_shape(f32, {3, 3, 4, 4}), "body"),
                           b.parameter(make_shape(f32, {1, 1, 4, 5}), "head")};
  const ConvolutionDimensions roles = build::convolution_dimensions("b01f_01io->b01f");
  InstructionId x = b.convolution(image, kernels[0], {window(7, 2, 3, 3), window(7, 2, 3, 3)}, roles);
  x = b.maximum(x, b.full_like(x, 0));
  x = b.reduce_window_max(x, {{}, window(3, 2, 1, 1), window(3, 2, 1, 1), {}});
  x = b.convolution(x, kernels[1], {window(3, 1, 1, 1), window(3, 1, 1, 1)}, roles);
  x = b.convolution(x, kernels[2], {window(1, 2, 0, 0), window(1, 2, 0, 0)}, roles);
  const InstructionId loss = b.reduce_add(b.multiply(x, x), {0, 1, 2, 3});
  std::vector<InstructionId> results{loss};
  const std::vector<InstructionId> of{image, kernels[0], kernels[1], kernels[2]};
  for (const InstructionId gradient : gradients(b, loss, of)) results.push_back(gradient);
  return std::move(b).build(b.tuple(results));
}

/// Every image is split along its rows, and along its columns if "y" is an axis; all other values are whole.
spmd::propagate::ModuleShardings cut_images(const Module& module, const spmd::mesh::Mesh& mesh) {
  spmd::propagate::ModuleShardings shardings;
  shardings.values.resize(module.computations.size());
  shardings.reasons.resize(module.computations.size());
  const auto sharding_of = [&](const Shape& shape) {
    spmd::mesh::AxisSharding sharding = spmd::mesh::replicated(shape.rank());
    if (shape.rank() != 4 || shape.dimensions[0] != batch) return sharding;
    for (int axis = 0; axis < int(mesh.axes().size()); ++axis) {
      sharding.dimensions[std::size_t(axis) + 1] = mesh.sub_axes(axis);
    }
    return sharding;
  };
  for (const Instruction& instruction : module.entry_computation().instructions) {
    spmd::mesh::ValueSharding value;
    for (const Shape& shape : spmd::testing::arrays_of(instruction.shape)) value.push_back(sharding_of(shape));
    shardings.values[std::size_t(module.entry)].push_back(std::move(value));
  }
  return shardings;
}

void check_network(const spmd::mesh::Mesh& mesh, std::int64_t rows, std::int64_t columns) {
  const Module module = small_network(rows, columns);
  const spmd::propagate::ModuleShardings shardings = cut_images(module, mesh);
  const Module local = spmd::partition::partition(module, mesh, shardings);
  build::verify(local);
  const Computation& entry = module.entry_computation();
  const std::vector<spmd::mesh::ValueSharding>& values = shardings.values[std::size_t(module.entry)];
  std::vector<Literal> arguments;
  std::vector<std::vector<Literal>> shards(static_cast<std::size_t>(mesh.partitions()));
  for (const InstructionId parameter : entry.parameters) {
    arguments.push_back(testing::random_literal(entry[parameter].shape, unsigned(parameter) + 1));
    const auto parts =
        spmd::partition::split_into_shards(mesh, arguments.back(), values[std::size_t(parameter)], std::nan(""));
    for (std::size_t p = 0; p < shards.size(); ++p) shards[p].push_back(parts[p]);
  }
  const Literal whole = eval::evaluate(module, arguments);
  const Literal joined = spmd::partition::join(mesh, whole.shape, eval::evaluate_partitions(local, shards),
                                               values[std::size_t(entry.root)]);
  spmd::testing::expect_equal(joined, whole, 1e-4);
}

TEST(SpatialPartition, ATrainingStepOnImagesCutAlongRowsIsThatOfTheWhole) {
  check_network(spmd::mesh::Mesh({{"rows", 2}}), 32, 20);
  check_network(spmd::mesh::Mesh({{"rows", 4}}), 32, 20);
  check_network(spmd::mesh::Mesh({{"rows", 4}}), 64, 12);
}

TEST(SpatialPartition, ImagesAreNeverGathered) {
  const spmd::mesh::Mesh mesh({{"rows", 4}});
  const Module module = small_network(64, 12);
  const Module local = spmd::partition::partition(module, mesh, cut_images(module, mesh));
  // Halos, and sums over the rows: of the loss and of the kernels' gradients.
  int sums = 0;
  for (const Instruction& instruction : local.entry_computation().instructions) {
    if (!is_collective(instruction.opcode)) continue;
    const bool is_sum = instruction.opcode == Opcode::all_reduce;
    EXPECT_TRUE(is_sum || instruction.opcode == Opcode::collective_permute) << hlo::to_string(instruction.opcode);
    sums += is_sum ? 1 : 0;
  }
  EXPECT_EQ(sums, 4);
}

TEST(SpatialPartition, RowsNeedNotDivide) {
  check_network(spmd::mesh::Mesh({{"rows", 3}}), 37, 16);
  check_network(spmd::mesh::Mesh({{"rows", 4}}), 30, 16);
  check_network(spmd::mesh::Mesh({{"rows", 8}}), 33, 8);
}

TEST(SpatialPartition, ImagesCutAlongRowsAndColumnsExchangeCorners) {
  check_network(spmd::mesh::Mesh({{"rows", 2}, {"columns", 2}}), 32, 24);
  check_network(spmd::mesh::Mesh({{"rows", 2}, {"columns", 3}}), 30, 21);
}

}  // namespace
}  // namespace podsim::hlo::transform
