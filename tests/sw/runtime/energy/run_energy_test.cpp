// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/energy/run_energy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sw/runtime/energy/power_curve.h"
#include "tests/sw/runtime/synthetic_program.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::runtime::energy {
namespace {

using testing::open_2x2;
using testing::ProgramMaker;
using testing::RunOptions;
using testing::tile_op;

RunOptions options_at(Detail detail, bool reduced) {
  RunOptions options;
  options.detail = detail;
  options.fold = reduced;
  options.steps = 2;
  return options;
}

RunResult mixed_run(const RunOptions& options) {
  return testing::run(testing::mixed_program(), sw::the_tpu_v3(), open_2x2(), options);
}

// Events follow from counts and what is always drawn from the time, so that no level may give another energy than its
// step has.
TEST(RunEnergy, IsTheSameAtAllLevelsOfDetail) {
  const StepEnergy all = step_energy(sw::the_tpu_v3(), mixed_run(options_at(Detail::tile, false)), 4);
  for (const auto& options : {options_at(Detail::replay, false), options_at(Detail::replay, true),
                              options_at(Detail::tile, true), options_at(Detail::automatic, true)}) {
    const StepEnergy other = step_energy(sw::the_tpu_v3(), mixed_run(options), 4);
    EXPECT_DOUBLE_EQ(hw::energy::sum(other.events), hw::energy::sum(all.events));
    EXPECT_NEAR(other.joules(), all.joules(), 1e-9 * all.joules());
  }
}

TEST(RunEnergy, OfItemsAndOfIdleTimeIsThatOfTheCore) {
  ProgramMaker maker;
  const int a = maker.define(tile_op("a", 12, 40'000, 16, 1024, 20'000));
  const RunResult result = testing::run(maker.infeed(1000, 1).op(a).op(a).program(), sw::the_tpu_v3(), open_2x2(),
                                        options_at(Detail::replay, true));
  const StepEnergy energy = step_energy(sw::the_tpu_v3(), result, 4);
  double items = 0, busy = 0;
  for (const ItemResult& item : result.items) {
    items += energy.of(item);
    busy += base::to_duration(item.total()).si();
  }
  const double idle = (energy.seconds - busy) * hw::energy::sum(energy.watts) / 2;
  const double core = energy.joules() / 8;  // all cores do the same
  EXPECT_NEAR(items + idle, core, 1e-9 * core);
  EXPECT_NEAR(energy.chip_watts() * energy.seconds * 4, energy.joules(), 1e-9 * energy.joules());
}

// The integral of the curve is the energy of a chip, with asynchronous items and skipped trips.
TEST(PowerCurve, HoldsTheEnergyOfAChip) {
  ProgramMaker maker;
  const int a = maker.define(tile_op("a", 10, 40'000, 1, 8, 20'000));
  const int copy = maker.define({"copy", {{5, {{{base::Bytes(3000)}}, {}, {{base::Bytes(3000)}}}}}, base::Bytes(6000)});
  const compiler::Program program =
      maker.op(copy).asynchronous().op(a).loop_from(1, 40).done().op(a).outfeed(300, 1).program();
  const RunResult result = testing::run(program, sw::the_tpu_v3(), open_2x2(), options_at(Detail::replay, true));
  const StepEnergy energy = step_energy(sw::the_tpu_v3(), result, 4);
  double all = 0;
  for (const char* part : {"", "hbm", "vmem"}) {
    const std::vector<PowerSample> curve = power_curve(sw::the_tpu_v3(), energy, result, part);
    double joules = 0;
    for (std::size_t i = 0; i + 1 < curve.size(); ++i) {
      joules += curve[i].watts * base::to_duration(curve[i + 1].begin - curve[i].begin).si();
    }
    const std::string_view name(part);
    const double expected =
        (name.empty() ? energy.joules() : hw::energy::of(energy.events, name) + hw::energy::of(energy.always, name)) /
        4;
    EXPECT_NEAR(joules, expected, 1e-9 * expected) << part;
    if (name.empty()) all = joules;
    double binned = 0;
    for (const double watts : mean_watts(curve, 7)) binned += watts * energy.seconds / 7;
    EXPECT_NEAR(binned, joules, 1e-9 * joules) << part;
  }
  EXPECT_GT(all, 0);
}

// An op of arrays at work draws more than the step's mean, and what is always drawn is the least.
TEST(RunEnergy, HasItsPeakInTheOpThatTakesMost) {
  ProgramMaker maker;
  const int heavy = maker.define(tile_op("heavy", 12, 4'000, 64, 4096, 4'000));
  const RunResult result = testing::run(maker.infeed(1'000'000, 1).op(heavy).program(), sw::the_tpu_v3(), open_2x2(),
                                        options_at(Detail::replay, true));
  const StepEnergy energy = step_energy(sw::the_tpu_v3(), result, 4);
  EXPECT_GT(energy.chip_watts(), hw::energy::sum(energy.watts));
  EXPECT_GT(energy.peak_watts, energy.chip_watts());
}

}  // namespace
}  // namespace podsim::sw::runtime::energy
