// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/run_activity.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "hw/timing/tile_pipeline.h"
#include "tests/sw/runtime/synthetic_program.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::runtime {
namespace {

using base::Bytes;
using testing::open_2x2;
using testing::ProgramMaker;
using testing::RunOptions;
using testing::tile_op;

RunOptions at(Detail detail, bool reduced, int steps = 2) {
  RunOptions options;
  options.detail = detail;
  options.fold = reduced;
  options.steps = steps;
  return options;
}

// Eight cores; an infeed of 1000 B to each is written, copied, that is read and written, and an outfeed likewise.
TEST(RunActivity, CountsOpsAndHostTransfersOfEveryCore) {
  ProgramMaker maker;
  const int a = maker.define(tile_op("a", 12, 40'000, 16, 1024, 20'000));
  const RunResult result = testing::run(maker.infeed(1000, 1).op(a).op(a).outfeed(300, 1).program(), sw::the_tpu_v3(),
                                        open_2x2(), at(Detail::replay, true));
  const hw::Activity& core = result.activity.core;
  EXPECT_EQ(core.units.of<hw::Mxu>().multiply_accumulates, std::int64_t(2 * 12 * 16) * 1024 * 128 * 128);
  EXPECT_EQ(core.op_read, Bytes(2 * 12 * 40'000));
  EXPECT_EQ(core.op_written, Bytes(2 * 12 * 20'000));
  EXPECT_EQ(core.transfer_read, Bytes(1000 + 2 * 300));
  EXPECT_EQ(core.transfer_written, Bytes(2 * 1000 + 300));
  EXPECT_EQ(core.host_in, Bytes(1000));
  EXPECT_EQ(core.host_out, Bytes(300));
  EXPECT_EQ(core.switched, Bytes(1300));
  hw::Activity eight;
  hw::add(core, 8, eight);
  EXPECT_EQ(result.activity.slice, eight);
}

// A loop of 4 trips around an op; an asynchronous copy concurrent with it is a transfer, and counts once.
TEST(RunActivity, CountsEveryTripAndAsynchronousOpsAsTransfers) {
  ProgramMaker maker;
  const int a = maker.define(tile_op("a", 10, 40'000, 1, 8, 20'000));
  const int copy = maker.define({"copy", {{5, {{{Bytes(3000)}}, {}, {{Bytes(3000)}}}}}, Bytes(6000)});
  const compiler::Program program = maker.op(copy).asynchronous().op(a).loop_from(1, 4).done().program();
  const hw::Activity core = testing::run(program, sw::the_tpu_v3(), open_2x2(), at(Detail::replay, true)).activity.core;
  EXPECT_EQ(core.op_read, Bytes(4 * 10 * 40'000));
  EXPECT_EQ(core.transfer_read, Bytes(5 * 3000));
  EXPECT_EQ(core.transfer_written, Bytes(5 * 3000));
}

// Branches: four cores of eight run each of two ops. The reported core is one of them, the slice has both.
TEST(RunActivity, OfTheSliceAddsUpItsStages) {
  ProgramMaker maker;
  const int a = maker.define(tile_op("a", 10, 40'000, 0, 8, 0)), b = maker.define(tile_op("b", 10, 50'000, 0, 8, 0));
  const compiler::Program program = maker.op(a).of_cores({0, 1, 2, 3}).op(b).of_cores({4, 5, 6, 7}).program();
  const RunResult result = testing::run(program, sw::the_tpu_v3(), open_2x2(), at(Detail::replay, true));
  EXPECT_EQ(result.activity.slice.op_read, Bytes(4 * 10 * 40'000 + 4 * 10 * 50'000));
  EXPECT_EQ(result.activity.core.op_read, Bytes(10 * 50'000)) << "of the longer branch";
}

// The oracle is the same program over streams; at detail chip its transfers pass switch and banks in granules.
TEST(RunActivity, IsTheSameThroughThePartsOfAChip) {
  const compiler::Program program = testing::mixed_program();
  const auto activity_at = [&](Detail detail) {
    return testing::run(program, sw::the_tpu_v3(), open_2x2(), at(detail, true)).activity;
  };
  EXPECT_EQ(activity_at(Detail::chip).core, activity_at(Detail::tile).core);
  EXPECT_EQ(activity_at(Detail::chip).slice, activity_at(Detail::tile).slice);
}

compiler::CollectiveOp any_collective(const noc::Topology& slice) {
  using enum collectives::CollectiveKind;
  const auto kind =
      *rc::gen::element(all_reduce, all_gather, reduce_scatter, all_to_all, collective_permute, broadcast);
  const auto cores = std::int32_t(slice.nodes()) * std::int32_t(sw::the_tpu_v3().cores_per_chip);
  std::vector<std::vector<std::int32_t>> groups;
  for (std::int32_t core = 0; kind == collective_permute && core < cores; ++core)
    groups.push_back({core, (core + 2) % cores});
  return {kind, hlo::ElementType::bf16, Bytes(2 * *rc::gen::inRange(1, 200'000)), 1, std::move(groups)};
}

compiler::Program any_items_of(const noc::Topology& slice) {
  ProgramMaker maker;
  for (int i = 0; i < 3; ++i) {
    maker.define(tile_op("op", *rc::gen::inRange(1, 5), *rc::gen::inRange(1, 100'000), *rc::gen::inRange(0, 5),
                         8 * *rc::gen::inRange(1, 50), *rc::gen::inRange(1, 50'000)));
  }
  for (int i = 0; i < 2; ++i) maker.define(any_collective(slice));
  if (*rc::gen::arbitrary<bool>()) maker.infeed(*rc::gen::inRange(1, 100'000), 2);
  const auto any_items = [&](int most) {
    for (int count = *rc::gen::inRange(1, most); count > 0; --count) {
      switch (*rc::gen::inRange(0, 4)) {
        case 0:
          maker.op(*rc::gen::inRange(0, 3)).asynchronous().op(*rc::gen::inRange(0, 3)).done();
          break;
        case 1:
          maker.collective(*rc::gen::inRange(0, 2));
          break;
        default:
          maker.op(*rc::gen::inRange(0, 3));
      }
    }
  };
  any_items(4);
  const int first = int(maker.program().items.size());
  any_items(4);
  maker.loop_from(first, *rc::gen::inRange(1, 20));
  any_items(4);
  if (*rc::gen::arbitrary<bool>()) maker.outfeed(*rc::gen::inRange(1, 100'000), 1);
  return maker.program();
}

// The oracle is the run of every chip and every trip, op by op through its units: its counts of each op, and the
// messages that its links delivered.
void is_the_same_however_it_is_simulated(const compiler::Program& program, const noc::Topology& slice) {
  const int steps = 2;
  const RunResult all = testing::run(program, sw::the_tpu_v3(), slice, at(Detail::tile, false, steps));
  Bytes read, written;
  for (const ItemResult& item : all.items) {
    read += item.cost.read_bytes * item.times;
    written += item.cost.written_bytes * item.times;
  }
  RC_ASSERT(all.activity.core.op_read == read);
  RC_ASSERT(all.activity.core.op_written == written);
  RC_ASSERT(steps * all.activity.slice.messages == all.statistics.find("ici.messages")->value());
  for (const RunOptions& options : {at(Detail::replay, false, steps), at(Detail::replay, true, steps),
                                    at(Detail::tile, true, steps), at(Detail::automatic, true, steps)}) {
    const RunResult other = testing::run(program, sw::the_tpu_v3(), slice, options);
    RC_ASSERT(other.activity.slice == all.activity.slice);
    RC_ASSERT(other.activity.core.op_bytes() == all.activity.core.op_bytes());
  }
}

RC_GTEST_PROP(RunActivity, IsTheSameAtAllLevelsOfDetailAndWithAllThatIsReduced, ()) {
  for (int program = 0; program < 2; ++program) {
    const noc::Topology slice =
        *rc::gen::element(noc::Topology({2, 2}, {false, false}), noc::Topology({4, 1}, {true, false}),
                          noc::Topology({3, 2}, {true, false}), noc::Topology({1, 1}, {false, false}));
    is_the_same_however_it_is_simulated(any_items_of(slice), slice);
  }
}

}  // namespace
}  // namespace podsim::sw::runtime
