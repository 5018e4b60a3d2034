// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/matrix/matrix_grid.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::codegen::families::matrix {
namespace {

TEST(MatrixGrid, GivesEachUnitAColumnOfWeightsWhereThereAreTwo) {
  const MatrixPassGrid grid = choose_grid(tpu_v3(), 128, 8, 128);
  EXPECT_EQ(grid.grid.row_units, 1);
  EXPECT_EQ(grid.grid.column_units, 2);
  EXPECT_EQ(grid.registers, 16);  // as few as hide the next weights
  EXPECT_EQ(grid.cycles, 8 * 128 * 8 / 2);
}

TEST(MatrixGrid, DividesTheRowsWhereThereIsOneColumn) {
  const MatrixPassGrid grid = choose_grid(tpu_v3(), 64, 1, 128);
  EXPECT_EQ(grid.grid.row_units, 2);
  EXPECT_EQ(grid.cycles, 8 * 64 / 2);
}

TEST(MatrixGrid, StreamsLongerPastWeightsThatAreTransposed) {
  EXPECT_EQ(choose_grid(tpu_v3(), 128, 2, 256).registers, 32);
}

TEST(MatrixGrid, NeverTakesLessThanTheUnitsNeedNorMoreThanTwiceForMuchWork) {
  const TargetMachine machine = tpu_v3();
  for (std::int64_t rows = 1; rows < 200; rows += 7) {
    for (std::int64_t lanes = 1; lanes < 10; ++lanes) {
      const MatrixPassGrid grid = choose_grid(machine, rows, lanes, 128);
      EXPECT_GE(2 * grid.cycles, 8 * rows * lanes);
      if (rows >= 32) {
        EXPECT_LE(grid.cycles, 8 * rows * lanes) << rows << " x " << lanes;
      }
    }
  }
}

TEST(MatrixGrid, IsOfNoMoreUnitsThanABundleCanName) {
  TargetMachine machine = tpu_v3();
  machine.mxu.count = 4;
  EXPECT_EQ(choose_grid(machine, 64, 8, 128).grid.units(), 4);
  machine.mxu.count = 5;
  EXPECT_THROW(choose_grid(machine, 64, 8, 128), base::InputError);
}

}  // namespace
}  // namespace podsim::sw::codegen::families::matrix
