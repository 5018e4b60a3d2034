// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/builder/tile_plan.h"

#include <gtest/gtest.h>

namespace podsim::sw::codegen::builder {
namespace {

std::vector<hw::TilePhase> no_phases(std::span<const std::int64_t>) { return {}; }

/// An output of `rows` x 1024 words that is made in tiles of rows and, innermost, in steps of a contraction.
TilePlan contraction(std::int64_t rows, std::int64_t rows_per_tile, std::int64_t steps) {
  TilePlan plan;
  plan.counts = {(rows + rows_per_tile - 1) / rows_per_tile, steps};
  TileStream lhs{"lhs",
                 TileRole::input,
                 0,
                 {},
                 TileWindow::tiled(0, rows_per_tile, rows),
                 TileWindow::tiled(1, 1024, 1024 * steps),
                 1024 * steps,
                 1024,
                 8 * rows_per_tile};
  TileStream bias{"bias", TileRole::input, 0, {}, TileWindow::whole(1), TileWindow::whole(1024), 1024, 1024, 8};
  TileStream out{
      "out", TileRole::output, 0, {}, TileWindow::tiled(0, rows_per_tile, rows), TileWindow::whole(1024), 1024,
      1024,  8 * rows_per_tile};
  plan.streams = {lhs, bias, out};
  return plan;
}

TEST(TilePlan, MovesEveryArrayOnceWhenWindowsDoNotOverlap) {
  const TilePlan plan = contraction(10, 4, 3);
  const hw::TileOp op = make_tile_op(plan, "op", no_phases);
  base::Bytes read, written;
  std::int64_t tiles = 0;
  for (const hw::TileRun& run : op.runs) {
    tiles += run.count;
    for (const hw::TileTransfer& transfer : run.work.reads) read += run.count * transfer.bytes;
    for (const hw::TileTransfer& transfer : run.work.writes) written += run.count * transfer.bytes;
  }
  EXPECT_EQ(tiles, 9);
  EXPECT_EQ(read, base::Bytes(4 * 1024 * (10 * 3 + 1)));
  EXPECT_EQ(written, base::Bytes(4 * 1024 * 10));
}

TEST(TilePlan, WritesAnOutputAfterTheLastStepOfItsContractionOnly) {
  const hw::TileOp op = make_tile_op(contraction(8, 4, 3), "op", no_phases);
  std::vector<bool> writes;
  for (const hw::TileRun& run : op.runs) writes.insert(writes.end(), std::size_t(run.count), !run.work.writes.empty());
  EXPECT_EQ(writes, (std::vector<bool>{false, false, true, false, false, true}));
}

TEST(TilePlan, KeepsOneBufferOfWhatIsMovedOnceAndTwoOfTheRest) {
  const TilePlan plan = contraction(10, 4, 3);
  EXPECT_EQ(plan.buffer_rows(plan.streams[0]), 2 * 32);
  EXPECT_EQ(plan.buffer_rows(plan.streams[1]), 8);
  EXPECT_EQ(plan.buffer_rows(plan.streams[2]), 2 * 32);
  EXPECT_EQ(make_tile_op(plan, "op", no_phases).vmem, base::Bytes(512 * (64 + 8 + 64)));
}

TEST(TilePlan, DoesNotLoadAgainWhatStays) {
  TilePlan plan = contraction(12, 4, 1);
  EXPECT_EQ(plan.transfers(plan.streams[0]), 3);
  EXPECT_EQ(plan.transfers(plan.streams[1]), 1);
  plan.counts = {2, 3};  // the rows inside: loaded again for each of the outer ones
  plan.streams[0].rows = TileWindow::tiled(1, 4, 12);
  plan.streams[0].words = TileWindow::whole(1024);
  EXPECT_EQ(plan.transfers(plan.streams[0]), 6);
  EXPECT_EQ(plan.passes(plan.streams[0]), 2);
  plan.counts = {3, 2};  // outside: once
  plan.streams[0].rows = TileWindow::tiled(0, 4, 12);
  EXPECT_EQ(plan.transfers(plan.streams[0]), 3);
}

TEST(TileWindow, IsCutOffAtBothEnds) {
  const TileWindow halo{0, 4, 6, 1, 10};  // lines of a 3 x 3 window over 10 lines, four of the output at a time
  EXPECT_EQ(halo.begin(0), 0);
  EXPECT_EQ(halo.end(0), 5);
  EXPECT_EQ(halo.begin(1), 3);
  EXPECT_EQ(halo.end(1), 9);
  EXPECT_EQ(halo.begin(2), 7);
  EXPECT_EQ(halo.end(2), 10);
  EXPECT_FALSE(halo.uniform(3));
  EXPECT_TRUE(TileWindow::tiled(0, 4, 12).uniform(3));
  EXPECT_FALSE(TileWindow::tiled(0, 4, 11).uniform(3));
}

TEST(TileWindow, HasNothingOutsideOfItsArray) {
  const TileWindow wide{0, 4, 6, 7, 10};  // lines -7 to -2, -3 to 2, 1 to 6, 5 to 10, 9 to 14, 13 to 18
  EXPECT_EQ(wide.begin(0), wide.end(0));
  EXPECT_EQ(wide.end(1) - wide.begin(1), 3);
  EXPECT_EQ(wide.end(4) - wide.begin(4), 1);
  EXPECT_EQ(wide.begin(5), wide.end(5));
  EXPECT_TRUE(wide.leaves_empty(5));
  EXPECT_TRUE((TileWindow{0, 4, 6, 3, 10}.leaves_empty(5)));
  EXPECT_FALSE((TileWindow{0, 4, 6, 3, 10}.leaves_empty(4)));
}

}  // namespace
}  // namespace podsim::sw::codegen::builder
