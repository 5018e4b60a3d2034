// SPDX-License-Identifier: Apache-2.0
// SSD's backbone with images split by rows into one to eight parts: the rows exchanged between neighbours, and the work
// beyond the image, against counts of rows.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "hlo/spmd/mesh/sharding_file.h"
#include "hlo/spmd/partition/partitioner.h"
#include "hlo/spmd/partition/sharding_cost.h"
#include "workloads/models/ssd.h"

namespace podsim::workloads {
namespace {

/// The rows of its input that a convolution over rows reads.
struct Rows {
  std::int64_t input = 0, output = 0, size = 1, stride = 1, padding = 0;
};

std::int64_t shard(std::int64_t size, std::int64_t ways) { return (size + ways - 1) / ways; }

/// The maximum number of rows that a partition needs from above, and the maximum from below: these rows cross the
/// links, since all partitions run one program.
std::int64_t halo_rows(const Rows& rows, std::int64_t ways) {
  const std::int64_t in = shard(rows.input, ways), out = shard(rows.output, ways);
  std::int64_t above = 0, below = 0;
  for (std::int64_t i = 0; i < ways; ++i) {
    const std::int64_t first = i * out, last = std::min((i + 1) * out, rows.output) - 1;
    if (first > last) continue;
    const std::int64_t from = std::max<std::int64_t>(0, first * rows.stride - rows.padding);
    const std::int64_t to = std::min(rows.input - 1, last * rows.stride - rows.padding + rows.size - 1);
    above = std::max(above, i * in - from);
    below = std::max(below, to - ((i + 1) * in - 1));
  }
  return above + below;
}

struct Cut {
  std::map<std::string, hlo::spmd::partition::ShardingCost> costs;
  std::map<std::string, Rows> rows;               ///< of the whole program's convolutions over rows
  std::map<std::string, std::int64_t> row_bytes;  ///< of a row of their inputs, all images and channels
};

Cut cut_by_rows(const models::SsdOptions& options, std::int64_t ways) {
  hlo::Module module = models::ssd_forward(options);
  const hlo::spmd::mesh::Mesh mesh = hlo::spmd::mesh::Mesh::parse(fmt::format("rows={}", ways));
  const hlo::spmd::mesh::ShardingFile file =
      hlo::spmd::mesh::read_sharding_file("rows", "[sharding]\n\"images\" = [\"\", \"rows\"]\n");
  hlo::spmd::mesh::annotate(module, mesh, file);
  const hlo::Module local =
      hlo::spmd::partition::partition(module, mesh, hlo::spmd::propagate::propagate(module, mesh));
  Cut result;
  for (const hlo::spmd::partition::ShardingCost& cost : hlo::spmd::partition::sharding_costs(module, local))
    result.costs[cost.op_name] = cost;
  const hlo::Computation& entry = module.entry_computation();
  for (const hlo::Instruction& instruction : entry.instructions) {
    if (instruction.opcode != hlo::Opcode::convolution) continue;
    const hlo::Shape& input = entry[instruction.operands[0]].shape;
    const hlo::WindowDimension& window = instruction.window[0];
    const int row = instruction.convolution->input_spatial[0];
    result.rows[instruction.op_name] = {
        input.dimensions[std::size_t(row)],
        instruction.shape.dimensions[std::size_t(instruction.convolution->output_spatial[0])], window.size,
        window.stride, window.padding_low};
    result.row_bytes[instruction.op_name] = hlo::logical_bytes(input).value() / input.dimensions[std::size_t(row)];
  }
  return result;
}

class SpatialCut : public ::testing::TestWithParam<std::int64_t> {};

bool is_of_the_backbone(const std::string& op_name) {
  return op_name.starts_with("stem") || op_name.starts_with("layer");
}

// Maps of 256, 128 and 64 rows: every shard has as many rows, and k - s of them come from neighbours.
TEST_P(SpatialCut, HalosOfEvenRowsAreTheClosedForm) {
  models::SsdOptions options;
  options.batch = 1;
  options.image_size = 512;
  const Cut cut = cut_by_rows(options, GetParam());
  int convolutions = 0;
  for (const auto& [op_name, rows] : cut.rows) {
    if (!is_of_the_backbone(op_name)) continue;
    ++convolutions;
    const hlo::spmd::partition::ShardingCost& cost = cut.costs.at(op_name);
    EXPECT_EQ(cost.halo_bytes, halo_rows(rows, GetParam()) * cut.row_bytes.at(op_name)) << op_name;
    if (GetParam() > 1) {
      EXPECT_EQ(halo_rows(rows, GetParam()), std::max<std::int64_t>(0, rows.size - rows.stride)) << op_name;
    }
    EXPECT_DOUBLE_EQ(cost.waste(), 0) << op_name;
  }
  EXPECT_GE(convolutions, 26);
}

// For images of 300 rows, the maps have 150, 75 and 38 rows.
TEST_P(SpatialCut, TheWorkBeyondUnevenRowsIsTheClosedForm) {
  models::SsdOptions options;
  options.batch = 1;
  const Cut cut = cut_by_rows(options, GetParam());
  for (const auto& [op_name, rows] : cut.rows) {
    if (!is_of_the_backbone(op_name)) continue;
    const double all = double(shard(rows.output, GetParam()) * GetParam());
    EXPECT_NEAR(cut.costs.at(op_name).waste(), all / double(rows.output) - 1, 1e-12) << op_name;
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, SpatialCut, ::testing::Values(1, 2, 4, 8));

}  // namespace
}  // namespace podsim::workloads
