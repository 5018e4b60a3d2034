// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/matrix/matmul_search.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::codegen::families::matrix {
namespace {

std::int64_t passes(const MatmulPlan& plan, int stream) {
  return plan.tiles().passes(plan.tiles().streams[std::size_t(stream)]);
}

TEST(MatmulSearch, MovesEveryArrayOnceIfOneOperandFitsVmem) {
  for (const auto& [m, n, k] : {std::tuple{4096, 256, 512}, std::tuple{256, 4096, 512}, std::tuple{1024, 1024, 1024}}) {
    const MatmulPlan plan = compiled_matmul_plan(tpu_v3(), {m, n, k}, {});
    for (int stream : {MatmulPlan::c, plan.a(), plan.b()}) EXPECT_EQ(passes(plan, stream), 1) << m << " x " << n;
  }
}

TEST(MatmulSearch, StreamsTheLargerOperandPastTheSmaller) {
  EXPECT_EQ(compiled_matmul_plan(tpu_v3(), {8192, 256, 512}, {}).tiling().lanes, 2);
  EXPECT_EQ(compiled_matmul_plan(tpu_v3(), {256, 8192, 512}, {}).tiling().rows, 32);
}

TEST(MatmulSearch, FindsPlansThatFitVmemWhateverTheSizes) {
  const TargetMachine machine = tpu_v3();
  for (const auto& [m, n, k] : {std::tuple{1, 1, 1}, std::tuple{1, 100000, 1}, std::tuple{30000, 7, 30000},
                                std::tuple{2048, 2048, 2048}, std::tuple{5000, 3000, 9000}}) {
    for (bool packed : {false, true}) {
      const MatmulPlan plan =
          compiled_matmul_plan(machine, {m, n, k, packed, packed, true, builder::Activation::relu}, {});
      EXPECT_LE(plan.tiles().vmem_rows() * 512, machine.vmem.value()) << m << " x " << n << " x " << k;
    }
  }
}

TEST(MatmulSearch, TakesArraysInVmemAsOneTile) {
  KernelMatmul problem{1024, 1024, 1024};
  problem.in_vmem = true;
  const MatmulPlan plan = compiled_matmul_plan(tpu_v3(), problem, {});
  EXPECT_EQ(plan.tiles().tiles(), 1);
  EXPECT_TRUE(plan.tile_op("").runs[0].work.reads.empty());
  problem.m = problem.n = problem.k = 2048;
  EXPECT_THROW(compiled_matmul_plan(tpu_v3(), problem, {}), base::InputError);
}

/// Matrix work of an op in multiplications of one row by one weight column, padding included.
std::int64_t rows_past_weights(const hw::TileOp& op) {
  std::int64_t work = 0;
  for (const hw::TileRun& run : op.runs) {
    for (const hw::TilePhase& phase : run.work.phases)
      work += run.count * phase.of<hw::Mxu>().weight_tiles * phase.of<hw::Mxu>().rows;
  }
  return work;
}

TEST(MatmulSearch, CountsTheWorkThatTheProblemHas) {
  const MatmulPlan whole = compiled_matmul_plan(tpu_v3(), {1024, 512, 640}, {});
  EXPECT_EQ(rows_past_weights(whole.tile_op("")), 1024 * (512 / 128) * (640 / 128));
  const MatmulPlan ragged = compiled_matmul_plan(tpu_v3(), {1000, 500, 600}, {});
  EXPECT_GE(rows_past_weights(ragged.tile_op("")), 1000 * 4 * 5);
  EXPECT_LE(rows_past_weights(ragged.tile_op("")), 1.1 * 1000 * 4 * 5);
}

}  // namespace
}  // namespace podsim::sw::codegen::families::matrix
