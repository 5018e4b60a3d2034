// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/sequential_time.h"

#include <gtest/gtest.h>

#include "sw/collectives/schedule/collective_estimate.h"
#include "tests/sw/runtime/synthetic_program.h"

namespace podsim::sw::runtime {
namespace {

const hw::Machine& tpu() {
  static const hw::Machine machine = hw::tpu_v3();
  return machine;
}

SimulationOptions replay() {
  SimulationOptions options;
  options.detail = Detail::replay;
  return options;
}

// The simulation is the oracle: it has events, and cores that wait for each other.
TEST(SequentialTime, OfOpsLoopsAndCopiesIsThatOfTheSimulation) {
  testing::ProgramMaker maker;
  const int a = maker.define(testing::tile_op("a", 12, 40'000, 16, 1024, 20'000));
  const int b = maker.define(testing::tile_op("b", 40, 200'000, 0, 64, 100'000));
  const compiler::Program program = maker.infeed(1'000'000, 3).op(b).op(a).op(a).loop_from(2, 4).op(b).program();
  const RunResult result = testing::run(program, tpu(), testing::open_2x2(), replay());
  // Steps begin and end at cycles, whose times are rounded to a picosecond.
  EXPECT_NEAR(double(sequential_time(program, tpu(), testing::open_2x2(), nullptr).value()),
              double(result.step_time.value()), 8);
}

// The formula leaves out what messages wait for each other: it lies between the bound that no schedule beats and the
// simulation.
TEST(SequentialTime, OfCollectivesLiesBetweenTheirBoundAndTheSimulation) {
  testing::ProgramMaker maker;
  const int a = maker.define(testing::tile_op("a", 12, 40'000, 16, 1024, 20'000));
  const compiler::Program program = maker.op(a).all_reduce(8'000'000).program();
  const RunResult result = testing::run(program, tpu(), testing::open_2x2(), replay());
  const base::Time time = sequential_time(program, tpu(), testing::open_2x2(), nullptr);
  const collectives::schedule::CollectiveSchedule schedule(
      testing::open_2x2(), int(tpu().cores_per_chip),
      collectives::CollectiveGroups::all(testing::open_2x2(), int(tpu().cores_per_chip)),
      {collectives::CollectiveKind::all_reduce, ir::ElementType::bf16, 4'000'000}, collectives::Algorithm::ring,
      collectives::schedule::segment_lengths(tpu(), ir::ElementType::bf16));
  EXPECT_GT(time, result.compute + base::to_time(collectives::schedule::lower_bound(tpu(), schedule)));
  EXPECT_LE(time, result.step_time);
}

TEST(SequentialTime, OfAFewNumbersIsTheLaunchAndTheLatencies) {
  const base::Time time = all_reduce_time(tpu(), testing::open_2x2(), 2);
  EXPECT_GT(time, base::to_time(tpu().compiler.collective_launch));
  EXPECT_LT(time, base::to_time(tpu().compiler.collective_launch + base::Duration(50e-6)));
}

}  // namespace
}  // namespace podsim::sw::runtime
