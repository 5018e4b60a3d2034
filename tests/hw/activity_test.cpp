// SPDX-License-Identifier: Apache-2.0
#include "hw/activity.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <set>
#include <string>

#include "hw/timing/tile_pipeline.h"
#include "tests/hw/random_op.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw {
namespace {

using base::Bytes;

// k x n weights are k/128 x n/128 weight tiles, and all m rows pass each: m k n multiply-accumulates if m, k and n are
// whole tiles, else those of the padded product.
TEST(Activity, OfAMatmulIsThatOfTheProductWithPaddedWeights) {
  const std::int64_t m = 1000, k = 300, n = 520;
  const TilePhase phase(MxuWork{.weight_tiles = 3 * 5, .rows = m});
  const Activity done = activity(the_tpu_v3(), phase);
  EXPECT_EQ(done.units.of<Mxu>().multiply_accumulates, m * base::round_up(k, 128) * base::round_up(n, 128));
  EXPECT_EQ(done.units.of<Mxu>().weight_tiles, 15);
}

// 1001 rows are 126 registers of 8; with the 16 registers of weights, 142 registers of 4 KiB for a weight tile.
TEST(Activity, CountsCellsAndRegistersOfRowsThatFillTheirRegisters) {
  const Activity done = activity(the_tpu_v3(), TilePhase(MxuWork{.weight_tiles = 2, .rows = 1001}));
  EXPECT_EQ(done.units.of<Mxu>().multiply_accumulates, 2 * 1001 * 128 * 128);
  EXPECT_EQ(done.units.of<Mxu>().cell_cycles, 2 * 1008 * 128 * 128);
  EXPECT_EQ(done.units.of<Mxu>().operand_registers, 2 * 142);
  EXPECT_EQ(done.vmem_read, Bytes(2 * 142 * 4096));
  EXPECT_EQ(done.vmem_written, Bytes(0));
}

TEST(Activity, CountsNothingForUnitsWithoutWork) {
  EXPECT_EQ(activity(the_tpu_v3(), TilePhase()), Activity());
  EXPECT_EQ(activity(the_tpu_v3(), TilePhase(MxuWork{.weight_tiles = 0, .rows = 8})), Activity());
}

// Data from the HBM are written to VMEM and read from there by vector loads; results take the opposite path.
TEST(Activity, OfAStreamIsItsBytesAtEachLevel) {
  TileOp op{"stream", {}, {}};
  op.runs.push_back({10, {{{Bytes(8192)}, {Bytes(4096)}}, {TilePhase(VectorWork{3, 1, 2, 0})}, {{Bytes(4096)}}}});
  const Activity done = activity(the_tpu_v3(), op);
  EXPECT_EQ(done.op_read, Bytes(10 * 12288));
  EXPECT_EQ(done.op_written, Bytes(10 * 4096));
  EXPECT_EQ(done.op_bytes(), Bytes(10 * 16384));
  EXPECT_EQ(done.vmem_written, Bytes(10 * (12288 + 4096)));
  EXPECT_EQ(done.vmem_read, Bytes(10 * (4096 + 3 * 4096)));
  EXPECT_EQ(done.descriptors, 30);
  EXPECT_EQ(done.units.of<Vector>().alu_operations, 20);
  EXPECT_EQ(done.messages, 0);
}

TEST(Activity, CountsWhatMovesAtADeclaredLevelApartFromTheHbm) {
  const Machine machine = read_machine(cmem_file());
  TileOp op{"stream", {}, {}};
  op.runs.push_back({10, {{{Bytes(8192)}, {Bytes(4096), {}, level::first_declared}}, {}, {{Bytes(512), {}, 2}}}});
  const Activity done = activity(machine, op);
  EXPECT_EQ(done.op_bytes(), Bytes(10 * 8192));
  EXPECT_EQ(done.level_read[2], Bytes(10 * 4096));
  EXPECT_EQ(done.level_written[2], Bytes(10 * 512));
  EXPECT_EQ(done.vmem_written, Bytes(10 * 12288));
  EXPECT_EQ(done.vmem_read, Bytes(10 * 512));
  const std::vector<NamedCount> all = counts(done, machine);
  EXPECT_EQ(all.size(), counts(done, the_tpu_v3()).size() + 2);
  EXPECT_EQ(all.back().part, "cmem");
  EXPECT_EQ(all.back().value, 10 * 512);
}

// The oracles: the pipeline's count of bytes and tiles, and the works of every tile added up one by one.
RC_GTEST_PROP(Activity, OfAnOpIsTheSumOverItsTiles, ()) {
  const TileOp op = random_op(3, 6);
  const Activity done = activity(the_tpu_v3(), op);
  const OpResult simulated = timing::simulate_op(the_tpu_v3(), op);
  RC_ASSERT(done.op_read == simulated.read_bytes);
  RC_ASSERT(done.op_written == simulated.written_bytes);
  std::int64_t loads = 0, stores = 0, transcendentals = 0, cross_lane = 0, scalar = 0, products = 0, descriptors = 0;
  for (const TileRun& run : op.runs) {
    for (std::int64_t tile = 0; tile < run.count; ++tile) {
      descriptors += std::int64_t(run.work.reads.size()) + std::int64_t(run.work.writes.size());
      for (const TilePhase& phase : run.work.phases) {
        loads += phase.of<Vector>().loads;
        stores += phase.of<Vector>().stores;
        transcendentals += phase.of<Vector>().transcendentals;
        cross_lane += phase.of<CrossLane>().operations;
        scalar += phase.of<Scalar>().cycles.value();
        products += phase.of<Mxu>().weight_tiles * phase.of<Mxu>().rows;
      }
    }
  }
  RC_ASSERT(done.units.of<Vector>().loads == loads);
  RC_ASSERT(done.units.of<Vector>().transcendentals == transcendentals);
  RC_ASSERT(done.units.of<CrossLane>().operations == cross_lane);
  RC_ASSERT(done.units.of<Scalar>().cycles == base::Cycles(scalar));
  RC_ASSERT(done.units.of<Mxu>().multiply_accumulates == products * 128 * 128);
  RC_ASSERT(done.vmem_written == done.op_read + Bytes(4096 * stores));
  RC_ASSERT(done.descriptors == descriptors);
}

RC_GTEST_PROP(Activity, AddsInAnyOrderAndScales, ()) {
  const Activity a = activity(the_tpu_v3(), random_op(2, 4)), b = activity(the_tpu_v3(), random_op(2, 4));
  const std::int64_t times = *rc::gen::inRange(0, 9);
  Activity scaled, one_by_one;
  add(b, 1, scaled);
  add(a, times, scaled);
  for (std::int64_t i = 0; i < times; ++i) add(a, 1, one_by_one);
  add(b, 1, one_by_one);
  RC_ASSERT(scaled == one_by_one);
}

TEST(Activity, ACountThatDoesNotFitStaysAtTheLargest) {
  Activity op, sum;
  op.op_read = Bytes(std::int64_t(1) << 62);
  op.messages = 1;
  add(op, 3, sum);
  EXPECT_EQ(sum.op_read, Bytes(std::numeric_limits<std::int64_t>::max()));
  add(op, 1, sum);
  EXPECT_EQ(sum.op_read, Bytes(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(sum.messages, 4);
}

TEST(Activity, NamesEveryCountOnceAndKeepsThoseOfAPartTogether) {
  std::set<std::string> names, parts;
  std::string last;
  for (const NamedCount& count : counts({}, the_tpu_v3())) {
    EXPECT_TRUE(names.insert(std::string(count.part) + "." + count.counter.name).second) << count.counter.name;
    EXPECT_EQ(count.value, 0);
    if (count.part == last) continue;
    last = count.part;
    EXPECT_TRUE(parts.insert(last).second) << last;
  }
}

}  // namespace
}  // namespace podsim::hw
