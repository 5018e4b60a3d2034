// SPDX-License-Identifier: Apache-2.0
// Collectives, copies and host transfers concurrent with ops at detail chip, against the other levels of detail.
#include <gtest/gtest.h>

#include "sw/runtime/session/session.h"
#include "tests/sw/runtime/synthetic_program.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::runtime {
namespace {

/// An op that reads and writes 128 MiB each in tiles of 256 KiB, bound by the HBM.
hw::TileOp stream_op(std::int64_t megabytes = 128) {
  return testing::tile_op("stream", 4 * megabytes, 1 << 18, 0, 8, 1 << 18);
}

RunResult step_at(Detail detail, const compiler::Program& program) {
  testing::RunOptions options;
  options.detail = detail;
  options.steps = 1;
  return testing::run(program, sw::the_tpu_v3(), testing::open_2x2(), options);
}

double error_at_chip(const compiler::Program& program) {
  return double(step_at(Detail::chip, program).step_time.value()) /
             double(step_at(Detail::tile, program).step_time.value()) -
         1;
}

compiler::Program op_beside_all_reduce(std::int64_t op_megabytes, std::int64_t all_reduce_bytes) {
  testing::ProgramMaker maker;
  const int op = maker.define(stream_op(op_megabytes));
  return maker.all_reduce(all_reduce_bytes).asynchronous().op(op).done().program();
}

// The law of tile and replay detail has its rates from the banks. Levels that follow it agree to the picosecond.
TEST(ChipContention, AnAllReduceBesideAnOpTakesTheSameAtEveryDetail) {
  const compiler::Program program = op_beside_all_reduce(128, 64 << 20);
  const base::Time step = step_at(Detail::tile, program).step_time;
  EXPECT_EQ(step_at(Detail::replay, program).step_time, step);
  EXPECT_EQ(step_at(Detail::automatic, program).step_time, step);
  EXPECT_NEAR(error_at_chip(program), 0, 0.02);
}

// An op that shares the HBM takes longer than alone, and so does the copy concurrent with it: neither is served as if
// it were alone. Both need the time of all their bytes, those of the op and of the copy, at the rate of the HBM.
TEST(ChipContention, ACopyAndAnOpTakeTheTimeOfTheirBytesTogether) {
  testing::ProgramMaker alone, beside;
  const int op = alone.define(stream_op(4));
  const double one = double(step_at(Detail::chip, alone.op(op).program()).step_time.value());
  const int same = beside.define(stream_op(4));
  const double both =
      double(step_at(Detail::chip, beside.op(same).asynchronous().op(same).done().program()).step_time.value());
  EXPECT_NEAR(both, 2 * one, 0.08 * 2 * one);
}

}  // namespace
}  // namespace podsim::sw::runtime
