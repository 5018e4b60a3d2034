// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/session/session.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "base/diagnostic.h"
#include "hw/timing/tile_pipeline.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/collectives/engine/collective_simulation.h"
#include "tests/sw/runtime/synthetic_program.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::runtime::session {
namespace {

using base::Cycles;
using base::Time;
using testing::mixed_program;
using testing::open_2x2;
using testing::ProgramMaker;
using testing::run;
using testing::tile_op;
using Cores = std::vector<std::int32_t>;

const sw::TargetMachine& machine() {
  static const sw::TargetMachine tpu = sw::tpu_v3();
  return tpu;
}

testing::RunOptions at(Detail detail, int steps = 2) {
  testing::RunOptions options;
  options.detail = detail;
  options.steps = steps;
  return options;
}

/// All times of a result.
std::vector<Time> times(const RunResult& result) {
  std::vector<Time> all = result.step_times;
  for (const ItemResult& item : result.items) all.push_back(item.duration);
  for (Time part : {result.compute, result.collective, result.infeed, result.other}) all.push_back(part);
  for (const CollectiveResult& collective : result.collectives) {
    all.push_back(collective.time);
    all.push_back(collective.exposed);
  }
  return all;
}

class SimulationAt : public ::testing::TestWithParam<Detail> {};

INSTANTIATE_TEST_SUITE_P(Detail, SimulationAt, ::testing::Values(Detail::automatic, Detail::tile, Detail::replay),
                         [](const auto& instance) { return to_string(instance.param); });

TEST_P(SimulationAt, HasAFabricToWhichEveryChipIsBound) {
  SimulatedSlice slice(open_2x2(), machine(), at(GetParam()));
  const base::systemc::InContext inside(slice.context());
  for (const char* name : {"pod", "pod.fabric", "pod.chip_0", "pod.chip_0.ici", "pod.chip_3.ici"}) {
    const sc_core::sc_object* object = sc_core::sc_find_object(name);
    ASSERT_NE(object, nullptr) << name;
    EXPECT_STREQ(object->kind(), "sc_module") << name;
  }
}

TEST_P(SimulationAt, ALoopTakesItsTrips) {
  testing::ProgramMaker maker;
  int a = maker.define(testing::tile_op("a", 12, 40'000, 16, 1024, 20'000));
  int b = maker.define(testing::tile_op("b", 40, 200'000, 0, 64, 100'000));
  compiler::Program program = maker.op(b).op(a).op(a).loop_from(1, 4).op(b).program();
  RunResult result = testing::run(program, machine(), testing::open_2x2(), at(GetParam(), 1));
  Cycles cycles_a = hw::timing::simulate_op(machine(), program.ops[0].tiles).cycles;
  Cycles cycles_b = hw::timing::simulate_op(machine(), program.ops[1].tiles).cycles;
  base::Clock clock = machine().core_clock();
  EXPECT_EQ(result.step_time, clock.time_of(8 * cycles_a + 2 * cycles_b));
  ASSERT_EQ(result.loops.size(), 1U);
  EXPECT_EQ(result.loops[0].trips, 4);
  EXPECT_EQ(result.loops[0].duration, clock.time_of(8 * cycles_a + cycles_b) - clock.time_of(cycles_b));
}

TEST(Simulation, TripsThatRepeatAreSkippedWithoutAnyDifferenceInTheFigures) {
  testing::ProgramMaker maker;
  int a = maker.define(testing::tile_op("a", 12, 40'000, 16, 1024, 20'000));
  compiler::Program program = maker.op(a).all_reduce(1'000'000).op(a).loop_from(1, 40).op(a).program();
  testing::RunOptions all = at(Detail::replay, 2), skipped = all;
  all.fold = false;
  const noc::Topology slice({4, 4}, {true, true});
  RunResult one_by_one = testing::run(program, machine(), slice, all);
  RunResult result = testing::run(program, machine(), slice, skipped);
  EXPECT_FALSE(result.notes.empty());
  EXPECT_EQ(result.other, Time(0)) << "a core is never between items";
  const auto seconds = [](Time time) { return base::to_duration(time).si(); };
  EXPECT_NEAR(seconds(result.step_time), seconds(one_by_one.step_time), 1e-6 * seconds(one_by_one.step_time));
  EXPECT_NEAR(seconds(result.compute), seconds(one_by_one.compute), 1e-6 * seconds(one_by_one.compute));
  EXPECT_NEAR(seconds(result.loops[0].duration), seconds(one_by_one.loops[0].duration), 1e-6);
  EXPECT_EQ(result.collectives[0].count, 40);
  EXPECT_EQ(result.activity.slice, one_by_one.activity.slice);
  EXPECT_NEAR(result.ici_utilization, one_by_one.ici_utilization, 1e-3 * one_by_one.ici_utilization);
  EXPECT_LT(result.items.size(), one_by_one.items.size() / 3);
}

/// Rows and columns of an open slice of 4x4 chips in turn: the ends of lines run ahead of the middle.
compiler::Program layers_of_rows_and_columns(int layers) {
  testing::ProgramMaker maker;
  const int a = maker.define(testing::tile_op("a", 120, 40'000, 16, 1024, 20'000));
  const int b = maker.define(testing::tile_op("b", 400, 200'000, 0, 64, 100'000));
  std::vector<std::vector<std::int32_t>> rows(4), columns(4);
  for (std::int32_t core = 0; core < 32; ++core) {
    rows[std::size_t(core / 8)].push_back(core);
    columns[std::size_t(core / 2 % 4)].push_back(core);
  }
  const int along_rows = maker.define_all_reduce(300'000, rows);
  const int along_columns = maker.define_all_reduce(200'000, columns);
  maker.op(b);
  for (int layer = 0; layer < layers; ++layer) maker.op(a).collective(along_rows).op(b).op(a).collective(along_columns);
  return maker.op(b).program();
}

// The oracle is the simulation of every layer, with the tolerance that the watch of trips states.
TEST(Simulation, LayersThatRepeatAreSkippedWithTheFiguresOfEachOfThem) {
  const compiler::Program program = layers_of_rows_and_columns(30);
  const noc::Topology slice({4, 4}, {false, false});
  testing::RunOptions all = at(Detail::replay, 2), skipped = all;
  all.fold = false;
  const RunResult one_by_one = testing::run(program, machine(), slice, all);
  const RunResult result = testing::run(program, machine(), slice, skipped);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_EQ(result.other, Time(0)) << "a core is never between items";
  EXPECT_TRUE(one_by_one.notes.empty());
  const auto seconds = [](Time time) { return base::to_duration(time).si(); };
  EXPECT_NEAR(seconds(result.step_time), seconds(one_by_one.step_time), 5e-4 * seconds(one_by_one.step_time));
  EXPECT_NEAR(seconds(result.compute), seconds(one_by_one.compute), 5e-4 * seconds(one_by_one.compute));
  EXPECT_EQ(result.activity.slice, one_by_one.activity.slice);
  ASSERT_EQ(result.items.size(), one_by_one.items.size());
  for (std::size_t i = 0; i < result.items.size(); ++i) EXPECT_EQ(result.items[i].item, one_by_one.items[i].item) << i;
  ASSERT_EQ(result.collectives.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(result.collectives[i].count, 30);
  for (std::size_t id = 0; id < result.link_bytes.size(); ++id) {
    EXPECT_NEAR(double(result.link_bytes[id].value()), double(one_by_one.link_bytes[id].value()),
                0.02 * double(one_by_one.link_bytes[id].value()))
        << id;
  }
}

// The oracle is the same.
TEST(Simulation, AStepWhoseLastItemsAreLayersEndsWithThem) {
  compiler::Program program = layers_of_rows_and_columns(30);
  program.items.pop_back();
  const noc::Topology slice({4, 4}, {false, false});
  testing::RunOptions all = at(Detail::replay, 3), skipped = all;
  all.fold = false;
  const RunResult one_by_one = testing::run(program, machine(), slice, all);
  const RunResult result = testing::run(program, machine(), slice, skipped);
  EXPECT_FALSE(result.notes.empty());
  ASSERT_EQ(result.step_times.size(), 3U);
  for (std::size_t step = 0; step < 3; ++step) {
    const auto expected = double(one_by_one.step_times[step].value());
    EXPECT_NEAR(double(result.step_times[step].value()), expected, 5e-4 * expected) << step;
  }
}

TEST(Simulation, TheSecondStepSkipsFromTheFirstLayersOn) {
  const noc::Topology slice({4, 4}, {false, false});
  const auto messages = [&](int steps) {
    const RunResult result = testing::run(layers_of_rows_and_columns(30), machine(), slice, at(Detail::replay, steps));
    return result.statistics.find("ici.messages")->value();
  };
  const std::int64_t first = messages(1), both = messages(2);
  EXPECT_LT(both - first, first);
}

/// Cores 0 to 3 of 8 run op a twice, the others op b once; then all join a collective.
compiler::Program two_stages(testing::ProgramMaker maker = {}) {
  const int a = maker.define(testing::tile_op("a", 12, 40'000, 16, 1024, 20'000));
  const int b = maker.define(testing::tile_op("b", 400, 200'000, 0, 64, 100'000));
  maker.op(a).of_cores({0, 1, 2, 3}).op(a).of_cores({0, 1, 2, 3}).op(b).of_cores({4, 5, 6, 7});
  return maker.program();
}

TEST_P(SimulationAt, CoresRunTheirOwnBranchesSideBySide) {
  const compiler::Program program = two_stages();
  const RunResult result = testing::run(program, machine(), testing::open_2x2(), at(GetParam(), 2));
  const base::Clock clock = machine().core_clock();
  const Cycles a = 2 * hw::timing::simulate_op(machine(), program.ops[0].tiles).cycles;
  const Cycles b = hw::timing::simulate_op(machine(), program.ops[1].tiles).cycles;
  ASSERT_LT(a, b);
  EXPECT_EQ(result.step_time, clock.time_of(2 * b) - clock.time_of(b)) << "the longer branch is the step";
  ASSERT_EQ(result.stages.size(), 2U);
  EXPECT_EQ(result.stages[0].first_core, 0);
  EXPECT_EQ(result.stages[1].first_core, 4);
  EXPECT_EQ(result.stages[0].cores, 4);
  EXPECT_EQ(result.stages[0].compute, clock.time_of(2 * a) - clock.time_of(a));
  EXPECT_EQ(result.stages[1].compute, result.step_time);
  EXPECT_NEAR(result.stages[0].idle(), 1 - double(a.value()) / double(b.value()), 1e-6) << "while the others go on";
}

TEST_P(SimulationAt, TheCoresOfAShorterBranchWaitInTheCollectiveThatFollows) {
  compiler::Program alone = testing::ProgramMaker().all_reduce(1'000'000).program();
  const RunResult reduction = testing::run(alone, machine(), testing::open_2x2(), at(GetParam(), 1));
  compiler::Program program = two_stages();
  const Cycles a = 2 * hw::timing::simulate_op(machine(), program.ops[0].tiles).cycles;
  const Cycles b = hw::timing::simulate_op(machine(), program.ops[1].tiles).cycles;
  program.collectives = alone.collectives;
  program.items.push_back(alone.items[0]);
  const RunResult result = testing::run(program, machine(), testing::open_2x2(), at(GetParam(), 1));
  const base::Clock clock = machine().core_clock();
  // All leave together, up to the effect that the later start of some cores has on the reduction.
  const double step = base::to_duration(clock.time_of(b) + reduction.step_time).si();
  EXPECT_NEAR(base::to_duration(result.step_time).si(), step, 0.02 * step);
  EXPECT_NEAR(result.stages[0].idle(), 1 - base::to_duration(clock.time_of(a)).si() / step, 0.02);
  // Waiting for the last core to arrive, to the cycle in which the core continues.
  const auto cycle = double(clock.time_of(Cycles(1)).value());
  EXPECT_NEAR(double(result.stages[0].waiting().value()), double((clock.time_of(b) - clock.time_of(a)).value()), cycle);
  EXPECT_NEAR(double(result.stages[1].waiting().value()), 0, cycle);
  EXPECT_EQ(result.items.front().item, 2) << "the step shown is that of the cores the others wait for";
}

// The cores of the first chip reduce among themselves while the others compute; cores outside the branch are not waited
// for.
TEST_P(SimulationAt, ACollectiveInABranchIsOverWithoutTheOthers) {
  compiler::Program alone = testing::ProgramMaker().all_reduce(1'000'000).program();
  alone.collectives[0].groups = {{0, 1}};
  const RunResult reduction = testing::run(alone, machine(), testing::open_2x2(), at(GetParam(), 1));
  testing::ProgramMaker maker;
  const int b = maker.define(testing::tile_op("b", 4, 20'000, 0, 64, 10'000));
  compiler::Program program = maker.all_reduce(1'000'000).of_cores({0, 1}).op(b).of_cores({2, 3, 4, 5, 6, 7}).program();
  program.collectives[0].groups = {{0, 1}};
  const RunResult result = testing::run(program, machine(), testing::open_2x2(), at(GetParam(), 3));
  EXPECT_EQ(result.steps, 3);
  ASSERT_EQ(result.stages.size(), 2U);
  EXPECT_EQ(result.stages[0].collective, reduction.step_time);
  EXPECT_EQ(result.stages[1].collective, Time(0));
}

// Branches by columns: the slice folds along y, where chips take the same branches, and not along x.
TEST(Simulation, ChipsFoldOnlyWhereTheyTakeTheSameBranches) {
  const noc::Topology slice({4, 4}, {true, true});
  Cores left, right;
  for (std::int32_t core = 0; core < 32; ++core) (core / 2 % 4 < 2 ? left : right).push_back(core);
  testing::ProgramMaker maker;
  const int a = maker.define(testing::tile_op("a", 12, 40'000, 16, 1024, 20'000));
  const int b = maker.define(testing::tile_op("b", 40, 200'000, 0, 64, 100'000));
  const compiler::Program program = maker.op(a).of_cores(left).op(b).of_cores(right).all_reduce(1'000'000).program();
  testing::RunOptions unfolded = at(Detail::replay, 2);
  unfolded.fold = false;
  const RunResult folded = testing::run(program, machine(), slice, at(Detail::replay, 2));
  const RunResult whole = testing::run(program, machine(), slice, unfolded);
  EXPECT_EQ(folded.simulated_chips, 4);
  EXPECT_EQ(whole.simulated_chips, 16);
  EXPECT_EQ(times(folded), times(whole));
  ASSERT_EQ(folded.stages.size(), 2U);
  EXPECT_EQ(folded.stages[0].cores, 16);
  EXPECT_NE(folded.notes.front().find("branches"), std::string::npos);
}

// Groups that share a link: the cores of a chip take turns on it, and the step lasts until the later one has finished.
TEST(Simulation, TheStepIsThatOfTheSlowerCore) {
  compiler::Program program = testing::ProgramMaker().all_reduce(4'000'000).program();
  program.collectives[0].groups = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
  RunResult result = testing::run(program, machine(), testing::open_2x2(), at(Detail::replay, 1));
  EXPECT_EQ(result.step_time, result.collectives[0].exposed);
  EXPECT_GE(result.step_time + Time(2000), result.collectives[0].time);  // to a cycle of the core
}

/// Time of the HBM to move `bytes` at the sustained rate.
Time moving(std::int64_t bytes) { return base::to_time(base::Bytes(bytes) / machine().hbm.stream_rate); }

// All cores of the slice reduce 100 kB in two dimensions: each reads and writes it at most three times a dimension. A
// tile's data wait at most for the 128 KiB that transfers have outstanding.
TEST_P(SimulationAt, AnAllReduceBehindALongOpCostsItsTimeOfTheHbm) {
  testing::ProgramMaker maker;
  int stream = maker.define(testing::tile_op("stream", 400, 2'000'000, 0, 64, 100'000));
  compiler::Program program = maker.all_reduce(100'000).asynchronous().op(stream).done().program();
  RunResult result = testing::run(program, machine(), testing::open_2x2(), at(GetParam(), 1));
  Cycles cycles = hw::timing::simulate_op(machine(), program.ops[0].tiles).cycles;
  const Time alone = machine().core_clock().time_of(cycles);
  EXPECT_GT(result.step_time, alone);
  EXPECT_LT(result.step_time, alone + moving(12 * 100'000 + 4 * (128 << 10)));
  ASSERT_EQ(result.contention.size(), 1U);
  EXPECT_EQ(result.contention[0].beside, 0);
  EXPECT_NEAR(double(result.contention[0].time.value()), double((result.step_time - alone).value()), 2000);
  ASSERT_EQ(result.collectives.size(), 1U);
  EXPECT_EQ(result.collectives[0].exposed, Time(0));
  EXPECT_EQ(result.collectives[0].count, 1);
}

// An op without traffic of its own leaves the HBM to the all-reduce.
TEST_P(SimulationAt, AnAllReduceBehindAnOpThatOnlyComputesCostsNothing) {
  testing::ProgramMaker maker;
  int compute = maker.define(testing::tile_op("compute", 40, 0, 160, 1024, 0));
  compiler::Program program = maker.all_reduce(100'000).asynchronous().op(compute).done().program();
  RunResult result = testing::run(program, machine(), testing::open_2x2(), at(GetParam(), 1));
  Cycles cycles = hw::timing::simulate_op(machine(), program.ops[0].tiles).cycles;
  EXPECT_EQ(result.step_time, machine().core_clock().time_of(cycles));
  EXPECT_TRUE(result.contention.empty());
}

TEST_P(SimulationAt, WithoutContentionAnAllReduceBehindAnOpBoundByTheHbmCostsNothing) {
  testing::ProgramMaker maker;
  int stream = maker.define(testing::tile_op("stream", 40, 400'000, 0, 64, 200'000));
  compiler::Program program = maker.all_reduce(100'000).asynchronous().op(stream).done().program();
  testing::RunOptions options = at(GetParam(), 1);
  const Time contended = testing::run(program, machine(), testing::open_2x2(), options).step_time;
  options.contention = false;
  RunResult result = testing::run(program, machine(), testing::open_2x2(), options);
  Cycles cycles = hw::timing::simulate_op(machine(), program.ops[0].tiles).cycles;
  EXPECT_EQ(result.step_time, machine().core_clock().time_of(cycles));
  EXPECT_GT(contended, result.step_time);
  EXPECT_TRUE(result.contention.empty());
}

TEST_P(SimulationAt, AnAllReduceBehindAShortOpIsWaitedFor) {
  testing::ProgramMaker together, after;
  for (testing::ProgramMaker* maker : {&together, &after})
    maker->define(testing::tile_op("short", 4, 40'000, 0, 64, 20'000));
  compiler::Program overlapped = together.all_reduce(40'000'000).asynchronous().op(0).done().program();
  compiler::Program alone = after.all_reduce(40'000'000).program();
  RunResult result = testing::run(overlapped, machine(), testing::open_2x2(), at(GetParam(), 1));
  const Time reduce = testing::run(alone, machine(), testing::open_2x2(), at(GetParam(), 1)).step_time;
  EXPECT_GE(result.step_time, reduce);
  EXPECT_LE(result.step_time, reduce + moving(4 * 60'000 * 2));
  EXPECT_EQ(result.collectives[0].exposed, result.step_time - result.items[1].duration);
}

// Started in every trip, and waited for in the same trip.
TEST_P(SimulationAt, AsynchronousCollectivesOfALoopAreToldApart) {
  testing::ProgramMaker maker;
  int compute = maker.define(testing::tile_op("compute", 40, 0, 160, 1024, 0));
  compiler::Program program = maker.all_reduce(100'000).asynchronous().op(compute).done().loop_from(0, 3).program();
  RunResult result = testing::run(program, machine(), testing::open_2x2(), at(GetParam(), 2));
  Cycles cycles = 3 * hw::timing::simulate_op(machine(), program.ops[0].tiles).cycles;
  base::Clock clock = machine().core_clock();
  EXPECT_EQ(result.step_time, clock.time_of(2 * cycles) - clock.time_of(cycles));
  EXPECT_EQ(result.collectives[0].count, 3);
}

// The copy is bound by the HBM; the op concurrent with it takes at most its own traffic from it.
TEST_P(SimulationAt, AnAsynchronousOpEndsBesideOthers) {
  testing::ProgramMaker maker;
  int copy = maker.define(testing::tile_op("copy", 4, 400'000, 0, 64, 400'000));
  int shorter = maker.define(testing::tile_op("short", 2, 40'000, 0, 64, 20'000));
  compiler::Program program = maker.op(copy).asynchronous().op(shorter).done().program();
  RunResult result = testing::run(program, machine(), testing::open_2x2(), at(GetParam(), 1));
  const Time alone =
      machine().core_clock().time_of(hw::timing::simulate_op(machine(), program.ops[std::size_t(copy)].tiles).cycles);
  EXPECT_GE(result.step_time, alone);
  EXPECT_LE(result.step_time, alone + moving(2 * 60'000 * 2));
}

TEST_P(SimulationAt, AnAsynchronousOpByItselfTakesItsOwnTime) {
  testing::ProgramMaker maker;
  int copy = maker.define(testing::tile_op("copy", 4, 400'000, 0, 64, 400'000));
  compiler::Program program = maker.op(copy).asynchronous().done().program();
  RunResult result = testing::run(program, machine(), testing::open_2x2(), at(GetParam(), 1));
  EXPECT_EQ(result.step_time, machine().core_clock().time_of(
                                  hw::timing::simulate_op(machine(), program.ops[std::size_t(copy)].tiles).cycles));
}

TEST(Simulation, GroupsOfCoresReduceBesideEachOther) {
  compiler::Program all = testing::ProgramMaker().all_reduce(4'000'000).program();
  compiler::Program pairs = all;
  pairs.collectives[0].groups = {{0, 1}, {2, 3}, {4, 5}, {6, 7}};  // the two cores of each chip
  RunResult of_all = testing::run(all, machine(), testing::open_2x2(), at(Detail::replay, 1));
  RunResult of_pairs = testing::run(pairs, machine(), testing::open_2x2(), at(Detail::replay, 1));
  EXPECT_LT(of_pairs.step_time, of_all.step_time);
  EXPECT_EQ(of_pairs.collectives[0].group_size, 2);
  EXPECT_EQ(of_pairs.ici_utilization, 0);
  EXPECT_GT(of_all.ici_utilization, 0);
}

TEST_P(SimulationAt, AChainOfOpsTakesTheSumOfTheirPipelinesCycles) {
  testing::ProgramMaker maker;
  int a = maker.define(testing::tile_op("a", 12, 40'000, 16, 1024, 20'000));
  int b = maker.define(testing::tile_op("b", 40, 200'000, 0, 64, 100'000));
  compiler::Program program = maker.op(a).op(b).op(a).program();
  RunResult result = testing::run(program, machine(), testing::open_2x2(), at(GetParam(), 3));

  Cycles cycles_a = hw::timing::simulate_op(machine(), program.ops[0].tiles).cycles;
  Cycles cycles_b = hw::timing::simulate_op(machine(), program.ops[1].tiles).cycles;
  Cycles step = 2 * cycles_a + cycles_b;
  base::Clock clock = machine().core_clock();
  ASSERT_EQ(result.step_times.size(), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(result.step_times[i], clock.time_of((i + 1) * step) - clock.time_of(i * step));
  EXPECT_EQ(result.items[1].duration,
            clock.time_of(2 * step + cycles_a + cycles_b) - clock.time_of(2 * step + cycles_a));
  EXPECT_EQ(result.items[1].cost.cycles, cycles_b);
  // Two ops of 12 tiles and one of 40.
  EXPECT_EQ(result.activity.core.op_bytes(), base::Bytes(2 * 12 * 60'000 + 40 * 300'000));
}

TEST_P(SimulationAt, AllStepsAreDoneAndPartsOfTheLastAddUp) {
  RunResult result = testing::run(testing::mixed_program(), machine(), testing::open_2x2(), at(GetParam(), 3));
  EXPECT_EQ(result.steps, 3);
  EXPECT_FALSE(result.partial);
  EXPECT_EQ(result.simulated_chips, 4);
  EXPECT_EQ(result.step_time, result.step_times.back());
  EXPECT_EQ(result.compute + result.collective + result.infeed + result.other, result.step_time);
  EXPECT_EQ(result.other, Time(0)) << "the core is never between items";
  Time sum;
  for (const ItemResult& item : result.items) sum += item.duration;
  EXPECT_EQ(sum, result.step_time);
  ASSERT_EQ(result.items.size(), 6U);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(result.items[i].item, i);
}

TEST_P(SimulationAt, RepeatedItGivesTheSameTimes) {
  testing::RunOptions options = at(GetParam());
  RunResult first = testing::run(testing::mixed_program(), machine(), testing::open_2x2(), options);
  RunResult second = testing::run(testing::mixed_program(), machine(), testing::open_2x2(), options);
  EXPECT_EQ(times(first), times(second));
}

TEST_P(SimulationAt, AnOpThatOverflowsVmemIsAVerdictThatNamesIt) {
  testing::ProgramMaker maker;
  hw::TileOp op = testing::tile_op("fusion.13", 1, 1000, 1, 8, 1000);
  op.vmem = machine().vmem + base::Bytes(1);
  compiler::Program program = maker.op(maker.define(op)).program();
  try {
    testing::run(program, machine(), testing::open_2x2(), at(GetParam()));
    FAIL() << "it fits";
  } catch (const base::SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("fusion.13"), std::string::npos) << error.what();
  }
}

// PCIe carries the batches of a chip's two cores one after another; the core's own copy is nine times faster and hidden
// behind the transfers.
TEST_P(SimulationAt, AHugeBatchMakesTheStepThePcieTimeOfTheChipsTwoBatches) {
  const std::int64_t batch = 160'000'000;
  compiler::Program program = testing::ProgramMaker().infeed(batch, 1).program();
  RunResult result = testing::run(program, machine(), testing::open_2x2(), at(GetParam(), 4));
  double expected = 2.0 * double(batch) / machine().host.pcie_rate.si();
  EXPECT_NEAR(base::to_duration(result.step_time).si(), expected, 2.0 / machine().clock.si());
  EXPECT_EQ(result.infeed, result.step_time);
  EXPECT_EQ(result.items[0].bound, Bound::host);
}

// Queues of two transfers fill in the first steps; then a core waits until PCIe has moved one transfer of each core of
// its chip.
TEST_P(SimulationAt, AHugeOutfeedMakesTheStepThePcieTimeOfTheChipsTwoTransfers) {
  const std::int64_t bytes = 160'000'000;
  compiler::Program program = testing::ProgramMaker().outfeed(bytes, 1).program();
  RunResult result = testing::run(program, machine(), testing::open_2x2(), at(GetParam(), 6));
  double expected = 2.0 * double(bytes) / machine().host.pcie_rate.si();
  EXPECT_NEAR(base::to_duration(result.step_time).si(), expected, 2.0 / machine().clock.si());
  EXPECT_EQ(result.other, result.step_time);
  EXPECT_EQ(result.items[0].bound, Bound::host);
}

TEST_P(SimulationAt, AnOutfeedThatFindsRoomCostsItsCopies) {
  testing::ProgramMaker maker;
  int op = maker.define(testing::tile_op("long", 200, 400'000, 0, 64, 100'000));
  compiler::Program program = maker.op(op).outfeed(100'000, 3).outfeed(4, 1).program();
  RunResult result = testing::run(program, machine(), testing::open_2x2(), at(GetParam(), 3));
  // 100 kB at 172 GB/s and 1 us for each of four tensors.
  EXPECT_NEAR(base::to_duration(result.other).si(), 100'000 / 172e9 + 4e-6, 5.0 / machine().clock.si());
}

TEST_P(SimulationAt, ABatchThatIsThereCostsItsCopy) {
  testing::ProgramMaker maker;
  int op = maker.define(testing::tile_op("long", 200, 400'000, 0, 64, 100'000));
  compiler::Program program = maker.infeed(100'000, 3).op(op).program();
  RunResult result = testing::run(program, machine(), testing::open_2x2(), at(GetParam(), 3));
  // 100 kB at 172 GB/s and 1 us per tensor, to the cycle.
  base::Duration copy(100'000 / 172e9 + 3e-6);
  EXPECT_NEAR(base::to_duration(result.infeed).si(), copy.si(), 2.0 / machine().clock.si());
}

TEST_P(SimulationAt, AnAllReduceOfCoresThatStartTogetherTakesWhatItTakesAlone) {
  testing::ProgramMaker maker;
  compiler::Program program = maker.all_reduce(2'000'000).program();
  RunResult result = testing::run(program, machine(), testing::open_2x2(), at(GetParam(), 1));
  const auto choice = collectives::engine::choose_algorithm(
      machine(), testing::open_2x2(), collectives::CollectiveGroups::all(testing::open_2x2(), 2),
      {collectives::CollectiveKind::all_reduce, hlo::ElementType::bf16, 1'000'000});
  collectives::engine::CollectiveOutcome alone = collectives::engine::simulate_collective(machine(), choice.schedule);
  ASSERT_EQ(result.collectives.size(), 1U);
  const CollectiveResult& collective = result.collectives[0];
  EXPECT_EQ(collective.time, alone.duration);
  EXPECT_EQ(collective.kind, "all-reduce");
  EXPECT_EQ(collective.element_type, "bf16");
  EXPECT_EQ(collective.bytes, base::Bytes(2'000'000));
  EXPECT_EQ(collective.group_size, 8);
  EXPECT_FALSE(collective.folded);
  // A core sees the end at the next edge of its clock.
  EXPECT_GE(collective.exposed + Time(1100), std::min(alone.finish[0], alone.finish[1]));
  EXPECT_LE(collective.exposed, alone.duration + Time(1100));
  EXPECT_EQ(result.items[0].bound, Bound::ici);
}

// A permute that takes its time by formula, since it alone prevents folding, does not wait for a copy in flight: the
// oracle is the run of all chips.
TEST(Simulation, APermuteByFormulaDoesNotWaitForACopy) {
  const noc::Topology torus({4, 4}, {true, true});
  testing::ProgramMaker maker;
  const int copy = maker.define(tile_op("copy", 400, 400'000, 0, 64, 400'000));
  const int compute = maker.define(tile_op("compute", 40, 0, 160, 1024, 0));
  compiler::CollectiveOp permute{collectives::CollectiveKind::collective_permute, hlo::ElementType::bf16,
                                 base::Bytes(128), 1};
  for (std::int32_t chip = 1; chip < torus.nodes(); ++chip) {
    for (std::int32_t core = 0; core < 2; ++core)
      permute.groups.push_back({2 * chip + core, 2 * *torus.neighbour(chip, 0, +1) + core});
  }
  const int small = maker.define(std::move(permute)), large = maker.define_all_reduce(1'000'000'000);
  maker.op(copy).asynchronous().collective(small).op(compute).done().collective(large);
  testing::RunOptions options = at(Detail::replay, 1);
  const RunResult folded = testing::run(maker.program(), machine(), torus, options);
  ASSERT_EQ(folded.simulated_chips, 1);
  options.fold = false;
  const RunResult all = testing::run(maker.program(), machine(), torus, options);
  EXPECT_NEAR(double(folded.items[1].duration.value()), double(all.items[1].duration.value()), 2e6);  // 2 us
}

testing::RunOptions one_chip(int steps) {
  testing::RunOptions options = at(Detail::replay, steps);
  options.one_chip = true;
  return options;
}

// All cores begin together and end together, so one of them shows what all of them do.
TEST(Simulation, OneChipForAllTakesWhatAllTakeWhereTheyKeepStep) {
  const noc::Topology torus({4, 4}, {true, true});
  const RunResult all = testing::run(mixed_program(), machine(), torus, at(Detail::replay));
  const RunResult one = testing::run(mixed_program(), machine(), torus, one_chip(2));
  EXPECT_NEAR(double(one.step_time.value()), double(all.step_time.value()), 1e-3 * double(all.step_time.value()));
  EXPECT_EQ(one.simulated_chips, 1);
  EXPECT_EQ(one.activity.slice, all.activity.slice);
  EXPECT_NEAR(one.ici_utilization, all.ici_utilization, 0.01 * all.ici_utilization);  // each link carries the same
}

// Rows of an open slice: whole cores drift apart there.
TEST(Simulation, OneChipForAllStandsForAnOpenSliceToo) {
  testing::ProgramMaker maker;
  const int compute = maker.define(testing::tile_op("compute", 40, 0, 160, 1024, 0));
  const int rows = maker.define_all_reduce(4'000'000, {{0, 1, 2, 3}, {4, 5, 6, 7}});
  const compiler::Program program = maker.op(compute).collective(rows).op(compute).collective(rows).program();
  const RunResult all = testing::run(program, machine(), open_2x2(), at(Detail::replay));
  const RunResult one = testing::run(program, machine(), open_2x2(), one_chip(2));
  EXPECT_NEAR(double(one.step_time.value()), double(all.step_time.value()), 0.02 * double(all.step_time.value()));
}

// An op that only computes hides an all-reduce that is shorter; two that are longer together go one after the other.
TEST(Simulation, AsynchronousCollectivesOfOneChipRunOneAfterAnother) {
  testing::ProgramMaker hides, waits, alone;
  for (testing::ProgramMaker* maker : {&hides, &waits}) maker->define(tile_op("compute", 40, 0, 160, 1024, 0));
  const compiler::Program hidden = hides.all_reduce(100'000).asynchronous().op(0).done().program();
  const Cycles cycles = hw::timing::simulate_op(machine(), hidden.ops[0].tiles).cycles;
  EXPECT_EQ(testing::run(hidden, machine(), open_2x2(), one_chip(1)).step_time, machine().core_clock().time_of(cycles));
  const Time reduce =
      testing::run(alone.all_reduce(400'000'000).program(), machine(), open_2x2(), one_chip(1)).step_time;
  const compiler::Program two =
      waits.all_reduce(400'000'000).asynchronous().op(0).all_reduce(400'000'000).done().program();
  const Time both = testing::run(two, machine(), open_2x2(), one_chip(1)).step_time;
  EXPECT_NEAR(double(both.value()), 2.0 * double(reduce.value()), 1e-3 * double(both.value()));
}

TEST_P(SimulationAt, ProgressGrowsToOne) {
  std::vector<double> seen;
  testing::RunOptions options = at(GetParam());
  options.progress = [&](double share) { seen.push_back(share); };
  testing::run(testing::mixed_program(), machine(), testing::open_2x2(), options);
  EXPECT_EQ(seen.size(), 12U) << "six items, two steps";
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_DOUBLE_EQ(seen.back(), 1);
}

TEST_P(SimulationAt, StoppedItReportsTheStepsThatWereDone) {
  std::atomic<bool> stop = false;
  testing::RunOptions options = at(GetParam(), 10);
  options.progress = [&](double share) {
    if (share > 0.3) stop = true;
  };
  options.stop = &stop;
  RunResult stopped = testing::run(testing::mixed_program(), machine(), testing::open_2x2(), options);
  RunResult whole = testing::run(testing::mixed_program(), machine(), testing::open_2x2(), at(GetParam(), 3));
  EXPECT_TRUE(stopped.partial);
  EXPECT_EQ(stopped.steps, 3);
  EXPECT_EQ(stopped.step_times, whole.step_times);
}

TEST_P(SimulationAt, StoppedInTheFirstStepItReportsTheItemsThatWereDone) {
  std::atomic<bool> stop = false;
  testing::RunOptions options = at(GetParam());
  options.progress = [&](double) { stop = true; };
  options.stop = &stop;
  RunResult result = testing::run(testing::mixed_program(), machine(), testing::open_2x2(), options);
  EXPECT_TRUE(result.partial);
  EXPECT_EQ(result.steps, 0);
  EXPECT_GE(result.items.size(), 1U);
  EXPECT_LT(result.items.size(), 6U);
}

TEST_P(SimulationAt, AProgramWithoutItemsEndsAtOnce) {
  RunResult result = testing::run(compiler::Program{}, machine(), testing::open_2x2(), at(GetParam()));
  EXPECT_EQ(result.step_time, Time(0));
  EXPECT_TRUE(result.items.empty());
}

TEST_P(SimulationAt, TheTimelineHasASpanPerItemAndStep) {
  base::trace::Timeline timeline;
  testing::RunOptions options = at(GetParam());
  options.timeline = &timeline;
  testing::run(testing::mixed_program(), machine(), testing::open_2x2(), options);
  std::ostringstream text;
  timeline.write_json(text);
  const nlohmann::json events = nlohmann::json::parse(text.str()).at("traceEvents");
  // The row of the ops; at tile detail the rows of the units have the same names, tile by tile.
  nlohmann::json row;
  for (const auto& event : events) {
    if (event.at("ph") == "M" && event.at("name") == "thread_name" && event.at("args").at("name") == "ops") row = event;
  }
  ASSERT_FALSE(row.is_null());
  for (int item = 0; item < 6; ++item) {
    auto count = std::ranges::count_if(events, [&](const auto& event) {
      return event.at("ph") == "X" && event.at("pid") == row.at("pid") && event.at("tid") == row.at("tid") &&
             event.at("name") == "layer" + std::to_string(item);
    });
    EXPECT_EQ(count, 2) << item;
  }
  std::vector<std::string> steps;
  for (const auto& event : events) {
    if (event.at("ph") == "X" && event.at("cat") == "step") steps.push_back(event.at("name"));
  }
  EXPECT_EQ(steps, (std::vector<std::string>{"step 1", "step 2"}));
}

TEST(Simulation, TileAndReplayDetailGiveTheSameTimesToThePicosecond) {
  RunResult tile = testing::run(testing::mixed_program(), machine(), testing::open_2x2(), at(Detail::tile, 3));
  RunResult replay = testing::run(testing::mixed_program(), machine(), testing::open_2x2(), at(Detail::replay, 3));
  RunResult one = testing::run(testing::mixed_program(), machine(), testing::open_2x2(), at(Detail::automatic, 3));
  EXPECT_EQ(one.real_chips, std::vector<std::string>{"(0,0)"});
  EXPECT_EQ(times(tile), times(replay));
  EXPECT_EQ(times(tile), times(one));
  for (std::size_t i = 0; i < tile.items.size(); ++i) EXPECT_EQ(tile.items[i].cost, replay.items[i].cost) << i;
}

TEST(Simulation, FoldedWrappedSlicesGiveTheUnfoldedTimesToThePicosecond) {
  for (auto [wrap_x, wrap_y] : {std::pair{true, true}, {false, true}}) {
    noc::Topology slice({4, 4}, {wrap_x, wrap_y});
    testing::RunOptions unfolded = at(Detail::replay, 3);
    unfolded.fold = false;
    RunResult folded = testing::run(testing::mixed_program(), machine(), slice, at(Detail::replay, 3));
    RunResult whole = testing::run(testing::mixed_program(), machine(), slice, unfolded);
    EXPECT_EQ(whole.simulated_chips, 16);
    EXPECT_EQ(folded.simulated_chips, wrap_x ? 1 : 4);
    EXPECT_EQ(times(folded), times(whole));
    EXPECT_TRUE(folded.collectives[0].folded);
    EXPECT_EQ(folded.notes.size(), 1U);
    EXPECT_EQ(folded.collectives[0].group_size, 32);
    EXPECT_EQ(folded.link_bytes, whole.link_bytes);
  }
}

// An all-reduce of n chips sends 2 (n - 1) / n of the payload from each: with two chips, all of it.
TEST_P(SimulationAt, LinksCarryWhatAnAllReduceSendsInAStep) {
  const std::int64_t payload = 4'000'000;
  const noc::Topology pair({2}, {false});
  const RunResult result =
      testing::run(testing::ProgramMaker().all_reduce(payload).program(), machine(), pair, at(GetParam(), 3));
  ASSERT_EQ(result.link_bytes.size(), std::size_t(pair.link_ids()));
  for (noc::LinkId id = 0; id < pair.link_ids(); ++id) {
    EXPECT_EQ(result.link_bytes[std::size_t(id)].value(), pair.link(id) ? payload : 0) << id;
  }
}

TEST(Simulation, AtTileDetailNothingIsFolded) {
  noc::Topology ring({4}, {true});
  RunResult result = testing::run(testing::mixed_program(), machine(), ring, at(Detail::tile));
  EXPECT_EQ(result.simulated_chips, 4);
  EXPECT_TRUE(result.notes.empty());
}

TEST(Simulation, OpsAreBoundByTheUnitThatIsBusyMostOfTheTime) {
  testing::ProgramMaker maker;
  int matmul = maker.define(testing::tile_op("matmul", 20, 1000, 64, 2048, 1000));
  int stream = maker.define(testing::tile_op("stream", 20, 1'000'000, 0, 8, 0));
  int tiny = maker.define(testing::tile_op("tiny", 1, 8, 0, 8, 8));
  hw::TileOp vector = testing::tile_op("vector", 20, 1000, 0, 8, 1000);
  vector.runs[0].work.phases[0].of<hw::Vector>().alu_ops = 1'000'000;
  hw::TileOp transpose = testing::tile_op("transpose", 20, 1000, 0, 8, 1000);
  transpose.runs[0].work.phases[0].of<hw::CrossLane>().operations = 100'000;
  int adding = maker.define(vector), moving = maker.define(transpose);
  compiler::Program program = maker.op(matmul).op(stream).op(tiny).op(adding).op(moving).program();
  RunResult result = testing::run(program, machine(), testing::open_2x2(), at(Detail::replay, 1));
  std::vector<Bound> bounds;
  for (const ItemResult& item : result.items) bounds.push_back(item.bound);
  EXPECT_EQ(bounds, (std::vector{Bound::unit<hw::Mxu>(), Bound::hbm, Bound::latency, Bound::unit<hw::Vector>(),
                                 Bound::unit<hw::CrossLane>()}));
}

// Two chips in a row, with one link in each direction. Along an open line of two, half of the payload crosses for the
// sum and the other half returns with it: every link carries the payload's bytes once.
TEST(Simulation, LinkUseIsTheShareOfTheStepsCapacityThatTheBusiestLinkCarried) {
  testing::ProgramMaker maker;
  compiler::Program program = maker.all_reduce(4'000'000).program();
  RunResult result = testing::run(program, machine(), noc::Topology({2}, {false}), at(Detail::replay, 2));
  double capacity = machine().ici.payload_rate().si() * base::to_duration(result.step_time).si();
  EXPECT_NEAR(result.ici_utilization, 4e6 / capacity, 1e-5);
  EXPECT_NE(result.collectives[0].algorithm.find("x "), std::string::npos);
}

TEST(Simulation, TheSecondStepIsTheSteadyState) {
  RunResult two = testing::run(testing::mixed_program(), machine(), testing::open_2x2(), at(Detail::replay, 2));
  RunResult five = testing::run(testing::mixed_program(), machine(), testing::open_2x2(), at(Detail::replay, 5));
  EXPECT_NEAR(base::to_duration(two.step_time).si(), base::to_duration(five.step_time).si(),
              3.0 / machine().clock.si());
}

}  // namespace
}  // namespace podsim::sw::runtime::session
