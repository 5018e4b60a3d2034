// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sw/collectives/collective_groups.h"
#include "sw/runtime/session/session.h"
#include "tests/sw/collectives/engine/no_signals.h"
#include "tests/sw/runtime/synthetic_program.h"
#include "tests/sw/target_machines.h"

/// Without waveforms the engine of collectives looks look_ahead in quanta. How it slices time decides nothing: with
/// signals to show, every event comes at its simulated time and every message through the ports of chips, and all times
/// are equal.
namespace podsim::sw::runtime {
namespace {

using collectives::engine::testing::NoSignals;

/// Ops that the HBM or the MXU bounds, and all-reduces of all cores or along an axis, some of them asynchronous.
compiler::Program any_program(const noc::Topology& slice, int cores) {
  testing::ProgramMaker maker;
  const int matmul = maker.define(testing::tile_op("matmul", 12, 40'000, 16, 1024, 20'000));
  const int stream = maker.define(testing::tile_op("stream", 40, 200'000, 0, 64, 100'000));
  const int small = maker.define(testing::tile_op("small", 2, 1000, 0, 8, 1000));
  const auto any_op = [&] { return *rc::gen::element(matmul, stream, small); };
  const auto any_all_reduce = [&] {
    const int dimension = *rc::gen::inRange(-1, slice.dimensions());
    const std::int64_t bytes = *rc::gen::element(8, 1000, 200'000);
    if (dimension < 0) return maker.define_all_reduce(bytes);
    const auto groups = collectives::CollectiveGroups::parse(noc::dimension_name(dimension), slice, cores);
    return maker.define_all_reduce(bytes, groups.groups());
  };
  const int items = *rc::gen::inRange(2, 7);
  for (int item = 0; item < items; ++item) {
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        maker.op(any_op());
        break;
      case 1:
        maker.collective(any_all_reduce());
        break;
      case 2:
        maker.collective(any_all_reduce()).asynchronous().op(any_op()).done();
        break;
      default:
        maker.op(stream).asynchronous().collective(any_all_reduce()).done();
    }
  }
  return maker.program();
}

RC_GTEST_PROP(Quantum, ChangesNoTime, ()) {
  const sw::TargetMachine machine = sw::tpu_v3();
  const noc::Topology slice({*rc::gen::inRange(1, 4), *rc::gen::inRange(1, 4)},
                            {*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()});
  const compiler::Program program = any_program(slice, int(machine.cores_per_chip));
  testing::RunOptions options;
  options.detail = *rc::gen::element(Detail::automatic, Detail::replay, Detail::tile);
  options.fold = *rc::gen::arbitrary<bool>();
  const RunResult look_ahead = testing::run(program, machine, slice, options);
  NoSignals sink;
  options.sink = &sink;
  const RunResult events = testing::run(program, machine, slice, options);
  RC_ASSERT(look_ahead.step_times == events.step_times);
  RC_ASSERT(look_ahead.items.size() == events.items.size());
  for (std::size_t item = 0; item < look_ahead.items.size(); ++item) {
    RC_ASSERT(look_ahead.items[item].duration == events.items[item].duration);
    RC_ASSERT(look_ahead.items[item].cost == events.items[item].cost);
  }
  RC_ASSERT(look_ahead.link_bytes == events.link_bytes);
  for (const char* name : {"ici.messages", "ici.hops"}) {
    RC_ASSERT(look_ahead.statistics.find(name)->value() == events.statistics.find(name)->value());
  }
}

}  // namespace
}  // namespace podsim::sw::runtime
