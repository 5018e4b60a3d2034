// SPDX-License-Identifier: Apache-2.0
// Steps on slices with faults (sw/runtime/session/session.h).
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "hw/timing/tile_pipeline.h"
#include "sw/collectives/engine/collective_simulation.h"
#include "sw/runtime/session/healthy_run.h"
#include "tests/noc/faults_of.h"
#include "tests/sw/runtime/synthetic_program.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::runtime::session {
namespace {

using base::Cycles;
using base::Time;
using testing::ProgramMaker;
using testing::tile_op;

const sw::TargetMachine& healthy_machine() {
  static const sw::TargetMachine machine = sw::tpu_v3();
  return machine;
}

testing::RunOptions with_faults(const noc::Faults& faults, int steps = 2) {
  testing::RunOptions options;
  options.faults = faults;
  options.estimates = false;
  options.steps = steps;
  return options;
}

Time step_of(const compiler::Program& program, const noc::Topology& slice, const noc::Faults& faults = {}) {
  return testing::run(program, healthy_machine(), slice, with_faults(faults)).step_time;
}

double step_ratio(const compiler::Program& program, const char* fault) {
  const noc::Topology one({1}, {false});
  const Time slow = step_of(program, one, noc::faults_of(one, {fault})), healthy = step_of(program, one);
  return double(slow.value()) / double(healthy.value());
}

/// One op, which the MXU bounds by far: 64 weight tiles of 1024 rows to 8 KB.
compiler::Program of_compute() {
  ProgramMaker maker;
  return maker.op(maker.define(tile_op("matmul", 100, 4'000, 64, 1024, 4'000))).program();
}

/// One op, which the HBM bounds by far.
compiler::Program of_memory() {
  ProgramMaker maker;
  return maker.op(maker.define(tile_op("stream", 100, 2'000'000, 0, 8, 8))).program();
}

TEST(FaultyStep, OpsOfASlowChipTakeAsMuchLongerAsItsClockAndItsHbmSay) {
  // To a part in a thousand: the cycles are those of the healthy chip, rounded up.
  EXPECT_NEAR(step_ratio(of_compute(), "slow-chip:(0):0.5"), 2, 0.002);
  EXPECT_NEAR(step_ratio(of_memory(), "slow-chip:(0):0.5"), 2, 0.002);
  // What one resource bounds, the other does not slow; the first and the last tile have no other tile to hide them.
  EXPECT_NEAR(step_ratio(of_compute(), "slow-clock:(0):0.5"), 2, 0.01);
  EXPECT_NEAR(step_ratio(of_compute(), "slow-hbm:(0):0.5"), 1, 0.01);
  EXPECT_NEAR(step_ratio(of_memory(), "slow-clock:(0):0.9"), 1, 0.02);
  EXPECT_NEAR(step_ratio(of_memory(), "slow-hbm:(0):0.5"), 2, 0.02);
}

TEST(FaultyStep, ASlowChipIsWhatTheOthersWaitFor) {
  ProgramMaker maker;
  const int op = maker.define(tile_op("matmul", 100, 4'000, 64, 1024, 4'000));
  const compiler::Program program = maker.op(op).all_reduce(1000).program();
  const noc::Topology slice({4, 4}, {false, false});
  const RunResult result =
      testing::run(program, healthy_machine(), slice, with_faults(noc::faults_of(slice, {"slow-chip:(2,1):0.8"})));
  const Cycles alone = hw::timing::simulate_op(healthy_machine(), program.ops[0].tiles).cycles;
  // Chip (2,1) is number 6, with the cores 12 and 13. Its op takes 1 / 0.8 of the cycles, and it waits for none.
  EXPECT_EQ(result.reported_core / 2, 6);
  const Time slow = healthy_machine().core_clock().time_of(Cycles((alone.value() * 10 + 7) / 8));
  EXPECT_NEAR(double(result.compute.value()), double(slow.value()), 1);
  EXPECT_LE(result.waiting, Time(2000));  // to two cycles
}

TEST(FaultyStep, ACollectiveAfterWhichNothingComesTakesWhatItTakesByItself) {
  constexpr std::int64_t bytes = 1 << 20;
  ProgramMaker maker;
  const compiler::Program program = maker.all_reduce(bytes).program();
  const noc::Topology slice({8, 8}, {false, false});
  const noc::Faults dead = noc::faults_of(slice, {"dead-link:(3,3)x+"});
  const collectives::engine::AlgorithmChoice chosen = collectives::engine::choose_algorithm(
      healthy_machine(), slice, collectives::CollectiveGroups::all(slice, 2),
      {collectives::CollectiveKind::all_reduce, hlo::ElementType::bf16, bytes / 2});
  collectives::engine::CollectiveOptions options;
  options.faults = dead;
  const auto alone = collectives::engine::simulate_collective(healthy_machine(), chosen.schedule, options);
  const RunResult result = testing::run(program, healthy_machine(), slice, with_faults(dead, 1));
  // All cores begin together there too.
  EXPECT_GT(alone.duration, *alone.healthy);
  EXPECT_EQ(result.collectives.at(0).time, alone.duration);
}

TEST(FaultyStep, ChipsThatCannotCommunicateEndItWithTheirNames) {
  ProgramMaker maker;
  const compiler::Program program = maker.all_reduce(1000).program();
  const noc::Topology slice({2, 2}, {false, false});
  const noc::Faults cut = noc::faults_of(slice, {"dead-link:(1,1)x-", "dead-link:(1,1)y-"});
  try {
    step_of(program, slice, cut);
    FAIL();
  } catch (const base::SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("cannot communicate"), std::string::npos) << error.what();
  }
}

/// A random program of ops and collectives on a slice of up to 4x4 chips, and up to three faults. A seed gives the same
/// case everywhere.
struct FaultyStepCase {
  explicit FaultyStepCase(std::uint64_t seed) : random(seed), slice(random_slice()) {
    ProgramMaker maker;
    std::vector<std::vector<std::int32_t>> rows(std::size_t(slice.size(1)));
    for (std::int32_t core = 0; core < 2 * slice.nodes(); ++core) {
      rows[std::size_t(core / 2 / slice.size(0))].push_back(core);
    }
    const std::array ops{maker.define(tile_op("matmul", 1 + below(8), 40'000, 16, 1024, 20'000)),
                         maker.define(tile_op("stream", 1 + below(8), 200'000, 0, 64, 100'000))};
    for (int item = 0, items = 2 + below(5); item < items; ++item) {
      const std::int64_t bytes = std::int64_t(128 * std::pow(2.0, below(12)));
      if (below(2) == 0) {
        maker.op(ops[std::size_t(below(2))]);
      } else if (slice.size(0) > 1 && below(3) == 0) {
        maker.collective(maker.define_all_reduce(bytes, rows));
      } else {
        maker.all_reduce(bytes);
      }
    }
    program = maker.program();
    for (int number = 1 + below(3); number > 0; --number) faults.push_back(random_fault());
  }

  noc::Topology random_slice() {
    std::int64_t x = 1 + below(4), y = 1 + below(4);
    if (x * y == 1) y = 2;
    const bool torus = below(3) == 0;
    return noc::Topology({x, y}, {torus && x > 2, torus && y > 2});
  }
  noc::Fault random_fault() {
    using enum noc::Fault::Kind;
    noc::Fault fault;
    fault.kind = std::array{slow_chip, slow_clock,  slow_hbm, slow_link,  dead_link,
                            jitter,    host_jitter, speeds,   bit_errors, stalls}[std::size_t(below(10))];
    const noc::NodeId chip = below(slice.nodes());
    const noc::Coordinates at = slice.coordinates(chip);
    const bool everywhere =
        fault.kind == jitter || fault.kind == host_jitter || fault.kind == speeds || fault.kind == stalls;
    if (!everywhere && fault.kind != bit_errors) fault.chip = {at[0], at[1]};
    const auto level = std::size_t(below(5));
    fault.value = std::array{0.01, 0.1, 0.5, 0.8, 0.999}[level];
    if (fault.kind == jitter || fault.kind == host_jitter)
      fault.value = std::array{1e-9, 1e-8, 1e-6, 5e-6, 2e-5}[level];
    if (fault.kind == speeds) fault.value = std::array{0.0001, 0.001, 0.01, 0.1, 0.3}[level];
    if (fault.kind == bit_errors) fault.value = std::array{1e-12, 1e-9, 1e-7, 1e-6, 1e-5}[level];
    if (fault.kind == stalls) fault.value = std::array{0.001, 0.01, 0.1, 0.2, 0.5}[level];
    if (everywhere) fault.distribution = noc::Distribution(below(fault.kind == stalls ? 1 : 3));
    for (int i = below(4), left = 4; left > 0; ++i, --left) {
      fault.dimension = i / 2 % 2;
      fault.direction = i % 2 == 0 ? +1 : -1;
      if (slice.neighbour(chip, fault.dimension, fault.direction)) break;
    }
    kills = kills || fault.kind == dead_link;
    return fault;
  }
  int below(int end) { return int(random() % std::uint64_t(end)); }
  std::string text() const {
    std::string text = noc::to_string(slice) + ":";
    for (const noc::Fault& fault : faults) text += " " + noc::to_string(fault);
    return text;
  }

  std::mt19937_64 random;
  noc::Topology slice;
  compiler::Program program;
  std::vector<noc::Fault> faults;
  bool kills = false;
};

/// Compares random cases with the healthy slice; returns how many ended sooner and were held to it.
int held_of(std::uint64_t first, std::uint64_t end) {
  int compared = 0, held = 0;
  for (std::uint64_t seed = first; seed < end; ++seed) {
    const FaultyStepCase test(seed);
    const noc::Faults faults(test.slice, test.faults, {.host_chips = 4, .seed = seed});
    const testing::RunOptions options = with_faults(faults);
    const RunResult healthy = run_healthy(healthy_machine(), test.slice, test.program, options, options.steps);
    RunResult faulty;
    try {
      faulty = testing::run(test.program, healthy_machine(), test.slice, options);
    } catch (const base::SimulationError&) {
      EXPECT_TRUE(test.kills) << test.text();
      continue;
    }
    ++compared;
    held += faulty.step_time < healthy.step_time;
    EXPECT_GE(double(faulty.step_time.value()), 0.999 * double(healthy.step_time.value()))
        << "seed " << seed << ", " << test.text();
    hold_to_healthy(faulty, healthy);
    EXPECT_GE(faulty.step_time, healthy.step_time) << "seed " << seed << ", " << test.text();
  }
  EXPECT_GT(compared, 0.8 * double(end - first));
  return held;
}

TEST(FaultyStep, IsNeverFasterThanTheHealthyOne) { EXPECT_LE(held_of(0, 150), 3); }

/// What a change of order brings forward is rare.
TEST(FaultyStep, IsNeverFasterInTwoThousandCases) { EXPECT_LE(held_of(0, 2000), 10); }

}  // namespace
}  // namespace podsim::sw::runtime::session
