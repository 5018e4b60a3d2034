// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "hw/timing/tile_pipeline.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::timing {
namespace {

/// Cycles that one kernel was measured to take on silicon; 0 where the measurements are absent.
std::int64_t measured(const std::string& kernel, const std::string& shape) {
  std::ifstream in(std::filesystem::path(PODSIM_SOURCE_DIR) / "../shared/measurements/kernels.csv");
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string name, dimensions, dtype, cycles;
    std::getline(fields, name, ',');
    std::getline(fields, dimensions, ',');
    std::getline(fields, dtype, ',');
    std::getline(fields, cycles, ',');
    if (name == kernel && dimensions == shape) return std::stoll(cycles);
  }
  return 0;
}

/// A stand-alone f32 matmul of n^3: the first block of rows reads all weights, the others stream.
TileOp square_matmul(std::int64_t n, std::int64_t rows_per_tile) {
  const base::Bytes block(4 * n * rows_per_tile);
  const TilePhase phase(MxuWork{(n / 128) * (n / 128), rows_per_tile});
  TileOp op{"matmul", {{1, {{{base::Bytes(4 * n * n)}, {block}}, {phase}, {{block}}}}}, base::Bytes(0)};
  op.runs.push_back({n / rows_per_tile - 1, {{{block}}, {phase}, {{block}}}});
  return op;
}

TEST(Kernels, MatmulsThatStandAloneAreWithinATenthOfSilicon) {
  const std::int64_t small = measured("gemm", "256x256x256");
  const std::int64_t large = measured("gemm", "1024x1024x1024");
  if (small == 0 || large == 0) GTEST_SKIP() << "measurements are not here";
  const Machine machine = tpu_v3();
  EXPECT_NEAR(double(simulate_op(machine, square_matmul(256, 256)).cycles.value()), double(small), 0.1 * double(small));
  EXPECT_NEAR(double(simulate_op(machine, square_matmul(1024, 128)).cycles.value()), double(large),
              0.1 * double(large));
}

}  // namespace
}  // namespace podsim::hw::timing
