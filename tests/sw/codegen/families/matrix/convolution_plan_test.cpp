// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/matrix/convolution_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hw/timing/tile_pipeline.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::codegen::families::matrix {
namespace {

ConvolutionProblem problem(std::int64_t n, std::int64_t size, std::int64_t cin, std::int64_t cout, std::int64_t kernel,
                           std::int64_t stride, std::int64_t pad, bool images) {
  ConvolutionProblem made{n, size, size, cin, cout, kernel, stride, pad};
  made.images_in_sublanes = images;
  return made;
}

std::vector<ConvolutionProblem> problems() {
  std::vector<ConvolutionProblem> all;
  for (bool images : {true, false}) {
    all.push_back(problem(8, 28, 128, 128, 3, 1, 1, images));
    all.push_back(problem(20, 15, 200, 300, 3, 2, 1, images));
    all.push_back(problem(3, 33, 3, 64, 7, 2, 3, images));
    all.push_back(problem(1, 12, 8, 8, 5, 4, 0, images));
    all.push_back(problem(9, 7, 512, 1024, 1, 3, 0, images));
  }
  return all;
}

ConvolutionPlan cheapest(const ConvolutionProblem& problem) {
  return compiled_convolution(tpu_v3(), problem, {})->plan;
}

TEST(ConvolutionPlan, FitsVmemAndCoversTheOutput) {
  for (const ConvolutionProblem& p : problems()) {
    const ConvolutionPlan plan = cheapest(p);
    EXPECT_LE(plan.tiles().vmem_rows() * 512, tpu_v3().vmem.value());
    EXPECT_GE(plan.tiles().counts[ConvolutionPlan::line_dimension] * plan.tiling().lines, p.out_h());
    EXPECT_GE(plan.tiles().counts[ConvolutionPlan::group_dimension] * plan.tiling().groups, p.groups());
    EXPECT_GE(plan.tiles().counts[ConvolutionPlan::channel_dimension] * plan.tiling().channels, p.output_blocks());
    EXPECT_EQ(p.output_columns() % plan.tiling().patch_columns, 0);
    EXPECT_EQ(plan.tiling().groups % plan.tiling().patch_groups, 0);
  }
}

TEST(ConvolutionPlan, ReadsNoFurtherThanTheStagedInput) {
  for (const ConvolutionProblem& p : problems()) {
    const ConvolutionPlan plan = cheapest(p);
    const StagedInput& staged = plan.staged();
    const std::vector<std::int32_t> offsets = plan.step_offsets();
    ASSERT_EQ(std::int64_t(offsets.size()), p.contraction_steps());
    const std::int64_t last_register = (plan.padded_lines() - 1) * p.stride * staged.line_pitch +
                                       (p.output_columns() - 1) * staged.column_pitch + 8 * (plan.tiling().groups - 1);
    const std::int64_t last_row = *std::ranges::max_element(offsets) + last_register + 7 * staged.sublane_stride;
    EXPECT_LT(last_row, staged.rows);
    EXPECT_EQ(offsets[0], 0);
  }
}

TEST(ConvolutionPlan, CountsTheMultiplicationsOfTheWindow) {
  const ConvolutionProblem p = problem(8, 28, 128, 256, 3, 1, 1, true);
  std::int64_t work = 0;
  for (const hw::TileRun& run : cheapest(p).tile_op("").runs) {
    for (const hw::TilePhase& phase : run.work.phases)
      work += run.count * phase.of<hw::Mxu>().weight_tiles * phase.of<hw::Mxu>().rows;
  }
  EXPECT_EQ(work, 8 * 28 * 28 * 9 * 2);
}

TEST(ConvolutionPlan, ReadsWhatLinesOfTilesShareTwiceAtMost) {
  const ConvolutionPlan plan = cheapest(problem(64, 28, 128, 128, 3, 1, 1, true));
  const hw::OpResult result = hw::timing::simulate_op(tpu_v3(), plan.tile_op(""));
  const std::int64_t input = 64 * 28 * 28 * 128 * 4, weights = 9 * 128 * 128 * 4;
  EXPECT_GE(result.read_bytes.value(), input + weights);
  EXPECT_LE(result.read_bytes.value(), 2 * input + weights);
  EXPECT_EQ(result.written_bytes.value(), input);
}

TEST(ConvolutionPlan, HasNoPlanForWhatVmemCannotHold) {
  EXPECT_FALSE(compiled_convolution(tpu_v3(), problem(8, 28, 4096, 4096, 7, 1, 3, true), {}).has_value());
}

}  // namespace
}  // namespace podsim::sw::codegen::families::matrix
